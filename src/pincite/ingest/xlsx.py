"""Reads Excel workbooks: one block per row, each cell with its address and its headers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from pincite.document import BlockKind, Document, document_id
from pincite.errors import ReadError
from pincite.ingest.archive_guard import PackageLimits
from pincite.ingest.assembly import Place, TextAssembly
from pincite.ingest.counting import content_remarks, counted
from pincite.ingest.outline import choose_title
from pincite.ingest.package import Package
from pincite.ingest.tables import Headers, TableCell, TableRow, TableWriter
from pincite.ingest.xlsx_cells import Sheet, SheetCell, address, cells_of, fill_sheet
from pincite.ingest.xlsx_open import OpenWorkbook, open_formulas, open_workbook, reading
from pincite.ingest.xlsx_shapes import drawings_of, shape_texts, sheet_parts
from pincite.ingest.xlsx_tables import SheetTable, find_tables

if TYPE_CHECKING:
    from openpyxl.workbook import Workbook

_MEDIA_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
# Beyond this many cells rows keep their text and place, but their cells are not listed one by one.
_MOST_CELLS = 400_000


class XlsxReader:
    """Reads `.xlsx` and `.xlsm` files; values are those last saved, nothing is calculated or run."""

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
            flags=(*writer.assembly.flags, *package.dangers()),
        )


class _WorkbookWriter:
    """Writes sheet after sheet into one text."""

    def __init__(self, package: Package, workbook: OpenWorkbook) -> None:
        self.assembly = TextAssembly()
        self.gaps = list(workbook.gaps)
        self.warnings = list(workbook.warnings)
        self._package = package
        self._workbook = workbook
        self._cells_left = _MOST_CELLS

    def write(self) -> None:
        """Add every sheet, then say what could not be added."""
        sources = self._workbook.book.worksheets
        if not sources:
            raise ReadError(
                "the workbook has no sheets of cells; open it in Excel and save it anew"
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
        self._remark_on_the_rest()
        if self._cells_left < 0:
            self.warnings.append(
                f"it has more than {_MOST_CELLS:,} cells; the rows behind them are found as rows, "
                "without addresses of single cells"
            )

    @cached_property
    def _formulas(self) -> Workbook:
        return open_formulas(self._package, self._workbook)

    def _count_empty_formulas(self, sheet: Sheet) -> int:
        """How many formulas have no value; asked of the file only where cells without one are."""
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
        for table in find_tables(sheet):
            self.assembly.outline.enter(1, sheet.name)
            self._table(sheet, table)
        self._comments(sheet)

    def _table(self, sheet: Sheet, table: SheetTable) -> None:
        for title in table.titles:
            self._title(sheet, title)
        writer = TableWriter(self.assembly, headers=_placed(table), separator="\t")
        unseen = []
        for row in table.rows:
            seen, hidden = _split_hidden(sheet, row)
            writer.add(self._row(sheet, seen))
            if hidden:
                unseen.append(self._row(sheet, hidden))
        # Cells of hidden columns follow the table: a row is quoted without them.
        TableWriter(self.assembly, headers=Headers(), separator="\t").add_all(unseen)

    def _title(self, sheet: Sheet, title: SheetCell) -> None:
        hidden = _hidden_because(sheet, [title])
        self.assembly.place = Place(
            words=f"{_quoted(sheet.name)}!{address(title.row, title.column)}"
        )
        if hidden:
            self.assembly.add_hidden(title.text, hidden)
        else:
            self.assembly.add_heading(title.text, 2)
        self.assembly.place = Place()

    def _row(self, sheet: Sheet, cells: Sequence[SheetCell]) -> TableRow:
        self._cells_left -= len(cells)
        first, last = cells[0], cells[-1]
        ends = [address(cell.row, cell.column) for cell in (first, last)]
        return TableRow(
            cells=tuple(self._table_cell(sheet, cell) for cell in cells)
            if self._cells_left >= 0
            else tuple(TableCell(text=cell.text, column=cell.column) for cell in cells),
            place=f"{_quoted(sheet.name)}!{':'.join(dict.fromkeys(ends))}",
            hidden=_hidden_because(sheet, cells),
            with_cells=self._cells_left >= 0,
        )

    def _table_cell(self, sheet: Sheet, cell: SheetCell) -> TableCell:
        area = sheet.merged.get((cell.row, cell.column))
        return TableCell(
            text=cell.text,
            column=cell.column,
            columns=area.size["columns"] if area else 1,
            rows=area.size["rows"] if area else 1,
            place=address(cell.row, cell.column),
        )

    def _comments(self, sheet: Sheet) -> None:
        """Notes on cells stand behind the rows of their sheet."""
        for (row, column), text in sheet.comments.items():
            where = f"{_quoted(sheet.name)}!{address(row, column)}"
            self.assembly.place = Place(words=f"comment on {where}")
            self.assembly.add(text, BlockKind.HIDDEN if sheet.is_hidden else BlockKind.FOOTNOTE)
            self.assembly.place = Place()

    @cached_property
    def _sheet_parts(self) -> dict[str, str]:
        return sheet_parts(self._package)

    def _shapes(self, sheet: Sheet) -> None:
        """Text boxes and other shapes stand behind the rows and notes of their sheet."""
        try:
            parts = drawings_of(self._package, self._sheet_parts.get(sheet.name, ""))
            drawings = [self._package.xml(p) for p in parts if p not in self._workbook.left_out]
        except ReadError as error:
            self.gaps.append(f"what is drawn on the sheet {sheet.name!r} is not read: {error}")
            return
        for shape in (shape for drawing in drawings for shape in shape_texts(drawing)):
            where = f"{_quoted(sheet.name)}!{shape.place}" if shape.place else sheet.name
            self.assembly.outline.enter(1, sheet.name)
            self.assembly.place = Place(words=f"text box at {where}")
            if shape.is_hidden or sheet.is_hidden:
                self.assembly.add_hidden(shape.text, f"a hidden text box at {where}")
            else:
                self.assembly.add(shape.text, BlockKind.PARAGRAPH)
            self.assembly.place = Place()

    def _remark_on_the_rest(self) -> None:
        charts = sum(_is_chart(name) for name in self._package.names)
        if charts:
            self.warnings.append(
                f"{counted(charts, 'chart')} not read; their numbers stand in the sheets"
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


def _placed(table: SheetTable) -> Headers:
    """The header columns counted from the sheet's first column, not from the table's."""
    if not table.headers.columns:
        return table.headers
    first = min(row[0].column for row in table.rows)
    return Headers(rows=table.headers.rows, columns=first + table.headers.columns)


def _split_hidden(
    sheet: Sheet, cells: Sequence[SheetCell]
) -> tuple[Sequence[SheetCell], Sequence[SheetCell]]:
    """The cells of a row in columns that are seen, and the others."""
    if not sheet.hidden_columns or cells[0].row in sheet.hidden_rows:
        return cells, ()
    seen = [cell for cell in cells if cell.column not in sheet.hidden_columns]
    hidden = [cell for cell in cells if cell.column in sheet.hidden_columns]
    return (seen, hidden) if seen else (hidden, ())


def _quoted(sheet: str) -> str:
    """A sheet's name as it stands in a reference: in quotes unless it is a plain word."""
    if sheet.isidentifier():
        return sheet
    doubled = sheet.replace("'", "''")
    return f"'{doubled}'"


def _hidden_because(sheet: Sheet, cells: Sequence[SheetCell]) -> str:
    """Why a row is not seen in Excel; empty when it is."""
    if sheet.is_hidden:
        return f"the sheet {sheet.name!r} is hidden"
    if cells[0].row in sheet.hidden_rows:
        return f"row {cells[0].row} of the sheet {sheet.name!r} is hidden"
    if all(cell.column in sheet.hidden_columns for cell in cells):
        return f"columns of the sheet {sheet.name!r} are hidden"
    return ""
