"""Extracts the words inside ruled grids from a page's lines and makes tables of them."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from pincite.ingest.pdf.drawing import PageDrawing, Rule
from pincite.ingest.pdf.table_heads import link_headers
from pincite.ingest.pdf.words import (
    Row,
    Segment,
    Table,
    TableCell,
    TableRow,
    Word,
    lines_of,
    put_right_first,
)

_LEAST_SHARE_FILLED = 0.4
_MOST_WORDS_IN_CELL = 120
_MOST_ROWS_WITH_SEVERAL_VALUES = 0.3

Line = list[Word]


def take_ruled_tables(
    lines: Sequence[Line], grids: Iterable[Grid]
) -> tuple[list[Line], list[tuple[int, Table]]]:
    """The lines without the words of tables, and each table with the index of the line after it."""
    tables: list[tuple[int, Table]] = []
    left = list(lines)
    for grid in grids:
        placed, rest = _placed(left, grid)
        first = next((n for n, (a, b) in enumerate(zip(left, rest, strict=True)) if a != b), None)
        if first is not None and _is_table(grid, placed):
            tables.append((first, _table(grid, placed)))
            left = rest
    return left, tables


def _placed(lines: Sequence[Line], grid: Grid) -> tuple[dict[GridCell, list[Word]], list[Line]]:
    """The words in each cell, and the lines without those words."""
    cells: defaultdict[GridCell, list[Word]] = defaultdict(list)
    for word in (word for line in lines for word in line):
        cell = grid.cell_at((word.x0 + word.x1) / 2, (word.y0 + word.y1) / 2)
        if cell is not None:
            cells[cell].append(word)
    taken = {id(word) for words in cells.values() for word in words}
    return cells, [[word for word in line if id(word) not in taken] for line in lines]


def _is_table(grid: Grid, placed: dict[GridCell, list[Word]]) -> bool:
    """Whether enough cells have text and none has a page of it: lines also form charts and frames."""
    filled = len(placed)
    rows = {cell.rows[0] for cell in placed}
    if len(_rows_of_several_values(placed)) > _MOST_ROWS_WITH_SEVERAL_VALUES * len(rows):
        return False
    columns = {cell.columns[0] for cell in placed}
    return (
        filled >= max(4, _LEAST_SHARE_FILLED * len(grid.cells))
        and len(rows) > 1
        and len(columns) > 1
        and max(map(len, placed.values())) <= _MOST_WORDS_IN_CELL
    )


def _rows_of_several_values(placed: dict[GridCell, list[Word]]) -> set[int]:
    """Rows with several separate values in one cell: the rules frame columns, not cells."""
    return {
        cell.rows[0]
        for cell, words in placed.items()
        for line in lines_of(words)
        for row in cut_into_segments(line.words)
        if sum(map(_is_number, row)) > 1
    }


def _table(grid: Grid, placed: dict[GridCell, list[Word]]) -> Table:
    bands: defaultdict[int, list[TableCell]] = defaultdict(list)
    for cell in sorted(placed, key=lambda cell: (cell.rows, cell.columns)):
        found = TableCell(lines_of(placed[cell]), *cell.columns)
        bands[cell.rows[0]].append(found)
    rows = [row for number in sorted(bands) for row in _rows_of_band(bands[number])]
    table = Table(rows, grid.columns)
    put_right_first(table)
    link_headers(table)
    return table


def _rows_of_band(cells: list[TableCell]) -> list[TableRow]:
    """One row, or several if numbers are stacked without a line between them."""
    columns = [cell for cell in cells if len(cell.lines) > 1 and all(map(_is_number, cell.lines))]
    if not columns:
        return [TableRow(cells)]
    levels = [line.y0 for line in max(columns, key=lambda cell: len(cell.lines)).lines]
    rows: list[list[TableCell]] = [[] for _ in levels]
    for cell in cells:
        split: defaultdict[int, list[Segment]] = defaultdict(list)
        for line in cell.lines:
            nearest = min(range(len(levels)), key=lambda row: abs(levels[row] - line.y0))
            split[nearest].append(line)
        for number, lines in split.items():
            rows[number].append(TableCell(lines, cell.first, cell.last))
    return [TableRow(row) for row in rows if row]


def _is_number(line: Segment) -> bool:
    return TableCell([line], 0, 0).is_number


# Finds the cells formed by ruled lines on a PDF page, including those that span several columns.

_NEAR = 2.5
_NARROWEST = 6.0
_MOST_RULES = 1500
_MOST_LINES_EACH_WAY = 120


@dataclass(frozen=True, slots=True)
class GridCell:
    """A rectangle between rules; `rows` and `columns` are (first, last), from 0."""

    x0: float
    y0: float
    x1: float
    y1: float
    rows: tuple[int, int]
    columns: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Grid:
    """The cells of one ruled table, row by row."""

    cells: tuple[GridCell, ...]
    xs: tuple[float, ...]
    ys: tuple[float, ...]
    places: dict[tuple[int, int], GridCell]
    """The cell at each row and column."""

    @property
    def columns(self) -> int:
        """The number of columns."""
        return len(self.xs) - 1

    def cell_at(self, x: float, y: float) -> GridCell | None:
        """The cell that contains a point."""
        return self.places.get((bisect_right(self.ys, y) - 1, bisect_right(self.xs, x) - 1))


def ruled_grids(drawing: PageDrawing) -> list[Grid]:
    """Every table of at least two rows and columns drawn with horizontal and vertical lines."""
    if not drawing.vertical or not drawing.horizontal:
        return []
    if len(drawing.horizontal) + len(drawing.vertical) > _MOST_RULES:
        return []
    horizontal, vertical = _joined(drawing.horizontal), _joined(drawing.vertical)
    grids = (_grid(*component) for component in _connected(horizontal, vertical))
    return [grid for grid in grids if grid is not None]


def _joined(rules: Iterable[Rule]) -> list[Rule]:
    """Joins pieces of the same line, since many programs draw each side of each cell."""
    lines: list[list[Rule]] = []
    for rule in sorted(rules, key=lambda rule: rule.at):
        if not lines or rule.at - lines[-1][0].at > _NEAR:
            lines.append([])
        lines[-1].append(rule)
    joined = []
    for pieces in lines:
        at = pieces[0].at
        start, end = None, 0.0
        for piece in sorted(pieces, key=lambda rule: rule.start):
            if start is None or piece.start > end + _NEAR:
                if start is not None:
                    joined.append(Rule(at, start, end))
                start, end = piece.start, piece.end
            end = max(end, piece.end)
        if start is not None:
            joined.append(Rule(at, start, end))
    return joined


def _connected(
    horizontal: Sequence[Rule], vertical: Sequence[Rule]
) -> Iterator[tuple[list[Rule], list[Rule]]]:
    """Groups of rules that touch each other."""
    leader = list(range(len(horizontal) + len(vertical)))

    def find(number: int) -> int:
        while leader[number] != number:
            leader[number] = leader[leader[number]]
            number = leader[number]
        return number

    for i, across in enumerate(horizontal):
        for j, down in enumerate(vertical, start=len(horizontal)):
            if (
                across.start - _NEAR <= down.at <= across.end + _NEAR
                and down.start - _NEAR <= across.at <= down.end + _NEAR
            ):
                leader[find(i)] = find(j)
    groups: defaultdict[int, tuple[list[Rule], list[Rule]]] = defaultdict(lambda: ([], []))
    for number, rule in enumerate((*horizontal, *vertical)):
        groups[find(number)][number >= len(horizontal)].append(rule)
    yield from (group for group in groups.values() if group[0] and group[1])


def _grid(horizontal: list[Rule], vertical: list[Rule]) -> Grid | None:
    # The outer sides are often open.
    xs = _places(
        [r.at for r in vertical], [r.start for r in horizontal], [r.end for r in horizontal]
    )
    ys = _places([r.at for r in horizontal], [r.start for r in vertical], [r.end for r in vertical])
    if not (3 <= len(xs) <= _MOST_LINES_EACH_WAY and 3 <= len(ys) <= _MOST_LINES_EACH_WAY):
        return None
    cells = list(_cells(xs, ys, horizontal, vertical))
    places = {
        (row, column): cell
        for cell in cells
        for row in range(cell.rows[0], cell.rows[1] + 1)
        for column in range(cell.columns[0], cell.columns[1] + 1)
    }
    several = {cell.rows[0] for cell in cells if cell.columns != (0, len(xs) - 2)}
    if sum(map(_size, cells)) != (len(xs) - 1) * (len(ys) - 1) or len(several) < 2:
        return None
    cells.sort(key=lambda cell: (cell.rows, cell.columns))
    return Grid(tuple(cells), tuple(xs), tuple(ys), places)


def _size(cell: GridCell) -> int:
    return (cell.rows[1] - cell.rows[0] + 1) * (cell.columns[1] - cell.columns[0] + 1)


def _places(lines: list[float], starts: list[float], ends: list[float]) -> list[float]:
    """The positions of lines and of the outermost ends of crossing lines; close ones are merged."""
    places: list[float] = []
    for place in sorted([*lines, min(starts), max(ends)]):
        if not places or place - places[-1] > _NARROWEST:
            places.append(place)
    return places


def _cells(
    xs: list[float], ys: list[float], horizontal: list[Rule], vertical: list[Rule]
) -> Iterator[GridCell]:
    """The smallest rectangles, merged if no line separates them."""
    seen: set[tuple[int, int]] = set()
    for row in range(len(ys) - 1):
        for column in range(len(xs) - 1):
            if (row, column) in seen:
                continue
            last_column, last_row = column, row
            middle = (ys[row] + ys[row + 1]) / 2
            while last_column + 2 < len(xs) and not _crossed(vertical, xs[last_column + 1], middle):
                last_column += 1
            middle = (xs[column] + xs[column + 1]) / 2
            while last_row + 2 < len(ys) and not _crossed(horizontal, ys[last_row + 1], middle):
                last_row += 1
            seen |= {
                (r, c) for r in range(row, last_row + 1) for c in range(column, last_column + 1)
            }
            corners = (xs[column], ys[row], xs[last_column + 1], ys[last_row + 1])
            yield GridCell(*corners, (row, last_row), (column, last_column))


def _crossed(rules: list[Rule], at: float, along: float) -> bool:
    return any(
        abs(rule.at - at) <= _NARROWEST and rule.start - _NEAR <= along <= rule.end + _NEAR
        for rule in rules
    )


# Splits the lines of a PDF page into separate pieces: columns, cells, a bullet and its text.

_GAP_IN_SIZES = 1.2


def cut_into_segments(words: list[Word]) -> Iterator[Row]:
    """Split a line where words are more than a space apart, or one is below the other.

    PDFium puts a bullet far to the left on the line before its text.
    """
    if not words:
        return
    row: Row = []
    start = 0
    for position, (before, word) in enumerate(pairwise(words), start=1):
        same_height = before.y0 < before.y1 > word.y0 < word.y1 > before.y0
        below = not same_height and _starts_row(before, word)
        widest = _GAP_IN_SIZES * (before.size if before.size > word.size else word.size)
        # The gap between two words counts in either writing direction.
        if below or word.x0 - before.x1 > widest or before.x0 - word.x1 > widest:
            row.append(Segment(words[start:position]))
            start = position
        if below:
            yield row
            row = []
    row.append(Segment(words[start:]))
    yield row


def _starts_row(before: Word, word: Word) -> bool:
    """Whether a word whose height differs from the one before is below or above it.

    Words of vertical text in the margin are above each other, but stay together.
    """
    shared_width = min(before.x1, word.x1) - max(before.x0, word.x0)
    width = before.x1 - before.x0
    if shared_width <= 0.5 * width:
        return True
    runs_up = word.y1 <= before.y0 + 1
    is_tall = before.y1 - before.y0 > 1.5 * width or word.y1 - word.y0 > 1.5 * width
    runs_down = is_tall and 0 <= word.y0 - before.y1 < width
    return not (runs_up or runs_down)
