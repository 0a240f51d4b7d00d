"""What a table row says about a statement: "South had 190 employees" beside "South | 24.0 | 192"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from pincite.records.checked_texts import Standing
from pincite.records.flow import Citation, CitedCell
from pincite.text.numbers import Number, figures
from pincite.verify.statements.wording import words_of

_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cell:
    """The words of a cell and of its column's head, and its number if it has one."""

    own: frozenset[str]
    head: frozenset[str]
    value: Decimal | None
    unit: str = ""


def said_by_row(statement: str, row: Citation, language: str) -> Standing:
    """Whether the row supports or contradicts the statement; NOT_FOUND if it is about something else.

    The statement has to name the row by its first cell, or that of its row heads; each of its words
    has to be one of the row, of a head or of a heading, and its number belongs to the one column whose
    head has most words of the statement, with the unit of the cell.
    """
    said = _words(statement, language)
    cells = [*_cells(row.cells, language)]
    labels = {label.text for cell in row.cells for label in cell.rows}
    texts = [cell.own for cell in cells if cell.value is None and cell.own]
    names = [name for one in labels if (name := _words(one, language))] or texts[:1]
    known = frozenset().union(
        _words(row.section, language), *names, *(cell.own | cell.head for cell in cells)
    )
    if not (names and any(name <= said for name in names)) or said - known - _digits(statement):
        return Standing.NOT_FOUND
    found = [*_compared(statement, said, cells)]
    if not found or Standing.NOT_FOUND in found:
        return Standing.NOT_FOUND
    return Standing.CONTRADICTED if Standing.CONTRADICTED in found else Standing.SUPPORTED


def _compared(statement: str, said: frozenset[str], cells: Sequence[_Cell]) -> Iterator[Standing]:
    """Each number of the statement with the cell of its column."""
    in_heads = frozenset().union(*(cell.head for cell in cells))
    valued = [cell for cell in cells if cell.value is not None]
    numbers = [one for one in figures(statement).numbers if not _names_column(one, in_heads)]
    for number in numbers:
        fitting = [len(cell.head & said) for cell in valued]
        best = max(fitting, default=0)
        columns = [cell for cell, fit in zip(valued, fitting, strict=True) if fit == best and best]
        has_unit = number.has_scale or any(number.unit != cell.unit for cell in columns)
        if len(columns) != 1 or len(numbers) != 1 or has_unit:
            yield Standing.NOT_FOUND
        else:
            is_equal = columns[0].value == number.value
            yield Standing.SUPPORTED if is_equal else Standing.CONTRADICTED


def _names_column(number: Number, heads: frozenset[str]) -> bool:
    return number.digits in heads


def _cells(cells: Sequence[CitedCell], language: str) -> Iterator[_Cell]:
    for cell in cells:
        held = figures(cell.text).numbers
        is_number = len(held) == 1 and not _words(cell.text, language)
        head = " ".join(label.text for label in cell.columns)
        yield _Cell(
            own=_words(cell.text, language),
            head=_words(head, language) | _digits(head),
            value=held[0].value if is_number else None,
            unit=held[0].unit if is_number else "",
        )


def _words(text: str, language: str) -> frozenset[str]:
    return frozenset(
        word.key
        for word in words_of(text, language)
        if word.is_content and not word.folded[:1].isdigit()
    )


def _digits(text: str) -> frozenset[str]:
    return frozenset(_DIGITS.findall(text))
