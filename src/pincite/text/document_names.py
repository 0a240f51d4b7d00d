"""A table of the words in all documents' names, computed once and stored with the indexes.

Parsing a name takes one or two tenths of a millisecond: for the files of a large library that is
more than everything else that its first question needs. So the table is stored next to the indexes,
and only new names are parsed.
"""

from __future__ import annotations

import hashlib
import re
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from itertools import pairwise
from pathlib import PurePath
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

from pincite.records.flow import NamedFile
from pincite.text.terms import terms

# Words in the name of a document, and words of a question that could name one.

_WORD = re.compile(r"[^\W\d_]+|\d+")
_CAPITAL_INSIDE = re.compile(
    r"(?<=[a-zß-öø-ÿ])(?=[A-ZÀ-ÖØ-Þ])|(?<=[A-ZÀ-ÖØ-Þ]{2})(?=[A-ZÀ-ÖØ-Þ][a-zß-öø-ÿ])"
)
_POSSESSIVE = re.compile(r"['’]s\b")
_FISCAL_YEAR = re.compile(r"(?<![^\W_])FY\s?['’]?(?:20)?(\d\d)(?![^\W_])", re.IGNORECASE)
_DATE = re.compile(
    r"(?<!\d)(?:19|20)\d\d[-_. ]?(?P<month>0[1-9]|1[0-2])(?:[-_. ]?(?:0[1-9]|[12]\d|3[01]))?(?![^\W_])"
)
_MONTHS = (
    "january february march april may june july august september october november december".split()
)
_YEAR = re.compile(r"(?:19|20)\d\d")

_COPY = re.compile(r"\(\d{1,2}\)|(?<![^\W_])v\d{1,2}(?![^\W_])", re.IGNORECASE)
_SAY_NOTHING = re.compile(
    r"(?<![^\W_])(?:copy|doc|document|draft|file|final|scan|scanned|untitled)(?![^\W_])",
    re.IGNORECASE,
)
_RUN = re.compile(r"[^\W_]{12,}")
_SWITCH = re.compile(r"\d[^\W\d_]|[^\W\d_]\d")
_SWITCHES_OF_AN_ID = 3

_LONGEST_NAME_CHARS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class NameWord:
    """A word of a name or a question; or two adjacent words as one, whose terms are `parts`.

    `is_marked`: the word has a digit, or a capital although it is not the first word of the text.
    """

    term: str
    is_marked: bool
    parts: tuple[str, ...] = ()

    @property
    def is_year(self) -> bool:
        """Whether it is a number that may be a year."""
        return _YEAR.fullmatch(self.term) is not None


def name_words(text: str) -> tuple[NameWord, ...]:
    """The words with which a text could name a document, each once, in order."""
    # In FY23 the 23 is a year, not another number.
    text = _FISCAL_YEAR.sub(r" 20\1", _POSSESSIVE.sub("", text))
    found: dict[str, NameWord] = {}
    for word in (*_plain(text), *_months(text)):
        found.setdefault(word.term, word)
    return tuple(found.values())


def names_of(path: str, title: str) -> tuple[str, ...]:
    """The names of a document: its file name with the folders around it, and its title."""
    file = PurePath(path)
    folders = " ".join(_telling_folders(file.parent.parts))
    stem = _without_noise(unquote(file.stem))
    return tuple(
        name
        for name in dict.fromkeys((f"{folders} {stem}".strip(), _without_noise(title).strip()))
        if name
    )


def _plain(text: str) -> Iterator[NameWord]:
    words = [
        (match.start() + piece.start(), piece[0])
        for match in _WORD.finditer(text)
        for piece in re.finditer(r"\S+", _CAPITAL_INSIDE.sub(" ", match[0]))
    ]
    for start, word in words:
        is_marked = word[0].isdigit() or (word[0].isupper() and start > 0)
        for term in _terms_of(_number(word)):
            yield NameWord(term=term, is_marked=is_marked)
    for (start, first), (_, second) in pairwise(words):
        is_marked = first[0].isdigit() or (first[0].isupper() and start > 0)
        parts = (*_terms_of(_number(first)), *_terms_of(_number(second)))
        for term in _terms_of((first + second).lower()):
            yield NameWord(term=term, is_marked=is_marked, parts=parts)


def _number(word: str) -> str:
    """A number without leading zeros: 2023-07 and "July 7" mean the same 7."""
    return word.lstrip("0") or word


@lru_cache(maxsize=50_000)
def _terms_of(word: str) -> tuple[str, ...]:
    return tuple(terms(word))


def _months(text: str) -> Iterator[NameWord]:
    for match in _DATE.finditer(text):
        for term in _terms_of(_MONTHS[int(match["month"]) - 1]):
            yield NameWord(term=term, is_marked=True)


