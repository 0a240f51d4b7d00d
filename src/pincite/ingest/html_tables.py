"""Tells tables of values from tables that only lay out a page, and finds their headers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from selectolax.lexbor import LexborNode

from pincite.ingest.html_nodes import children, plain
from pincite.ingest.package import whole_number
from pincite.ingest.tables import Headers, TableCell, TableRow, guess_headers

_CELLS = ("td", "th")
_LONGEST_CELL_CHARS = 600
_MOST_COLUMNS = 1000
_MOST_ROWS = 65_534


@dataclass(frozen=True, slots=True, kw_only=True)
class PageTable:
    """The rows of values in a table, by the node of each, and its headers."""

    rows: dict[int, TableRow]
    headers: Headers


def read_table(table: LexborNode) -> PageTable:
    """The rows of a table that hold values side by side; other rows are for the page's layout."""
    if table.attributes.get("role") in ("presentation", "none"):
        return PageTable(rows={}, headers=Headers())
    rows: dict[int, TableRow] = {}
    # Columns that a cell from above still covers, and for how many rows.
    covered: dict[int, int] = {}
    heads = 0
    for node in _rows(table):
        cells = list(_cells(node, covered))
        if not _holds_values(node, cells, covered):
            continue
        if heads == len(rows) and (_is_head(node) or all(cell.is_header for cell in cells)):
            heads += 1
        rows[node.mem_id] = TableRow(cells=tuple(cells))
    return PageTable(rows=rows, headers=_headers(list(rows.values()), heads))


def _headers(rows: list[TableRow], heads: int) -> Headers:
    if heads and heads < len(rows):
        guessed = guess_headers(rows, marked=heads)
        beside = any(cell.is_header for row in rows[guessed.rows :] for cell in row.cells)
        return Headers(rows=guessed.rows) if beside else guessed
    marked = any(cell.is_header for row in rows for cell in row.cells)
    return Headers() if marked else guess_headers(rows)


def _rows(table: LexborNode) -> Iterator[LexborNode]:
    for child in children(table):
        if child.tag == "tr":
            yield child
        elif child.tag in ("thead", "tbody", "tfoot"):
            yield from (row for row in children(child) if row.tag == "tr")


def _cells(row: LexborNode, covered: dict[int, int]) -> Iterator[TableCell]:
    """The cells of a row with their columns; `covered` is kept for the next row."""
    below = {column: rows - 1 for column, rows in covered.items() if rows > 1}
    column = 0
    for node in children(row):
        if node.tag not in _CELLS:
            continue
        while column in covered:
            column += 1
        columns = max(1, min(whole_number(node.attributes.get("colspan"), 1), _MOST_COLUMNS))
        rows = max(1, min(whole_number(node.attributes.get("rowspan"), 1), _MOST_ROWS))
        if rows > 1:
            below.update(dict.fromkeys(range(column, column + columns), rows - 1))
        yield TableCell(
            text=plain(node),
            column=column,
            columns=columns,
            rows=rows,
            is_header=node.tag == "th",
        )
        column += columns
    covered.clear()
    covered.update(below)


def _holds_values(row: LexborNode, cells: list[TableCell], covered: dict[int, int]) -> bool:
    """Whether a row holds values side by side, not the columns of a page layout."""
    if not cells or len(cells) + len(covered) < 2:
        return False
    if row.css_first("table, h1, h2, h3, h4, h5, h6, pre") is not None:
        return False
    return all(len(cell.text) <= _LONGEST_CELL_CHARS for cell in cells)


def _is_head(row: LexborNode) -> bool:
    return row.parent is not None and row.parent.tag == "thead"
