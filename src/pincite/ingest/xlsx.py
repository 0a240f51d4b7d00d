"""Reads Excel workbooks: one block per row, each cell with its address and its headers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pincite.document import BlockKind, Document, document_id
from pincite.errors import ReadError
from pincite.ingest.assembly import Place, TextAssembly
from pincite.ingest.counting import content_remarks, counted
from pincite.ingest.outline import choose_title
from pincite.ingest.package import Package, PackageLimits
from pincite.ingest.tables import Headers, TableCell, TableRow, TableWriter
from pincite.ingest.xlsx_cells import Sheet, SheetCell, address, read_area, read_cells
from pincite.ingest.xlsx_parts import S, SheetPart, Workbook, read_workbook, string_of
from pincite.ingest.xlsx_tables import SheetTable, find_tables

_MEDIA_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
# Beyond this many cells rows keep their text and place, but their cells are not listed one by one.
_MOST_CELLS = 400_000


class XlsxReader:
    """Reads `.xlsx` and `.xlsm` files; values are those last saved, nothing is calculated or run.

    The parts are parsed as a stream and not through openpyxl, whose workbook of a large file
    needs many times the memory and which refuses files with damaged style sheets.
    """

    def __init__(self, *, limits: PackageLimits | None = None) -> None:
        self._limits = limits

    def read(self, path: Path, content: bytes) -> Document:
        """Read one file's bytes. Raises ReadError when they are not a readable workbook."""
        package = Package(content, kind="Excel workbook", limits=self._limits)
        writer = _WorkbookWriter(package, read_workbook(package))
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

    def __init__(self, package: Package, workbook: Workbook) -> None:
        self.assembly = TextAssembly()
        self.gaps: list[str] = []
        self.warnings: list[str] = []
        self._package = package
        self._workbook = workbook
        self._cells_left = _MOST_CELLS

    def write(self) -> None:
        """Add every sheet, then say what could not be added."""
        for part in self._workbook.sheets:
            try:
                self._sheet(part)
            except ReadError as error:
                self.gaps.append(f"the sheet {part.name!r} could not be read: {error}")
        self._remark_on_the_rest()
        if self._cells_left < 0:
            self.warnings.append(
                f"it has more than {_MOST_CELLS:,} cells; the rows behind them are found as rows, "
                "without addresses of single cells"
            )

    def _sheet(self, part: SheetPart) -> None:
        sheet = read_cells(self._package.part(part.part), self._workbook)
        self._note_tables(part, sheet)
        if sheet.empty_formulas:
            self.gaps.append(
                f"{counted(sheet.empty_formulas, 'formula')} in the sheet {part.name!r} "
                "saved without a value; open it in Excel and save it"
            )
        for table in find_tables(sheet):
            self.assembly.outline.enter(1, part.name)
            self._table(part, sheet, table)
        self._comments(part)

    def _table(self, part: SheetPart, sheet: Sheet, table: SheetTable) -> None:
        for title in table.titles:
            self._title(part, sheet, title)
        writer = TableWriter(self.assembly, headers=_placed(table), separator="\t")
        unseen = []
        for row in table.rows:
            seen, hidden = _split_hidden(sheet, row)
            writer.add(self._row(part, sheet, seen))
            if hidden:
                unseen.append(self._row(part, sheet, hidden))
        # Cells of hidden columns follow the table: a row is quoted without them.
        TableWriter(self.assembly, headers=Headers(), separator="\t").add_all(unseen)

    def _title(self, part: SheetPart, sheet: Sheet, title: SheetCell) -> None:
        hidden = _hidden_because(part, sheet, [title])
        self.assembly.place = Place(
            words=f"{_quoted(part.name)}!{address(title.row, title.column)}"
        )
        if hidden:
            self.assembly.add_hidden(title.text, hidden)
        else:
            self.assembly.add_heading(title.text, 2)
        self.assembly.place = Place()

    def _row(self, part: SheetPart, sheet: Sheet, cells: Sequence[SheetCell]) -> TableRow:
        self._cells_left -= len(cells)
        first, last = cells[0], cells[-1]
        ends = [address(cell.row, cell.column) for cell in (first, last)]
        return TableRow(
            cells=tuple(self._table_cell(sheet, cell) for cell in cells)
            if self._cells_left >= 0
            else tuple(TableCell(text=cell.text, column=cell.column) for cell in cells),
            place=f"{_quoted(part.name)}!{':'.join(dict.fromkeys(ends))}",
            hidden=_hidden_because(part, sheet, cells),
            with_cells=self._cells_left >= 0,
        )

    def _table_cell(self, sheet: Sheet, cell: SheetCell) -> TableCell:
        area = sheet.merged.get((cell.row, cell.column))
        return TableCell(
            text=cell.text,
            column=cell.column,
            columns=area.right - area.left + 1 if area else 1,
            rows=area.bottom - area.top + 1 if area else 1,
            place=address(cell.row, cell.column),
        )

    def _note_tables(self, part: SheetPart, sheet: Sheet) -> None:
        """The header rows of the tables that the file itself has marked as such."""
        for relation in self._package.relations(part.part):
            if relation.kind == "table" and relation.target in self._package.names:
                root = self._package.xml(relation.target)
                area = read_area(root.get("ref") or "")
                if area is not None and root.get("headerRowCount") != "0":
                    sheet.header_rows.add(area.top)

    def _comments(self, part: SheetPart) -> None:
        """Notes on cells stand behind the rows of their sheet."""
        for relation in self._package.relations(part.part):
            if relation.kind != "comments" or relation.target not in self._package.names:
                continue
            for comment in self._package.xml(relation.target).iter(f"{S}comment"):
                body = comment.find(f"{S}text")
                where = f"{_quoted(part.name)}!{comment.get('ref') or ''}"
                self.assembly.place = Place(words=f"comment on {where}")
                self.assembly.add(
                    string_of(body).strip() if body is not None else "",
                    BlockKind.HIDDEN if part.hidden else BlockKind.FOOTNOTE,
                )
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


def _hidden_because(part: SheetPart, sheet: Sheet, cells: Sequence[SheetCell]) -> str:
    """Why a row is not seen in Excel; empty when it is."""
    if part.hidden:
        return f"the sheet {part.name!r} is hidden"
    if cells[0].row in sheet.hidden_rows:
        return f"row {cells[0].row} of the sheet {part.name!r} is hidden"
    if all(cell.column in sheet.hidden_columns for cell in cells):
        return f"columns of the sheet {part.name!r} are hidden"
    return ""
