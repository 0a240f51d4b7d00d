from __future__ import annotations

import io
import re
from collections.abc import Callable
from datetime import date
from pathlib import Path

import openpyxl
import pytest
from openpyxl.comments import Comment
from openpyxl.styles import Font
from openpyxl.utils.datetime import CALENDAR_MAC_1904
from openpyxl.worksheet.worksheet import Worksheet

from pincite.ingest.office.xlsx import XlsxReader
from pincite.records.document import Block, BlockKind, Cell, Coverage, Document, FlagKind
from pincite.text.tables.tables import tables_of
from tests.ingest.test_package import Parts, saved, zipped


def workbook(fill: Callable[[Worksheet], None]) -> openpyxl.Workbook:
    book = openpyxl.Workbook()
    fill(book.active)
    return book


def read(book: openpyxl.Workbook) -> Document:
    buffer = io.BytesIO()
    book.save(buffer)
    return XlsxReader().read(Path("book.xlsx"), buffer.getvalue())


def read_parts(parts: Parts) -> Document:
    return XlsxReader().read(Path("book.xlsx"), zipped(parts))


def text_of(document: Document, piece: Block | Cell) -> str:
    return document.text[piece.start : piece.end]


def rows(document: Document) -> list[str]:
    kind = BlockKind.TABLE_ROW
    return [text_of(document, block) for block in document.blocks if block.kind is kind]


def cell_at(document: Document, place: str) -> Cell:
    return next(c for block in document.blocks for c in block.cells if c.place == place)


def headers(document: Document, place: str) -> tuple[list[str], list[str]]:
    cell = cell_at(document, place)
    return tuple(  # type: ignore[return-value]
        [document.text[start:end] for start, end in ranges]
        for ranges in (cell.column_headers, cell.row_headers)
    )


def sales(sheet: Worksheet) -> None:
    sheet.title = "Sales"
    sheet.append(["Sales by region"])
    sheet.append(["Region", "2023", "Share", "Since"])
    sheet.append(["North", 12500, 0.25, date(2019, 5, 1)])
    sheet.append(["South", 37500, 0.75, date(2021, 11, 30)])
    for row in (3, 4):
        sheet.cell(row, 2).number_format = "#,##0"
        sheet.cell(row, 3).number_format = "0%"


def test_each_row_is_a_block_with_values_as_excel_shows_them() -> None:
    document = read(workbook(sales))
    assert rows(document)[1:] == [
        "North\t12,500\t25%\t2019-05-01",
        "South\t37,500\t75%\t2021-11-30",
    ]
    assert document.blocks[-1].place == "Sales!A4:D4"
    assert document.blocks[-1].section == ("Sales", "Sales by region")


def test_each_cell_has_its_address_and_its_headers() -> None:
    document = read(workbook(sales))
    assert text_of(document, cell_at(document, "B4")) == "37,500"
    assert headers(document, "B4") == (["2023"], ["South"])
    assert headers(document, "A4") == (["Region"], [])
    assert headers(document, "B2") == ([], [])


def test_a_merged_header_holds_for_all_its_columns() -> None:
    def fill(sheet: Worksheet) -> None:
        sheet.append(["City", "People", None])
        sheet.append([None, "Men", "Women"])
        sheet.append(["Ulm", 61, 63])
        sheet.append(["Jena", 52, 55])
        sheet.merge_cells("B1:C1")
        sheet.merge_cells("A1:A2")

    document = read(workbook(fill))
    assert headers(document, "C4") == (["People", "Women"], ["Jena"])


def test_texts_without_a_sign_of_a_header_have_none() -> None:
    def fill(sheet: Worksheet) -> None:
        sheet.append(["Anna", "Ulm"])
        sheet.append(["Bert", "Jena"])
        sheet.append(["Carl", "Gera"])

    assert headers(read(workbook(fill)), "B3") == ([], [])


def test_a_bold_row_is_a_header() -> None:
    def fill(sheet: Worksheet) -> None:
        for row in (["Name", "City"], ["Anna", "Ulm"], ["Bert", "Jena"]):
            sheet.append(row)
        for cell in sheet[1]:
            cell.font = Font(bold=True)

    assert headers(read(workbook(fill)), "B3")[0] == ["City"]


def test_two_tables_in_one_sheet_have_their_own_headers() -> None:
    def fill(sheet: Worksheet) -> None:
        for row in (["Part", "Price"], ["Bolt", 3], ["Nut", 2], [], ["Staff", "Hours"]):
            sheet.append(row)
        sheet.append(["Ada", 38])
        sheet.append(["Bea", 40])

    document = read(workbook(fill))
    assert headers(document, "B3") == (["Price"], ["Nut"])
    assert headers(document, "B7") == (["Hours"], ["Bea"])


