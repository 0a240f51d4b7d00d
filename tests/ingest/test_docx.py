from __future__ import annotations

import io
import random
import re
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import docx
import pytest
from docx.document import Document as WordDocument
from docx.opc.constants import CONTENT_TYPE, RELATIONSHIP_TYPE
from docx.opc.packuri import PackURI
from docx.opc.part import Part
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls
from PIL import Image
from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

from pincite.errors import ReadError
from pincite.ingest.docx.reader import DocxReader
from pincite.ingest.office.package import PackageLimits
from pincite.records.document import Document, FlagKind

Save = Callable[[WordDocument], bytes]


def read(content: bytes) -> Document:
    return DocxReader().read(Path("letter.docx"), content)


def blocks(document: Document) -> list[tuple[str, str]]:
    return [(b.kind.value, document.text[b.start : b.end]) for b in document.blocks]


def add_xml(word: WordDocument, body: str) -> None:
    paragraph = parse_xml(f"<w:p {nsdecls('w')}>{body}</w:p>")
    word.element.body.insert(len(word.element.body) - 1, paragraph)


def test_headings_paragraphs_lists_and_tables_are_found(docx_bytes: Save) -> None:
    word = docx.Document()
    word.add_heading("Manual", 0)
    word.add_heading("Setup", 1)
    word.add_paragraph("Plug it in.")
    word.add_paragraph("first", style="List Bullet")
    table = word.add_table(2, 2)
    for number, cell in enumerate(cell for row in table.rows for cell in row.cells):
        cell.text = f"c{number}"
    document = read(docx_bytes(word))
    assert blocks(document) == [
        ("heading", "Manual"),
        ("heading", "Setup"),
        ("paragraph", "Plug it in."),
        ("list_item", "first"),
        ("table_row", "c0 | c1"),
        ("table_row", "c2 | c3"),
    ]
    assert document.blocks[-1].section == ("Manual", "Setup")
    assert document.title == "Manual"


def test_insertions_stay_and_deletions_go(docx_bytes: Save) -> None:
    word = docx.Document()
    add_xml(
        word,
        "<w:r><w:t xml:space='preserve'>Pay </w:t></w:r>"
        "<w:del><w:r><w:delText>ten</w:delText></w:r></w:del>"
        "<w:ins><w:r><w:t>twenty</w:t></w:r></w:ins>"
        "<w:hyperlink><w:r><w:t xml:space='preserve'> here</w:t></w:r></w:hyperlink>"
        "<w:r><w:rPr><w:vanish/></w:rPr><w:t>secret</w:t></w:r>",
    )
    document = read(docx_bytes(word))
    assert blocks(document) == [("paragraph", "Pay twenty here"), ("hidden", "secret")]
    assert [flag.kind for flag in document.flags] == [FlagKind.HIDDEN_TEXT]
    assert any("2 tracked changes" in warning for warning in document.warnings)


def test_merged_cells_are_not_repeated_and_nested_tables_are_read(docx_bytes: Save) -> None:
    word = docx.Document()
    table = word.add_table(2, 3)
    table.cell(0, 0).merge(table.cell(0, 1)).text = "wide"
    table.cell(0, 2).merge(table.cell(1, 2)).text = "tall"
    table.cell(1, 0).add_table(1, 2).cell(0, 0).text = "inner"
    table.cell(1, 1).text = "low"
    texts = [text for _, text in blocks(read(docx_bytes(word)))]
    assert texts == ["wide | tall", " | low", "inner | "]


@pytest.mark.parametrize("limit_or_ratio", ["limit", "ratio"])
def test_a_zip_bomb_is_refused_before_it_is_unpacked(limit_or_ratio: str) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", b"0" * (20 << 20))
    limit = (1 if limit_or_ratio == "limit" else 256) << 20
    with pytest.raises(ReadError, match="unpacks to"):
        DocxReader(limits=PackageLimits(unpacked_bytes=limit)).read(
            Path("a.docx"), buffer.getvalue()
        )


def test_damaged_files_raise_nothing_but_read_errors(docx_bytes: Save) -> None:
    word = docx.Document()
    word.add_heading("Title", 1)
    word.add_paragraph("Some text.")
    content = docx_bytes(word)
    draw = random.Random(3)
    for _ in range(60):
        damaged = bytearray(content)
        for _ in range(20):
            damaged[draw.randrange(len(damaged))] = draw.randrange(256)
        try:
            read(bytes(damaged))
        except ReadError:
            continue


def test_damaged_xml_inside_a_sound_archive_raises_nothing_but_read_errors(
    docx_bytes: Save,
) -> None:
    content = docx_bytes(docx.Document())
    draw = random.Random(4)
    names = zipfile.ZipFile(io.BytesIO(content)).namelist()
    for name in names:
        for damage in ("cut", "empty", "gone", "other"):
            try:
                read(_damage(content, name, damage, draw))
            except ReadError:
                continue


