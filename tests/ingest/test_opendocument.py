"""OpenDocument texts, spreadsheets and presentations, as LibreOffice writes them."""

from __future__ import annotations

import io
import random
import zipfile
from pathlib import Path

import pytest

from pincite.errors import ReadError
from pincite.ingest.detect import detect
from pincite.ingest.office import opendocument
from pincite.ingest.office.odf_styles import _NAMES
from pincite.ingest.office.opendocument import OpenDocumentReader
from pincite.ingest.reading import NeedsPassword
from pincite.records import formats
from pincite.records.document import BlockKind, Document
from pincite.text.tables.asking import read_question
from pincite.text.tables.tables import tables_of

_SPACES = " ".join(f'xmlns:{prefix}="{name}"' for prefix, name in _NAMES.items())


def style(name: str, family: str, properties: str = "", parent: str = "") -> str:
    kind = {"drawing-page": "drawing-page", "table": "table"}.get(family, "text")
    return (
        f'<style:style style:name="{name}" style:family="{family}" style:parent-style-name="{parent}">'
        f"<style:{kind}-properties {properties}/></style:style>"
    )


STYLES = "".join(
    (
        style("up", "text", 'style:text-position="super 58%"'),
        style("down", "text", 'style:text-position="-33% 58%"'),
        style("gone", "text", 'style:text-line-through-style="solid"'),
        style("unseen", "text", 'text:display="none"'),
        style("P1", "paragraph", parent="Preformatted_20_Text"),
        style("off", "table", 'table:display="false"'),
        style("dp", "drawing-page", 'presentation:visibility="hidden"'),
        '<text:list-style style:name="steps">',
        '<text:list-level-style-number text:level="1" style:num-format="1" style:num-suffix="."/>',
        '<text:list-level-style-number text:level="2" style:num-format="a" style:num-suffix=")"/>',
        "</text:list-style>",
    )
)


def zipped(content: str, **parts: str) -> bytes:
    root = (
        f"<office:document-content {_SPACES}><office:automatic-styles>{STYLES}"
        f"</office:automatic-styles><office:body>{content}</office:body></office:document-content>"
    )
    saved = io.BytesIO()
    with zipfile.ZipFile(saved, "w") as archive:
        archive.writestr("content.xml", root)
        for name, text in parts.items():
            archive.writestr(name.replace("__", "/").replace("_xml", ".xml"), text)
    return saved.getvalue()


def read(content: str, name: str = "file.odt", **parts: str) -> Document:
    return OpenDocumentReader().read(Path(name), zipped(content, **parts))


def text(content: str, **parts: str) -> Document:
    return read(f"<office:text>{content}</office:text>", **parts)


def shown(document: Document) -> list[tuple[str, str]]:
    return [(str(one.kind), document.text[one.start : one.end]) for one in document.blocks]


def test_headings_paragraphs_lists_and_code() -> None:
    document = text(
        '<text:h text:outline-level="1">Pump</text:h><text:p>It   is<text:s text:c="2"/>blue.</text:p>'
        '<text:list text:style-name="steps"><text:list-item><text:p>Open it.</text:p><text:list>'
        "<text:list-item><text:p>Left.</text:p></text:list-item></text:list></text:list-item>"
        "<text:list-item><text:p>Close it.</text:p></text:list-item></text:list>"
        '<text:p text:style-name="P1">run<text:line-break/>stop</text:p>'
    )
    assert shown(document) == [
        ("heading", "Pump"),
        ("paragraph", "It is  blue."),
        ("list_item", "1. Open it."),
        ("list_item", "a) Left."),
        ("list_item", "2. Close it."),
        ("code", "run\nstop"),
    ]
    assert document.blocks[1].section == ("Pump",)
    assert document.title == "Pump"


