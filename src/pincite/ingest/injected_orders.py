"""Finds sentences that give orders to a language model, in a dozen languages.

A pattern counts alone, or only near words that address a model, because people say the same to each
other. What stands in quotation marks is talked about, not ordered. Patterns are tried only where
their first words stand and every gap in them is bounded, so the search is linear.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from pincite.document import Range
from pincite.ingest.order_patterns import ADDRESSES_A_MODEL, ALONE, CHAT_MARKS, NEAR_A_MODEL

_NEAR_CHARS = 160
_LONGEST_QUOTED_CHARS = 200
_OPENING = "\"'“‘«„‚`「『《‹"
_CLOSING = "\"'”’»“`」』》›"
# A line break or a bullet may stand between two words, and signs of emphasis around them.
_BETWEEN = r"[\s,;:*_\"'“”-]{1,4}"
_FEW_WORDS = rf"(?:{_BETWEEN}[^\W_]\w{{0,20}}){{0,4}}{_BETWEEN}"


@dataclass(frozen=True, slots=True)
class _Pattern:
    first: str
    whole: re.Pattern[str]
    alone: bool


def _compiled(line: str, *, alone: bool) -> Iterator[_Pattern]:
    """One pattern for each first word of `first|first > rest`; see `order_patterns`."""
    firsts, _, rest = line.partition(" > ")
    for first in firsts.split("|"):
        expression = rest.replace("~", "\0").replace(" ", _BETWEEN).replace("\0", _FEW_WORDS)
        yield _Pattern(first, re.compile(re.escape(first) + expression), alone)


@cache
def _patterns() -> tuple[_Pattern, ...]:
    """Made when they are needed: asking a question imports this module too."""
    return tuple(
        pattern
        for table, alone in ((ALONE, True), (NEAR_A_MODEL, False))
        for lines in table.values()
        for line in lines
        for pattern in _compiled(line, alone=alone)
    )


_ADDRESSED = re.compile(ADDRESSES_A_MODEL)


def find_orders(text: str) -> list[Range]:
    """Where orders stand, in order and without overlaps."""
    small = _in_small_letters(text)
    found: list[Range] = []
    addressed = _Addressed(text)
    for pattern in _patterns():
        places = _places(pattern, small, text)
        found.extend(place for place in places if pattern.alone or addressed.near(place))
    for mark in CHAT_MARKS:
        found.extend((at, at + len(mark)) for at in _occurrences(small, mark))
    return _without_overlaps(found)


def _places(pattern: _Pattern, small: str, text: str) -> Iterator[Range]:
    for at in _occurrences(small, pattern.first):
        if at and pattern.first[0].isascii() and small[at - 1].isalnum():
            continue
        match = pattern.whole.match(small, at)
        if match is not None and not _is_quoted(text, *match.span()):
            yield match.span()


class _Addressed:
    """Where a text addresses a model; looked up once, and only if anybody asks."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._ends: list[int] | None = None

    def near(self, place: Range) -> bool:
        """Whether a model is addressed within a few lines."""
        if self._ends is None:
            self._ends = [match.end() for match in _ADDRESSED.finditer(self._text)]
        at = bisect_left(self._ends, place[0] - _NEAR_CHARS)
        return at < len(self._ends) and self._ends[at] <= place[1] + _NEAR_CHARS


def _occurrences(text: str, wanted: str) -> Iterator[int]:
    at = text.find(wanted)
    while at >= 0:
        yield at
        at = text.find(wanted, at + 1)


def _is_quoted(text: str, start: int, end: int) -> bool:
    if text[max(0, start - 1) : start] not in tuple(_OPENING):
        return False
    after = text[end : end + _LONGEST_QUOTED_CHARS].partition("\n\n")[0]
    return any(sign in after for sign in _CLOSING)


def _in_small_letters(text: str) -> str:
    """The text in small letters, each at its old place: some letters would become two."""
    small = text.lower()
    if len(small) == len(text):
        return small
    return "".join(sign if len(sign.lower()) > 1 else sign.lower() for sign in text)


def _without_overlaps(ranges: list[Range]) -> list[Range]:
    kept: list[Range] = []
    for start, end in sorted(ranges):
        if kept and start < kept[-1][1]:
            kept[-1] = kept[-1][0], max(end, kept[-1][1])
        else:
            kept.append((start, end))
    return kept
