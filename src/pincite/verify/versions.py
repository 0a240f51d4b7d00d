"""Is there a newer version of what is cited? Only names of files are looked at."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import PurePath

from pincite.records import NamedFile

_MONTH_AND_DAY = r"[-_. ]?(?:0[1-9]|1[0-2])(?:[-_. ]?(?:0[1-9]|[12]\d|3[01]))?"
_DATE = rf"(?<!\d)(?P<date>(?:19|20)\d\d(?:{_MONTH_AND_DAY})?)(?!\d)"
_NUMBER = (
    r"(?<![^\W_])(?:version|ver|v|revision|rev|edition|issue)[-_. ]?"
    r"(?P<number>\d{1,4}(?:[._]\d{1,4})*)(?![^\W_])"
)
_MARK = re.compile(f"{_DATE}|{_NUMBER}", re.IGNORECASE)
_SEPARATORS = re.compile(r"[\W_]+")
_FEWEST_LETTERS = 4
"""What is left of a name without its version must say what the document is."""

_NAMED = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """A name cut in two: what the document is, and which of its versions."""

    of: str
    numbers: tuple[tuple[int, ...], ...]
    written: tuple[str, ...]


def version_of(path: str) -> Version | None:
    """The version that a file's name tells; None where it tells none."""
    stem = PurePath(path.replace("\\", "/")).stem
    marks = list(_MARK.finditer(stem))
    of = _SEPARATORS.sub(" ", _MARK.sub(" # ", stem.casefold())).strip()
    if not marks or sum(sign.isalpha() for sign in of) < _FEWEST_LETTERS:
        return None
    return Version(
        of=f"{len(marks)} {of}", numbers=tuple(map(_numbers, marks)), written=_texts(marks)
    )


def without_version(name: str) -> str:
    """What a name says beside its version: `policy` of "policy-2023" and "Policy (rev 2)"."""
    return _SEPARATORS.sub(" ", _MARK.sub(" ", name.casefold())).strip()


def _texts(marks: Sequence[re.Match[str]]) -> tuple[str, ...]:
    return tuple(mark["date"] or mark["number"] for mark in marks)


def _numbers(mark: re.Match[str]) -> tuple[int, ...]:
    if mark["number"]:
        return tuple(int(part) for part in re.split(r"[._]", mark["number"]))
    digits = re.sub(r"\D", "", mark["date"])
    return tuple(int(part) for part in (digits[:4], digits[4:6], digits[6:8]) if part)


class Versions:
    """Finds newer versions of documents among the files of a library."""

    def __init__(self, names: Callable[[str | None], Sequence[NamedFile]]) -> None:
        self._names = names
        self._known = lru_cache(maxsize=8)(self._load)

    def newer(self, path: str, question: str, collection: str | None) -> Iterator[str]:
        """Names of files that are newer versions of the one at `path`, the newest first.

        None when the question itself names the version that is cited: then it is the one wanted.
        """
        cited = version_of(path)
        if cited is None or any(mark in question for mark in cited.written):
            return
        versions = self._known(collection).get(cited.of, [])
        later = sorted((v for v in versions if v[0] > cited.numbers), reverse=True)
        yield from list(dict.fromkeys(name for _, name in later))[:_NAMED]

    def _load(
        self, collection: str | None
    ) -> dict[str, list[tuple[tuple[tuple[int, ...], ...], str]]]:
        known: dict[str, list[tuple[tuple[tuple[int, ...], ...], str]]] = {}
        for file in self._names(collection):
            version = version_of(file.path)
            if version is not None:
                known.setdefault(version.of, []).append((version.numbers, PurePath(file.path).name))
        return known
