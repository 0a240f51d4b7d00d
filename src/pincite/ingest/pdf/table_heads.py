"""Finds the column and row headers of each cell of a table."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from pincite.ingest.pdf.words import Table, TableCell, TableRow

# Determines which columns each cell of a header row covers.

_NEAR_IN_SIZES = 3.5
_MOST_OFF_CENTRE = 0.3
_ASIDE = re.compile(r"^\(.*\)$")
_YEAR_OR_ASIDE = re.compile(r"^\D{0,12}(?:19|20)\d\d\W*$|^\(.*\)$")


@dataclass(frozen=True, slots=True)
class ColumnHead:
    """A column header cell and the numbers of its columns."""

    cell: TableCell
    columns: set[int]


@dataclass(frozen=True, slots=True)
class Column:
    """The extent of one column's cells: its edges, and the middle of most cells."""

    number: int
    x0: float
    x1: float
    middle: float


def columns_of(rows: Sequence[TableRow], *, first: int) -> list[Column]:
    """The columns from `first` on that have their own cells in these rows."""
    lines: dict[int, list[tuple[float, float]]] = {}
    for row in rows:
        for cell in row.cells:
            if first <= cell.first == cell.last:
                lines.setdefault(cell.first, []).append(_edges(cell))
    return [
        Column(
            number,
            min(x0 for x0, _ in edges),
            max(x1 for _, x1 in edges),
            median((x0 + x1) / 2 for x0, x1 in edges),
        )
        for number, edges in sorted(lines.items())
    ]


def heads_of(
    row: TableRow, columns: Sequence[Column], headed: Sequence[Column], *, whole: bool = False
) -> list[ColumnHead]:
    """The heads of a row with the columns they cover; `headed` are columns that contain only heads.

    `whole`: no head of this row is the first line of one that continues below. "(in thousands)",
    alone in its row, applies to all columns.

    A head centred over several columns may touch only one of them, or none. The columns are divided
    half-way between the heads; a head centred over its share covers all of it. Of the rest, a
    column without a head belongs to the nearest one, if that is near and the row has others.
    """
    heads = [ColumnHead(cell, set(range(cell.first, cell.last + 1))) for cell in row.cells]
    if len(heads) == 1 and _ASIDE.match(heads[0].cell.text):
        heads[0].columns.update(column.number for column in columns)
        return heads
    over = [head for head in heads if head.cell.last > 0 or not columns or columns[0].number == 0]
    for head in over:
        share = [column for column in columns if _nearest(column, over) is head]
        others = set().union(*(other.columns for other in over if other is not head))
        numbers = {column.number for column in share}
        # Numbers are aligned to the right edge of a column, and heads are often centred.
        named = [column for column in headed if column.number in numbers]
        if others & numbers or len(share) < 2:
            continue
        if any(
            len(some) == len(share) and _is_middle(head, some, whole=whole)
            for some in (share, named)
        ):
            head.columns.update(numbers)
    covered = set().union(*(head.columns for head in heads))
    for column in columns:
        if column.number == 0 or column.number in covered or len(heads) < 2:
            continue
        nearest = min(heads, key=lambda head: _distance(head.cell, column.middle))
        near = _NEAR_IN_SIZES * nearest.cell.lines[0].size
        if nearest.cell.first > 0 and _distance(nearest.cell, column.middle) < near:
            nearest.columns.add(column.number)
    return heads


def _nearest(column: Column, heads: Sequence[ColumnHead]) -> ColumnHead:
    return min(heads, key=lambda head: abs(_middle(head.cell) - (column.x0 + column.x1) / 2))


def _is_middle(head: ColumnHead, share: Sequence[Column], *, whole: bool) -> bool:
    """Whether a head is clearly centred over several columns, not over one of them."""
    text, middle = head.cell.text, _middle(head.cell)
    if text[0].islower():
        return False
    # In right-to-left writing, the first column is the rightmost.
    x0, x1 = min(column.x0 for column in share), max(column.x1 for column in share)
    off = abs(middle - (x0 + x1) / 2)
    if off > _MOST_OFF_CENTRE * (x1 - x0) / len(share):
        return False
    if whole:
        return True
    if len(share) % 2 == 0:
        return all(off < abs(middle - column.middle) for column in share)
    # It may be the first line of a head over the middle column.
    below = [column for column in share if column.x0 < middle < column.x1]
    left, right = _edges(head.cell)
    wide = all(right - left > column.x1 - column.x0 for column in below)
    return wide or bool(_YEAR_OR_ASIDE.match(text))


