"""Takes the words that stand in ruled grids out of a page's lines and makes tables of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from pincite.ingest.pdf_cells import Table, TableCell, TableRow, lines_of, put_right_first
from pincite.ingest.pdf_grid import Grid, GridCell
from pincite.ingest.pdf_headers import link_headers
from pincite.ingest.pdf_segments import cut_into_segments
from pincite.ingest.pdf_words import Segment, Word

_LEAST_SHARE_FILLED = 0.4
_MOST_WORDS_IN_CELL = 120
_MOST_LINES_ACROSS = 4
_MOST_ROWS_WITH_SEVERAL_VALUES = 0.3

Line = list[Word]


def take_ruled_tables(
    lines: Sequence[Line], grids: Iterable[Grid]
) -> tuple[list[Line], list[tuple[int, Table]]]:
    """The lines without the words of tables, and each table with the line it stands before."""
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
    """The words in each cell, and the lines without them."""
    cells: defaultdict[GridCell, list[Word]] = defaultdict(list)
    for word in (word for line in lines for word in line):
        cell = grid.cell_at((word.x0 + word.x1) / 2, (word.y0 + word.y1) / 2)
        if cell is not None:
            cells[cell].append(word)
    placed = {cell: words for cell, words in cells.items() if not _is_page_part(cell, words, grid)}
    taken = {id(word) for words in placed.values() for word in words}
    return placed, [[word for word in line if id(word) not in taken] for line in lines]


def _is_page_part(cell: GridCell, words: Sequence[Word], grid: Grid) -> bool:
    """Whether a cell over all columns holds many lines: a part of the page inside the same frame."""
    return cell.columns == (0, grid.columns - 1) and len(lines_of(words)) > _MOST_LINES_ACROSS


def _is_table(grid: Grid, placed: dict[GridCell, list[Word]]) -> bool:
    """Whether enough cells hold text, and none a page of it: lines also make charts and frames."""
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
    """Rows in which values stand apart within one cell: the rules frame columns, not cells."""
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
    """One row, or several where numbers stand below each other without a line between them."""
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
