from __future__ import annotations

import io
import unicodedata
from collections import Counter
from pathlib import Path

import pytest
from lxml import etree
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import SimpleDocTemplate, Table, TableStyle

from pincite.ingest.pdf.reader import PdfReader
from pincite.records.document import BlockKind, Cell, Document
from tests.ingest.conftest import Line, PdfMaker


def read(content: bytes) -> Document:
    return PdfReader().read(Path("tables.pdf"), content)


def ruled(rows: list[list[str]], *commands: tuple[object, ...]) -> Document:
    buffer = io.BytesIO()
    style = TableStyle([("GRID", (0, 0), (-1, -1), 1, "black"), *commands])
    SimpleDocTemplate(buffer).build([Table(rows, style=style, colWidths=110)])
    return read(buffer.getvalue())


def text_rows(document: Document) -> list[list[str]]:
    return [
        [document.text[cell.start : cell.end] for cell in block.cells]
        for block in document.blocks
        if block.kind is BlockKind.TABLE_ROW
    ]


def cell(document: Document, text: str) -> Cell:
    (found,) = (
        cell
        for block in document.blocks
        for cell in block.cells
        if document.text[cell.start : cell.end] == text
    )
    return found


def heads(document: Document, text: str) -> tuple[list[str], list[str]]:
    found = cell(document, text)
    columns = [document.text[start:end] for start, end in found.column_headers]
    rows = [document.text[start:end] for start, end in found.row_headers]
    return columns, rows


def test_a_wrapped_cell_of_a_ruled_table_stays_in_its_row() -> None:
    document = ruled([["Part", "Torque"], ["Bolt of the\nupper cover", "25 Nm"], ["Nut", "30 Nm"]])
    assert text_rows(document) == [
        ["Part", "Torque"],
        ["Bolt of the\nupper cover", "25 Nm"],
        ["Nut", "30 Nm"],
    ]
    assert heads(document, "25 Nm") == (["Torque"], ["Bolt of the\nupper cover"])
    assert heads(document, "Torque") == ([], [])


def test_headers_over_several_columns_come_first() -> None:
    document = ruled(
        [["", "Load", "", "Speed"], ["Model", "kg", "lb", "rpm"], ["A7", "12.5", "27.6", "900"]],
        ("SPAN", (1, 0), (2, 0)),
    )
    assert heads(document, "27.6") == (["Load", "lb"], ["A7"])
    assert heads(document, "900") == (["Speed", "rpm"], ["A7"])


BALANCE: list[Line] = [
    *((300.0, 88.0, "2023"), (400.0, 88.0, "2022")),
    (50.0, 102.0, "Assets:"),
    *((60.0, 116.0, "Cash"), (280.0, 116.0, "$"), (300.0, 116.0, "1,093"), (400.0, 116.0, "840")),
    (60.0, 130.0, "Receivables from members and"),
    *((60.0, 144.0, "other customers"), (300.0, 144.0, "856"), (400.0, 144.0, "790")),
    *((50.0, 158.0, "Debt"), (300.0, 158.0, "77"), (400.0, 158.0, "91")),
]


def test_columns_without_lines_are_told_by_the_gaps_between_them(make_pdf: PdfMaker) -> None:
    document = read(make_pdf(BALANCE))
    assert text_rows(document) == [
        ["2023", "2022"],
        ["Assets:"],
        ["Cash", "$ 1,093", "840"],
        ["Receivables from members and\nother customers", "856", "790"],
        ["Debt", "77", "91"],
    ]
    assert heads(document, "840") == (["2022"], ["Assets:", "Cash"])
    assert heads(document, "77") == (["2023"], ["Debt"])


def test_a_cell_has_its_own_place_on_the_page(make_pdf: PdfMaker) -> None:
    document = read(make_pdf(BALANCE))
    found = cell(document, "790")
    (box,) = document.boxes.boxes(found.start, found.end)
    assert abs(box.x0 - 400) < 3
    assert box.y0 < 144 < box.y1


def test_lines_whose_columns_cannot_be_told_stay_rows_without_cells(make_pdf: PdfMaker) -> None:
    ends = (150.0, 230.0, 310.0, 390.0)
    page = [
        line
        for number, end in enumerate(ends)
        for line in (
            (50.0, 100.0 + 14 * number, "i" * int((end - 95) / 2.67)),
            (end, 100.0 + 14 * number, "i" * int((500 - end) / 2.67)),
        )
    ]
    rows = [b for b in read(make_pdf(page)).blocks if b.kind is BlockKind.TABLE_ROW]
    assert len(rows) == 4
    assert not any(row.cells for row in rows)


