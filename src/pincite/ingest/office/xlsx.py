"""Reads Excel workbooks: one block per row, each cell with its address and headers."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from lxml import etree
from openpyxl import load_workbook
from openpyxl.utils import range_boundaries
from openpyxl.utils.exceptions import CellCoordinatesException, InvalidFileException
from PIL.Image import DecompressionBombError

from pincite.errors import ReadError
from pincite.ingest.assembly import Place, TextAssembly, choose_title
from pincite.ingest.office.drawing_text import A, paragraph_text
from pincite.ingest.office.package import MEBIBYTE, Package, PackageLimits, whole_number
from pincite.ingest.office.sheets import Sheet, SheetWriter, address, quoted_name
from pincite.ingest.office.xlsx_cells import cells_of, fill_sheet
from pincite.ingest.reading import content_remarks, counted
from pincite.records.document import BlockKind, Document, document_id

if TYPE_CHECKING:
    from openpyxl.workbook import Workbook


_MEDIA_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


class XlsxReader:
    """Reads `.xlsx` and `.xlsm` files: the saved values; never calculates or runs anything."""

    def __init__(self, *, limits: PackageLimits | None = None) -> None:
        self._limits = limits

    def read(self, path: Path, content: bytes) -> Document:
        """Read one file's bytes. Raises ReadError when they are not a readable workbook."""
        package = Package(content, kind="Excel workbook", limits=self._limits)
        writer = _WorkbookWriter(package, open_workbook(package))
        writer.write()
        identifier, sha256 = document_id(content)
        return Document(
            id=identifier,
            sha256=sha256,
            title=choose_title(path, package.title()),
            media_type=_MEDIA_TYPE,
            text=writer.assembly.text(),
            blocks=tuple(writer.assembly.blocks),
            gaps=tuple(writer.gaps),
            warnings=tuple(writer.warnings),
            flags=(*writer.assembly.flags, *package.active_content()),
        )


class _WorkbookWriter:
    """Writes sheet after sheet into one text."""

    def __init__(self, package: Package, workbook: OpenWorkbook) -> None:
        self.assembly = TextAssembly()
        self.gaps = list(workbook.gaps)
        self.warnings = list(workbook.warnings)
        self._package = package
        self._workbook = workbook
        self._sheets = SheetWriter(self.assembly)

    def write(self) -> None:
        """Add every sheet, then the remarks on what could not be added."""
        sources = self._workbook.book.worksheets
        if not sources:
            raise ReadError(
                "the workbook has no sheets of cells; open it in Excel and save it again"
            )
        for source in sources:
            sheet = Sheet(name=source.title, is_hidden=source.sheet_state != "visible")
            try:
                with reading(self._package):
                    fill_sheet(sheet, source)
                    sheet.empty_formulas = self._count_empty_formulas(sheet)
            except ReadError as error:
                self.gaps.append(f"the sheet {sheet.name!r} could not be read to its end: {error}")
            self._sheet(sheet)
            self._shapes(sheet)
        self._add_remarks()
        self.warnings += self._sheets.warnings()

    @cached_property
    def _formulas(self) -> Workbook:
        return open_formulas(self._package, self._workbook)

    def _count_empty_formulas(self, sheet: Sheet) -> int:
        """The number of formulas without a value; read only if there are cells without one."""
        if not sheet.without_value:
            return 0
        cells = cells_of(self._formulas[sheet.name])
        return sum(
            cell.data_type == "f" and (cell.row, cell.column) in sheet.without_value
            for cell in cells
        )

    def _sheet(self, sheet: Sheet) -> None:
        if sheet.empty_formulas:
            self.gaps.append(
                f"{counted(sheet.empty_formulas, 'formula')} in the sheet {sheet.name!r} "
                "saved without a value; open it in Excel and save it"
            )
        self._sheets.add(sheet)

    @cached_property
    def _sheet_parts(self) -> dict[str, str]:
        return sheet_parts(self._package)

    def _shapes(self, sheet: Sheet) -> None:
        """Add text boxes and other shapes after the rows and comments of their sheet."""
        try:
            parts = drawings_of(self._package, self._sheet_parts.get(sheet.name, ""))
            drawings = [self._package.xml(p) for p in parts if p not in self._workbook.left_out]
        except ReadError as error:
            self.gaps.append(f"the drawings on the sheet {sheet.name!r} are not read: {error}")
            return
        for shape in (shape for drawing in drawings for shape in shape_texts(drawing)):
            where = f"{quoted_name(sheet.name)}!{shape.place}" if shape.place else sheet.name
            self.assembly.outline.enter(1, sheet.name)
            self.assembly.place = Place(words=f"text box at {where}")
            if shape.is_hidden or sheet.is_hidden:
                self.assembly.add_hidden(shape.text, f"a hidden text box at {where}")
            else:
                self.assembly.add(shape.text, BlockKind.PARAGRAPH)
            self.assembly.place = Place()

    def _add_remarks(self) -> None:
        charts = sum(_is_chart(name) for name in self._package.names)
        if charts:
            self.warnings.append(
                f"{counted(charts, 'chart')} not read; their numbers are in the sheets"
            )
        remarks = content_remarks(
            "workbook",
            has_text=bool(self.assembly.blocks),
            pictures=sum("/media/" in name for name in self._package.names),
        )
        self.gaps += remarks.gaps
        self.warnings += remarks.warnings


