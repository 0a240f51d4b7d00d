"""Reads a document's version from its file name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import PurePath

from pincite.settings.toml_files import shipped
from pincite.stages import Sources
from pincite.text.details import words_beside_details

_MONTH_AND_DAY = r"[-_. ]?(?:0[1-9]|1[0-2])(?:[-_. ]?(?:0[1-9]|[12]\d|3[01]))?"
_DATE = rf"(?<!\d)(?P<date>(?:19|20)\d\d(?:{_MONTH_AND_DAY})?)(?!\d)"
_NUMBER = (
    r"(?<![^\W_])(?:version|ver|v|revision|rev|edition|issue)[-_. ]?"
    r"(?P<number>\d{1,4}(?:[._]\d{1,4})*)(?![^\W_])"
)
_MARK = re.compile(f"{_DATE}|{_NUMBER}", re.IGNORECASE)
_SEPARATORS = re.compile(r"[\W_]+")
_FEWEST_LETTERS = 4
"""Fewest letters of a name without its version: the rest must say what the document is."""

_OF_ONE_DAY = re.compile(
    r"\b(?:minutes|meetings?|agendas?|transcripts?|interviews?|invoices?|receipts?|bills?|payslips?|"
    r"(?:bank|account) statements?|purchase orders?|delivery notes?|letters?|e-?mails?|newsletters?|"
    r"diary|journal|logs?|memos?|"
    r"\w*(?:protokolle?|sitzung(?:en)?|besprechung(?:en)?|rechnung(?:en)?|quittung(?:en)?|belege?|"
    r"kontoausz(?:ug|üge)|bestellung(?:en)?|lieferscheine?|briefe?|tagebuch)|"
    r"factures?|reçus?|procès[ -]verba(?:l|ux)|comptes? rendus?|réunions?|lettres?|courriels?|"
    r"facturas?|recibos?|actas?|reuni(?:ón|ones)|cartas?|correos?)\b",
    re.IGNORECASE,
)
"""Documents of a series: a new one does not replace the earlier ones."""

_DIGITS_OF_A_YEAR = 4
_LEAST_SHARED_WORDS = 0.5
"""Share of the longer sentence's words; with fewer, the newer version says something else there."""


_FEWEST_SHARED = 2


@cache
def kind_words() -> frozenset[str]:
    """Optional words in a name for a document's kind and state, in all languages: "signed policy"."""
    languages = shipped("text/data", "document_kinds")
    return frozenset(word for words in languages.values() for word in words.split())


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """A name split into what the document is (`of`) and which version it is."""

    of: str
    numbers: tuple[tuple[int, ...], ...]
    written: tuple[str, ...]

    @property
    def kin(self) -> str:
        """A key shared by all names that `is_of` may accept: the sorted words that are no kinds."""
        own = sorted(self._words - kind_words())
        return f"{len(self.written)} {' '.join(own)}" if own else self.of

    def is_of(self, other: Version) -> bool:
        """Whether both are versions of one document.

        One name may have more words for its kind than the other: "HomeGuard wording 2024", "HomeGuard
        policy wording 2026".
        """
        if self.of == other.of:
            return True
        words, others = self._words, other._words
        shared = words & others
        return self.kin == other.kin and shared in (words, others) and len(shared) >= _FEWEST_SHARED

    @property
    def own_words(self) -> frozenset[str]:
        """The words that say which document it is: without those for its kind, if it has others."""
        return self._words - kind_words() or self._words

    @property
    def _words(self) -> frozenset[str]:
        return frozenset(word for word in self.of.split()[1:] if word != "#")


def version_of(path: str) -> Version | None:
    """The version in a file's name; None without one."""
    stem = PurePath(path.replace("\\", "/")).stem
    marks = list(_MARK.finditer(stem))
    of = _SEPARATORS.sub(" ", _MARK.sub(" # ", stem.casefold())).strip()
    if not marks or sum(sign.isalpha() for sign in of) < _FEWEST_LETTERS:
        return None
    return Version(
        of=f"{len(marks)} {of}", numbers=tuple(map(_numbers, marks)), written=_texts(marks)
    )


def version_in(sources: Sources, document_id: str, collection: str | None) -> Version | None:
    """The version of a stored document; None also for minutes, an invoice or a letter."""
    path = sources.source(document_id, collection).path
    found = version_of(path)
    if found is None or is_of_one_day(path, sources.document(document_id).title):
        return None
    return found


def without_version(name: str) -> str:
    """A name without its version: `policy` for "policy-2023" and "Policy (rev 2)"."""
    return _SEPARATORS.sub(" ", _MARK.sub(" ", name.casefold())).strip()


def _texts(marks: Sequence[re.Match[str]]) -> tuple[str, ...]:
    return tuple(mark["date"] or mark["number"] for mark in marks)


def _numbers(mark: re.Match[str]) -> tuple[int, ...]:
    if mark["number"]:
        return tuple(int(part) for part in re.split(r"[._]", mark["number"]))
    digits = re.sub(r"\D", "", mark["date"])
    return tuple(int(part) for part in (digits[:4], digits[4:6], digits[6:8]) if part)


def is_of_one_day(path: str, title: str) -> bool:
    """Whether a date in a name is that of minutes, an invoice or a letter, and not a version."""
    stem = PurePath(path.replace("\\", "/")).stem
    numbered = any(mark["number"] for mark in _MARK.finditer(stem))
    names = f"{_SEPARATORS.sub(' ', stem)}\n{title}"
    return not numbered and bool(_OF_ONE_DAY.search(names))


def are_counterparts(one: str, other: str) -> bool:
    """Whether sentences of two versions correspond: alike, numbers and names aside."""
    words, others = words_beside_details(one), words_beside_details(other)
    most = max(len(words), len(others))
    return most > 0 and len(words & others) >= _LEAST_SHARED_WORDS * most


def versions_named(text: str) -> Iterator[tuple[int, int, tuple[int, ...]]]:
    """The versions that a text names, each with its place: "since 2022", "version 3"."""
    for mark in _MARK.finditer(text):
        yield mark.start(), mark.end(), _numbers(mark)


def names_version(question: str, version: Version) -> bool:
    """Whether the question names this version: "version 1", "the policy of 2023"."""
    asked = _texts(list(_MARK.finditer(question)))
    return any(
        mark in asked or (len(mark) >= _DIGITS_OF_A_YEAR and mark in question)
        for mark in version.written
    )