def test_numbers_that_stand_in_columns_have_no_invented_headers(make_pdf: PdfMaker) -> None:
    page = [(50.0 + 150 * x, 100.0 + 20 * y, f"{x}{y}") for y in range(9) for x in range(3)]
    document = read(make_pdf(page))
    assert text_rows(document)[1] == ["01", "11", "21"]
    assert not any(c.column_headers or c.row_headers for b in document.blocks for c in b.cells)


def test_a_drawing_with_labels_is_no_table(make_pdf: PdfMaker) -> None:
    document = ruled([["flow", "", ""], ["", "", ""], ["", "", "valve"], ["", "pump", ""]])
    assert not any(block.cells for block in document.blocks)
    assert Counter(document.text.split()) == Counter(["flow", "valve", "pump"])


def test_cells_of_a_published_table_are_those_people_marked(real_documents: Path) -> None:
    path = real_documents / "open/eu-005.pdf"
    document = PdfReader().read(path, path.read_bytes())
    truth = etree.parse(real_documents / "open/ground_truth/eu-005-str.xml")
    marked = Counter(bare(cell.findtext("content") or "") for cell in truth.iter("cell"))
    found = Counter(bare(text) for row in text_rows(document) for text in row)
    assert found == marked
    columns, rows = heads(document, "72.9")
    assert (columns, rows) == (["EH\n1996"], ["Austria"])


def bare(text: str) -> str:
    return "".join(unicodedata.normalize("NFKC", text).split())


def lines_at(y: float, *cells: tuple[float, str]) -> list[Line]:
    return [(x, y, text) for x, text in cells]


def values(y: float, label: str, *texts: str) -> list[Line]:
    return [(50.0, y, label), *((220.0 + 80 * n, y, text) for n, text in enumerate(texts))]


SEGMENTS: list[Line] = [
    *lines_at(100, (270, "Year ended December 31, 2015")),
    *lines_at(114, (215, "Retail"), (290, "Resale"), (375, "Online"), (455, "Group")),
    *lines_at(128, (310, "(in thousands)")),
    *values(142, "Revenues", "418,033", "195,343", "64,573", "677,949"),
    *values(156, "Operating income", "82,500", "11,200", "7,404", "101,104"),
]


def test_a_head_alone_in_the_middle_holds_for_every_column(make_pdf: PdfMaker) -> None:
    document = read(make_pdf(SEGMENTS))
    for name, text in (("Retail", "418,033"), ("Resale", "11,200"), ("Group", "101,104")):
        assert heads(document, text)[0] == ["Year ended December 31, 2015", name, "(in thousands)"]


def test_columns_are_divided_half_way_between_the_heads_above_them(make_pdf: PdfMaker) -> None:
    page = [
        *lines_at(100, (272, "2015"), (432, "2014")),
        *lines_at(114, (225, "June"), (305, "March"), (385, "June"), (465, "March")),
        *values(128, "Cash", "1,093", "1,094", "1,095", "1,096"),
        *values(142, "Debt", "2,093", "2,094", "2,095", "2,096"),
    ]
    document = read(make_pdf(page))
    found = [heads(document, text)[0] for text in ("1,093", "2,094", "1,095", "2,096")]
    assert found == [["2015", "June"], ["2015", "March"], ["2014", "June"], ["2014", "March"]]


def test_the_first_line_of_a_long_head_stays_with_its_column(make_pdf: PdfMaker) -> None:
    page = [
        *lines_at(100, (300, "Change")),
        *lines_at(114, (225, "2015"), (300, "in prices"), (385, "2014")),
        *values(128, "Cash", "1,093", "12,345", "1,095"),
        *values(142, "Debt", "2,093", "22,345", "2,095"),
    ]
    document = read(make_pdf(page))
    assert heads(document, "1,093")[0] == ["2015"]
    assert heads(document, "2,095")[0] == ["2014"]


def test_a_head_alone_over_years_holds_for_every_year_and_a_scale_for_every_column(
    make_pdf: PdfMaker,
) -> None:
    page = [
        *lines_at(86, (225, "(in thousands)")),
        *lines_at(100, (275, "Year to June 30,")),
        *lines_at(114, (225, "2015"), (305, "2014"), (385, "2013")),
        *values(128, "Cash", "1,093", "12,345", "1,095"),
        *values(142, "Debt", "2,093", "22,345", "2,095"),
    ]
    document = read(make_pdf(page))
    for year, text in (("2015", "1,093"), ("2014", "22,345"), ("2013", "1,095")):
        assert heads(document, text)[0] == ["(in thousands)", "Year to June 30,", year]


