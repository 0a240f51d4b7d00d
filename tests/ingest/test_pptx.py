from __future__ import annotations

import io
from datetime import date
from pathlib import Path
from typing import Any

from PIL import Image
from pptx import Presentation
from pptx.chart.chart import Chart
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.presentation import Presentation as Deck
from pptx.util import Inches

from pincite.ingest.office.pptx import PptxReader
from pincite.records.document import BlockKind, Coverage, Document, FlagKind
from tests.ingest.test_package import saved, slides, zipped

TITLE_ONLY, TITLE_AND_CONTENT, BLANK = 5, 1, 6


def read(deck: Deck) -> Document:
    buffer = io.BytesIO()
    deck.save(buffer)
    return PptxReader().read(Path("talk.pptx"), buffer.getvalue())


def blocks(document: Document) -> list[tuple[str, str]]:
    return [(b.kind.value, document.text[b.start : b.end]) for b in document.blocks]


def picture() -> io.BytesIO:
    buffer = io.BytesIO()
    Image.new("RGB", (8, 8)).save(buffer, "PNG")
    buffer.seek(0)
    return buffer


def talk() -> Deck:
    deck = Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[TITLE_AND_CONTENT])
    slide.shapes.title.text = "Fire safety"
    slide.placeholders[1].text = "Keep doors closed\nKnow the exits"
    slide.notes_slide.notes_text_frame.text = "Point at the exits."
    second = deck.slides.add_slide(deck.slide_layouts[TITLE_ONLY])
    second.shapes.title.text = "Drills"
    return deck


def test_titles_are_headings_and_bullets_list_items() -> None:
    document = read(talk())
    assert blocks(document) == [
        ("heading", "Fire safety"),
        ("list_item", "Keep doors closed"),
        ("list_item", "Know the exits"),
        ("paragraph", "Point at the exits."),
        ("heading", "Drills"),
    ]
    assert document.blocks[1].section == ("Fire safety",)


def test_each_slide_is_a_page_that_holds_its_blocks() -> None:
    document = read(talk())
    assert [page.number for page in document.pages] == [1, 2]
    assert (document.pages[0].width, document.pages[0].height) == (720, 540)
    for block in document.blocks:
        assert block.page is not None
        page = document.pages[block.page - 1]
        assert page.start <= block.start < block.end <= page.end


def test_notes_say_whose_they_are() -> None:
    assert read(talk()).blocks[3].place == "slide 1, notes"


def test_cells_of_a_table_know_their_headers() -> None:
    deck = Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[BLANK])
    frame = slide.shapes.add_table(2, 2, Inches(1), Inches(1), Inches(4), Inches(2))
    for number, text in enumerate(("Part", "Price", "Bolt", "3 €")):
        frame.table.cell(number // 2, number % 2).text = text
    document = read(deck)
    assert blocks(document)[1] == ("table_row", "Bolt\t3 €")
    (headers,) = document.blocks[1].cells[1].column_headers
    assert document.text[slice(*headers)] == "Price"


def test_shapes_in_groups_are_read() -> None:
    deck = Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[BLANK])
    box = slide.shapes.add_group_shape().shapes.add_textbox(0, 0, Inches(1), Inches(1))
    box.text_frame.text = "inside a group"
    assert blocks(read(deck)) == [("paragraph", "inside a group")]


def test_a_slide_of_nothing_but_pictures_is_a_gap() -> None:
    deck = talk()
    deck.slides.add_slide(deck.slide_layouts[BLANK]).shapes.add_picture(picture(), 0, 0)
    document = read(deck)
    assert document.pages[2].images == 1
    assert document.pages[2].gap == "slide 3 has no text, only 1 picture"
    assert document.coverage is Coverage.PARTIAL


def chart(deck: Deck, **given: Any) -> Chart:
    data = CategoryChartData(number_format=given.get("format", "General"))
    data.categories = given.get("categories", ["Oslo", "007"])
    for name, values in given.get("series", {"Sold": (4.3, 2), "Made": (None, 3)}).items():
        data.add_series(name, values)
    kind = XL_CHART_TYPE.COLUMN_CLUSTERED
    shape = deck.slides[1].shapes.add_chart(kind, 0, 0, Inches(3), Inches(3), data)
    return shape.chart


def rows(document: Document) -> list[list[str]]:
    found = (block for block in document.blocks if block.kind is BlockKind.TABLE_ROW)
    return [[document.text[one.start : one.end] for one in block.cells] for block in found]


def test_a_chart_is_the_table_of_its_numbers() -> None:
    deck = talk()
    drawn = chart(deck)
    drawn.has_title = True
    drawn.chart_title.text_frame.text = "Boats in 2024"
    document = read(deck)
    assert "Boats in 2024" in document.text
    assert rows(document) == [["Sold", "Made"], ["Oslo", "4.3"], ["007", "2", "3"]]
    row = document.blocks[-1]
    heads = [document.text[slice(*one)] for one in row.cells[1].column_headers]
    assert heads == ["Sold"]
    assert document.pages[1].images == 0


def test_numbers_of_a_chart_are_shown_as_it_shows_them() -> None:
    deck = talk()
    days = [date(2024, 3, 1), date(2024, 4, 1)]
    chart(deck, format="0%", categories=days, series={"Share": (0.12, 0.3)})
    assert rows(read(deck))[1:] == [["2024-03-01", "12%"], ["2024-04-01", "30%"]]


def test_a_chart_without_numbers_is_counted_as_a_picture() -> None:
    deck = talk()
    chart(deck, series={"Sold": ()})
    document = read(deck)
    assert document.pages[1].images == 1
    assert any("1 picture" in warning for warning in document.warnings)


