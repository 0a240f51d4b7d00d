"""Says for each cell of a table which cells head its column and its row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from pincite.ingest.pdf_cells import Table, TableCell, TableRow

_MOST_HEADER_ROWS = 6
_NEAR_IN_SIZES = 3.5


@dataclass(frozen=True, slots=True)
class _Head:
    """A cell that heads columns, and which."""

    cell: TableCell
    columns: set[int]


def link_headers(table: Table) -> None:
    """Fill in the headers of every cell, as far as they can be told; header cells get none."""
    count = _header_rows(table)
    places = _column_places(table)
    headers = [_widened(row, places) for row in table.rows[:count]]
    labelled = _has_labels(table, count)
    section: TableCell | None = None
    indented = False
    for number, row in enumerate(table.rows[count:], start=count):
        if count and _repeats(row, table.rows[count - 1]):
            # The same heads again, below a line that names the part of the table.
            headers[-1] = _widened(row, places)
            continue
        if _is_section(row, table, number):
            section = row.cells[0]
            indented = table.rows[number + 1].cells[0].lines[0].x0 > section.lines[0].x0 + 1.0
            continue
        label = row.cells[0] if labelled and _is_label(row.cells[0]) else None
        if section and label and indented and label.lines[0].x0 <= section.lines[0].x0 + 1.0:
            section = None
        for cell in row.cells:
            cell.column_headers = tuple(_above(cell, headers))
            if cell is not label:
                heads = (section if labelled else None, label)
                cell.row_headers = tuple(head for head in heads if head is not None)
        if label and label.text.casefold().startswith("total"):
            section = None


def _column_places(table: Table) -> list[float | None]:
    """The middle of each column, where a cell of its own stands in it."""
    places: list[list[float]] = [[] for _ in range(table.columns)]
    for row in table.rows:
        for cell in row.cells:
            if cell.first == cell.last < table.columns:
                places[cell.first].append((cell.lines[0].x0 + cell.lines[0].x1) / 2)
    return [median(column) if column else None for column in places]


def _widened(row: TableRow, places: Sequence[float | None]) -> list[_Head]:
    """The heads of a row with the columns they stand over.

    A head in the middle over several columns may touch only one of them, or none: a column without
    a head belongs to the nearest, if that is near and others stand in this row.
    """
    heads = [_Head(cell, set(range(cell.first, cell.last + 1))) for cell in row.cells]
    covered = set().union(*(head.columns for head in heads))
    for column, place in enumerate(places):
        if place is None or column == 0 or column in covered or len(heads) < 2:
            continue
        nearest = min(heads, key=lambda head: _distance(head.cell, place))
        near = _distance(nearest.cell, place) < _NEAR_IN_SIZES * nearest.cell.lines[0].size
        if near and nearest.cell.first > 0:
            nearest.columns.add(column)
    return heads


def _distance(cell: TableCell, place: float) -> float:
    line = cell.lines[0]
    return max(line.x0 - place, place - line.x1, 0.0)


def _above(cell: TableCell, headers: Sequence[Sequence[_Head]]) -> list[TableCell]:
    columns = set(range(cell.first, cell.last + 1))
    return [head.cell for row in headers for head in row if head.columns & columns]


def _header_rows(table: Table) -> int:
    """How many rows at the top name the columns; 0 where nothing shows that they do."""
    count = 0
    for row in table.rows[: min(_MOST_HEADER_ROWS, len(table.rows) - 1)]:
        if any(cell.is_number for cell in row.cells):
            break
        if len(row.cells) == 1 and row.cells[0].first == row.cells[0].last == 0:
            # A single label at the left names a part of the rows, unless the heads follow.
            following = table.rows[count + 1]
            if any(cell.is_number for cell in following.cells) or count:
                break
        count += 1
    while count and not _names_columns(table, count):
        count -= 1
    return count


def _names_columns(table: Table, count: int) -> bool:
    """Whether the last of the first `count` rows looks other than what stands below it."""
    row, below = table.rows[count - 1], table.rows[count:]
    if len(row.cells) == 1 and table.columns > 2 and row.cells[0].first == row.cells[0].last:
        return False
    values = [cell for cell in row.cells if cell.first > 0]
    numeric = sum(_heads_values(below, cell) for cell in values)
    if values and numeric >= 0.5 * len(values):
        return True
    bold = all(cell.bold for cell in row.cells)
    plain = sum(not cell.bold for other in below for cell in other.cells)
    return bold and plain > 0.5 * sum(len(other.cells) for other in below)


def _heads_values(rows: Sequence[TableRow], head: TableCell) -> bool:
    """Whether numbers stand below a cell, or measures below a word."""
    cells = [c for row in rows for c in row.cells if head.first <= c.first and c.last <= head.last]
    if sum(cell.is_number for cell in cells) > 0.5 * len(cells):
        return True
    measures = sum(any(map(str.isdigit, cell.text)) for cell in cells)
    return not any(map(str.isdigit, head.text)) and measures > 0.7 * len(cells)


def _has_labels(table: Table, header_rows: int) -> bool:
    """Whether the first column names the rows."""
    rows = table.rows[header_rows:]
    firsts = [row.cells[0] for row in rows if row.cells[0].first == 0]
    if not firsts or sum(cell.is_number for cell in firsts) > 0.5 * len(firsts):
        return False
    others = [cell for row in rows for cell in row.cells if cell.first > 0]
    numbers = sum(cell.is_number for cell in others)
    return header_rows > 0 or table.columns == 2 or numbers > 0.5 * len(others)


def _is_label(cell: TableCell) -> bool:
    return cell.first == 0 and not cell.is_number


def _is_section(row: TableRow, table: Table, number: int) -> bool:
    """Whether a row is a single text that names the rows below it."""
    name = row.cells[0]
    if len(row.cells) > 1 or name.first > 0 or name.is_number or len(name.lines) > 2:
        return False
    return number + 1 < len(table.rows) and len(table.rows[number + 1].cells) > 1


def _repeats(row: TableRow, header: TableRow) -> bool:
    texts = [cell.text for cell in row.cells if cell.first > 0]
    return bool(texts) and texts == [cell.text for cell in header.cells if cell.first > 0]