def test_hidden_sheets_rows_and_columns_are_kept_but_not_quoted() -> None:
    def fill(sheet: Worksheet) -> None:
        for row in (["Name", "Pay", "Note"], ["Ada", 10, "fine"], ["Bea", 20, "secret row"]):
            sheet.append(row)
        sheet.row_dimensions[3].hidden = True
        sheet.column_dimensions["C"].hidden = True

    book = workbook(fill)
    book.create_sheet("Back").append(["nobody", "sees this"])
    book["Back"].sheet_state = "hidden"
    document = read(book)
    hidden = [text_of(document, b) for b in document.blocks if b.kind is BlockKind.HIDDEN]
    assert hidden == ["Bea\t20\tsecret row", "Note", "fine", "nobody\tsees this"]
    assert rows(document) == ["Name\tPay", "Ada\t10"]
    assert {flag.kind for flag in document.flags} == {FlagKind.HIDDEN_TEXT}


def test_a_formula_that_was_never_calculated_is_a_gap() -> None:
    document = read(workbook(lambda sheet: sheet.append(["total", "=1+2"])))
    assert document.coverage is Coverage.PARTIAL
    assert "1 formula" in document.gaps[0]


def test_a_formula_with_its_value_is_no_gap() -> None:
    parts = saved(workbook(lambda sheet: sheet.append(["total", "=1+2", "=4+4"])).save)
    sheet = "xl/worksheets/sheet1.xml"
    parts[sheet] = re.sub(rb"(<f>1\+2</f>)<v ?(/>|></v>)", rb"\1<v>3</v>", parts[sheet])
    document = read_parts(parts)
    assert rows(document) == ["total\t3"]
    assert document.gaps == (
        "1 formula in the sheet 'Sheet' saved without a value; open it in Excel and save it",
    )


def test_dates_of_old_macintosh_workbooks_count_from_1904() -> None:
    book = workbook(lambda sheet: sheet.append([date(2019, 5, 1)]))
    book.epoch = CALENDAR_MAC_1904
    assert read(book).text == "2019-05-01"


def test_a_date_that_no_calendar_has_is_a_gap() -> None:
    def fill(sheet: Worksheet) -> None:
        sheet["A1"] = 99_999_999
        sheet["A1"].number_format = "yyyy-mm-dd"

    assert "1 date out of range" in read(workbook(fill)).gaps[0]


def test_a_cell_far_away_does_not_cost_the_cells_between() -> None:
    def fill(sheet: Worksheet) -> None:
        sheet["A1"] = "near"
        sheet["XFD1048576"] = "far"

    assert [block.place for block in read(workbook(fill)).blocks] == [
        "Sheet!A1",
        "Sheet!XFD1048576",
    ]


def two_sheets() -> Parts:
    book = workbook(sales)
    book.create_sheet("Costs").append(["Rent", 900])
    book["Costs"]["D1"].number_format = "0%"
    return saved(book.save)


def test_a_damaged_sheet_costs_only_itself() -> None:
    document = read_parts(two_sheets() | {"xl/worksheets/sheet1.xml": b"<worksheet><cut"})
    assert rows(document) == ["Rent\t900"]
    assert document.gaps == ("its part xl/worksheets/sheet1.xml is damaged and was not read",)


def test_of_a_workbook_in_disorder_the_rows_are_read() -> None:
    parts = two_sheets()
    sheet = "xl/worksheets/sheet1.xml"
    parts[sheet] = parts[sheet].replace(b'left="0.75"', b'left="wide"')
    document = read_parts(parts)
    assert len(rows(document)) == 4
    assert "only its rows were read" in document.gaps[0]
    assert "'Sales' could not be read to its end" in document.gaps[1]


@pytest.mark.parametrize("element", ["mergeCells><mergeCell", "hyperlinks><hyperlink"])
def test_areas_over_a_whole_sheet_do_not_hold_up_the_reader(element: str) -> None:
    parts = two_sheets()
    sheet = "xl/worksheets/sheet1.xml"
    outer = element.partition(">")[0]
    area = f'<{element} ref="A1:XFD1048576"/></{outer}></worksheet>'
    parts[sheet] = parts[sheet].replace(b"</worksheet>", area.encode())
    document = read_parts(parts)
    assert len(rows(document)) == 4
    assert "cover 17,179,869,184 cells" in document.gaps[0]