def test_a_hidden_slide_is_read_and_reported() -> None:
    deck = talk()
    deck.slides[1]._element.set("show", "0")
    document = read(deck)
    (flag,) = document.flags
    assert flag.kind is FlagKind.HIDDEN_TEXT
    assert document.text[flag.start : flag.end] == "Drills"


def test_slide_numbers_are_margins() -> None:
    deck = Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[TITLE_ONLY])
    slide.shapes.title.text = "T"
    box = slide.shapes.add_textbox(0, 0, 100, 100)
    box.text_frame.text = "page 7"
    properties = box._element.nvSpPr.nvPr
    properties.append(
        properties.makeelement(properties.tag.replace("nvPr", "ph"), {"type": "sldNum"})
    )
    assert read(deck).blocks[1].kind is BlockKind.PAGE_FOOTER


def test_a_damaged_slide_costs_only_itself() -> None:
    deck = talk()
    deck.slides._sldIdLst[0].set(
        "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id", "rId999"
    )
    document = read(deck)
    assert "slide 1 could not be read" in document.gaps[0]
    assert blocks(document) == [("heading", "Drills")]


def test_the_texts_of_a_diagram_are_read() -> None:
    parts = slides()
    diagram = "http://schemas.openxmlformats.org/drawingml/2006/diagram"
    drawing = "http://schemas.openxmlformats.org/drawingml/2006/main"
    relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    frame = (
        f'<p:graphicFrame><a:graphic xmlns:a="{drawing}"><a:graphicData><d:relIds xmlns:d="{diagram}" '
        f'xmlns:r="{relations}" r:dm="rId77"/></a:graphicData></a:graphic></p:graphicFrame>'
    )
    data = (
        f'<d:dataModel xmlns:d="{diagram}" xmlns:a="{drawing}"><d:pt><d:t><a:p><a:r>'
        "<a:t>Plan</a:t></a:r></a:p></d:t></d:pt></d:dataModel>"
    )
    link = (
        f'<Relationship Id="rId77" Type="{relations}/diagramData" Target="../diagrams/data1.xml"/>'
    )
    slide, links = "ppt/slides/slide1.xml", "ppt/slides/_rels/slide1.xml.rels"
    parts[slide] = parts[slide].replace(b"</p:spTree>", f"{frame}</p:spTree>".encode())
    parts[links] = parts[links].replace(b"</Relationships>", f"{link}</Relationships>".encode())
    parts["ppt/diagrams/data1.xml"] = data.encode()
    document = PptxReader().read(Path("talk.pptx"), zipped(parts))
    assert blocks(document)[1:] == [("list_item", "Plan")]
    assert document.pages[0].images == 0


def with_shape(shape: str) -> Document:
    """The first slide of a presentation with one more shape, in XML."""
    parts = slides()
    slide = "ppt/slides/slide1.xml"
    parts[slide] = parts[slide].replace(b"</p:spTree>", f"{shape}</p:spTree>".encode())
    return PptxReader().read(Path("talk.pptx"), zipped(parts))


def box(inside: str, attributes: str = "") -> str:
    return (
        f'<p:sp><p:nvSpPr><p:cNvPr id="9" name="b" {attributes}/><p:cNvSpPr/><p:nvPr/></p:nvSpPr>'
        f"<p:spPr/><p:txBody><a:bodyPr/><a:p>{inside}</a:p></p:txBody></p:sp>"
    )


def run(text: str) -> str:
    return f"<a:r><a:t>{text}</a:t></a:r>"


COMPATIBILITY = 'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
OFFICE = "http://schemas.microsoft.com/office/drawing/2010/main"


def test_a_shape_saved_in_two_forms_is_read_once() -> None:
    document = with_shape(
        f'<mc:AlternateContent {COMPATIBILITY}><mc:Choice xmlns:a14="{OFFICE}" Requires="a14">'
        f"{box(run('new form'))}</mc:Choice><mc:Fallback>{box(run('old form'))}</mc:Fallback>"
        "</mc:AlternateContent>"
    )
    assert blocks(document)[1:] == [("paragraph", "new form")]


def test_equations_stand_in_their_line() -> None:
    maths = "http://schemas.openxmlformats.org/officeDocument/2006/math"
    square = (
        "<m:oMath><m:sSup><m:e><m:r><m:t>x</m:t></m:r></m:e>"
        "<m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup></m:oMath>"
    )
    inside = f'<a14:m xmlns:a14="{OFFICE}" xmlns:m="{maths}">{square}</a14:m>'
    document = with_shape(box(run("y = ") + inside))
    assert blocks(document)[1:] == [("paragraph", "y = x^2")]


def test_hidden_shapes_are_reported_and_not_quoted() -> None:
    document = with_shape(box(run("nobody sees this"), 'hidden="1"'))
    assert blocks(document)[1:] == [("hidden", "nobody sees this")]
    assert document.flags[0].kind is FlagKind.HIDDEN_TEXT


def test_a_slide_that_is_not_xml_costs_only_itself() -> None:
    buffer = io.BytesIO()
    talk().save(buffer)
    parts = saved(lambda file: file.write(buffer.getvalue()))
    document = PptxReader().read(
        Path("talk.pptx"), zipped(parts | {"ppt/slides/slide1.xml": b"<p:sld"})
    )
    assert blocks(document) == [("heading", "Drills")]
    assert document.gaps[0] == "its part ppt/slides/slide1.xml is damaged and was not read"
    assert "slide 1 could not be read" in document.gaps[1]


def test_slide_shows_are_read_as_presentations_are() -> None:
    parts = slides()
    kinds = "[Content_Types].xml"
    parts[kinds] = parts[kinds].replace(b"presentation.main+xml", b"slideshow.main+xml")
    assert "Some text" in PptxReader().read(Path("show.pptx"), zipped(parts)).text