def test_days_above_years_are_parts_of_the_heads(make_pdf: PdfMaker) -> None:
    page = [
        *lines_at(86, (225, "January"), (305, "January")),
        *lines_at(100, (225, "28,"), (305, "29,")),
        *lines_at(114, (72, "(in millions)"), (225, "2023"), (305, "2022")),
        *values(128, "Cash", "1,093", "1,094"),
        *values(142, "Debt", "2,093", "2,094"),
    ]
    document = read(make_pdf(page))
    assert heads(document, "1,093")[0] == ["January", "28,", "2023"]
    assert heads(document, "2,094")[0] == ["January", "29,", "2022"]


def test_a_file_may_have_the_lines_of_a_cell_before_the_next_cell(make_pdf: PdfMaker) -> None:
    page: list[Line] = [
        *[(220.0, 100.0, "December 29,"), (220.0, 112.0, "2019")],
        *[(320.0, 100.0, "December 30,"), (320.0, 112.0, "2018")],
        *[(50.0, 130.0, "Data Center"), (50.0, 142.0, "Group")],
        *[(220.0, 130.0, "$5,424"), (320.0, 130.0, "$1,758")],
        *values(158, "Mobileye", "10,290", "")[:2],
        (320.0, 158.0, "10,278"),
        *[(50.0, 174.0, "Programmable"), (50.0, 186.0, "Solutions"), (50.0, 198.0, "Group")],
        *[(220.0, 174.0, "2,579"), (320.0, 174.0, "2,490")],
    ]
    document = read(make_pdf(page))
    found = [[" ".join(text.split()) for text in line] for line in text_rows(document)]
    assert found == [
        ["December 29, 2019", "December 30, 2018"],
        ["Data Center Group", "$5,424", "$1,758"],
        ["Mobileye", "10,290", "10,278"],
        ["Programmable Solutions Group", "2,579", "2,490"],
    ]
    assert heads(document, "2,490")[0] == ["December 30,\n2018"]


def test_heads_that_stand_at_the_bottom_are_read_from_above(make_pdf: PdfMaker) -> None:
    page: list[Line] = [
        *[(50.0, 124.0, "(in millions)"), (220.0, 124.0, "EBITDA")],
        *[(300.0, 112.0, "Net"), (300.0, 124.0, "Income")],
        *[(380.0, 100.0, "EPS"), (380.0, 112.0, "(diluted)"), (380.0, 124.0, "(cents)")],
        *values(140, "Reported", "1,505", "805", "53"),
        *values(154, "Adjusted", "1,999", "999", "66"),
    ]
    document = read(make_pdf(page))
    assert heads(document, "999")[0] == ["Net", "Income"]
    assert heads(document, "66")[0] == ["EPS", "(diluted)", "(cents)"]


def test_a_title_in_the_middle_of_a_table_is_no_head() -> None:
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=(600, 800))
    canvas.setFont("Helvetica-Bold", 13)
    canvas.drawString(110, 726, "Statement of cash flows")
    canvas.setFont("Helvetica", 11)
    rows = [(225, 712, "2015"), (305, 712, "2014")]
    rows += [line for n in range(4) for line in ((50, 698 - 14 * n, f"Cash {n}"),)]
    rows += [(x, 698 - 14 * n, f"{n},0{x}") for n in range(4) for x in (225, 305)]
    for x, y, text in rows:
        canvas.drawString(x, y, text)
    canvas.save()
    document = read(buffer.getvalue())
    assert heads(document, "3,0305")[0] == ["2014"]
    assert document.blocks[0].kind is BlockKind.HEADING


def test_values_that_stand_close_are_cells_of_their_own(make_pdf: PdfMaker) -> None:
    # Less than the height of a line between them, more than a blank.
    rows = [("2023", "2022", "2021"), ("15.6%", "21.4%", "(4.8%)"), ("37.6%", "37.9%", "35.1%")]
    labels = ["Share", "Sales", "Profit"]
    page = [
        line
        for number, (label, cells) in enumerate(zip(labels, rows, strict=True))
        for line in lines_at(
            100 + 14 * number, (72, label), *zip((200, 241, 282), cells, strict=True)
        )
    ]
    assert text_rows(read(make_pdf(page))) == [
        [label, *cells] for label, cells in zip(labels, rows, strict=True)
    ]