def _telling_folders(folders: tuple[str, ...]) -> Iterator[str]:
    """Folders that may say what a file is about; plain numbers other than years do not."""
    for folder in folders:
        if any(sign.isalpha() for sign in folder) or _YEAR.fullmatch(folder):
            yield folder


def _without_noise(name: str) -> str:
    """A name without ids, copy numbers, and words such as `final`."""
    name = _RUN.sub(lambda run: " " if _is_id(run[0]) else run[0], name[:_LONGEST_NAME_CHARS])
    return _SAY_NOTHING.sub(" ", _COPY.sub(" ", name))


def _is_id(run: str) -> bool:
    return len(_SWITCH.findall(run)) >= _SWITCHES_OF_AN_ID


# The table of all documents' names.

PAIR, YEAR, SECOND_NAME = 1, 2, 4
"""Flags in `NameTable.kinds`: two adjacent words as one; a year; from the title, when the file's name
has words as well."""

_NAMELESS = np.uint64(0)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NameTable:
    """Which words occur in the names of which documents. Hashes have 64 bits.

    One value for each file, ascending by `files`: the hash of the file's record, the document's id, and
    in `called` the hash of all its names, equal for files with the same names (0: no usable name).
    One value for each word of each name, ascending by `owners`: the hash in `called` that it belongs
    to, the hash of the term, and in `kinds` the sum of its flags.
    """

    files: NDArray[np.uint64]
    documents: Sequence[str]
    called: NDArray[np.uint64]
    owners: NDArray[np.uint64]
    words: NDArray[np.uint64]
    kinds: NDArray[np.uint8]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NameTable) and all(
            np.array_equal(getattr(self, field.name), getattr(other, field.name))
            for field in fields(self)
        )

    @classmethod
    def from_files(cls, files: Iterable[NamedFile], known: NameTable | None = None) -> NameTable:
        """The table of these files. Names that `known` contains are not parsed again.

        The result depends on the files alone, not on their order or on `known`.
        """
        by_hash = {_file_hash(file): file for file in files}
        keys = np.array(sorted(by_hash), dtype=np.uint64)
        called, is_new = _called_before(keys, known)
        fresh: dict[int, tuple[str, ...]] = {}
        for row in np.flatnonzero(is_new).tolist():
            file = by_hash[int(keys[row])]
            if names := names_of(file.path, file.title):
                called[row] = whole = hashed("\0".join(names))
                fresh[whole] = names
        parts = [_taken_apart(fresh)]
        if known is not None:
            is_used = np.isin(known.owners, called) & ~np.isin(known.owners, parts[0][0])
            parts.append((known.owners[is_used], known.words[is_used], known.kinds[is_used]))
        owners, words, kinds = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
        order = np.lexsort((words, kinds, owners))
        return cls(
            files=keys,
            documents=[by_hash[key].document_id for key in keys.tolist()],
            called=called,
            owners=owners[order],
            words=words[order],
            kinds=kinds[order],
        )

    def only(self, files: Iterable[NamedFile]) -> NameTable:
        """The part of this table for those of `files` that it contains."""
        wanted = np.array([_file_hash(file) for file in files], dtype=np.uint64)
        rows = np.flatnonzero(np.isin(self.files, wanted))
        is_used = np.isin(self.owners, self.called[rows])
        return NameTable(
            files=self.files[rows],
            documents=[self.documents[row] for row in rows.tolist()],
            called=self.called[rows],
            owners=self.owners[is_used],
            words=self.words[is_used],
            kinds=self.kinds[is_used],
        )


def hashed(text: str) -> int:
    """The 64-bit hash of a term, a name or a file in a table; never 0."""
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little") or 1


def _called_before(
    keys: NDArray[np.uint64], known: NameTable | None
) -> tuple[NDArray[np.uint64], NDArray[np.bool_]]:
    """For each file, the known hash of its names, and whether the file is new."""
    if known is None or not len(known.files):
        return np.full(len(keys), _NAMELESS), np.ones(len(keys), dtype=bool)
    places = np.searchsorted(known.files, keys).clip(max=len(known.files) - 1)
    is_new = known.files[places] != keys
    return np.where(is_new, _NAMELESS, known.called[places]), is_new


def _taken_apart(
    names: Mapping[int, Sequence[str]],
) -> tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.uint8]]:
    """Owner, hash and kind of each word of these names."""
    owners, words, kinds = array("Q"), array("Q"), array("B")
    for owner, several in names.items():
        for number, name in enumerate(several):
            found = name_words(name)
            owners.extend([owner] * len(found))
            words.extend(hashed(word.term) for word in found)
            kinds.extend(
                PAIR * bool(word.parts) + YEAR * word.is_year + SECOND_NAME * number
                for word in found
            )
    return (
        np.array(owners, dtype=np.uint64),
        np.array(words, dtype=np.uint64),
        np.array(kinds, dtype=np.uint8),
    )


def _file_hash(file: NamedFile) -> int:
    return hashed(f"{file.document_id}\0{file.path}\0{file.title}")
