"""Writes a table into a document's text, row by row, and links each cell to its headers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pincite.ingest.assembly import Place, TextAssembly
from pincite.records.document import BlockKind, Cell, Range


@dataclass(frozen=True, slots=True, kw_only=True)
class TableCell:
    """A cell as read from the file; a merged cell spans several columns."""

    text: str
    column: int
    columns: int = 1
    rows: int = 1
    place: str = ""
    is_header: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRow:
    """The cells of one row, left to right; a cell merged downwards belongs to its first row."""

    cells: tuple[TableCell, ...]
    place: str = ""
    hidden: str = ""
    """Why the row is hidden; empty for a visible row."""
    with_cells: bool = True
    """Whether the row's cells are listed individually, or only the row as a whole."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Headers:
    """The number of header rows at the top and header columns at the left of a table.

    Cells left of `columns` are row headers; columns are numbered like the table's cells.
    """

    rows: int = 0
    columns: int = 0


_NONE: tuple[Range, ...] = ()
_LONGEST_HEADER_CHARS = 80
_MOST_HEADER_ROWS = 4
_LEAST_NUMBERS_BELOW = 0.7
_NUMBER = re.compile(r"[-+(−]?[^\w\s]?\d[\d.,:/ '\-]*\s?[%)€$]?$")
_YEAR = re.compile(r"(19|20)\d\d$")
_MEASURED = re.compile(
    r"(?:[<>≤≥~≈±] ?)?(?:[A-Z]{2,3}\$? |[^\w\s]{1,2} ?)?[-+−]?\d[\d.,:/'–\-]*(?: \d{3})* ?"
    r"(?:[^\W\d_][^\s\d]{0,7}[²³]?|[%‰€$£¥°²³)][^\s\d]{0,3})?"
)
_DAY = re.compile(r"\d{1,2}\.? [^\W\d_]{3,9}\.? \d{4}|[^\W\d_]{3,9}\.? (?:\d{1,2}, )?\d{4}")


def is_number(text: str) -> bool:
    """Whether a cell contains a value rather than a word: an amount, a percentage, a date."""
    return bool(_NUMBER.match(text.strip()))


def is_measured(text: str) -> bool:
    """Whether a cell contains a value with or without a unit: `12`, `CHF 18`, `1,840 m`, `May 2024`."""
    bare = text.strip()
    return is_number(bare) or any(form.fullmatch(bare) for form in (_MEASURED, _DAY))


def columns_of_values(cells: Iterable[tuple[int, str]]) -> set[int]:
    """The columns, given with each cell's text, of which most cells contain values."""
    found: dict[int, list[bool]] = {}
    for column, text in cells:
        if any(map(str.isalnum, text)):
            found.setdefault(column, []).append(is_measured(text))
    return {one for one, held in found.items() if sum(held) >= _LEAST_NUMBERS_BELOW * len(held)}


def guess_headers(rows: Sequence[TableRow], *, marked: int = 0) -> Headers:
    """Guesses the headers of a table whose file does not mark them: texts next to numbers.

    The first `marked` rows are known to be headers; rows of subheaders may follow them. For a table
    that contains only words, no headers are guessed.
    """
    empty = next((n for n, row in enumerate(rows) if _filled(row.cells)), 0)
    rows = rows[empty:]
    marked = max(marked - empty, 0)
    if len(rows) < 2 or len(rows[0].cells) < 2:
        return Headers(rows=empty + marked if marked else 0)
    first = min(cell.column for row in rows for cell in row.cells)
    count = _header_rows(rows, first, marked)
    body = rows[max(count, 1) :]
    # Below one header row, a single row may be another header; below two, it is values.
    columns = 1 if len(body) > (count < 2) and _first_names(body, first) else 0
    return Headers(rows=empty + count if count else 0, columns=columns)


def _filled(cells: Iterable[TableCell]) -> list[TableCell]:
    return [cell for cell in cells if cell.text.strip()]


def _header_rows(rows: Sequence[TableRow], first: int, marked: int) -> int:
    if not marked and not _head_numbers(rows[0], rows[1:], first):
        return 0
    count = max(marked, 1)
    while count < _MOST_HEADER_ROWS and _names_parts(rows, count, first):
        count += 1
    return count


def _head_numbers(names: TableRow, below: Sequence[TableRow], first: int) -> bool:
    """Whether a row contains names, at least one of them above numbers."""
    cells = [cell for row in below for cell in row.cells]
    typed = columns_of_values((cell.column, cell.text) for cell in cells)
    numeric = typed | {cell.column for cell in cells if is_number(cell.text)}
    others = {cell.column for cell in cells if not is_number(cell.text) and is_measured(cell.text)}
    values = [cell for cell in names.cells if cell.column > first]
    if any(cell.columns > 1 for cell in values):
        # Next to names that are merged over columns there are empty cells.
        values = _filled(values)
    named = all(_could_name(cell.text) for cell in values) and not is_number(_label(names, first))
    # "12 m" above "9 m" is no name; "0-30 days" above 120.00 is.
    named = named and not any(
        is_measured(one.text) for one in values if one.column in typed & others
    )
    return (
        named and bool(_columns(names.cells) & numeric) and not _are_labelled(names, below, first)
    )