def _edges(cell: TableCell) -> tuple[float, float]:
    return min(line.x0 for line in cell.lines), max(line.x1 for line in cell.lines)


def _middle(cell: TableCell) -> float:
    x0, x1 = _edges(cell)
    return (x0 + x1) / 2


def _distance(cell: TableCell, place: float) -> float:
    line = cell.lines[0]
    return max(line.x0 - place, place - line.x1, 0.0)


_MOST_HEADER_ROWS = 6
_FEWEST_ROWS = 3
_YEAR_AT_END = re.compile(r"([^\d:]{0,30}(?:\d{1,2}\D{1,12})?)(?:19|20)\d\d\W*$")


def link_headers(table: Table) -> None:
    """Set the headers of every cell, as far as they are known; header cells get none."""
    count = _header_rows(table)
    labelled = _has_labels(table, count)
    header = _Header(table.rows[:count], columns_of(table.rows, first=int(labelled)))
    names = _RowNames(table)
    number = count
    while number < len(table.rows):
        row = table.rows[number]
        again = _heads_again(table, number, header) if count else 0
        if again:
            header.replace(table.rows[number : number + again])
            names.begin_part(number)
            number += again
            continue
        number += 1
        if names.take(number - 1):
            continue
        label = row.cells[0] if labelled and _is_label(row.cells[0]) else None
        above = names.above(label) if labelled else ()
        for cell in row.cells:
            cell.column_headers = tuple(header.above(cell))
            if cell is not label:
                cell.row_headers = (*above, label) if label is not None else above
        names.end_with(label)


class _Header:
    """The header rows that apply to the rows below, until others replace them."""

    def __init__(self, rows: Sequence[TableRow], columns: Sequence[Column]) -> None:
        self._columns = columns
        self._rows = list(rows)
        self._heads = self._heads_of(rows)

    def replace(self, rows: Sequence[TableRow]) -> None:
        """Replace the header rows; heads above a repeated row remain."""
        kept = next((n for n, row in enumerate(self._rows) if _repeats(rows[0], row)), 0)
        self._rows = [*self._rows[:kept], *rows]
        self._heads = [*self._heads[:kept], *self._heads_of(rows)]

    def _heads_of(self, rows: Sequence[TableRow]) -> list[list[ColumnHead]]:
        headed = columns_of(rows, first=self._columns[0].number if self._columns else 0)
        below = [*rows[1:], None][: len(rows)]
        return [
            heads_of(row, self._columns, headed, whole=_is_above_values(row, after))
            for row, after in zip(rows, below, strict=True)
        ]

    def is_repeated_by(self, row: TableRow) -> bool:
        """Whether a row has the same heads as the last header row."""
        return _repeats(row, self._rows[-1])

    def above(self, cell: TableCell) -> list[TableCell]:
        """The column heads of a cell, outermost first."""
        columns = set(range(cell.first, cell.last + 1))
        return [head.cell for row in self._heads for head in row if head.columns & columns]


