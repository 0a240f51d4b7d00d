"""Reads the numbers and dates of quotes, with the meaning that table headers give them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import pairwise
from pathlib import PurePath
from typing import NamedTuple

from pincite.records.flow import Citation, CitedCell
from pincite.text.dates import Moment
from pincite.text.languages import UNKNOWN, language_of
from pincite.text.numbers import DecimalMark, Figures, Number, decimal_mark, figures
from pincite.text.units import IN_SCALE, REMARK, is_currency
from pincite.verify.quotes.cells import (
    QUARTERS,
    factors,
    header_units,
    remark_scale,
    scale_of_all,
    when,
    years_of,
    years_of_header,
)

# The year that a number in a sentence belongs to.

_PAIR_WORDS = 4
"""Most words between a number and the year it belongs to, in prose."""
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
    """A number or a year in a text, with its range."""

    start: int
    end: int
    year: int | None


def bound_years(text: str, read: Figures) -> list[frozenset[int]]:
    """The years each number belongs to; empty unless the words around it are unambiguous."""
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
    """Like `bound_years`, but ambiguous numbers get all years that their sentence names."""
    ends = [0, *(found.end() for found in _SENTENCE_END.finditer(text)), len(text)]
    # "... was 5 (2018: 4)": the year in brackets does not apply to the 5.
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
    """In "rose to 5 from 4 in 2018", the year of the 4, which is not the year of the 5."""
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


# The numbers and dates of quotes and their table headers.

_COMMA_LANGUAGES = frozenset("ca cs da de es fi fr hu id it nl no pl pt ro sv tr ru el".split())
_WORDS_BEFORE_CHARS = 40
_BETWEEN_CELLS = " \t\r\n|,;"


@dataclass(frozen=True, slots=True, kw_only=True)
class Stated:
    """A number that a quote states.

    `values` are its possible values: several if brackets or a header are ambiguous. `years` are
    those it belongs to; empty if the quote does not say. `labels` are its table headers: `column`
    those above it, `stub` those of its row. `row` is the index of its quote.
    """

    number: Number
    values: tuple[Decimal, ...]
    units: frozenset[str]
    years: frozenset[int] = frozenset()
    labels: str = ""
    before: str = ""
    """The text in front of it, in prose."""
    column: str = ""
    stub: str = ""
    row: int = 0
    when: float = 0.0
    """Time as a fractional year, to order two numbers; 0 if its headers name no time."""
    is_header: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedFigures:
    """Everything numeric in one or more quotes."""

    numbers: tuple[Stated, ...]
    moments: tuple[Moment, ...]
    years: frozenset[int]


def stated_figures(cited: Sequence[Citation]) -> StatedFigures:
    """Everything these quotes state, including table headers and the headings above them."""
    found: list[Stated] = []
    dates: list[Moment] = []
    years: set[int] = set()
    remarks = _remarks(cited)
    for row, citation in enumerate(cited):
        mark = mark_of(citation.quote, [cell.text for cell in citation.cells])
        inside = _between_cells(citation)
        read = figures(inside, mark)
        periods_of = periods(inside, read)
        for number, own in zip(read.numbers, periods_of, strict=True):
            before = inside[max(0, number.start - _WORDS_BEFORE_CHARS) : number.start]
            stated = _in_prose(number, own, row, before)
            found.append(_scaled(stated, remarks.get(citation.document, ())))
        years |= read.years
        dates += read.moments
        stub = _stub(citation)
        # The header of the first column applies to the whole table.
        over = [label.text for cell in citation.cells[:1] for label in cell.columns]
        own_scale = tuple(text for text in over if IN_SCALE.search(text))
        otherwise = _Row(
            number=row,
            stub=stub,
            remarks=own_scale or remarks.get(citation.document, ()),
            years=figures(stub, mark).years or read.years,
        )
        for cell in citation.cells:
            found += _in_cell(cell, otherwise, mark)
            inner = figures(cell.text, mark)
            years |= inner.years
            dates += inner.moments
        dates += _quarters(citation)
        for text in _around(citation):
            around = figures(text, mark)
            years |= years_of_header(around)
            dates += around.moments
        for text in _headers(citation):
            found += [
                replace(_in_prose(number, frozenset(), row, ""), is_header=True)
                for number in figures(text, mark).numbers
            ]
    years |= {int(item.number.value) for item in found if item.number.looks_like_year}
    return StatedFigures(numbers=tuple(found), moments=tuple(dates), years=frozenset(years))


def _remarks(cited: Sequence[Citation]) -> dict[str, tuple[str, ...]]:
    """Quotes and headings that state the scale of tables ("(in thousands)"), by document."""
    found: dict[str, tuple[str, ...]] = {}
    for citation in cited:
        texts = [citation.section, *(() if citation.cells else (citation.quote,))]
        scaled = tuple(text for text in texts if REMARK.search(text))
        found[citation.document] = (*found.get(citation.document, ()), *scaled)
    return found


def mark_of(text: str, more: Sequence[str] = (), *, language: str = UNKNOWN) -> DecimalMark:
    """The decimal mark of a text: the one its numbers show, or else that of its language."""
    shown = decimal_mark([text, *more])
    if shown is not None:
        return shown
    return "," if language_of(text, otherwise=language) in _COMMA_LANGUAGES else "."


def _between_cells(citation: Citation) -> str:
    text = citation.quote
    for cell in citation.cells:
        start, end = cell.start - citation.start, cell.end - citation.start
        text = text[:start] + "\x00" * (end - start) + text[end:]
    return text


def _stub(citation: Citation) -> str:
    """The subject of a row: its first cell, which is no cited cell if it has no header."""
    if not citation.cells:
        return ""
    before = citation.quote[: max(0, citation.cells[0].start - citation.start)].strip(
        _BETWEEN_CELLS
    )
    return before or citation.cells[0].text


def _quarters(citation: Citation) -> Iterator[Moment]:
    """The quarters of columns headed `First` to `Fourth`."""
    for cell in citation.cells:
        for label in cell.columns:
            name = label.text.strip().lower().removesuffix(" quarter")
            if name in QUARTERS:
                yield Moment(start=0, end=0, quarter=QUARTERS.index(name) + 1)


def _headers(citation: Citation) -> list[str]:
    labels = [label.text for cell in citation.cells for label in (*cell.columns, *cell.rows)]
    return list(dict.fromkeys(labels))


def _around(citation: Citation) -> Iterator[str]:
    """Table headers, headings and the file's name, which may name periods."""
    yield from _headers(citation)
    yield from citation.section.split(" > ")
    yield re.sub(r"[_-]+", " ", PurePath(citation.source.replace("\\", "/")).stem)


