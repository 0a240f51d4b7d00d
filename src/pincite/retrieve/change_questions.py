"""Recognises questions for what changed between two versions of a document, and finds both.

The rules prefer to miss one: text that tells of changes may answer as well.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from pathlib import PurePath

from pincite.records.comparisons import ChangeKind, ChangesRequest
from pincite.records.flow import NamedFile, Question
from pincite.settings.toml_files import shipped
from pincite.text.terms import fold, question_terms, stem, terms
from pincite.text.versions import (
    Version,
    is_of_one_day,
    kind_words,
    names_version,
    version_of,
    versions_named,
    without_version,
)

_LONGEST = 300
"""In characters."""
_LAST_MARKS = " \t\n\u00a0\u202f?!."
_BETWEEN_NAMES = re.compile(r"[\s,;:?!\"']+")
_LONGEST_ENDING = 6
_FIRST_YEAR, _LAST_YEAR = 1900, 2099

_Numbers = tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Language:
    """How a language asks for changes, as in `change_questions.toml`."""

    name: str
    asks: tuple[re.Pattern[str], ...]
    since: re.Pattern[str]
    kinds: tuple[tuple[re.Pattern[str], ChangeKind], ...]
    within: re.Pattern[str]
    said: frozenset[str]


@cache
def _languages() -> tuple[_Language, ...]:
    return tuple(_read(name, one) for name, one in shipped("retrieve", "change_questions").items())


def _read(name: str, found: Mapping[str, str]) -> _Language:
    kinds = {"added": ChangeKind.ADDED, "removed": ChangeKind.REMOVED}
    return _Language(
        name=name,
        asks=tuple(re.compile(one, re.IGNORECASE) for one in found["asks"]),
        # The version stands next, with at most the name of its document between.
        since=re.compile(rf"\b(?:{found['since']})\b[^,;]{{0,60}}\Z", re.IGNORECASE),
        kinds=tuple(
            (re.compile(rf"\b(?:{found[name]})\b", re.IGNORECASE), kind)
            for name, kind in kinds.items()
        ),
        within=re.compile(rf"\b(?:{found['within']})\b", re.IGNORECASE),
        said=frozenset(stem(fold(word), name) for word in found["said"].split()),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Versioned:
    """A file whose name tells its version."""

    file: NamedFile
    version: Version

    @property
    def numbers(self) -> _Numbers:
        return self.version.numbers[-1] if len(self.version.numbers) == 1 else ()


@dataclass(frozen=True, slots=True)
class _Files:
    """The files of a collection by their names, and those that are versions of one document."""

    by_name: Mapping[str, NamedFile]
    groups: Sequence[Sequence[_Versioned]]

    @classmethod
    def of(cls, files: Sequence[NamedFile]) -> _Files:
        by_name = {PurePath(one.path).name.casefold(): one for one in files}
        groups = [one for one in _groups(files) if len({v.numbers for v in one}) > 1]
        return cls(by_name, groups)


def _groups(files: Iterable[NamedFile]) -> Iterator[list[_Versioned]]:
    kin: dict[str, list[_Versioned]] = {}
    for file in files:
        # The ending that a path has and a title lacks.
        title = file.title.replace("/", " ")
        version = version_of(file.path) or version_of(f"{title}.")
        if version is not None and not is_of_one_day(file.path, file.title):
            kin.setdefault(version.kin, []).append(_Versioned(file=file, version=version))
    for held in kin.values():
        newest = max(held, key=lambda one: one.numbers)
        yield [one for one in held if one.numbers and one.version.is_of(newest.version)]


class ChangesFinder:
    """Finds the two documents that a question for changes is about."""

    def __init__(
        self, names: Callable[[str | None], Sequence[NamedFile]], *, is_on: bool = True
    ) -> None:
        """`names` are the files of a collection, of all of them for None."""
        self._is_on = is_on
        # Of a library of 100,000 files this takes a second.
        self._known = lru_cache(maxsize=8)(lambda collection: _Files.of(names(collection)))

    def request(self, question: Question) -> ChangesRequest | None:
        """What is to be compared; None for an ordinary question, and where both are not known."""
        text = question.text.strip().rstrip(_LAST_MARKS)
        if not self._is_on or question.filters or len(text) > _LONGEST or "\n" in text:
            return None
        language = next((one for one in _languages() if _asks(one, text)), None)
        if language is None:
            return None
        return _Asked(text, language, self._known(question.collection)).request()


def _asks(language: _Language, text: str) -> bool:
    return any(pattern.fullmatch(text) for pattern in language.asks)


class _Asked:
    """A question for changes, among the files of a library."""

    def __init__(self, text: str, language: _Language, files: _Files) -> None:
        self._text = text
        self._language = language
        self._files = files
        self._terms = frozenset(terms(text))

    def request(self) -> ChangesRequest | None:
        """See `ChangesFinder.request`."""
        if both := self._named_files():
            names = frozenset(term for one in both for term in terms(PurePath(one.path).name))
            return self._made(both[0], both[1], names)
        found = self._documents()
        if len(found) != 1:
            return None
        ((own, versions),) = found
        pair = self._pair(versions)
        return self._made(pair[0].file, pair[1].file, own) if pair else None

    def _named_files(self) -> tuple[NamedFile, NamedFile] | None:
        """Two files that are named with their endings, in their order."""
        words = (word.strip(".").casefold() for word in _BETWEEN_NAMES.split(self._text))
        named = [word for word in words if 1 < len(PurePath(word).suffix) <= _LONGEST_ENDING]
        if len(named) < 2:
            return None
        held = self._files.by_name
        both = [held[name] for name in dict.fromkeys(named) if name in held]
        one_document = len({one.document_id for one in both}) < len(both)
        return (both[0], both[1]) if len(both) == 2 and not one_document else None

    def _documents(self) -> list[tuple[frozenset[str], Sequence[_Versioned]]]:
        """The documents with several versions that the question names, by the words of their names.

        The only one of the library need not be named where a version is.
        """
        groups = self._files.groups
        named = [(own, group) for group in groups if (own := self._own_terms(group)) <= self._terms]
        longest = max((len(own) for own, _ in named), default=0)
        if named or len(groups) != 1 or not self._marks:
            return [one for one in named if len(one[0]) == longest]
        return [(frozenset(), groups[0])]

    def _own_terms(self, group: Sequence[_Versioned]) -> frozenset[str]:
        """The words that name the document, by its file or, if the question has them, by its title."""
        for one in group:
            words = without_version(one.file.title).split()
            title = frozenset(terms(" ".join(w for w in words if w not in kind_words())))
            if title and title <= self._terms:
                return title
        return frozenset(terms(" ".join(group[0].version.own_words)))

    @cached_property
    def _marks(self) -> list[tuple[int, int, _Numbers]]:
        return list(versions_named(self._text))

    def _pair(self, group: Sequence[_Versioned]) -> tuple[_Versioned, _Versioned] | None:
        """The version that was left, and the one that came."""
        by_numbers = {one.numbers: one for one in reversed(group)}
        versions = [by_numbers[numbers] for numbers in sorted(by_numbers)]
        named = [n for n, one in enumerate(versions) if names_version(self._text, one.version)]
        if len(named) > 1:
            return versions[named[0]], versions[named[-1]]
        if not self._marks:
            return versions[-2], versions[-1]
        start, _, numbers = self._marks[0]
        is_since = self._language.since.search(self._text[:start]) is not None
        if named:
            before = named[0] if is_since or not named[0] else named[0] - 1
            after = len(versions) - 1 if is_since or not named[0] else named[0]
        else:
            # "Since 2021" is since the version that held then.
            is_year = len(numbers) == 1 and _FIRST_YEAR <= numbers[0] <= _LAST_YEAR
            held = [n for n, one in enumerate(versions) if one.numbers <= numbers]
            if not (is_year and is_since and held):
                return None
            before, after = held[-1], len(versions) - 1
        return (versions[before], versions[after]) if before < after else None

    def _made(
        self, before: NamedFile, after: NamedFile, own: frozenset[str]
    ) -> ChangesRequest | None:
        text = self._text
        for start, end, _ in reversed(self._marks):
            text = f"{text[:start]} {text[end:]}"
        language = self._language.name
        said = self._language.said | {stem(fold(word), language) for word in kind_words()}
        # Without any other word, the words of the question itself would be its terms.
        asked = question_terms(text, language)
        kinds = frozenset(
            kind for pattern, kind in self._language.kinds if pattern.search(self._text)
        )
        topic = {term: word for term, word in asked.items() if term not in own | said}
        is_certain = bool(self._marks) or not own or self._named_files() is not None
        if topic and not is_certain and self._language.within.search(self._text):
            return None
        return ChangesRequest(
            before=before.document_id,
            after=after.document_id,
            topic=topic,
            kinds=kinds or frozenset(ChangeKind),
            is_certain=is_certain,
        )