def test_marks_of_styles_are_kept() -> None:
    document = text(
        '<text:p>10<text:span text:style-name="up">6</text:span> m, H'
        '<text:span text:style-name="down">2</text:span>O, '
        '<text:span text:style-name="gone">40</text:span> 50'
        '<text:span text:style-name="unseen">secret</text:span></text:p>'
    )
    assert document.text.startswith("10⁶ m, H₂O, ~~40~~ 50")
    hidden = document.blocks[1]
    assert (hidden.kind, document.text[hidden.start : hidden.end]) == (BlockKind.HIDDEN, "secret")
    assert document.flags[0].detail == "words are hidden"


def test_notes_comments_and_deletions() -> None:
    document = text(
        "<text:tracked-changes><text:changed-region><text:deletion><text:p>old</text:p></text:deletion>"
        "</text:changed-region></text:tracked-changes>"
        "<text:p>It holds<text:note><text:note-citation>1</text:note-citation><text:note-body>"
        "<text:p>In winter.</text:p></text:note-body></text:note> 5 bar."
        "<office:annotation><text:p>check this</text:p></office:annotation></text:p>"
    )
    assert shown(document) == [("paragraph", "It holds¹ 5 bar."), ("footnote", "1 In winter.")]
    assert document.warnings == (
        "1 comment left out",
        "1 tracked deletion left out, insertions were read",
    )


def test_text_boxes_sections_and_contents() -> None:
    document = text(
        "<text:table-of-content><text:index-body><text:p>Pump 3</text:p></text:index-body>"
        "</text:table-of-content><text:section><text:p>Shown.</text:p></text:section>"
        '<text:section text:display="none"><text:p>Not shown.</text:p></text:section>'
        "<text:p>Beside<draw:frame><draw:text-box><text:p>In a box.</text:p></draw:text-box>"
        "</draw:frame></text:p>"
    )
    assert shown(document) == [
        ("paragraph", "Shown."),
        ("hidden", "Not shown."),
        ("paragraph", "Beside"),
        ("paragraph", "In a box."),
    ]
    assert document.warnings == ("1 index left out; the entries are in the text",)


def test_headers_and_footers_are_no_quotes() -> None:
    styles = (
        f"<office:document-styles {_SPACES}><office:master-styles><style:master-page><style:header>"
        "<text:p>Draft</text:p></style:header></style:master-page></office:master-styles>"
        "</office:document-styles>"
    )
    document = text("<text:p>Body.</text:p>", styles_xml=styles)
    assert shown(document) == [("paragraph", "Body."), ("page_header", "Draft")]


def rows(*lines: str) -> str:
    return "".join(
        f"<table:table-row>{''.join(cell(one) for one in line.split(','))}</table:table-row>"
        for line in lines
    )


def cell(written: str) -> str:
    kind = "float" if written.replace(".", "").isdigit() else "string"
    return f'<table:table-cell office:value-type="{kind}"><text:p>{written}</text:p></table:table-cell>'


PUMPS = ("Pump,Price (EUR)", "PU-1,300", "PU-2,1250")


def test_a_table_of_a_text_answers() -> None:
    head = f"<table:table-header-rows>{rows(PUMPS[0])}</table:table-header-rows>"
    document = text(f"<table:table>{head}{rows(*PUMPS[1:])}</table:table>")
    (found,) = tables_of(document)
    reading = read_question("What is the price of PU-2?", found)
    assert reading is not None
    assert [found.text(row, 1) for row in reading.rows] == ["1250"]


def sheet(name: str, content: str, style: str = "") -> str:
    return f'<table:table table:name="{name}" table:style-name="{style}">{content}</table:table>'