def _damage(content: bytes, damaged: str, damage: str, draw: random.Random) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(buffer, "w") as new:
        for name in old.namelist():
            part = old.read(name)
            if name != damaged:
                new.writestr(name, part)
            elif damage != "gone":
                cut = part[: draw.randrange(len(part))]
                new.writestr(name, {"cut": cut, "empty": b"", "other": b"<a/>"}[damage])
    return buffer.getvalue()


def test_real_files_give_what_they_are_known_for(real_documents: Path) -> None:
    def text(name: str) -> str:
        return read((real_documents / "open" / name).read_bytes()).text

    with pytest.raises(ReadError, match="declares XML entities"):
        text("ExternalEntityInText.docx")
    assert len(text("textbox.docx")) > 1500
    assert "snoska" in text("table_footnotes.docx")
    assert "This is a footnote." in text("testWORD_various.docx")
    assert len(text("handbook-872p.docx")) > 800_000


def numbering(word: WordDocument, *levels: tuple[str, str]) -> None:
    """Give the document a list 77 with one (format, text) per level."""
    xml = "".join(
        f'<w:lvl w:ilvl="{depth}"><w:start w:val="1"/><w:numFmt w:val="{kind}"/>'
        f'<w:lvlText w:val="{text}"/></w:lvl>'
        for depth, (kind, text) in enumerate(levels)
    )
    root = word.part.numbering_part.element
    root.insert(
        0, parse_xml(f'<w:abstractNum {nsdecls("w")} w:abstractNumId="77">{xml}</w:abstractNum>')
    )
    root.append(
        parse_xml(f'<w:num {nsdecls("w")} w:numId="77"><w:abstractNumId w:val="77"/></w:num>')
    )


def add_numbered(word: WordDocument, depth: int, text: str, style: str = "") -> None:
    style_xml = f'<w:pStyle w:val="{style}"/>' if style else ""
    add_xml(
        word,
        f'<w:pPr>{style_xml}<w:numPr><w:ilvl w:val="{depth}"/><w:numId w:val="77"/></w:numPr></w:pPr>'
        f"<w:r><w:t>{text}</w:t></w:r>",
    )


def test_generated_numbers_stand_before_their_paragraphs(docx_bytes: Save) -> None:
    word = docx.Document()
    numbering(word, ("decimal", "%1."), ("lowerLetter", "%2)"), ("lowerRoman", "%1.%3"))
    for depth, text in ((0, "one"), (1, "a"), (2, "deep"), (1, "b"), (0, "two"), (1, "again")):
        add_numbered(word, depth, text)
    texts = [text for _, text in blocks(read(docx_bytes(word)))]
    assert texts == ["1. one", "a) a", "1.i deep", "b) b", "2. two", "a) again"]


def test_numbered_headings_keep_their_number_in_the_section(docx_bytes: Save) -> None:
    word = docx.Document()
    numbering(word, ("decimal", "%1"), ("decimal", "%1.%2"))
    add_numbered(word, 0, "Scope", "Heading1")
    add_numbered(word, 1, "Terms", "Heading2")
    word.add_paragraph("Body.")
    document = read(docx_bytes(word))
    assert document.blocks[-1].section == ("1 Scope", "1.1 Terms")


