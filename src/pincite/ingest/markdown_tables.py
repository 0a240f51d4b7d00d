"""Cuts the rows of Markdown tables into cells and ties them to their headers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from pincite.document import Block, Cell, Range
from pincite.ingest.tables import TableCell, TableRow, guess_headers

_PIPE = re.compile(r"(?<!\\)\|")


def with_cells(text: str, rows: Sequence[Block]) -> list[Block]:
    """The rows of one table with their cells; the first row names the columns."""
    cut = [_cells(text, row) for row in rows]
    names = cut[0] if cut else {}
    body = [
        TableRow(cells=tuple(TableCell(text=text[a:b], column=c) for c, (a, b) in cells.items()))
        for cells in cut
        if cells
    ]
    names_rows = guess_headers(body).columns > 0
    return [
        replace(row, cells=_with_headers(cells, names if number else {}, names_rows=names_rows))
        for number, (row, cells) in enumerate(zip(rows, cut, strict=True))
    ]


def _cells(text: str, row: Block) -> dict[int, Range]:
    """Where each filled cell of a row lies, by column."""
    found: dict[int, Range] = {}
    start = row.start
    ends = [pipe.start() for pipe in _PIPE.finditer(text, row.start, row.end)]
    for column, end in enumerate((*ends, row.end)):
        piece = text[start:end]
        first = start + len(piece) - len(piece.lstrip())
        if piece.strip():
            found[column] = (first, first + len(piece.strip()))
        start = end + 1
    return found


def _with_headers(
    cells: dict[int, Range], names: dict[int, Range], *, names_rows: bool
) -> tuple[Cell, ...]:
    side = (cells[0],) if names and names_rows and 0 in cells else ()
    return tuple(
        Cell(
            start=start,
            end=end,
            column_headers=(names[column],) if column in names and (column or not side) else (),
            row_headers=side if column else (),
        )
        for column, (start, end) in cells.items()
    )
