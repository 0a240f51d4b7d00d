"""The table cells of a quote, with the headers and the scale that say what they mean."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any

from pincite.records.document import Box, Cell, Document, Range, Span
from pincite.records.flow import SCALE, CitedCell, Evidence, Label
from pincite.stages import Sources
from pincite.text.dates import Moment
from pincite.text.numbers import DecimalMark, Figures, Number, figures
from pincite.text.units import IN_SCALE, REMARK, currency, is_currency, measure_at, scale_of

_BOX_DECIMALS = 2
"""Boxes are written in hundredths of a PDF point."""


def cited_cells(document: Document, start: int, end: int) -> tuple[CitedCell, ...]:
    """The cells inside `start:end` that have a header or a place; empty outside tables.

    All cells of a row without headers, so that the citation shows that they have none.
    """
    return tuple(
        CitedCell(
            start=cell.start,
            end=cell.end,
            text=document.text[cell.start : cell.end],
            columns=_labels(document, cell.column_headers),
            rows=_labels(document, cell.row_headers),
            place=cell.place,
            boxes=document.boxes.boxes(cell.start, cell.end),
        )
        for cell in _cells(document, start, end)
    )


def _cells(document: Document, start: int, end: int) -> Iterator[Cell]:
    for block in document.blocks_in(start, end):
        named = [cell for cell in block.cells if _is_named(cell)]
        for cell in named or block.cells:
            if start <= cell.start < cell.end <= end:
                yield cell


def _is_named(cell: Cell) -> bool:
    return bool(cell.column_headers or cell.row_headers or cell.place)


def _labels(document: Document, ranges: Sequence[Range]) -> tuple[Label, ...]:
    return tuple(Label(start=a, end=b, text=document.text[a:b]) for a, b in ranges)


def cell_form(cell: CitedCell) -> dict[str, Any]:
    """A cell as JSON."""
    return {
        **label_form(cell),
        "columns": [label_form(label) for label in cell.columns],
        "rows": [label_form(label) for label in cell.rows],
        "place": cell.place,
        "boxes": box_forms(cell.boxes),
    }


def label_form(label: Label | CitedCell) -> dict[str, Any]:
    """A stretch of text as JSON, with the field names of a citation."""
    return {
        "start_char_index": label.start,
        "end_char_index": label.end,
        "cited_text": label.text,
    }


def box_forms(boxes: Sequence[Box]) -> list[list[float]]:
    """Boxes as JSON: page, x0, y0, x1, y1."""
    return [
        [box.page, *(round(edge, _BOX_DECIMALS) for edge in (box.x0, box.y0, box.x1, box.y1))]
        for box in boxes
    ]


# What the headers of a table say about a number below them.

# Such a remark applies to prose too: "all amounts expressed in thousands of U.S. dollars".
_OF_ALL = re.compile(
    r"\b(?:all|dollars?|euros?|amounts?|figures)\b[^.;:]{0,30}\bin\s+(?:thousands|millions|billions)\b",
    re.IGNORECASE,
)
_OF_TABLES = re.compile(r"\btab(?:le|ular)", re.IGNORECASE)
_HEADER_CURRENCY = re.compile(r"US\$|[$€£¥₹]|\b(?:USD|EUR|GBP|INR|CHF|JPY|Rs)\b")
_PERCENT = re.compile(r"%|\bper\s?cent(?:age)?\b", re.IGNORECASE)
_NOT_SCALED = re.compile(
    r"per (?:\w+ )?(?:share|unit|employee|barrel|ton|tonne)|percent|%|\brates?\b|\bratio\b|"
    r"\bnumber of\b|\bshares\b|\bin years\b|\byears\)|\bdays\b|\bheadcount\b|\bemployees\b",
    re.IGNORECASE,
)
_PER_PIECE = re.compile(
    r"\bper (?:\w+ )?(?:share|unit|right|option|barrel|ton|tonne)", re.IGNORECASE
)
_EXCEPT = re.compile(r"\b(?:except|unless)\b", re.IGNORECASE)
QUARTERS = ("first", "second", "third", "fourth")
_PERIOD = re.compile(r"\w+\s+end(?:ed|ing)?\b", re.IGNORECASE)
_HEADER_UNIT = re.compile(r"[(\[,]\s*(?=[^\W\d]|[%°])")


def years_of_header(read: Figures) -> frozenset[int]:
    """Years of a header; a year that ended in January also goes by the year before."""
    late = {m.year - 1 for m in read.moments if m.year and _ends_early(m)}
    return read.years | late


def _ends_early(moment: Moment) -> bool:
    return moment.month == 1 or (moment.month == 2 and (moment.day or 28) <= 5)


def years_of(labels: Sequence[str], mark: DecimalMark) -> frozenset[int]:
    """All years named in headers."""
    return frozenset(year for label in labels for year in years_of_header(figures(label, mark)))


def when(labels: Sequence[str], mark: DecimalMark) -> float:
    """The time in headers as a fractional year: "Quarter ended", "July 27, 2019" is late July."""
    year, part = 0, 0.0
    for label in labels:
        read = figures(label, mark)
        year = max([year, *read.years])
        for moment in read.moments:
            months = moment.month or 3 * (moment.quarter or 0) or 6 * (moment.half or 0)
            if months:
                part = max(part, (months - 1) / 12 + (moment.day or 0) / 400)
        name = label.strip().lower().removesuffix(" quarter")
        if name in QUARTERS:
            part = max(part, (3 * (QUARTERS.index(name) + 1) - 1) / 12)
    return year + part


def factors(number: Number, labels: Sequence[str], remarks: Sequence[str]) -> tuple[Decimal, ...]:
    """The factors that headers apply to a number; two if the headers are ambiguous."""
    if number.has_scale or number.looks_like_year or number.unit in ("%", "pp", "bp"):
        return (Decimal(1),)
    scales = [label for label in labels if IN_SCALE.search(label)] or remarks
    if not scales:
        return (Decimal(1),)
    factor = Decimal(10) ** header_scale(scales[-1])
    if is_currency(number.unit):
        return (factor, Decimal(1)) if _PER_PIECE.search(" ".join(labels)) else (factor,)
    plain = " ".join(IN_SCALE.sub(" ", label) for label in labels if not _EXCEPT.search(label))
    if _NOT_SCALED.search(plain):
        return (Decimal(1), factor)
    if any(_EXCEPT.search(label) for label in scales):
        return (factor, Decimal(1))
    return (factor,)


def remark_scale(text: str) -> int:
    """The power of ten of a remark such as "(in thousands)" in a sentence; 0 for none."""
    found = REMARK.search(text)
    return header_scale(found[0]) if found else 0


def scale_of_all(remarks: Sequence[str]) -> int:
    """The power of ten that remarks state for all amounts, including those in prose; 0 for none."""
    general = [text for text in remarks if _OF_ALL.search(text) and not _OF_TABLES.search(text)]
    return remark_scale(general[-1]) if general else 0


def header_scale(text: str) -> int:
    """The power of ten of a header or a remark such as "(in thousands)"; 0 for none."""
    found = IN_SCALE.search(text)
    if found is None:
        return 0
    word = found["word"].lower().rstrip(".")
    if word.startswith("000"):
        return 3
    return {"m": 6, "k": 3, "b": 9}.get(word) or scale_of(word) or scale_of(word.rstrip("s"))


def header_units(columns: Sequence[str], stubs: Sequence[str]) -> set[str]:
    """Units named in headers of a column or row: `Bar`, `Pressure (bar)`, `($ millions)`."""
    units = {measure_at(label, 0).unit for label in columns if not _PERIOD.match(label)}
    for label in (*columns, *stubs):
        units |= {currency(found[0]) for found in _HEADER_CURRENCY.finditer(label)}
        units |= {measure_at(label, found.end()).unit for found in _HEADER_UNIT.finditer(label)}
        if _PERCENT.search(label):
            units.add("%")
    return units - {""}


# The sentence above a table that states the scale of a cited row.

_IN_OTHER_LANGUAGES = re.compile(
    r"\bin\s+(?:\w+\s+)?(?:Tausend|Tsd|Millionen|Mio|Milliarden|Mrd|TEUR|T€)(?!\w)|"
    r"\ben\s+(?:\w+\s+)?(?:milliers|millions|milliards|miles|millones)\b",
    re.IGNORECASE,
)


class Scales:
    """Finds "All amounts in thousands of pounds" above the table of a cited row, or in its header.

    Without it 55,940 reads as less than it is. Only the row's passage is searched, and not beyond
    another table.
    """

    def __init__(self, sources: Sources) -> None:
        self._sources = sources

    def find(self, cited: Sequence[Evidence]) -> Iterator[Evidence]:
        """Scale sentences that are not cited yet, each once."""
        quoted = {item.span for item in cited}
        for item in cited:
            span = self._above(item)
            if span is not None and span not in quoted:
                quoted.add(span)
                yield Evidence(
                    id=f"{SCALE}{item.id}",
                    span=span,
                    quote=self._sources.text_of(span),
                    passage=item.passage,
                    score=item.score,
                )

    def _above(self, item: Evidence) -> Span | None:
        headers = item.passage.headers_of(item.span)
        if not headers or not any(map(str.isdigit, item.quote)) or _states_scale(item.quote):
            return None
        for span in reversed(item.passage.sentences):
            if span.start > headers[-1].start:
                continue
            if item.passage.headers_of(span):
                return None
            if _states_scale(self._sources.text_of(span)):
                return span
        return None


def _states_scale(text: str) -> bool:
    return bool(REMARK.search(text) or _IN_OTHER_LANGUAGES.search(text))
