"""Says for each cell of a table which cells head its column and its row."""

from __future__ import annotations

from collections.abc import Sequence

from pincite.ingest.pdf_cells import Table, TableCell, TableRow

_MOST_HEADER_ROWS = 6


def link_headers(table: Table) -> None:
    """Fill in the headers of every cell, as far as they can be told; header cells get none."""
    count = _header_rows(table)
    headers = list(table.rows[:count])
    labelled = _has_labels(table, count)
    section: TableCell | None = None
    for number, row in enumerate(table.rows[count:], start=count):
        if headers and _repeats(row, headers[-1]):
            # The same heads again, below a line that names the part of the table.
            headers = [*headers[:-1], row]
            continue
        if _is_section(row, table, number):
            section = row.cells[0]
            continue
        label = row.cells[0] if labelled and _is_label(row.cells[0]) else None
        for cell in row.cells:
            cell.column_headers = tuple(_above(cell, headers))
            if cell is not label:
                heads = (section if labelled else None, label)
                cell.row_headers = tuple(head for head in heads if head is not None)


def _above(cell: TableCell, headers: Sequence[TableRow]) -> list[TableCell]:
    return [
        head
        for row in headers
        for head in row.cells
        if head.first <= cell.last and cell.first <= head.last
    ]


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
    numeric = sum(_mostly_numbers(below, cell) for cell in values)
    if values and numeric >= 0.5 * len(values):
        return True
    bold = all(cell.bold for cell in row.cells)
    plain = sum(not cell.bold for other in below for cell in other.cells)
    return bold and plain > 0.5 * sum(len(other.cells) for other in below)


def _mostly_numbers(rows: Sequence[TableRow], head: TableCell) -> bool:
    cells = [c for row in rows for c in row.cells if head.first <= c.first and c.last <= head.last]
    return sum(cell.is_number for cell in cells) > 0.5 * len(cells)


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
    if len(row.cells) > 1 or row.cells[0].first > 0 or row.cells[0].is_number:
        return False
    return number + 1 < len(table.rows) and len(table.rows[number + 1].cells) > 1


def _repeats(row: TableRow, header: TableRow) -> bool:
    texts = [cell.text for cell in row.cells if cell.first > 0]
    return bool(texts) and texts == [cell.text for cell in header.cells if cell.first > 0]
