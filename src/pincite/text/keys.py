"""One form for what is written in several: dates, numbers in groups, versions and addresses.

`14.03.2024`, `14 March 2024` and `2024-03-14` are one date; `(0341) 55 66-77` and `0341556677` are one
number. Their common form is one more index term beside the words, so that the search, the count of
missing words and the judgement of an answer treat them alike.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pincite.text.dates import Moment, moments

_DIGITS = re.compile(r"\d")
# Groups of digits or of capitals and digits between single separators: telephone numbers, IBAN, ISBN.
_GROUPED = re.compile(
    r"(?<![\w.,/-])\+?\(?(?=[A-Z0-9]*\d|[A-Z]{2}\d)[A-Z]{0,2}\d{1,13}\)?"
    r"(?:(?: ?[-/] ?| |\.)\(?\d{1,13}\)?)+(?!\w|[.,/-]\d)"
)
_SEPARATORS = re.compile(r"[^\w]+")
_FEWEST_DIGITS, _MOST_DIGITS = 7, 34
_FEWEST_SPACED_DIGITS = 8
"""With spaces alone between the groups; below, it may be a row of numbers."""
# A version or an address with something joined to it: v1.18.0+build.77, 10.20.0.17:5515.
_PREFIX = re.compile(r"(?<![\w.])[vV]?(?P<number>\d+(?:\.\d+){2,3})(?=[+:/-]\w)")


@dataclass(frozen=True, slots=True)
class Key:
    """The common form of what is written at `start:end`."""

    term: str
    start: int
    end: int


def keys(text: str) -> Iterator[Key]:
    """The keys of a text; those of a day include its month."""
    if not _DIGITS.search(text):
        return
    covered = []
    for moment in moments(text):
        found = list(_of_moment(moment))
        yield from found
        if found:
            covered.append((moment.start, moment.end))
    for match in _GROUPED.finditer(text):
        term = _SEPARATORS.sub("", match[0]).lower()
        digits = sum(map(str.isdigit, term))
        least = _FEWEST_DIGITS if re.search(r"[-/()]", match[0]) else _FEWEST_SPACED_DIGITS
        if least <= digits <= _MOST_DIGITS and not _overlaps(match, covered):
            yield Key(term, match.start(), match.end())
    for match in _PREFIX.finditer(text):
        if not _overlaps(match, covered):
            yield Key(match["number"], match.start(), match.end())


_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_WRITTEN = re.compile(r"[\w.-]+")
_LONG = re.compile(r"\d{7}|\d\.\d{1,9}\.\d")


def named_by(question: str) -> frozenset[str]:
    """The dates, long numbers, versions and addresses that a question asks about, as terms."""
    written = (match[0].strip(".-").lower() for match in _WRITTEN.finditer(question))
    return frozenset((*filter(_LONG.search, written), *key_terms(question)))


_SYMBOL = re.compile(r"(?<![\w-])(?:--[a-z][\w-]*|\w*[^\W_]_[^\W_]\w*|[a-z]{2,}[A-Z]\w*)(?![\w-])")


def is_headed(question: str, section: Sequence[str]) -> bool:
    """Whether the nearest heading is a symbol that is asked about: `--exclude-file`, `MAX_SIZE=<n>`."""
    asked = _symbols(question)
    return bool(asked) and not asked.isdisjoint(_symbols(" ".join(section[-1:])))


def _symbols(text: str) -> frozenset[str]:
    return frozenset(match[0] for match in _SYMBOL.finditer(text))


def key_terms(text: str) -> list[str]:
    """The terms of the keys of a text, in order."""
    return [key.term for key in keys(text)]


def days(text: str) -> frozenset[str]:
    """The keys of the days that a text names: 2024-03-14."""
    return frozenset(key.term for key in keys(text) if _DAY.fullmatch(key.term))


def _of_moment(moment: Moment) -> Iterator[Key]:
    for reading in moment.readings():
        if reading.year is None or reading.month is None:
            continue
        month = f"{reading.year}-{reading.month:02}"
        if reading.day is not None:
            yield Key(f"{month}-{reading.day:02}", moment.start, moment.end)
        yield Key(month, moment.start, moment.end)


def _overlaps(match: re.Match[str], covered: list[tuple[int, int]]) -> bool:
    return any(start < match.end() and match.start() < end for start, end in covered)
