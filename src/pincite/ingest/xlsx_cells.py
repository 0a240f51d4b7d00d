"""Reads the cells of one sheet: their values as shown, their places, what hides them."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from lxml import etree

from pincite.errors import ReadError
from pincite.ingest.number_format import format_number
from pincite.ingest.package import SAFE_XML, whole_number, with_usual_names
from pincite.ingest.xlsx_parts import CellStyle, S, Workbook, string_of

_ADDRESS = re.compile(r"\$?([A-Z]{1,3})\$?(\d{1,7})$")
_PLAIN = CellStyle()
_LAST_COLUMN = 16_384
_SHOWN_SPACE = re.compile(r"[\t\r\n\v\f]+")


@dataclass(frozen=True, slots=True)
class SheetCell:
    """One cell with something in it; rows and columns count from 1."""

    row: int
    column: int
    text: str
    is_number: bool
    is_bold: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Area:
    """A rectangle of cells, all four sides included."""

    top: int
    left: int
    bottom: int
    right: int


@dataclass(slots=True)
class Sheet:
    """What one sheet holds, filled while its part is read."""

    rows: dict[int, list[SheetCell]] = field(default_factory=dict)
    hidden_rows: set[int] = field(default_factory=set)
    hidden_columns: set[int] = field(default_factory=set)
    merged: dict[tuple[int, int], Area] = field(default_factory=dict)
    empty_formulas: int = 0
    header_rows: set[int] = field(default_factory=set)
    """Rows that the file itself calls headers: those of tables and filters."""


def read_cells(part: bytes, workbook: Workbook) -> Sheet:
    """Every filled cell of a sheet. Raises ReadError when the part is not XML."""
    sheet = Sheet()
    reader = _CellReader(sheet, workbook)
    events = etree.iterparse(
        io.BytesIO(with_usual_names(part)),
        events=("end",),
        tag=[f"{S}{name}" for name in ("row", "col", "mergeCell", "autoFilter")],
        **SAFE_XML,
    )
    try:
        for _, node in events:
            reader.take(node)
            # Rows that were read go away, or a large sheet would stand in memory twice.
            node.clear()
            parent = node.getparent()
            while parent is not None and node.getprevious() is not None:
                del parent[0]
    except etree.XMLSyntaxError as error:
        raise ReadError(
            f"a sheet of the workbook is damaged ({error}); open it in Excel and save it anew"
        ) from error
    return sheet


def read_area(reference: str) -> Area | None:
    """`A1:B3` or `A1` as numbers; None when it is neither."""
    corners = [_position(corner) for corner in reference.split(":")]
    if not corners or len(corners) > 2 or None in corners:
        return None
    found = [corner for corner in corners if corner is not None]
    (top, left), (bottom, right) = found[0], found[-1]
    return Area(top=top, left=left, bottom=bottom, right=right)


def address(row: int, column: int) -> str:
    """`B7` for row 7 and column 2."""
    letters = ""
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(65 + rest) + letters
    return f"{letters}{row}"


def _position(reference: str) -> tuple[int, int] | None:
    match = _ADDRESS.match(reference.strip())
    return (int(match[2]), _column(match[1])) if match else None


@lru_cache(maxsize=4096)
def _column(letters: str) -> int:
    """The number of a column from its letters; 0 when they are none."""
    if not (len(letters) <= 3 and letters.isascii() and letters.isalpha() and letters.isupper()):
        return 0
    column = 0
    for letter in letters:
        column = column * 26 + ord(letter) - 64
    return column


class _CellReader:
    """Turns the nodes of one sheet into cells."""

    def __init__(self, sheet: Sheet, workbook: Workbook) -> None:
        self._sheet = sheet
        self._workbook = workbook
        self._row = 0

    def take(self, node: etree._Element) -> None:
        """Note what one finished node says."""
        if node.tag == f"{S}row":
            self._take_row(node)
        elif node.tag == f"{S}col" and node.get("hidden") in ("1", "true"):
            first, last = whole_number(node.get("min"), 1), whole_number(node.get("max"), 0)
            self._sheet.hidden_columns.update(range(first, min(last, _LAST_COLUMN) + 1))
        elif node.tag == f"{S}mergeCell":
            area = read_area(node.get("ref") or "")
            if area is not None:
                self._sheet.merged[area.top, area.left] = area
        elif node.tag == f"{S}autoFilter":
            area = read_area(node.get("ref") or "")
            if area is not None:
                self._sheet.header_rows.add(area.top)

    def _take_row(self, row: etree._Element) -> None:
        self._row = whole_number(row.get("r"), self._row + 1)
        if row.get("hidden") in ("1", "true"):
            self._sheet.hidden_rows.add(self._row)
        cells = list(self._cells(row))
        if cells:
            self._sheet.rows.setdefault(self._row, []).extend(cells)

    def _cells(self, row: etree._Element) -> Iterator[SheetCell]:
        column = 0
        for node in row.iterchildren(f"{S}c"):
            letters = (node.get("r") or "").rstrip("0123456789")
            column = (_column(letters) if letters else 0) or column + 1
            number = whole_number(node.get("s"), 0)
            styles = self._workbook.styles
            style = styles[number] if number < len(styles) else _PLAIN
            text, is_number = self._value(node, style)
            if text.strip():
                # A cell is one line of its row: tabs and line ends stand between cells and rows.
                shown = _SHOWN_SPACE.sub(" ", text).strip()
                yield SheetCell(self._row, column, shown, is_number, style.bold)

    def _value(self, node: etree._Element, style: CellStyle) -> tuple[str, bool]:
        """What a cell shows, and whether it is a number."""
        kind = node.get("t") or "n"
        if kind == "inlineStr":
            inline = node.find(f"{S}is")
            return (string_of(inline) if inline is not None else ""), False
        raw = node.findtext(f"{S}v")
        if not raw:
            if node.find(f"{S}f") is not None and kind != "str":
                self._sheet.empty_formulas += 1
            return "", False
        if kind == "s":
            number = whole_number(raw, -1)
            strings = self._workbook.strings
            return (strings[number] if 0 <= number < len(strings) else ""), False
        if kind == "b":
            return ("TRUE" if raw.strip() == "1" else "FALSE"), False
        return self._number(raw, style) if kind == "n" else (raw, kind == "d")

    def _number(self, raw: str, style: CellStyle) -> tuple[str, bool]:
        try:
            value = float(raw)
            return format_number(value, style.format, epoch_1904=self._workbook.epoch_1904), True
        except (ValueError, OverflowError):
            return raw, False