def test_sheets_have_addresses_hidden_rows_and_comments() -> None:
    content = (
        rows(*PUMPS)
        + '<table:table-row table:visibility="collapse">'
        + cell("PU-3")
        + cell("7")
        + "</table:table-row>"
        + "<table:table-row>"
        + cell("PU-4")
        + '<table:table-cell office:value-type="float"><office:annotation><text:p>estimated</text:p>'
        "</office:annotation><text:p>9</text:p></table:table-cell></table:table-row>"
    )
    both = sheet("Pumps 2024", content) + sheet("Old", rows("a,b", "c,d"), "off")
    document = read(f"<office:spreadsheet>{both}</office:spreadsheet>", "file.ods")
    places = {document.text[one.start : one.end]: one.place for one in document.blocks}
    assert places["PU-2\t1250"] == "'Pumps 2024'!A3:B3"
    kinds = {words: kind for kind, words in shown(document)}
    assert kinds["PU-3\t7"] == "hidden"
    assert kinds["c\td"] == "hidden"
    assert kinds["estimated"] == "footnote"
    assert "secret" not in document.text
    price = next(one for one in document.blocks if one.place == "'Pumps 2024'!A5:B5").cells[1]
    assert price.place == "B5"
    assert [document.text[slice(*head)] for head in price.column_headers] == ["Price (EUR)"]


BOX = "<draw:frame><draw:text-box><text:p>In a box.</text:p></draw:text-box></draw:frame>"


def test_boxes_in_cells_are_read_once_and_behind_the_table() -> None:
    line = f"<table:table-row><table:table-cell><text:p>a{BOX}</text:p>{BOX}</table:table-cell>"
    table = f"{line}{cell('7')}</table:table-row>{rows('b,8')}"
    boxes = [("paragraph", "In a box.")] * 2
    found = shown(text(f"<table:table>{table}</table:table>"))
    assert found == [("table_row", "a\t7"), ("table_row", "b\t8"), *boxes]
    found = shown(read(f"<office:spreadsheet>{sheet('S', table)}</office:spreadsheet>", "file.ods"))
    assert found == [("table_row", "a\t7"), ("table_row", "b\t8"), *boxes]


def test_elements_that_are_not_known_are_read_through() -> None:
    document = text(
        "<text:bibliography><text:p>Cited.</text:p></text:bibliography><text:p>x</text:p>"
    )
    assert document.text == "Cited.\n\nx"


def test_repeated_rows_and_cells_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    repeated = (
        '<table:table-row table:number-rows-repeated="1048000"><table:table-cell/></table:table-row>'
        '<table:table-row table:number-rows-repeated="3">'
        '<table:table-cell table:number-columns-repeated="2">'
        "<text:p>x</text:p></table:table-cell></table:table-row>"
    )
    document = read(f"<office:spreadsheet>{sheet('S', repeated)}</office:spreadsheet>", "file.ods")
    assert document.text == "x\tx\nx\tx\nx\tx"
    assert document.blocks[0].place == "S!A1048001:B1048001"
    monkeypatch.setattr(opendocument, "_MOST_CELLS", 4)
    document = read(f"<office:spreadsheet>{sheet('S', repeated)}</office:spreadsheet>", "file.ods")
    assert document.text == "x\tx\nx\tx"
    assert "rows from 1,048,003 on were not read" in document.gaps[0]


def test_slides_have_pages_titles_and_notes() -> None:
    slides = (
        '<draw:page><draw:frame presentation:class="title"><draw:text-box><text:p>Pumps</text:p>'
        "</draw:text-box></draw:frame><draw:frame><draw:text-box><text:list><text:list-item>"
        "<text:p>Blue</text:p></text:list-item></text:list></draw:text-box></draw:frame>"
        "<presentation:notes><draw:frame><draw:text-box><text:p>Say it.</text:p></draw:text-box>"
        "</draw:frame></presentation:notes></draw:page>"
        '<draw:page draw:style-name="dp"><draw:custom-shape><text:p>Unseen</text:p>'
        "</draw:custom-shape></draw:page>"
        "<draw:page><draw:frame><draw:image/></draw:frame></draw:page>"
    )
    document = read(f"<office:presentation>{slides}</office:presentation>", "file.odp")
    assert shown(document)[:3] == [
        ("heading", "Pumps"),
        ("list_item", "Blue"),
        ("paragraph", "Say it."),
    ]
    assert document.blocks[2].place == "slide 1, notes"
    assert [page.number for page in document.pages] == [1, 2, 3]
    assert document.flags[0].detail == "slide 2 is hidden in the show"
    assert document.gaps == ("slide 3 has no text, only 1 picture",)


