"""The table cells of a quote, each with the header cells that say what it means."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from pincite.boxes import Box
from pincite.document import Cell, Document, Range
from pincite.records import CitedCell, Label

_BOX_DECIMALS = 2
"""Boxes are written in hundredths of a PDF point."""


def cited_cells(document: Document, start: int, end: int) -> tuple[CitedCell, ...]:
    """The cells inside `start:end` that have a header or a place; empty where it is no table row.

    Of a row that nothing heads, all: that none of them has a header tells so.
    """
    return tuple(
        CitedCell(
            start=cell.start,
            end=cell.end,
            text=document.text[cell.start : cell.end],
            columns=_labels(document, cell.column_headers),
            rows=_labels(document, cell.row_headers),
            place=cell.place,
            boxes=document.boxes.boxes(cell.start, cell.end),
        )
        for cell in _cells(document, start, end)
    )


def _cells(document: Document, start: int, end: int) -> Iterator[Cell]:
    for block in document.blocks_in(start, end):
        named = [cell for cell in block.cells if _is_named(cell)]
        for cell in named or block.cells:
            if start <= cell.start < cell.end <= end:
                yield cell


def _is_named(cell: Cell) -> bool:
    return bool(cell.column_headers or cell.row_headers or cell.place)


def _labels(document: Document, ranges: Sequence[Range]) -> tuple[Label, ...]:
    return tuple(Label(start=a, end=b, text=document.text[a:b]) for a, b in ranges)


def cell_form(cell: CitedCell) -> dict[str, Any]:
    """A cell as JSON."""
    return {
        **label_form(cell),
        "columns": [label_form(label) for label in cell.columns],
        "rows": [label_form(label) for label in cell.rows],
        "place": cell.place,
        "boxes": box_forms(cell.boxes),
    }


def label_form(label: Label | CitedCell) -> dict[str, Any]:
    """A stretch of text as JSON, with the field names of a citation."""
    return {
        "start_char_index": label.start,
        "end_char_index": label.end,
        "cited_text": label.text,
    }


def box_forms(boxes: Sequence[Box]) -> list[list[float]]:
    """Boxes as JSON: page, x0, y0, x1, y1."""
    return [
        [box.page, *(round(edge, _BOX_DECIMALS) for edge in (box.x0, box.y0, box.x1, box.y1))]
        for box in boxes
    ]
