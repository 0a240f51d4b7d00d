"""To which year does a number belong, in a sentence?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from pincite.text.numbers import Figures, Number

_PAIR_WORDS = 4
"""Between a number and the year it is said to belong to, in prose."""
_YEAR_FIRST = re.compile(
    r"(?:,|(?<=\d):|was|were|is|are|totall?ed|amounted to|came to|stood at|of|approximately|about|"
    r"\s|US\$|[$€£₹(])*"
)
_BELONGS = re.compile(r"\b(?:in|for|during|of|at|on|ended|ending)\b")
_PARTED = re.compile(
    r"[;]|\.\s|\b(?:and|but|compared|versus|from|since|than|by|until|to)\b", re.IGNORECASE
)
_RESPECTIVELY = re.compile(r"\brespectively\b", re.IGNORECASE)
# "(2018: 4)", "(31 December 2018: 4)", "(2018 $4 million)".
_ASIDE = re.compile(
    r"\([^()]{0,30}?(?P<year>(?:19|20)\d\d)(?:\s?:|\s(?=(?:US\$|[$€£₹]|Rs\.?\s?)\d))"
)
_COMPARED = re.compile(
    r",?\s*+(?:(?:as\s)?compared\s(?:to|with)|from|versus|vs\.?|against)\s*+(?:(?:US\$|[$€£₹])\s*+)?",
    re.IGNORECASE,
)
_YEAR_BEFORE = re.compile(
    r"\s*(?:\w+\s){0,2}(?:for|in|of|from)\s(?:the\s)?(?:prior|previous|preceding)\s(?:\w+\s)?year\b",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[.;]\s+(?=[A-Z•])")


class _Mark(NamedTuple):
    """A number of a text, or a year, and where it stands."""

    start: int
    end: int
    year: int | None


def bound_years(text: str, read: Figures) -> list[frozenset[int]]:
    """For each number the years it belongs to, as far as the words around it leave no doubt."""
    marks = [
        _Mark(n.start, n.end, int(n.value) if n.looks_like_year else None)
        for n in read.numbers
        if not n.is_ordinal
    ]
    marks += [_Mark(m.start, m.end, m.year) for m in read.moments if m.year]
    marks.sort()
    bound: dict[int, frozenset[int]] = {}
    for pairs in _respective(text, marks):
        bound |= pairs
    for place, (here, after) in enumerate(pairwise(marks)):
        if here.year is not None and after.year is None:
            several = place and marks[place - 1].year is not None
            if not several and _YEAR_FIRST.fullmatch(text[here.end : after.start]):
                bound.setdefault(after.start, frozenset({here.year}))
        elif here.year is None and after.year is not None:
            between = text[here.end : after.start]
            is_near = len(between.split()) <= _PAIR_WORDS and _BELONGS.search(between)
            if is_near and not _PARTED.search(between) and not between.endswith("("):
                bound.setdefault(here.start, frozenset({after.year}))
    return [bound.get(number.start, frozenset()) for number in read.numbers]


def periods(text: str, read: Figures) -> list[frozenset[int]]:
    """As `bound_years`; where there is doubt, all years that the same sentence names."""
    ends = [0, *(found.end() for found in _SENTENCE_END.finditer(text)), len(text)]
    # "... was 5 (2018: 4)": the bracket says nothing about the 5.
    aside = {int(found["year"]) for found in _ASIDE.finditer(text)}
    named: list[frozenset[int]] = []
    bound = bound_years(text, read)
    for place, (number, own) in enumerate(zip(read.numbers, bound, strict=True)):
        begin = max(end for end in ends if end <= number.start)
        until = min((end for end in ends if end > number.start), default=len(text))
        near = Figures(
            numbers=tuple(n for n in read.numbers if begin <= n.start < until),
            moments=tuple(m for m in read.moments if begin <= m.start < until),
        )
        said = near.years - aside
        if len(said) == 1 and _YEAR_BEFORE.match(text, number.end, until):
            said = frozenset({min(said) - 1})
        elif place + 1 < len(bound):
            said -= _other_years(text, number, read.numbers[place + 1], said, bound[place + 1])
        named.append(own or said)
    return named


def _other_years(
    text: str, number: Number, after: Number, said: frozenset[int], bound: frozenset[int]
) -> frozenset[int]:
    """In "rose to 5 from 4 in 2018" the year of the 4, which is not that of the 5."""
    is_compared = _COMPARED.fullmatch(text, number.end, after.start)
    return bound if is_compared and len(said - bound) == 1 else frozenset()


def _respective(text: str, marks: Sequence[_Mark]) -> Iterator[dict[int, frozenset[int]]]:
    """Pairs of "5, 6 and 7 in 2017, 2018 and 2019, respectively", in either order."""
    for found in _RESPECTIVELY.finditer(text):
        begin = max((m.end() for m in _SENTENCE_END.finditer(text, 0, found.start())), default=0)
        run = [mark for mark in marks if begin <= mark.start < found.start()]
        last = 0
        while last < len(run) and (run[-1 - last].year is None) == (run[-1].year is None):
            last += 1
        if not 1 < last <= len(run) - last:
            continue
        firsts, seconds = run[-2 * last : -last], run[-last:]
        if any((mark.year is None) == (run[-1].year is None) for mark in firsts):
            continue
        values, years = (firsts, seconds) if run[-1].year is not None else (seconds, firsts)
        yield {
            value.start: frozenset({year.year or 0})
            for value, year in zip(values, years, strict=True)
        }