class _RowNames:
    """Names that apply to several rows of a table: a period above sections, a section above labels."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._period: TableCell | None = None
        self._section: TableCell | None = None
        self._indented = False
        self._begun = 0

    def take(self, number: int) -> bool:
        """Whether a row names those below it; if so, it is recorded."""
        row = self._table.rows[number]
        name = row.cells[0]
        if not _is_section(row, self._table, number):
            return False
        self._begun = number
        if self._is_period(name.text):
            self._period, self._section = name, None
            return True
        following = (row for row in self._table.rows[number + 1 :] if row.cells[0].first == 0)
        label = next((row.cells[0] for row in following), name)
        self._section = name
        self._indented = label.lines[0].x0 > name.lines[0].x0 + 1.0
        return True

    def _is_period(self, text: str) -> bool:
        """Whether a name is a year, or one of several that differ only in the year: "Fiscal 2015"."""
        found = _YEAR_AT_END.match(text)
        if found is None:
            return False
        alike = [row for row in self._table.rows if row.cells[0].text.startswith(found[1])]
        years = {row.cells[0].text for row in alike if len(row.cells) == 1}
        return not found[1] or len([year for year in years if _YEAR_AT_END.match(year)]) > 1

    def begin_part(self, number: int) -> None:
        """Drop the names of the rows above new heads, except a name directly above the heads."""
        if self._begun != number - 1:
            self._period = self._section = None

    def above(self, label: TableCell | None) -> tuple[TableCell, ...]:
        """The names that apply to a row with this label, outermost first."""
        section = self._section
        if section and label and self._indented and label.lines[0].x0 <= section.lines[0].x0 + 1.0:
            self._section = None
        return tuple(name for name in (self._period, self._section) if name is not None)

    def end_with(self, label: TableCell | None) -> None:
        """End the section after its total."""
        if label and label.text.casefold().startswith("total"):
            self._section = None


def _heads_again(table: Table, number: int, header: _Header) -> int:
    """The number of repeated header rows from here: words without a row label, above numbers."""
    if header.is_repeated_by(table.rows[number]):
        return 1
    if table.rows[number].cells[0].first == 0:
        return 0
    rows = table.rows[number:]
    count = next((n for n, row in enumerate(rows) if row.cells[0].first == 0), 0)
    heads = rows[:count]
    if all(len(row.cells) == 1 for row in heads):
        return 0
    if any(cell.is_number for row in heads for cell in row.cells):
        return 0
    # They may be followed by the name of a section: "2015", "Assets:".
    below = next((row for row in rows[count : count + 3] if len(row.cells) > 1), rows[count])
    values = [cell for cell in below.cells if cell.first > 0]
    numbers = sum(cell.is_number for cell in values)
    return count if _is_label(below.cells[0]) and 2 * numbers >= len(values) > 0 else 0


def _header_rows(table: Table) -> int:
    """The number of header rows at the top; 0 without evidence of any."""
    count = 0
    for row in table.rows[: min(_MOST_HEADER_ROWS, len(table.rows) - 1)]:
        if any(cell.is_number for cell in row.cells) and not _are_days(table, count):
            break
        if len(row.cells) == 1 and row.cells[0].first == row.cells[0].last == 0:
            # A single label at the left names a section, unless the heads follow.
            following = table.rows[count + 1]
            if any(cell.is_number for cell in following.cells) or count:
                break
        count += 1
    while count and not _names_columns(table, count):
        count -= 1
    return count


def _is_above_values(row: TableRow, below: TableRow | None) -> bool:
    """Whether a cell alone in its row is above years, so it is not the first line of a head."""
    years = [cell for cell in below.cells if cell.first > 0] if below else []
    return len(row.cells) == 1 and len(years) > 1 and all(cell.is_value for cell in years)


def _are_days(table: Table, number: int) -> bool:
    """Whether the numbers of a row without a label are parts of dates, with years below them."""
    row, below = table.rows[number], table.rows[number + 1]
    years = [cell for cell in below.cells if cell.first > 0]
    return row.cells[0].first > 0 and all(cell.is_value and not cell.is_number for cell in years)


def _names_columns(table: Table, count: int) -> bool:
    """Whether the last of the first `count` rows looks different from the rows below it."""
    row, below = table.rows[count - 1], table.rows[count:]
    if len(row.cells) == 1 and table.columns > 2 and row.cells[0].first == row.cells[0].last:
        # "(in thousands)" applies to all columns, whichever it is above.
        return count > 1 and row.cells[0].first > 0 and row.cells[0].text[:1] == "("
    values = [cell for cell in row.cells if cell.first > 0]
    numeric = sum(_heads_values(below, cell) for cell in values)
    if values and numeric >= 0.5 * len(values):
        return True
    if count == 1 and _head_a_column_each(table) and numeric:
        return True
    bold = all(cell.bold for cell in row.cells)
    plain = sum(not cell.bold for other in below for cell in other.cells)
    return bold and plain > 0.5 * sum(len(other.cells) for other in below)


def _head_a_column_each(table: Table) -> bool:
    """Whether the first row has words above each column of a full table, one of them of numbers."""
    first, *below = table.rows
    return (
        len(below) >= _FEWEST_ROWS
        and len(first.cells) == table.columns
        and all(cell.first == cell.last and not cell.is_value for cell in first.cells)
        and all(len(row.cells) == table.columns for row in below)
        and any(
            all(row.cells[place].is_value for row in below) for place in range(1, table.columns)
        )
    )


def _heads_values(rows: Sequence[TableRow], head: TableCell) -> bool:
    """Whether there are numbers below a cell, or units below a word."""
    cells = [c for row in rows for c in row.cells if head.first <= c.first and c.last <= head.last]
    if sum(cell.is_number for cell in cells) > 0.5 * len(cells):
        return True
    measures = sum(any(map(str.isdigit, cell.text)) for cell in cells)
    return not any(map(str.isdigit, head.text)) and measures > 0.7 * len(cells)


def _has_labels(table: Table, header_rows: int) -> bool:
    """Whether the first column contains row labels."""
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
