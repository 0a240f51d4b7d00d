"""The sheets of a workbook in any format: finds their tables and heads, and writes them into a text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from openpyxl.utils import get_column_letter
from openpyxl.worksheet.cell_range import CellRange

from pincite.ingest.assembly import Place, TextAssembly
from pincite.ingest.tables import (
    Headers,
    TableCell,
    TableRow,
    TableWriter,
    columns_of_values,
    is_measured,
)
from pincite.records.document import BlockKind

_LONGEST_HEADER_CHARS = 80
_LONGEST_TITLE_CHARS = 200


@dataclass(frozen=True, slots=True)
class SheetCell:
    """A non-empty cell; rows and columns count from 1."""

    row: int
    column: int
    text: str
    is_number: bool
    is_bold: bool


@dataclass(slots=True, kw_only=True)
class Sheet:
    """The contents of one sheet, filled while it is read."""

    name: str
    is_hidden: bool
    rows: dict[int, list[SheetCell]] = field(default_factory=dict)
    hidden_rows: set[int] = field(default_factory=set)
    hidden_columns: set[int] = field(default_factory=set)
    merged: dict[tuple[int, int], CellRange] = field(default_factory=dict)
    header_rows: set[int] = field(default_factory=set)
    """Rows that the file itself marks as headers: those of tables and filters."""
    comments: dict[tuple[int, int], str] = field(default_factory=dict)
    without_value: set[tuple[int, int]] = field(default_factory=set)
    """Cells that exist but have no value: formatted cells and uncalculated formulas."""
    empty_formulas: int = 0


def address(row: int, column: int) -> str:
    """`B7` for row 7 and column 2."""
    return f"{get_column_letter(column)}{row}"


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetTable:
    """Adjacent rows of a sheet, with the title lines above them."""

    titles: tuple[SheetCell, ...]
    rows: tuple[tuple[SheetCell, ...], ...]
    headers: Headers


def find_tables(sheet: Sheet) -> Iterator[SheetTable]:
    """The tables of a sheet from top to bottom; an empty row separates tables."""
    waiting: list[SheetCell] = []
    for group in _groups(sheet):
        titles, rows = _split_titles(group, sheet)
        if not rows:
            waiting += titles
            continue
        yield SheetTable(
            titles=(*waiting, *titles), rows=tuple(rows), headers=_headers(rows, sheet)
        )
        waiting = []
    if waiting:
        rows = [(cell,) for cell in waiting]
        yield SheetTable(titles=(), rows=tuple(rows), headers=Headers())


def _groups(sheet: Sheet) -> Iterator[list[tuple[SheetCell, ...]]]:
    group: list[tuple[SheetCell, ...]] = []
    last = 0
    for number in sorted(sheet.rows):
        if group and number > last + 1:
            yield group
            group = []
        group.append(tuple(sorted(sheet.rows[number], key=lambda cell: cell.column)))
        last = number
    if group:
        yield group


def _split_titles(
    group: Sequence[tuple[SheetCell, ...]], sheet: Sheet
) -> tuple[list[SheetCell], list[tuple[SheetCell, ...]]]:
    """The title cells at the top of a group, and the rows below them."""
    rows = list(group)
    titles: list[SheetCell] = []
    is_wide = any(len(row) > 1 for row in rows)
    while rows and len(rows[0]) == 1 and _is_title(rows[0][0]) and (is_wide or len(rows) == 1):
        if rows[0][0].row in sheet.header_rows:
            break
        titles.append(rows.pop(0)[0])
    return titles, rows


def _is_title(cell: SheetCell) -> bool:
    return not cell.is_number and len(cell.text) <= _LONGEST_TITLE_CHARS


def _headers(rows: Sequence[tuple[SheetCell, ...]], sheet: Sheet) -> Headers:
    count = _header_rows(rows, sheet)
    found = Headers(rows=count)
    return replace(found, columns=1) if _first_column_names_rows(rows[count:]) else found


def _header_rows(rows: Sequence[tuple[SheetCell, ...]], sheet: Sheet) -> int:
    """The number of rows at the top that contain only column names.

    The file may mark them (a table, a filter). Otherwise the row must contain short texts, and the
    rows below must differ: by numbers below a text, or by not being bold.
    """
    if len(rows) < 2:
        return 0
    for count in (1, 2, 3):
        if count < len(rows) and rows[count - 1][0].row in sheet.header_rows:
            return count
    count = 0
    # A row with merged cells is followed by another row of names.
    while count < 2 and _is_above_names(rows[count : count + 3], sheet):
        count += 1
    named = count + 1 < len(rows) and _could_name(rows[count])
    return count + 1 if named and _differs(rows[count], rows[count + 1 :]) else 0


def _is_above_names(rows: Sequence[tuple[SheetCell, ...]], sheet: Sheet) -> bool:
    return (
        len(rows) == 3
        and _has_merged(rows[0], sheet)
        and _could_name(rows[1])
        and not any(cell.is_number and not _is_year(cell) for cell in rows[1])
    )


def _could_name(row: Sequence[SheetCell]) -> bool:
    return len(row) > 1 and all(
        len(cell.text) <= _LONGEST_HEADER_CHARS and (not cell.is_number or _is_year(cell))
        for cell in row
    )


def _is_year(cell: SheetCell) -> bool:
    return len(cell.text) == 4 and cell.text.isdigit() and "1900" <= cell.text <= "2100"


def _differs(row: Sequence[SheetCell], below: Sequence[Sequence[SheetCell]]) -> bool:
    sample = [cell for other in below[:20] for cell in other]
    if all(cell.is_bold for cell in row) and not all(cell.is_bold for cell in below[0]):
        return True
    named = {cell.column for cell in row if not _is_value(cell)}
    numbers = {cell.column for cell in sample if cell.is_number}
    typed = columns_of_values((cell.column, cell.text) for cell in sample)
    return bool(named & (numbers | typed))


def _is_value(cell: SheetCell) -> bool:
    """Whether it is a number or date, also one that was typed as a text."""
    return cell.is_number or is_measured(cell.text)


def _has_merged(row: Sequence[SheetCell], sheet: Sheet) -> bool:
    return any((cell.row, cell.column) in sheet.merged for cell in row)


def _first_column_names_rows(rows: Sequence[tuple[SheetCell, ...]]) -> bool:
    """Whether the first column has a different short text in each row, next to numbers."""
    if len(rows) < 2:
        return False
    first = min(row[0].column for row in rows)
    names = [row[0] for row in rows if row[0].column == first]
    others = [cell for row in rows for cell in row if cell.column != first]
    numbers = sum(map(_is_value, others))
    return (
        len(names) >= 0.8 * len(rows)
        and all(not cell.is_number and len(cell.text) <= _LONGEST_HEADER_CHARS for cell in names)
        and len({cell.text for cell in names}) >= 0.9 * len(names)
        and numbers >= 0.5 * len(others) > 0
    )


# Writes the tables of a sheet into a text.

# Beyond this many cells, rows keep their text and place, but their cells are not listed individually.
_MOST_CELLS = 400_000


class SheetWriter:
    """Adds sheet after sheet to an assembly: titles, rows with their cells, and comments."""

    def __init__(self, assembly: TextAssembly) -> None:
        self._assembly = assembly
        self._cells_left = _MOST_CELLS

    def add(self, sheet: Sheet) -> None:
        """Add the tables of a sheet below its name, then its comments."""
        for table in find_tables(sheet):
            self._assembly.outline.enter(1, sheet.name)
            self._table(sheet, table)
        self._comments(sheet)

    def warnings(self) -> Iterator[str]:
        """That some cells are not listed individually."""
        if self._cells_left < 0:
            yield (
                f"it has more than {_MOST_CELLS:,} cells; later rows are cited as whole rows, "
                "without cell addresses"
            )

    def _table(self, sheet: Sheet, table: SheetTable) -> None:
        for title in table.titles:
            self._title(sheet, title)
        writer = TableWriter(self._assembly, headers=_placed(table), separator="\t")
        unseen = []
        for row in table.rows:
            seen, hidden = _split_hidden(sheet, row)
            writer.add(self._row(sheet, seen))
            if hidden:
                unseen.append(self._row(sheet, hidden))
        # Cells of hidden columns are added after the table, so that rows are quoted without them.
        TableWriter(self._assembly, headers=Headers(), separator="\t").add_all(unseen)

    def _title(self, sheet: Sheet, title: SheetCell) -> None:
        hidden = _hidden_reason(sheet, [title])
        self._assembly.place = Place(
            words=f"{quoted_name(sheet.name)}!{address(title.row, title.column)}"
        )
        if hidden:
            self._assembly.add_hidden(title.text, hidden)
        else:
            self._assembly.add_heading(title.text, 2)
        self._assembly.place = Place()

    def _row(self, sheet: Sheet, cells: Sequence[SheetCell]) -> TableRow:
        self._cells_left -= len(cells)
        first, last = cells[0], cells[-1]
        ends = [address(cell.row, cell.column) for cell in (first, last)]
        return TableRow(
            cells=tuple(self._table_cell(sheet, cell) for cell in cells)
            if self._cells_left >= 0
            else tuple(TableCell(text=cell.text, column=cell.column) for cell in cells),
            place=f"{quoted_name(sheet.name)}!{':'.join(dict.fromkeys(ends))}",
            hidden=_hidden_reason(sheet, cells),
            with_cells=self._cells_left >= 0,
        )

    def _table_cell(self, sheet: Sheet, cell: SheetCell) -> TableCell:
        area = sheet.merged.get((cell.row, cell.column))
        return TableCell(
            text=cell.text,
            column=cell.column,
            columns=area.size["columns"] if area else 1,
            rows=area.size["rows"] if area else 1,
            place=address(cell.row, cell.column),
        )

    def _comments(self, sheet: Sheet) -> None:
        """Add cell comments after the rows of their sheet."""
        for (row, column), text in sheet.comments.items():
            where = f"{quoted_name(sheet.name)}!{address(row, column)}"
            self._assembly.place = Place(words=f"comment on {where}")
            self._assembly.add(text, BlockKind.HIDDEN if sheet.is_hidden else BlockKind.FOOTNOTE)
            self._assembly.place = Place()


def _placed(table: SheetTable) -> Headers:
    """The header columns, counted from the sheet's first column instead of the table's."""
    if not table.headers.columns:
        return table.headers
    first = min(row[0].column for row in table.rows)
    return Headers(rows=table.headers.rows, columns=first + table.headers.columns)


def _split_hidden(
    sheet: Sheet, cells: Sequence[SheetCell]
) -> tuple[Sequence[SheetCell], Sequence[SheetCell]]:
    """The cells of a row in visible columns, and those in hidden columns."""
    if not sheet.hidden_columns or cells[0].row in sheet.hidden_rows:
        return cells, ()
    seen = [cell for cell in cells if cell.column not in sheet.hidden_columns]
    hidden = [cell for cell in cells if cell.column in sheet.hidden_columns]
    return (seen, hidden) if seen else (hidden, ())


def quoted_name(sheet: str) -> str:
    """A sheet's name as written in a reference: in quotes unless it is a plain word."""
    if sheet.isidentifier():
        return sheet
    doubled = sheet.replace("'", "''")
    return f"'{doubled}'"


def _hidden_reason(sheet: Sheet, cells: Sequence[SheetCell]) -> str:
    """Why a row is hidden in Excel; empty if it is visible."""
    if sheet.is_hidden:
        return f"the sheet {sheet.name!r} is hidden"
    if cells[0].row in sheet.hidden_rows:
        return f"row {cells[0].row} of the sheet {sheet.name!r} is hidden"
    if all(cell.column in sheet.hidden_columns for cell in cells):
        return f"columns of the sheet {sheet.name!r} are hidden"
    return ""
