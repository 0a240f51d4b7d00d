"""Raised, lowered and struck-out text, symbol fonts and form fields, in every format that has them."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest
from docx import Document as WordDocument
from docx.oxml import OxmlElement, parse_xml
from docx.oxml.ns import nsdecls, qn
from docx.text.paragraph import Paragraph
from openpyxl import Workbook
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont
from openpyxl.styles import Font
from pptx import Presentation
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

from pincite.ingest.docx.reader import DocxReader
from pincite.ingest.html.reader import HtmlReader
from pincite.ingest.office.pptx import PptxReader
from pincite.ingest.office.xlsx import XlsxReader
from pincite.ingest.pdf.reader import PdfReader

RAISED, LOWERED, STRUCK = "raised", "lowered", "struck"
RUNS = [
    ("There are 10", ""),
    ("6", RAISED),
    (" cells in H", ""),
    ("2", LOWERED),
    ("O for ", ""),
    ("40", STRUCK),
    (" 55 euros", ""),
    ("1", RAISED),
]
SHOWN = "There are 10⁶ cells in H₂O for ~~40~~ 55 euros¹"


def in_html(runs: list[tuple[str, str]]) -> str:
    names = {RAISED: "sup", LOWERED: "sub", STRUCK: "del", "": "span"}
    inner = "".join(f"<{names[style]}>{text}</{names[style]}>" for text, style in runs)
    return html(f"<p>{inner}</p>")


def html(body: str) -> str:
    return HtmlReader().read(Path("a.html"), f"<html><body>{body}</body></html>".encode()).text


def word(write: Callable[[Paragraph], None]) -> str:
    document = WordDocument()
    write(document.add_paragraph())
    saved = io.BytesIO()
    document.save(saved)
    return DocxReader().read(Path("a.docx"), saved.getvalue()).text


def in_word(runs: list[tuple[str, str]]) -> str:
    def write(paragraph: Paragraph) -> None:
        for text, style in runs:
            run = paragraph.add_run(text)
            names = {RAISED: "superscript", LOWERED: "subscript", STRUCK: "strike"}
            if style:
                setattr(run.font, names[style], True)

    return word(write)


def in_slides(runs: list[tuple[str, str]]) -> str:
    presentation = Presentation()
    slide = presentation.slides.add_slide(presentation.slide_layouts[1])
    paragraph = slide.placeholders[1].text_frame.paragraphs[0]
    for text, style in runs:
        run = paragraph.add_run()
        run.text = text
        properties = run._r.get_or_add_rPr()
        if style == STRUCK:
            properties.set("strike", "sngStrike")
        elif style:
            properties.set("baseline", "30000" if style == RAISED else "-25000")
    saved = io.BytesIO()
    presentation.save(saved)
    return PptxReader().read(Path("a.pptx"), saved.getvalue()).text


def in_sheet(runs: list[tuple[str, str]]) -> str:
    fonts = {
        RAISED: InlineFont(vertAlign="superscript"),
        LOWERED: InlineFont(vertAlign="subscript"),
        STRUCK: InlineFont(strike=True),
    }
    workbook = Workbook()
    sheet = workbook.worksheets[0]
    sheet["A1"] = CellRichText(
        *(TextBlock(fonts[style], text) if style else text for text, style in runs)
    )
    sheet["B1"], sheet["B1"].font = 40, Font(strike=True)
    saved = io.BytesIO()
    workbook.save(saved)
    return XlsxReader().read(Path("a.xlsx"), saved.getvalue()).text


@pytest.mark.parametrize("written_in", [in_html, in_word, in_slides, in_sheet])
def test_raised_lowered_and_struck_out_text_keeps_its_mark(
    written_in: Callable[[list[tuple[str, str]]], str],
) -> None:
    assert SHOWN in written_in(RUNS)


def test_a_struck_out_number_in_a_cell_is_marked() -> None:
    assert in_sheet(RUNS).endswith("~~40~~")


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        ('<p>450<sup><a href="#n1">1</a></sup> euros</p>', "450¹ euros"),
        ('<p>450<a href="#n1"><sup>12</sup></a> euros</p>', "450¹² euros"),
        ("<p>450<sup>[1]</sup> euros</p>", "450[1] euros"),
        ('<p>10<span style="vertical-align: super">8</span></p>', "10⁸"),
        ("<table><tr><td>n</td><td>31<sup>1</sup></td></tr></table>", "31¹"),
        ('<p><span style="text-decoration: line-through">40</span> 55</p>', "~~40~~ 55"),
        ("<p><s>40</s> and <strike>41</strike></p>", "~~40~~ and ~~41~~"),
        ("<p><del>old <s>word</s></del></p>", "~~old~~ ~~word~~"),
        ("<del><p>One.</p><p>Two.</p></del>", "~~One.~~\n\n~~Two.~~"),
        ("<p>the 5<sup>th</sup> and the Brand<sup>TM</sup></p>", "the 5th and the BrandTM"),
        ("<p><math><msup><mn>10</mn><mn>6</mn></msup></math> cells</p>", "10⁶ cells"),
        ("<p><math><mfrac><mn>1</mn><mn>2</mn></mfrac></math> cup</p>", "1/2 cup"),
    ],
)
def test_marks_of_web_pages(body: str, shown: str) -> None:
    assert shown in html(body)


def test_signs_of_symbol_fonts_are_read_as_they_look() -> None:
    def write(paragraph: Paragraph) -> None:
        for font, code in (("Symbol", "F0A3"), ("Symbol", "F0B1"), ("Symbol", "F0B0")):
            _sign(paragraph, font, code)
        for font, code in (("Wingdings", "F0FE"), ("Wingdings", "F0A8"), ("Wingdings 2", "F052")):
            _sign(paragraph, font, code)
        paragraph.add_run("m").font.name = "Symbol"
        paragraph.add_run("\uf0fc").font.name = "Wingdings"
        _sign(paragraph, "Unknown Font", "F041")

    assert word(write) == "≤±°☑☐☑μ✓\ufffd"


def _sign(paragraph: Paragraph, font: str, code: str) -> None:
    sign = OxmlElement("w:sym")
    sign.set(qn("w:font"), font)
    sign.set(qn("w:char"), code)
    paragraph.add_run()._r.append(sign)


@pytest.mark.parametrize(
    ("field", "shown"),
    [
        ("<w:checkBox><w:default w:val='1'/></w:checkBox>", "Storage: ☒"),
        ("<w:checkBox><w:default w:val='1'/><w:checked w:val='0'/></w:checkBox>", "Storage: ☐"),
        ("<w:checkBox><w:checked/></w:checkBox>", "Storage: ☒"),
        (
            "<w:ddList><w:result w:val='1'/><w:listEntry w:val='indoor'/>"
            "<w:listEntry w:val='outdoor'/></w:ddList>",
            "Storage: outdoor",
        ),
    ],
)
def test_the_value_of_a_form_field_is_read(field: str, shown: str) -> None:
    def write(paragraph: Paragraph) -> None:
        paragraph.add_run("Storage: ")
        data = f"<w:ffData>{field}</w:ffData>"
        xml = f"<w:fldChar {nsdecls('w')} w:fldCharType='begin'>{data}</w:fldChar>"
        paragraph.add_run()._r.append(parse_xml(xml))

    assert word(write) == shown


def test_a_content_control_that_is_not_filled_in_has_no_value() -> None:
    def control(text: str, properties: str) -> str:
        return (
            f"<w:sdt {nsdecls('w')}><w:sdtPr>{properties}</w:sdtPr><w:sdtContent>"
            f"<w:r><w:t>{text}</w:t></w:r></w:sdtContent></w:sdt>"
        )

    def write(paragraph: Paragraph) -> None:
        paragraph.add_run("Name: ")
        paragraph._p.append(parse_xml(control("Ada", "")))
        paragraph.add_run(", age: ")
        paragraph._p.append(parse_xml(control("Click here", "<w:showingPlcHdr/>")))

    assert word(write) == "Name: Ada, age:"


def pdf(draw: Callable[[Canvas], None]) -> str:
    saved = io.BytesIO()
    canvas = Canvas(saved)
    canvas.setFont("Helvetica", 11)
    draw(canvas)
    canvas.save()
    return PdfReader().read(Path("a.pdf"), saved.getvalue()).text


def test_raised_and_lowered_characters_of_a_pdf_keep_their_marks() -> None:
    def draw(canvas: Canvas) -> None:
        text = canvas.beginText(50, 700)
        for run, rise, size in [
            ("The club had 214", 0, 11),
            ("1", 4, 7),
            (" members, 10", 0, 11),
            ("6", 4, 7),
            (" cells and CO", 0, 11),
            ("2", -2, 7),
        ]:
            text.setFont("Helvetica", size)
            text.setRise(rise)
            text.textOut(run)
        canvas.drawText(text)

    assert pdf(draw) == "The club had 214¹ members, 10⁶ cells and CO₂"


def test_small_letters_on_the_same_line_are_not_lowered() -> None:
    def draw(canvas: Canvas) -> None:
        text = canvas.beginText(50, 700)
        for run, size in [("T", 11), ("ITLE", 8), (" 4", 11), ("5", 8)]:
            text.setFont("Helvetica", size)
            text.textOut(run)
        canvas.drawText(text)

    assert pdf(draw) == "TITLE 45"


def test_values_of_form_fields_stand_beside_their_labels() -> None:
    def draw(canvas: Canvas) -> None:
        form = canvas.acroForm
        canvas.drawString(50, 700, "Length (m)")
        form.textfield(name="f1", value="7.4", x=150, y=695, width=80, height=18)
        canvas.drawString(300, 700, "Harbour")
        form.choice(
            name="f2", value="North", options=["North", "South"], x=360, y=695, width=80, height=18
        )
        canvas.drawString(50, 660, "Remarks")
        form.textfield(name="f3", value="", x=150, y=655, width=80, height=18)
        for number, (label, ticked) in enumerate([("Crane", True), ("Shore power", False)]):
            form.checkbox(name=f"b{number}", checked=ticked, x=50, y=600 - 30 * number, size=14)
            canvas.drawString(80, 602 - 30 * number, label)
        form.radio(name="pay", value="monthly", selected=False, x=300, y=600, size=14)
        canvas.drawString(330, 602, "Monthly")
        form.radio(name="pay", value="yearly", selected=True, x=300, y=570, size=14)
        canvas.drawString(330, 572, "Yearly")

    lines = pdf(draw).splitlines()
    for line in (
        "Length (m)\t7.4",
        "Harbour\tNorth",
        "Remarks",
        "Crane\t☒",
        "Shore power\t☐",
        "Monthly\t☐",
        "Yearly\t☒",
    ):
        assert line in lines


def test_a_field_without_a_label_on_the_page_has_its_own_name() -> None:
    def draw(canvas: Canvas) -> None:
        canvas.acroForm.textfield(
            name="n", tooltip="Policy number", value="NM-55", x=150, y=600, width=80, height=18
        )

    assert pdf(draw) == "Policy number\tNM-55"


def test_labels_and_values_drawn_column_by_column_belong_together() -> None:
    labels = ["Invoice number", "Invoice date", "Due date", "Customer"]
    values = ["RE-17", "12.04.2024", "26.04.2024", "K-88 of Norda Ltd"]

    def draw(canvas: Canvas) -> None:
        for x, texts in ((50, labels), (200, values)):
            for number, text in enumerate(texts):
                canvas.drawString(x, 700 - 14 * number, text)

    assert pdf(draw).splitlines() == [
        f"{label}\t{value}" for label, value in zip(labels, values, strict=True)
    ]


def test_two_of_three_columns_are_no_labels_and_values() -> None:
    columns = [
        ["Thyroid", "Coeliac", "Diabetes"],
        ["Alopecia", "Vitiligo", "Obesity"],
        ["a", "b", "c"],
    ]

    def draw(canvas: Canvas) -> None:
        for place, texts in enumerate(columns):
            for number, text in enumerate(texts):
                canvas.drawString(50 + 150 * place, 700 - 14 * number, text)

    assert "Thyroid\tAlopecia\n" not in pdf(draw)


def test_two_columns_of_prose_are_no_labels_and_values() -> None:
    left = ["A member who wants to leave", "must tell the board in writing", "before September."]
    right = ["The deposit is given back", "when the shed is empty and", "the key is returned."]

    def draw(canvas: Canvas) -> None:
        for x, texts in ((50, left), (320, right)):
            for number, text in enumerate(texts):
                canvas.drawString(x, 700 - 14 * number, text)

    assert "\t" not in pdf(draw)


def test_a_line_drawn_through_words_strikes_them_out() -> None:
    def draw(canvas: Canvas) -> None:
        canvas.drawString(50, 700, "A ticket costs 40 55 euros.")
        before, number = (stringWidth(text, "Helvetica", 11) for text in ("A ticket costs ", "40"))
        canvas.line(50 + before, 703.5, 50 + before + number, 703.5)
        canvas.drawString(50, 660, "This is underlined.")
        canvas.line(50, 658, 50 + stringWidth("This is underlined.", "Helvetica", 11), 658)

    assert pdf(draw).split("\n") == ["A ticket costs ~~40~~ 55 euros.", "This is underlined."]


def test_a_line_that_goes_on_beside_the_words_is_that_of_a_chart() -> None:
    def draw(canvas: Canvas) -> None:
        for number, label in enumerate(["12", "24", "36"]):
            canvas.drawString(100 + 100 * number, 600, label)
        canvas.line(60, 603.5, 400, 603.5)

    assert "~~" not in pdf(draw)