def _in_prose(number: Number, years: frozenset[int], row: int, before: str) -> Stated:
    values = (number.value, number.value.copy_negate()) if number.is_bracketed else (number.value,)
    if number.is_bracketed and number.unit and number.unit != "%":
        values = (number.value.copy_negate(),)
    units = frozenset({number.unit} if number.unit else ())
    return Stated(number=number, values=values, units=units, years=years, row=row, before=before)


def _scaled(stated: Stated, remarks: Sequence[str]) -> Stated:
    """Adds the scaled value of an amount of money if a remark states a scale for all amounts."""
    scale = scale_of_all(remarks)
    if not scale or stated.number.has_scale or not is_currency(stated.number.unit):
        return stated
    scaled = tuple(value * Decimal(10) ** scale for value in stated.values)
    return replace(stated, values=(*stated.values, *scaled))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    """Common to all cells of a quoted row: its first cell, remarks on the table, its years."""

    number: int
    stub: str
    remarks: tuple[str, ...]
    years: frozenset[int]


def _in_cell(cell: CitedCell, row: _Row, mark: DecimalMark) -> Iterator[Stated]:
    columns = [label.text for label in cell.columns]
    stubs = [label.text for label in cell.rows] or ([row.stub] if cell.text != row.stub else [])
    labels = [*columns, *stubs]
    read = figures(cell.text, mark)
    years = years_of(columns, mark) or years_of(stubs, mark)
    for number in read.numbers:
        alone = len(read.numbers) == 1
        value = number.value.copy_negate() if number.is_bracketed and alone else number.value
        is_value = not re.search(r"[^\W\d_]{4,}", cell.text)
        scales = factors(number, labels, row.remarks) if is_value else (Decimal(1),)
        units = {number.unit} if number.unit else header_units(columns, stubs)
        yield Stated(
            number=replace(number, value=value),
            values=tuple(value if factor == 1 else value * factor for factor in scales),
            units=frozenset(units),
            years=years or read.years or row.years,
            when=when(columns, mark) or when(stubs, mark),
            labels=" ".join(labels),
            column=" ".join(columns),
            stub=" ".join(stubs),
            row=row.number,
        )


def claimed_values(text: str, number: Number) -> tuple[Decimal, ...]:
    """Possible values of a claimed number: brackets make it negative, "(in thousands)" larger."""
    bare = number.has_scale or number.looks_like_year or number.unit == "%"
    scale = 0 if bare else remark_scale(text)
    value = number.value * Decimal(10) ** scale if scale else number.value
    if not number.is_bracketed:
        return (value,)
    is_amount = number.unit or number.step < 1 or "," in number.digits
    minus = value.copy_negate()
    return (minus,) if is_amount else (value, minus)
