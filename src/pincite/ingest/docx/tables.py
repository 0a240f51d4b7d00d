"""Converts a Word table into rows of cells; each merged cell appears once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from lxml import etree

from pincite.ingest.docx.text import PARAGRAPH, TABLE, W, is_off, value_of
from pincite.ingest.office.package import elements, whole_number
from pincite.ingest.tables import Headers, TableCell, TableRow, guess_headers

_MOST_COLUMNS = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class WordRow:
    """A row: its cells as text, and their source elements."""

    row: TableRow
    nodes: tuple[etree._Element, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WordTable:
    """A table and its header rows and columns."""

    rows: tuple[WordRow, ...]
    headers: Headers


@dataclass(frozen=True, slots=True)
class _GridCell:
    node: etree._Element
    column: int
    columns: int
    continues: bool


def read_table(table: etree._Element, text_of: Callable[[etree._Element], str]) -> WordTable:
    """The rows of a table; `text_of` returns the text of a paragraph."""
    rows = list(within(table, f"{W}tr"))
    grid = [list(_grid_cells(row)) for row in rows]
    read = tuple(_row(grid, number, text_of) for number in range(len(grid)))
    return WordTable(rows=read, headers=_headers(rows, [row.row for row in read]))


def within(node: etree._Element, tag: str) -> Iterator[etree._Element]:
    """The nearest descendants with a tag, including those in content controls and insertions."""
    stack = list(reversed(elements(node)))
    while stack:
        child = stack.pop()
        if child.tag == tag:
            yield child
        elif child.tag not in (TABLE, PARAGRAPH, f"{W}tr", f"{W}tc", f"{W}del", f"{W}moveFrom"):
            stack.extend(reversed(elements(child)))


def _grid_cells(row: etree._Element) -> Iterator[_GridCell]:
    properties = row.find(f"{W}trPr")
    column = 0
    if properties is not None:
        column = min(whole_number(value_of(properties, "gridBefore"), 0), _MOST_COLUMNS)
    for node in within(row, f"{W}tc"):
        cell = node.find(f"{W}tcPr")
        span = whole_number(value_of(cell, "gridSpan"), 1) if cell is not None else 1
        merge = cell.find(f"{W}vMerge") if cell is not None else None
        continues = merge is not None and merge.get(f"{W}val") in (None, "continue")
        columns = max(1, min(span, _MOST_COLUMNS))
        yield _GridCell(node, column, columns, continues)
        column += columns


def _row(
    grid: list[list[_GridCell]], number: int, text_of: Callable[[etree._Element], str]
) -> WordRow:
    cells = [cell for cell in grid[number] if not cell.continues]
    return WordRow(
        row=TableRow(
            cells=tuple(
                TableCell(
                    text=_cell_text(cell.node, text_of),
                    column=cell.column,
                    columns=cell.columns,
                    rows=_height(grid, number, cell.column),
                )
                for cell in cells
            )
        ),
        nodes=tuple(cell.node for cell in cells),
    )


def _height(grid: list[list[_GridCell]], number: int, column: int) -> int:
    """The number of rows that a cell spans."""
    height = 1
    for row in grid[number + 1 :]:
        if not any(cell.column == column and cell.continues for cell in row):
            break
        height += 1
    return height


def _cell_text(cell: etree._Element, text_of: Callable[[etree._Element], str]) -> str:
    lines = (text_of(paragraph) for paragraph in within(cell, PARAGRAPH))
    return " ".join(" ".join(line.split()) for line in lines if line)


def _headers(rows: list[etree._Element], read: list[TableRow]) -> Headers:
    """The rows marked as repeating headers; else a first row in bold, or names above numbers."""
    marked = 0
    while marked < len(rows) and _is_marked(rows[marked]):
        marked += 1
    if not marked and len(rows) > 1 and _is_bold(rows[0]) and not _is_bold(rows[1]):
        marked = 1
    return guess_headers(read, marked=marked if marked < len(rows) else 0)


def _is_marked(row: etree._Element) -> bool:
    mark = row.find(f"{W}trPr/{W}tblHeader")
    return mark is not None and not is_off(mark)


def _is_bold(row: etree._Element) -> bool:
    runs = [run for run in row.iter(f"{W}r") if run.find(f"{W}t") is not None]
    marks = [run.find(f"{W}rPr/{W}b") for run in runs]
    return bool(runs) and all(mark is not None and not is_off(mark) for mark in marks)