def _are_labelled(names: TableRow, below: Sequence[TableRow], first: int) -> bool:
    """Whether each row is a label and its value, as in a form: words stand among the numbers."""
    pairs = [pair for row in (names, *below) if (pair := _filled(row.cells))]
    if any(len(pair) > 2 or pair[0].column != first for pair in pairs):
        return False
    values = [pair[1].text for pair in pairs[1:] if len(pair) == 2]
    return sum(map(is_measured, values)) < _LEAST_NUMBERS_BELOW * len(values)


def _names_parts(rows: Sequence[TableRow], number: int, first: int) -> bool:
    """Whether a row below headers is their subheader: years or words with numbers below."""
    names = _filled(cell for cell in rows[number].cells if cell.column > first)
    label = _label(rows[number], first)
    under_merged = any(cell.columns > 1 for cell in rows[number - 1].cells)
    if not names or not all(_could_name(cell.text) for cell in names) or is_number(label):
        return False
    if any(map(str.isalnum, label)) and not under_merged:
        return False
    columns = _columns(names)
    below = [cell for row in rows[number + 1 :] for cell in row.cells if cell.column in columns]
    values = [cell.text for cell in below if any(map(str.isalnum, cell.text))]
    return sum(map(is_measured, values)) >= _LEAST_NUMBERS_BELOW * len(values) > 0


def _label(row: TableRow, first: int) -> str:
    return next((cell.text.strip() for cell in row.cells if cell.column == first), "")


def _columns(cells: Iterable[TableCell]) -> set[int]:
    return {column for cell in cells for column in range(cell.column, cell.column + cell.columns)}


def _could_name(text: str) -> bool:
    is_value = is_number(text) and not _YEAR.match(text.strip())
    return 0 < len(text.strip()) <= _LONGEST_HEADER_CHARS and not is_value


def _first_names(rows: Sequence[TableRow], first: int) -> bool:
    """Whether the first column has a different text in each row, next to numbers."""
    names = [cell.text for row in rows for cell in row.cells[:1] if cell.column == first]
    others = [cell.text for row in rows for cell in row.cells[1:]]
    # A currency sign may have a cell of its own.
    others = [text for text in others if any(map(str.isalnum, text))]
    return (
        len(set(names)) == len(rows)
        and all(_could_name(name) for name in names)
        and sum(map(is_measured, others)) >= 0.5 * len(others) > 0
    )


class TableWriter:
    """Adds the rows of one table to an assembly."""

    def __init__(self, assembly: TextAssembly, *, headers: Headers, separator: str) -> None:
        self._assembly = assembly
        self._headers = headers
        self._separator = separator
        self._row_number = 0
        self._above: dict[int, tuple[Range, ...]] = {}
        # Row headers merged downwards: the last row they apply to, and their range.
        self._spanning: list[tuple[int, Range]] = []

    def add_all(self, rows: Sequence[TableRow]) -> None:
        """Add every row."""
        for row in rows:
            self.add(row)

    def add(self, row: TableRow) -> None:
        """Add one row as a block; an empty row only advances the row number."""
        text = self._separator.join(cell.text for cell in row.cells)
        kind = BlockKind.HIDDEN if row.hidden else BlockKind.TABLE_ROW
        if any(cell.text.strip() for cell in row.cells):
            assembly, before = self._assembly, self._assembly.place
            assembly.place = Place(page=before.page, words=row.place or before.words)
            start = assembly.start_of_next(kind)
            block = assembly.add(text, kind)
            assembly.place = before
            if row.with_cells or self._row_number < self._headers.rows:
                assembly.set_cells(tuple(self._cells(row, start)))
            if block is not None and row.hidden:
                assembly.flag_hidden(block, row.hidden)
        self._row_number += 1

    def _cells(self, row: TableRow, start: int) -> list[Cell]:
        in_head = self._row_number < self._headers.rows
        self._spanning = [
            (last, range_) for last, range_ in self._spanning if last >= self._row_number
        ]
        beside = [range_ for _, range_ in self._spanning]
        found = []
        for cell in row.cells:
            end = start + len(cell.text)
            if cell.text.strip():
                is_side = not in_head and self._is_row_header(cell)
                found.append(
                    self._cell(
                        cell,
                        (start, end),
                        above=_NONE if in_head else self._headers_above(cell),
                        beside=_NONE if in_head or is_side else tuple(beside),
                    )
                )
                if in_head:
                    self._note_above(cell, (start, end))
                elif is_side:
                    beside.append((start, end))
                    if cell.rows > 1:
                        self._spanning.append((self._row_number + cell.rows - 1, (start, end)))
            start = end + len(self._separator)
        return found

    def _is_row_header(self, cell: TableCell) -> bool:
        return cell.is_header or cell.column + cell.columns <= self._headers.columns

    def _cell(
        self,
        cell: TableCell,
        where: Range,
        *,
        above: tuple[Range, ...],
        beside: tuple[Range, ...],
    ) -> Cell:
        return Cell(
            start=where[0],
            end=where[1],
            column_headers=above,
            row_headers=beside,
            place=cell.place,
        )

    def _headers_above(self, cell: TableCell) -> tuple[Range, ...]:
        if cell.columns == 1:
            return self._above.get(cell.column, _NONE)
        columns = range(cell.column, cell.column + cell.columns)
        return tuple(dict.fromkeys(r for column in columns for r in self._above.get(column, _NONE)))

    def _note_above(self, cell: TableCell, where: Range) -> None:
        for column in range(cell.column, cell.column + cell.columns):
            self._above[column] = (*self._above.get(column, _NONE), where)
