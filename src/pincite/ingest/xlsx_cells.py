"""Takes from a sheet of openpyxl its cells as they are shown, and what hides or joins them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from openpyxl.cell.cell import Cell
from openpyxl.cell.read_only import EmptyCell, ReadOnlyCell
from openpyxl.utils import get_column_letter, range_boundaries
from openpyxl.worksheet._read_only import ReadOnlyWorksheet
from openpyxl.worksheet.cell_range import CellRange
from openpyxl.worksheet.worksheet import Worksheet

from pincite.ingest.number_format import is_amount, shown_value

_SHOWN_SPACE = re.compile(r"[\t\r\n\v\f]+")
_LAST_ROW, _LAST_COLUMN = 1_048_576, 16_384


@dataclass(frozen=True, slots=True)
class SheetCell:
    """One cell with something in it; rows and columns count from 1."""

    row: int
    column: int
    text: str
    is_number: bool
    is_bold: bool


@dataclass(slots=True, kw_only=True)
class Sheet:
    """What one sheet holds, filled while it is read."""

    name: str
    is_hidden: bool
    rows: dict[int, list[SheetCell]] = field(default_factory=dict)
    hidden_rows: set[int] = field(default_factory=set)
    hidden_columns: set[int] = field(default_factory=set)
    merged: dict[tuple[int, int], CellRange] = field(default_factory=dict)
    header_rows: set[int] = field(default_factory=set)
    """Rows that the file itself calls headers: those of tables and filters."""
    comments: dict[tuple[int, int], str] = field(default_factory=dict)
    without_value: set[tuple[int, int]] = field(default_factory=set)
    """Cells that are there and have no value: formatted ones, and formulas never calculated."""
    empty_formulas: int = 0


def fill_sheet(sheet: Sheet, source: Worksheet | ReadOnlyWorksheet) -> None:
    """Note everything in a sheet that counts; of a streamed one only its cells."""
    if isinstance(source, Worksheet):
        _note_layout(sheet, source)
    for cell in cells_of(source):
        if cell.value is None:
            if cell.data_type == "n":
                sheet.without_value.add((cell.row, cell.column))
        elif text := _SHOWN_SPACE.sub(" ", shown_value(cell.value, cell.number_format)).strip():
            # A cell is one line of its row: tabs and line ends stand between cells and rows.
            found = SheetCell(cell.row, cell.column, text, is_amount(cell.value), bool(cell.font.b))
            sheet.rows.setdefault(cell.row, []).append(found)


def cells_of(source: Worksheet | ReadOnlyWorksheet) -> Iterable[Cell | ReadOnlyCell]:
    """The cells that the file holds, in no certain order."""
    if isinstance(source, Worksheet):
        # Not by its rows: that makes a new cell for each place without one, millions in a sheet
        # whose only other cell stands in the last row.
        return [cell for cell in source._cells.values() if isinstance(cell, Cell)]
    source.reset_dimensions()  # which many programs write wrongly, and rows would be cut off
    rows = source.iter_rows(max_row=_LAST_ROW)
    return (cell for row in rows for cell in row if not isinstance(cell, EmptyCell))


def address(row: int, column: int) -> str:
    """`B7` for row 7 and column 2."""
    return f"{get_column_letter(column)}{row}"


def _note_layout(sheet: Sheet, source: Worksheet) -> None:
    sheet.hidden_rows.update(n for n, row in source.row_dimensions.items() if row.hidden)
    for column in source.column_dimensions.values():
        if column.hidden:
            sheet.hidden_columns.update(range(column.min, min(column.max, _LAST_COLUMN) + 1))
    for area in source.merged_cells.ranges:
        sheet.merged[area.min_row, area.min_col] = area
    tables = [table.ref for table in source.tables.values() if table.headerRowCount != 0]
    for reference in filter(None, (source.auto_filter.ref, *tables)):
        sheet.header_rows.add(range_boundaries(reference)[1])
    for place, cell in sorted(source._cells.items()):
        if isinstance(cell, Cell) and cell.comment:
            sheet.comments[place] = cell.comment.text.strip()
