"""Says which columns of a table each cell of a row of heads stands over."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from pincite.ingest.pdf_cells import TableCell, TableRow

_NEAR_IN_SIZES = 3.5
_MOST_OFF_CENTRE = 0.3
_ASIDE = re.compile(r"^\(.*\)$")
_YEAR_OR_ASIDE = re.compile(r"^\D{0,12}(?:19|20)\d\d\W*$|^\(.*\)$")


@dataclass(frozen=True, slots=True)
class ColumnHead:
    """A cell that heads columns, and which."""

    cell: TableCell
    columns: set[int]


@dataclass(frozen=True, slots=True)
class Column:
    """Where the cells of one column stand: its edges, and the middle of most."""

    number: int
    x0: float
    x1: float
    middle: float


def columns_of(rows: Sequence[TableRow], *, first: int) -> list[Column]:
    """The columns from `first` on that have cells of their own in these rows."""
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
    """The heads of a row with the columns they stand over; `headed` are columns of heads alone.

    `whole` where no head of this row is the first line of one that goes on below. "(in thousands)",
    alone in its row, is said of all columns.

    A head in the middle over several columns may touch only one of them, or none. The columns are
    divided half-way between the heads; a head that stands in the middle of its share has all of it.
    Of the rest, a column without a head belongs to the nearest, if that is near and others stand
    in this row.
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
        # Numbers stand at the right edge of a column, and a head often in the middle.
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
    """Whether a head is plainly centred over several columns, not over one of them."""
    text, middle = head.cell.text, _middle(head.cell)
    if text[0].islower():
        return False
    # Where the writing runs to the left, the first column is the rightmost.
    x0, x1 = min(column.x0 for column in share), max(column.x1 for column in share)
    off = abs(middle - (x0 + x1) / 2)
    if off > _MOST_OFF_CENTRE * (x1 - x0) / len(share):
        return False
    if whole:
        return True
    if len(share) % 2 == 0:
        return all(off < abs(middle - column.middle) for column in share)
    # It may be the first line of a head of the middle column.
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