def test_a_row_with_an_absurd_number_does_not_hold_up_the_reader(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("pincite.ingest.office.xlsx.LARGEST_WHOLE_BYTES", 10)
    parts = two_sheets()
    sheet = "xl/worksheets/sheet1.xml"
    parts[sheet] = parts[sheet].replace(b'r="4"', b'r="99999999999999"')
    assert "North\t12,500" in read_parts(parts).text


def test_a_sheet_that_is_not_in_the_file_is_a_gap() -> None:
    parts = two_sheets()
    del parts["xl/worksheets/sheet1.xml"]
    document = read_parts(parts)
    assert rows(document) == ["Rent\t900"]
    assert "sheet1.xml is listed in the workbook but missing from the file" in document.gaps[0]


def test_of_a_very_large_workbook_only_rows_are_read_and_it_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("pincite.ingest.office.xlsx.LARGEST_WHOLE_BYTES", 10)
    document = read(workbook(sales))
    assert rows(document)[1] == "North\t12,500\t25%\t2019-05-01"
    assert headers(document, "B4") == (["2023"], ["South"])
    assert "only its rows were read" in document.warnings[0]


def test_comments_follow_their_sheet() -> None:
    def fill(sheet: Worksheet) -> None:
        sheet.append(["Rate", 4])
        sheet["B1"].comment = Comment("Checked by audit.", "Ada")

    document = read(workbook(fill))
    assert "Checked by audit." in text_of(document, document.blocks[-1])
    assert document.blocks[-1].place == "comment on Sheet!B1"


def test_a_sheet_name_with_spaces_is_quoted_as_in_a_reference() -> None:
    def fill(sheet: Worksheet) -> None:
        sheet.title = "Cash flow"
        sheet.append(["a", 1])

    assert read(workbook(fill)).blocks[0].place == "'Cash flow'!A1:B1"


def test_an_empty_workbook_says_so() -> None:
    assert "no text" in read(openpyxl.Workbook()).warnings[0]


def test_a_sheet_beyond_the_limit_of_cells_keeps_its_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pincite.ingest.office.sheets._MOST_CELLS", 6)
    document = read(workbook(sales))
    assert len(rows(document)) == 3
    assert [len(block.cells) for block in document.blocks if block.cells] == [4]
    assert "more than 6 cells" in document.warnings[0]


DRAWING = """<xdr:wsDr xmlns:xdr="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing"
 xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main">{}</xdr:wsDr>"""
SHAPE = """<xdr:twoCellAnchor><xdr:from><xdr:col>3</xdr:col><xdr:row>6</xdr:row></xdr:from><xdr:sp>
<xdr:nvSpPr><xdr:cNvPr id="2" name="Box"{}/></xdr:nvSpPr><xdr:txBody><a:p><a:r><a:t>{}</a:t></a:r>
</a:p></xdr:txBody></xdr:sp></xdr:twoCellAnchor>"""
LINK = """<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
<Relationship Id="rId1" Target="../drawings/drawing1.xml"
 Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/drawing"/></Relationships>"""


def test_text_boxes_are_read_with_the_cell_they_begin_at() -> None:
    seen, unseen = SHAPE.format("", "Rent was 900."), SHAPE.format(' hidden="1"', "Do not tell.")
    drawn = {
        "xl/worksheets/_rels/sheet1.xml.rels": LINK.encode(),
        "xl/drawings/drawing1.xml": DRAWING.format(seen + unseen).encode(),
    }
    document = read_parts(two_sheets() | drawn)
    box = next(b for b in document.blocks if b.kind is BlockKind.PARAGRAPH)
    assert (text_of(document, box), box.place) == ("Rent was 900.", "text box at Sales!D7")
    assert box.section == ("Sales",)
    hidden = next(b for b in document.blocks if b.kind is BlockKind.HIDDEN)
    assert text_of(document, hidden) == "Do not tell."
    assert not document.gaps


def test_a_damaged_drawing_is_a_gap() -> None:
    drawn = {
        "xl/worksheets/_rels/sheet1.xml.rels": LINK.encode(),
        "xl/drawings/drawing1.xml": b"<xdr:wsDr><cut",
    }
    document = read_parts(two_sheets() | drawn)
    assert any("drawings on the sheet 'Sales'" in gap for gap in document.gaps)


def test_a_table_that_was_typed_as_text_has_heads_and_is_apart_from_the_sheet_before() -> None:
    book = openpyxl.Workbook()
    first = book.worksheets[0]
    first.title = "Members"
    for row in (["Name", "Age"], ["Tom", 58], ["Lisa", 41]):
        first.append(row)
    second = book.create_sheet("Matches")
    for row in (
        ["Day", "Home", "Guests"],
        ["03.04.2026", "Tal", "340"],
        ["10.04.2026", "Berg", "28"],
    ):
        second.append(row)
    tables = tables_of(read(book))
    assert [[column.name for column in table.columns] for table in tables] == [
        ["Name", "Age"],
        ["Day", "Home", "Guests"],
    ]
    assert [len(table.rows) for table in tables] == [2, 2]