CHART = (
    f"<office:document-content {_SPACES}><office:body><office:chart><chart:chart>"
    "<chart:title><text:p>Honey by year</text:p></chart:title>"
    "<chart:plot-area><chart:axis><chart:title><text:p>kg</text:p></chart:title></chart:axis>"
    '</chart:plot-area><table:table table:name="local-table"><table:table-header-rows>'
    f"{'{}'}</table:table-header-rows>{'{}'}</table:table></chart:chart></office:chart></office:body>"
    "</office:document-content>"
)
FRAME = (
    '<draw:frame><draw:object xlink:href="./{}"/><draw:image xlink:href="./ObjectReplacements/{}"/>'
    "</draw:frame>"
)


def test_charts_are_the_tables_that_they_draw() -> None:
    chart = CHART.format(rows(",Harvest (kg)"), rows("2021,12.5", "2022,30", "2023,8.25"))
    parts = {
        "Object 1/content.xml": chart,
        "Object 2/content.xml": "<broken",
        "Object 3/a.bin": "x",
    }
    frames = "".join(FRAME.format(one, one) for one in ("Object 1", "Object 2", "Object 3", "../x"))
    document = text(f"<text:p>Bees{frames}</text:p>", **parts)
    assert shown(document) == [
        ("paragraph", "Bees"),
        ("caption", "Honey by year"),
        ("table_row", "\tHarvest (kg)"),
        ("table_row", "2021\t12.5"),
        ("table_row", "2022\t30"),
        ("table_row", "2023\t8.25"),
    ]
    told = (*document.gaps, *document.warnings)
    assert any("3 pictures" in one for one in told), told
    (table,) = tables_of(document)
    reading = read_question("What was the harvest in 2022?", table)
    assert reading is not None
    assert [table.text(row, 1) for row in reading.rows] == ["30"]
    sheets = read(
        f"<office:spreadsheet>{sheet('A', rows('a,1') + frames)}</office:spreadsheet>", **parts
    )
    assert "Harvest" not in sheets.text


def test_it_is_found_by_its_content() -> None:
    content = zipped("<office:text/>")
    assert detect(Path("letter.odt"), content) is formats.OPEN_DOCUMENT
    assert detect(Path("letter.doc"), content) is formats.OPEN_DOCUMENT


def test_passwords_macros_and_damage() -> None:
    manifest = "<m><encryption-data/></m>"
    with pytest.raises(NeedsPassword):
        text("<text:p>x</text:p>", **{"META-INF__manifest_xml": manifest})
    flagged = text("<text:p>x</text:p>", Basic__script_xml="<x/>")
    assert "macros" in flagged.flags[0].detail
    with pytest.raises(ReadError, match="no body"):
        read("")
    old = '<!DOCTYPE m PUBLIC "-//OpenOffice.org//DTD Manifest 1.0//EN" "Manifest.dtd"><m/>'
    assert text("<text:p>x</text:p>", **{"META-INF__manifest_xml": old}).text == "x"
    with pytest.raises(ReadError, match="entities"):
        text(
            "<text:p>x</text:p>", **{"META-INF__manifest_xml": '<!DOCTYPE m [<!ENTITY a "b">]><m/>'}
        )


def test_damaged_files_are_refused_or_read() -> None:
    whole = zipped(f"<office:spreadsheet>{sheet('S', rows(*PUMPS))}</office:spreadsheet>")
    draw = random.Random(5)
    for _ in range(300):
        changed = bytearray(whole)
        for _ in range(draw.randint(1, 6)):
            changed[draw.randrange(len(changed))] = draw.randrange(256)
        try:
            document = OpenDocumentReader().read(Path("a.ods"), bytes(changed))
        except ReadError:
            continue
        assert all(document.text[one.start : one.end].strip() for one in document.blocks)