def _is_chart(name: str) -> bool:
    return "/charts/chart" in name and name.endswith(".xml")


# Opens workbooks with openpyxl: as a whole if that fits into memory, else as a stream of rows.

_SHEETS = "xl/worksheets/"
# About 1.6 million cells, whose openpyxl objects take 0.8 GB.
LARGEST_WHOLE_BYTES = 64 * MEBIBYTE
# openpyxl creates an object for each cell of a merged area or a link, including empty ones.
_MOST_JOINED_CELLS = 1_000_000
_JOINED = re.compile(
    rb"""<(?:\w+:)?(?:mergeCell|hyperlink)\s[^>]*?ref=["'](\$?[A-Z]{1,3}\$?\d+:\$?[A-Z]{1,3}\$?\d+)"""
)
_UNKNOWN = "hidden rows and columns, merged cells and comments are unknown"
# Cases in which openpyxl leaves something out and only issues a warning.
_LOSSES = {
    "outside the limits for dates": ("date", "out of range, shown as #VALUE!"),
    "comment which will be removed": ("comment", "inside a merged area not read"),
    "invalid specification": ("sheet", "listed in the workbook without a location"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenWorkbook:
    """A workbook opened with openpyxl, with the saved values instead of formulas.

    Hidden and merged cells are known unless its sheets are streamed (`ReadOnlyWorksheet`).
    """

    book: Workbook
    left_out: frozenset[str] = frozenset()
    """Damaged parts."""
    gaps: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def open_workbook(package: Package) -> OpenWorkbook:
    """Open a checked workbook. Raises ReadError when openpyxl cannot."""
    missing = tuple(_missing_sheets(package))
    if package.unpacked_bytes(_SHEETS) > LARGEST_WHOLE_BYTES:
        book, _ = _load(package, rows_only=True)
        large = f"it is so large that only its rows were read; {_UNKNOWN}"
        return OpenWorkbook(book=book, gaps=missing, warnings=(large,))
    try:
        _refuse_large_areas(package)
        whole = _load_whole(package)
    except ReadError as error:
        # If a drawing or a filter is damaged, the rows are still worth reading.
        book, _ = _load(package, rows_only=True)
        disorder = f"only its rows were read, and {_UNKNOWN}: {error}"
        return OpenWorkbook(book=book, gaps=(*missing, disorder))
    return replace(whole, gaps=(*missing, *whole.gaps))


def open_formulas(package: Package, workbook: OpenWorkbook) -> Workbook:
    """The same workbook as a stream of rows, with formulas instead of values."""
    return _load(package, rows_only=True, formulas=True, leave_out=workbook.left_out)[0]


def _load_whole(package: Package) -> OpenWorkbook:
    """The workbook without damaged parts, and its gaps."""
    try:
        book, remarks = _load(package)
    except ReadError:
        damaged = package.damaged_xml()
        if not damaged:
            raise
        book, remarks = _load(package, leave_out=damaged)
        parts = [f"its part {name} is damaged and was not read" for name in sorted(damaged)]
        return OpenWorkbook(book=book, left_out=damaged, gaps=(*parts, *_losses(remarks)))
    return OpenWorkbook(book=book, gaps=tuple(_losses(remarks)))


def _load(
    package: Package,
    *,
    rows_only: bool = False,
    formulas: bool = False,
    leave_out: frozenset[str] = frozenset(),
) -> tuple[Workbook, list[str]]:
    """The workbook, and the warnings of openpyxl."""
    with reading(package), warnings.catch_warnings(record=True) as remarks:
        warnings.simplefilter("always")
        book = load_workbook(
            package.for_library(leave_out=leave_out),
            read_only=rows_only,
            data_only=not formulas,
            keep_links=False,
            rich_text=True,
        )
    return book, [str(remark.message) for remark in remarks]


def reading(package: Package) -> AbstractContextManager[None]:
    """Converts exceptions of openpyxl while opening a workbook or streaming rows to ReadError."""
    return package.read_errors(
        InvalidFileException, CellCoordinatesException, DecompressionBombError
    )


def _missing_sheets(package: Package) -> Iterator[str]:
    """Sheets without a part, which openpyxl skips."""
    for relation in package.relations(package.main_part()):
        if relation.kind == "worksheet" and relation.target not in package.names:
            yield f"the sheet {relation.target} is listed in the workbook but missing from the file"


def _refuse_large_areas(package: Package) -> None:
    sheets = [package.part(name) for name in package.names if name.startswith(_SHEETS)]
    areas = [range_boundaries(m[1].decode()) for sheet in sheets for m in _JOINED.finditer(sheet)]
    cells = sum((right - left + 1) * (bottom - top + 1) for left, top, right, bottom in areas)
    if cells > _MOST_JOINED_CELLS:
        raise ReadError(
            f"its merged areas and links cover {cells:,} cells and the limit is "
            f"{_MOST_JOINED_CELLS:,}; make them smaller and save it again"
        )


def _losses(remarks: list[str]) -> Iterator[str]:
    for sign, (thing, words) in _LOSSES.items():
        count = sum(sign in remark for remark in remarks)
        if count:
            yield f"{counted(count, thing)} {words}"


# Finds the text of text boxes and shapes drawn over the cells of a sheet.

_S = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_DRAWN = "{http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing}"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"


@dataclass(frozen=True, slots=True, kw_only=True)
class ShapeText:
    """A paragraph in a shape, and the address of the cell at the shape's corner."""

    text: str
    place: str
    is_hidden: bool


def sheet_parts(package: Package) -> dict[str, str]:
    """The part of each sheet, by sheet name."""
    main = package.main_part()
    targets = {relation.id: relation.target for relation in package.relations(main)}
    sheets = package.xml(main).iter(f"{_S}sheet")
    return {node.get("name") or "": targets.get(node.get(f"{_R}id") or "", "") for node in sheets}


def drawings_of(package: Package, part: str) -> list[str]:
    """The names of the drawing parts of a sheet."""
    return [
        relation.target
        for relation in package.relations(part)
        if relation.kind == "drawing" and relation.target in package.names
    ]


def shape_texts(drawing: etree._Element) -> Iterator[ShapeText]:
    """The paragraphs of all shapes of a drawing, in drawing order."""
    for anchor in drawing:
        for shape in anchor.iter(f"{_DRAWN}sp"):
            if any(shape.iterancestors(_FALLBACK)):
                continue  # a copy of the same shape for old programs
            name = shape.find(f"{_DRAWN}nvSpPr/{_DRAWN}cNvPr")
            for paragraph in shape.iterfind(f"{_DRAWN}txBody/{A}p"):
                yield ShapeText(
                    text=paragraph_text(paragraph),
                    place=_begins_at(anchor),
                    is_hidden=name is not None and name.get("hidden") in ("1", "true"),
                )


def _begins_at(anchor: etree._Element) -> str:
    """The cell at the corner of a shape; empty if it is not anchored to a cell."""
    row = anchor.findtext(f"{_DRAWN}from/{_DRAWN}row")
    column = anchor.findtext(f"{_DRAWN}from/{_DRAWN}col")
    if row is None or column is None:
        return ""
    # Counted from 0 in the file; Excel has 16,384 columns.
    return address(whole_number(row, 0) + 1, min(whole_number(column, 0), 16_383) + 1)
