"""Finds the cells that ruled lines make on a PDF page, also those that span several columns."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from pincite.ingest.pdf_drawing import PageDrawing, Rule

_NEAR = 2.5
_NARROWEST = 6.0
_MOST_RULES = 1500
_MOST_LINES_EACH_WAY = 120


@dataclass(frozen=True, slots=True)
class GridCell:
    """A rectangle between rules; `rows` and `columns` are first and last, counted from 0."""

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
        """How many columns it has."""
        return len(self.xs) - 1

    def cell_at(self, x: float, y: float) -> GridCell | None:
        """The cell around a point."""
        return self.places.get((bisect_right(self.ys, y) - 1, bisect_right(self.xs, x) - 1))


def ruled_grids(drawing: PageDrawing) -> list[Grid]:
    """Every table of at least two rows and two columns that is drawn with lines both ways."""
    if not drawing.vertical or not drawing.horizontal:
        return []
    if len(drawing.horizontal) + len(drawing.vertical) > _MOST_RULES:
        return []
    horizontal, vertical = _joined(drawing.horizontal), _joined(drawing.vertical)
    grids = (_grid(*component) for component in _connected(horizontal, vertical))
    return [grid for grid in grids if grid is not None]


def _joined(rules: Iterable[Rule]) -> list[Rule]:
    """Pieces of one line put together: many programs draw each side of each cell."""
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
    # The outer sides are often left open.
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
    """Where lines stand, and the outermost ends of those across them; close ones count once."""
    places: list[float] = []
    for place in sorted([*lines, min(starts), max(ends)]):
        if not places or place - places[-1] > _NARROWEST:
            places.append(place)
    return places


def _cells(
    xs: list[float], ys: list[float], horizontal: list[Rule], vertical: list[Rule]
) -> Iterator[GridCell]:
    """The smallest rectangles, put together where no line stands between them."""
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