def test_cells_know_the_header_row_that_word_marks(docx_bytes: Save) -> None:
    word = docx.Document()
    table = word.add_table(2, 2)
    for number, text in enumerate(("Part", "Colour", "Bolt", "red")):
        table.cell(number // 2, number % 2).text = text
    table.rows[0]._tr.get_or_add_trPr().append(parse_xml(f"<w:tblHeader {nsdecls('w')}/>"))
    document = read(docx_bytes(word))
    cell = document.blocks[1].cells[1]
    assert document.text[cell.start : cell.end] == "red"
    assert [document.text[a:b] for a, b in cell.column_headers] == ["Colour"]


def test_a_second_row_of_headers_names_the_parts_of_the_first(docx_bytes: Save) -> None:
    word = docx.Document()
    table = word.add_table(4, 3)
    table.cell(0, 1).merge(table.cell(0, 2)).text = "Year ended 31 December"
    texts = (("", "2023", "2022"), ("Revenue", "912", "874"), ("Result", "(14)", "52"))
    for number, row in enumerate(texts, start=1):
        for column, text in enumerate(row):
            table.cell(number, column).text = text
    document = read(docx_bytes(word))
    cell = document.blocks[-1].cells[-1]
    named = [[document.text[a:b] for a, b in r] for r in (cell.column_headers, cell.row_headers)]
    assert named == [["Year ended 31 December", "2022"], ["Result"]]


def test_notes_have_a_kind_of_their_own(real_documents: Path) -> None:
    notes = blocks(read((real_documents / "open/table_footnotes.docx").read_bytes()))
    assert ("footnote", "snoska") in notes


def test_margins_are_quoted_once_and_page_numbers_never(docx_bytes: Save) -> None:
    word = docx.Document()
    word.add_paragraph("Body.")
    for section in (word.sections[0], word.add_section()):
        section.header.is_linked_to_previous = False
        section.header.paragraphs[0].text = "Document SOP-1742, revision 7"
        section.footer.is_linked_to_previous = False
        section.footer.paragraphs[0].text = "Page 1 of 3"
    document = read(docx_bytes(word))
    assert sorted(blocks(document)) == [
        ("page_footer", "Page 1 of 3"),
        ("paragraph", "Body."),
        ("paragraph", "Document SOP-1742, revision 7"),
    ]
    places = {document.text[block.start : block.end]: block.place for block in document.blocks}
    assert places["Document SOP-1742, revision 7"] == "page header"


def test_comments_are_counted_and_left_out(docx_bytes: Save) -> None:
    word = docx.Document()
    run = word.add_paragraph("Body.").runs[0]
    word.add_comment(run, text="Really?", author="Ada")
    document = read(docx_bytes(word))
    assert document.text == "Body."
    assert document.warnings == ("1 reviewer comment left out",)


def test_pictures_beside_text_are_a_warning_and_alone_a_gap(docx_bytes: Save) -> None:
    picture = io.BytesIO()
    Image.new("RGB", (8, 8)).save(picture, "PNG")
    word = docx.Document()
    word.add_picture(picture)
    assert "only 1 picture" in read(docx_bytes(word)).gaps[0]
    word.add_paragraph("Body.")
    document = read(docx_bytes(word))
    assert document.warnings == ("1 picture; text in them is not read",)
    assert not document.gaps


@pytest.mark.parametrize(
    ("equation", "shown"),
    [
        ("<m:sSup><m:e>{x}</m:e><m:sup>{2}</m:sup></m:sSup>", "x^2"),
        ("<m:f><m:num>{a+b}</m:num><m:den>{2}</m:den></m:f>", "(a+b)/2"),
        ("<m:rad><m:deg/><m:e>{y}</m:e></m:rad>", "√(y)"),
        ("<m:d><m:e>{a}</m:e></m:d><m:sSub><m:e>{v}</m:e><m:sub>{10}</m:sub></m:sSub>", "(a)v_10"),
        (
            "<m:nary><m:naryPr><m:chr m:val='∑'/></m:naryPr><m:sub>{i=1}</m:sub><m:sup>{n}</m:sup>"
            "<m:e>{i}</m:e></m:nary>",
            "∑_(i=1)^n i",
        ),
    ],
)
def test_equations_are_written_on_one_line(docx_bytes: Save, equation: str, shown: str) -> None:
    word = docx.Document()
    body = re.sub(r"\{(.*?)\}", r"<m:r><m:t>\1</m:t></m:r>", equation)
    space = "http://schemas.openxmlformats.org/officeDocument/2006/math"
    add_xml(word, f'<m:oMath xmlns:m="{space}">{body}</m:oMath>')
    assert read(docx_bytes(word)).text == shown


def test_a_text_box_with_an_older_copy_is_read_once(docx_bytes: Save) -> None:
    word = docx.Document()
    box = "<w:txbxContent><w:p><w:r><w:t>in the box</w:t></w:r></w:p></w:txbxContent>"
    space = "http://schemas.openxmlformats.org/markup-compatibility/2006"
    add_xml(
        word,
        f'<w:r><mc:AlternateContent xmlns:mc="{space}"><mc:Choice>{box}</mc:Choice>'
        f"<mc:Fallback>{box}</mc:Fallback></mc:AlternateContent></w:r>",
    )
    assert read(docx_bytes(word)).text == "in the box"


def test_a_style_based_on_a_heading_is_a_heading(docx_bytes: Save) -> None:
    word = docx.Document()
    word.styles.add_style("Chapter", 1).base_style = word.styles["Heading 1"]
    word.add_paragraph("Pumps", style="Chapter")
    assert blocks(read(docx_bytes(word))) == [("heading", "Pumps")]


def test_a_ruled_line_in_a_margin_takes_no_time(docx_bytes: Save) -> None:
    word = docx.Document()
    word.add_paragraph("The pump.")
    word.sections[0].header.paragraphs[0].text = "─" * 300 + " SOP-7"
    begun = time.process_time()
    document = read(docx_bytes(word))
    assert time.process_time() - begun < 5
    assert document.text.endswith("─ SOP-7")


def test_a_chart_is_the_table_of_its_numbers_after_the_text() -> None:
    deck = Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[6])
    data = CategoryChartData(number_format="0.0")
    data.categories = ["Oslo", "Bergen"]
    data.add_series("Boats", (4, 2))
    kind = XL_CHART_TYPE.COLUMN_CLUSTERED
    chart = slide.shapes.add_chart(kind, 0, 0, Inches(3), Inches(3), data).chart
    word = docx.Document()
    word.add_paragraph("Boats by town.")
    name = PackURI("/word/charts/chart1.xml")
    part = Part(name, CONTENT_TYPE.DML_CHART, chart.part.blob, word.part.package)
    word.part.relate_to(part, RELATIONSHIP_TYPE.CHART)
    buffer = io.BytesIO()
    word.save(buffer)
    document = DocxReader().read(Path("a.docx"), buffer.getvalue())
    assert document.text == "Boats by town.\n\n\tBoats\nOslo\t4.0\nBergen\t2.0"
    assert document.blocks[-1].place == "chart 1"
