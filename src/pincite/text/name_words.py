"""Which words does the name of a document hold, and which words of a question could name one?

Names of files are messy: `2018-10K_3M.final(2).pdf` is asked for as "3M's 10-K of FY2018". Both
sides are cut alike: at separators, between letters and digits, and where a capital begins a word
(`EFCAAgreement`). Two neighbouring words also count as one: `BESTBUY` is asked for as "Best Buy".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import PurePath
from urllib.parse import unquote

from pincite.text.terms import terms

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
    """A word of a name or a question; or two neighbours as one, whose terms are `parts`.

    `is_marked` tells a word with a digit, or with a capital that the beginning of the text does not
    explain.
    """

    term: str
    is_marked: bool
    parts: tuple[str, ...] = ()

    @property
    def is_year(self) -> bool:
        """Whether it is a number that years have."""
        return _YEAR.fullmatch(self.term) is not None


def name_words(text: str) -> tuple[NameWord, ...]:
    """The words by which a text could name a document, each once, in order."""
    # In FY23 the 23 is a year and no other number.
    text = _FISCAL_YEAR.sub(r" 20\1", _POSSESSIVE.sub("", text))
    found: dict[str, NameWord] = {}
    for word in (*_plain(text), *_months(text)):
        found.setdefault(word.term, word)
    return tuple(found.values())


def names_of(path: str, title: str) -> tuple[str, ...]:
    """What a document may be called: by its file with the folders around it, and by its title."""
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
    """2023-07 and "July 7" mean the same 7."""
    return word.lstrip("0") or word


@lru_cache(maxsize=50_000)
def _terms_of(word: str) -> tuple[str, ...]:
    return tuple(terms(word))


def _months(text: str) -> Iterator[NameWord]:
    for match in _DATE.finditer(text):
        for term in _terms_of(_MONTHS[int(match["month"]) - 1]):
            yield NameWord(term=term, is_marked=True)


def _telling_folders(folders: tuple[str, ...]) -> Iterator[str]:
    """Folders that may say what a file is about; mere numbers, other than years, do not."""
    for folder in folders:
        if any(sign.isalpha() for sign in folder) or _YEAR.fullmatch(folder):
            yield folder


def _without_noise(name: str) -> str:
    """A name without ids, numbers of copies, and words such as `final`."""
    name = _RUN.sub(lambda run: " " if _is_id(run[0]) else run[0], name[:_LONGEST_NAME_CHARS])
    return _SAY_NOTHING.sub(" ", _COPY.sub(" ", name))


def _is_id(run: str) -> bool:
    return len(_SWITCH.findall(run)) >= _SWITCHES_OF_AN_ID
