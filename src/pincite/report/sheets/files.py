"""Writes a table over documents: CSV, Excel with the quotes as comments, HTML, Word, JSON."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from pincite.report.layout import Block, Heading, Look, Paragraph, Table, Words, plain
from pincite.report.sheets.cells import CellKind, SheetCell
from pincite.report.sheets.sheet import Sheet
from pincite.report.writing import as_json, check_outputs, in_format, write_files

_OWN = (".csv", ".xlsx")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_WIDTH, _WIDEST = 24, 60


def check_sheet_outputs(paths: Sequence[Path]) -> None:
    """Raises UsageError, before any question is asked, for files that cannot be written."""
    check_outputs(paths, also=_OWN)


def write_sheet(sheet: Sheet, paths: Sequence[Path], *, server: str = "") -> list[str]:
    """Write the table to each file, in the format of its suffix; returns notices about them.

    A workbook's values are linked to their quotes on the `server` at this address, if there is one.
    """
    return write_files(paths, lambda: _blocks(sheet), _own_formats(sheet, server))


def sheet_bytes(sheet: Sheet, ending: str, *, server: str = "") -> bytes:
    """The same for one format, as bytes."""
    made = _own_formats(sheet, server).get(ending)
    if made is None:
        return in_format(tuple(_blocks(sheet)), ending)[0]
    written = made()
    return written.encode("utf-8", "backslashreplace") if isinstance(written, str) else written


def _own_formats(sheet: Sheet, server: str) -> dict[str, Callable[[], str | bytes]]:
    return {
        ".json": lambda: as_json(sheet_form(sheet)),
        ".csv": lambda: csv_text(sheet),
        ".xlsx": lambda: _workbook(sheet, server.rstrip("/")),
    }


def sheet_form(sheet: Sheet) -> dict[str, Any]:
    """The table for JSON."""
    return {
        "columns": [asdict(column) for column in sheet.columns],
        "rows": [asdict(row) for row in sheet.rows],
        "cells": len(sheet.rows) * len(sheet.columns),
        "filled": sheet.filled,
        "asked": sheet.asked,
    }


def csv_text(sheet: Sheet) -> str:
    """A row for each document: for each column its value, and the quote with its place."""
    written = io.StringIO()
    table = csv.writer(written, lineterminator="\n")
    heads = [head for column in sheet.columns for head in (column.name, f"{column.name}: source")]
    table.writerow(map(harmless, ("document", *heads)))
    for row in sheet.rows:
        cells = [text for cell in row.cells for text in (_shown(cell), source_of(cell))]
        table.writerow(map(harmless, (row.path, *cells)))
    return written.getvalue()


def harmless(cell: object) -> object:
    """Prefixes an apostrophe: a spreadsheet then shows the text instead of computing it."""
    is_formula = isinstance(cell, str) and cell.startswith(_FORMULA) and not _is_number(cell)
    return f"'{cell}" if is_formula else cell


def _is_number(text: str) -> bool:
    return text.replace("-", "", 1).replace(".", "", 1).isdecimal()


def _shown(cell: SheetCell) -> str:
    return f"{cell.value} {cell.unit}".strip()


def source_of(cell: SheetCell) -> str:
    """The quote of a value and its place; the reason where there is none."""
    quote = f'"{cell.quote}"' if cell.quote else ""
    where = f"({cell.place})" if cell.place else ""
    return " ".join(filter(None, (cell.reason and f"{cell.reason}:", quote, where))).rstrip(":")


def _workbook(sheet: Sheet, server: str) -> bytes:
    from openpyxl import Workbook
    from openpyxl.comments import Comment
    from openpyxl.styles import Alignment, Font
    from openpyxl.utils import get_column_letter

    book = Workbook()
    linked = Font(color="0563C1", underline="single")
    page = book.worksheets[0]
    page.title = "Documents"
    page.append(["Document", *(plain(column.name) for column in sheet.columns)])
    for head in page[1]:
        head.font = Font(bold=True)
    for number, row in enumerate(sheet.rows, start=2):
        page.cell(number, 1).value = plain(row.path)
        for place, (column, cell) in enumerate(zip(sheet.columns, row.cells, strict=True), start=2):
            at = page.cell(number, place)
            is_number = column.kind is CellKind.NUMBER and cell.value and not cell.unit
            at.value = float(cell.value) if is_number else plain(_shown(cell)) or None
            if isinstance(at.value, str):
                at.data_type = "s"  # Never a formula.
            at.alignment = Alignment(wrap_text=True, vertical="top")
            at.comment = Comment(plain(source_of(cell)), "Pincite")
            if server and cell.link and cell.value:
                at.hyperlink = f"{server}/c/{cell.link}"
                at.font = linked
    for place in range(1, len(sheet.columns) + 2):
        widest = max(len(str(line[place - 1].value or "")) for line in page.iter_rows())
        page.column_dimensions[get_column_letter(place)].width = max(_WIDTH, min(widest, _WIDEST))
    page.freeze_panes = "B2"
    page.auto_filter.ref = page.dimensions
    saved = io.BytesIO()
    book.save(saved)
    return saved.getvalue()


def _blocks(sheet: Sheet) -> Iterator[Block]:
    yield Heading(text="Documents and what they say", level=1)
    yield Table(
        names=("Document", *(plain(column.name) for column in sheet.columns)),
        rows=tuple(
            (plain(row.path), *(plain(_shown(cell)) or "–" for cell in row.cells))
            for row in sheet.rows
        ),
    )
    for row in sheet.rows:
        yield Heading(text=plain(row.path), level=2)
        for column, cell in zip(sheet.columns, row.cells, strict=True):
            look = Look.ITEM if cell.value else Look.NEAR
            text = plain(f"{column.name}: {source_of(cell)}")
            yield Paragraph(words=(Words(text=text),), look=look)