def test_rules_around_several_columns_do_not_make_them_one_cell() -> None:
    values = ["11,151   1,517   13.6", "3,393   289   8.5", "14,544   1,701   11.7"]
    blanks = [value.replace("   ", "\u00a0" * 8) for value in values]
    document = ruled([[name, value] for name, value in zip("ABC", blanks, strict=True)])
    assert ["A", "11,151", "1,517", "13.6"] in text_rows(document)


def test_a_year_beside_no_values_names_all_rows_to_the_next_year(make_pdf: PdfMaker) -> None:
    page = [
        *lines_at(100, (225, "June"), (305, "March")),
        (50.0, 114.0, "2015"),
        *values(128, "Total revenues", "1,093", "1,094"),
        *values(142, "Gross profit", "2,093", "2,094"),
        (50.0, 156.0, "Earnings per share:"),
        *values(170, "Basic", "0.42", "0.43"),
        (50.0, 184.0, "2014"),
        *values(198, "Total revenues", "3,093", "3,094"),
        *values(212, "Gross profit", "4,093", "4,094"),
    ]
    document = read(make_pdf(page))
    assert heads(document, "2,094") == (["March"], ["2015", "Gross profit"])
    assert heads(document, "0.42") == (["June"], ["2015", "Earnings per share:", "Basic"])
    assert heads(document, "4,093") == (["June"], ["2014", "Gross profit"])


def test_heads_within_a_table_take_the_place_of_those_above(make_pdf: PdfMaker) -> None:
    months = ((210, "December"), (285, "September"), (380, "June"), (455, "March"))
    page = [
        *SEGMENTS,
        *lines_at(170, *months),
        (50.0, 184.0, "2015"),
        *values(198, "Gross profit", "57,396", "56,439", "52,294", "52,672"),
    ]
    document = read(make_pdf(page))
    assert heads(document, "7,404")[0] == [
        "Year ended December 31, 2015",
        "Online",
        "(in thousands)",
    ]
    assert heads(document, "52,294") == (["June"], ["2015", "Gross profit"])


def test_words_in_a_row_without_a_label_are_no_heads_above_words(make_pdf: PdfMaker) -> None:
    page = [
        *lines_at(72, (215, "Retail"), (305, "Online")),
        *values(86, "Goods", "300,033", "100,343"),
        *values(100, "Services", "118,000", "95,000"),
        *values(114, "Revenues", "418,033", "195,343"),
        *lines_at(128, (215, "Restated"), (305, "Restated")),
        *values(142, "Auditor", "Miller", "Smith"),
        *values(156, "Income", "82,500", "11,200"),
    ]
    assert heads(read(make_pdf(page)), "82,500")[0] == ["Retail"]


@pytest.mark.parametrize("between", ["QUARTERLY DATA", "The quarters are not audited."])
def test_a_table_ends_above_a_heading_or_sentence_over_new_heads(
    make_pdf: PdfMaker, between: str
) -> None:
    months = ((210, "December"), (285, "September"), (380, "June"), (455, "March"))
    page = [
        *SEGMENTS,
        (50.0, 176.0, between),
        *lines_at(196, *months),
        *values(210, "Gross profit", "57,396", "56,439", "52,294", "52,672"),
        *values(224, "Net income", "43,178", "29,432", "26,335", "23,696"),
    ]
    document = read(make_pdf(page))
    assert heads(document, "26,335") == (["June"], ["Net income"])
    (block,) = (b for b in document.blocks if document.text[b.start : b.end] == between)
    assert block.kind is not BlockKind.TABLE_ROW


def test_a_bold_name_of_a_part_does_not_end_a_table(make_pdf: PdfMaker) -> None:
    page = [
        *SEGMENTS,
        (50.0, 170.0, "OTHER FIGURES"),
        *values(184, "Net income", "43,178", "29,432", "26,335", "23,696"),
    ]
    columns, rows = heads(read(make_pdf(page)), "26,335")
    assert (columns[1], rows) == ("Online", ["OTHER FIGURES", "Net income"])


def test_a_currency_before_a_word_belongs_to_the_year_before_it(make_pdf: PdfMaker) -> None:
    page = [
        *lines_at(100, (50, "Results"), (220, "2022 $ million"), (325, "2023 $ million")),
        *lines_at(114, (50, "Net sales"), (265, "14,544"), (385, "14,694")),
        *lines_at(128, (50, "Net income"), (265, "9,805"), (385, "1,048")),
        *lines_at(142, (50, "Cash"), (265, "3,805"), (385, "3,048")),
        *lines_at(156, (50, "Debt"), (265, "4,805"), (385, "4,048")),
    ]
    assert heads(read(make_pdf(page)), "1,048")[0] == ["2023 $ million"]
