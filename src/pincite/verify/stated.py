"""Which numbers and dates does a quote state, with what its table headers say about them?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import PurePath

from pincite.records import Citation, CitedCell
from pincite.text.dates import Moment
from pincite.text.languages import UNKNOWN, language_of
from pincite.text.numbers import DecimalMark, Number, decimal_mark, figures
from pincite.text.units import is_currency
from pincite.verify.headers import (
    IN_SCALE,
    QUARTERS,
    REMARK,
    factors,
    header_units,
    remark_scale,
    scale_of_all,
    when,
    years_of,
    years_of_header,
)
from pincite.verify.periods import periods

_COMMA_LANGUAGES = frozenset("ca cs da de es fi fr hu id it nl no pl pt ro sv tr ru el".split())
_WORDS_BEFORE_CHARS = 40
_BETWEEN_CELLS = " \t\r\n|,;"


@dataclass(frozen=True, slots=True, kw_only=True)
class Stated:
    """A number that a quote states.

    `values` are what it may mean: more than one where brackets or a header leave that open.
    `years` are those it belongs to; empty when the quote does not say. `labels` are its table
    headers, `column` those above it, `stub` those beside it, and `row` tells its quote.
    """

    number: Number
    values: tuple[Decimal, ...]
    units: frozenset[str]
    years: frozenset[int] = frozenset()
    labels: str = ""
    before: str = ""
    """Words in front of it, in prose."""
    column: str = ""
    stub: str = ""
    row: int = 0
    when: float = 0.0
    """Years and parts of a year, to tell the earlier of two; 0 where its headers tell no time."""
    is_header: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedFigures:
    """Everything numeric in one or more quotes."""

    numbers: tuple[Stated, ...]
    moments: tuple[Moment, ...]
    years: frozenset[int]


def stated_figures(cited: Sequence[Citation]) -> StatedFigures:
    """What these quotes state, headers and the headings above them included."""
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
            told = _in_prose(number, own, row, before)
            found.append(_scaled(told, remarks.get(citation.document, ())))
        years |= read.years
        dates += read.moments
        stub = _stub(citation)
        # The header of the first column speaks of the whole table.
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
    """By document, quotes and headings that tell the scale of tables: "(in thousands)"."""
    found: dict[str, tuple[str, ...]] = {}
    for citation in cited:
        told = [citation.section, *(() if citation.cells else (citation.quote,))]
        scaled = tuple(text for text in told if REMARK.search(text))
        found[citation.document] = (*found.get(citation.document, ()), *scaled)
    return found


def mark_of(text: str, more: Sequence[str] = (), *, language: str = UNKNOWN) -> DecimalMark:
    """The decimal mark of a text: as its numbers show, or else as its language has it."""
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
    """What a row is about: its first cell, which has no place of its own where no header names it."""
    if not citation.cells:
        return ""
    before = citation.quote[: max(0, citation.cells[0].start - citation.start)].strip(
        _BETWEEN_CELLS
    )
    return before or citation.cells[0].text


def _quarters(citation: Citation) -> Iterator[Moment]:
    """Columns that are called `First` to `Fourth`."""
    for cell in citation.cells:
        for label in cell.columns:
            name = label.text.strip().lower().removesuffix(" quarter")
            if name in QUARTERS:
                yield Moment(start=0, end=0, quarter=QUARTERS.index(name) + 1)


def _headers(citation: Citation) -> list[str]:
    labels = [label.text for cell in citation.cells for label in (*cell.columns, *cell.rows)]
    return list(dict.fromkeys(labels))


def _around(citation: Citation) -> Iterator[str]:
    """Table headers, headings and the file's name: they tell periods."""
    yield from _headers(citation)
    yield from citation.section.split(" > ")
    yield re.sub(r"[_-]+", " ", PurePath(citation.source.replace("\\", "/")).stem)


def _in_prose(number: Number, years: frozenset[int], row: int, before: str) -> Stated:
    values = (number.value, number.value.copy_negate()) if number.is_bracketed else (number.value,)
    if number.is_bracketed and number.unit and number.unit != "%":
        values = (number.value.copy_negate(),)
    units = frozenset({number.unit} if number.unit else ())
    return Stated(number=number, values=values, units=units, years=years, row=row, before=before)


def _scaled(told: Stated, remarks: Sequence[str]) -> Stated:
    """An amount of money may also mean so many thousands, where that is told of all amounts."""
    scale = scale_of_all(remarks)
    if not scale or told.number.has_scale or not is_currency(told.number.unit):
        return told
    scaled = tuple(value * Decimal(10) ** scale for value in told.values)
    return replace(told, values=(*told.values, *scaled))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    """What holds for all cells of a quoted row: its first cell, remarks on the table, its years."""

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
        factors_told = factors(number, labels, row.remarks) if is_value else (Decimal(1),)
        units = {number.unit} if number.unit else header_units(columns, stubs)
        yield Stated(
            number=replace(number, value=value),
            values=tuple(value if factor == 1 else value * factor for factor in factors_told),
            units=frozenset(units),
            years=years or read.years or row.years,
            when=when(columns, mark) or when(stubs, mark),
            labels=" ".join(labels),
            column=" ".join(columns),
            stub=" ".join(stubs),
            row=row.number,
        )


def claimed_values(text: str, number: Number) -> tuple[Decimal, ...]:
    """What a number of a claim may mean: brackets make it negative, "(in thousands)" larger."""
    bare = number.has_scale or number.looks_like_year or number.unit == "%"
    scale = 0 if bare else remark_scale(text)
    value = number.value * Decimal(10) ** scale if scale else number.value
    if not number.is_bracketed:
        return (value,)
    is_amount = number.unit or number.step < 1 or "," in number.digits
    minus = value.copy_negate()
    return (minus,) if is_amount else (value, minus)
