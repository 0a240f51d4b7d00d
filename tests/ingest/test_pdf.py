from __future__ import annotations

import io
import random
import re
import unicodedata
from collections import Counter
from pathlib import Path

import pypdfium2
import pytest
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas

from pincite.errors import ReadError
from pincite.ingest.pdf.reader import PdfReader
from pincite.records.document import BlockKind, Document
from tests.ingest.conftest import PdfMaker

PROSE = [
    (50.0, 100.0, "The quick brown fox jumps over the lazy dog and"),
    (50.0, 114.0, "then goes home to sleep until the morning."),
    (50.0, 150.0, "Another paragraph stands here by itself now."),
]


def read(content: bytes) -> Document:
    return PdfReader().read(Path("some_report.pdf"), content)


def blocks(document: Document) -> list[tuple[str, str]]:
    return [(b.kind.value, document.text[b.start : b.end]) for b in document.blocks]


def test_lines_of_a_paragraph_stay_together_on_their_own_lines(make_pdf: PdfMaker) -> None:
    assert blocks(read(make_pdf(PROSE))) == [
        ("paragraph", f"{PROSE[0][2]}\n{PROSE[1][2]}"),
        ("paragraph", PROSE[2][2]),
    ]


def test_headings_list_items_and_table_rows_are_found(make_pdf: PdfMaker) -> None:
    page = [
        (50.0, 60.0, "SAFETY RULES"),
        *PROSE,
        (50.0, 200.0, "4.2 Torque values"),
        (50.0, 240.0, "\u2022 tighten the bolt"),
        (50.0, 254.0, "\u2022 check the seal"),
        *((x, 300.0, text) for x, text in ((50.0, "M8"), (200.0, "25"), (350.0, "Nm"))),
    ]
    found = blocks(read(make_pdf(page)))
    assert found[0] == ("heading", "SAFETY RULES")
    assert found[3:] == [
        ("heading", "4.2 Torque values"),
        ("list_item", "\u2022 tighten the bolt"),
        ("list_item", "\u2022 check the seal"),
        ("table_row", "M8\t25\tNm"),
    ]


def test_pages_do_not_run_into_each_other(make_pdf: PdfMaker) -> None:
    document = read(make_pdf(PROSE, [], PROSE))
    first, second, third = document.pages
    assert document.text[first.end : third.start] == "\n\n"
    assert second.start == second.end
    assert [page.number for page in document.pages] == [1, 2, 3]
    assert [block.page for block in document.blocks] == [1, 1, 3, 3]


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_boxes_are_where_the_rotated_page_shows_the_word(make_pdf: PdfMaker, rotation: int) -> None:
    document = read(make_pdf([(100, 200, "marker")], rotation=rotation))
    (box,) = document.boxes.boxes(0, 6)
    page = document.pages[0]
    assert (page.width, page.height) == ((600, 800) if rotation in (0, 180) else (800, 600))
    # The baseline starts 100 from the left and 200 from the top of the unrotated page.
    start = {0: (100, 200), 90: (600, 100), 180: (500, 600), 270: (200, 500)}[rotation]
    near = 16.0
    assert box.x0 - near <= start[0] <= box.x1 + near
    assert box.y0 - near <= start[1] <= box.y1 + near
    tall = box.y1 - box.y0 > box.x1 - box.x0
    assert tall is (rotation in (90, 270))


def test_boxes_count_from_the_corner_of_the_crop_box_and_hidden_text_is_told() -> None:
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=(600, 800), cropBox=(50, 100, 550, 700))
    canvas.setFont("Helvetica", 12)
    canvas.drawString(100, 600, "seen")
    canvas.drawString(100, 750, "unseen")
    canvas.save()
    document = read(buffer.getvalue())
    (box,) = document.boxes.boxes(0, 4)
    assert blocks(document) == [("paragraph", "seen"), ("hidden", "unseen")]
    assert (document.pages[0].width, document.pages[0].height) == (500, 600)
    assert box.x0 == pytest.approx(50, abs=2)
    assert box.y1 == pytest.approx(100, abs=5)
    assert "outside the visible part" in document.warnings[0]


def test_columns_printed_line_by_line_are_put_in_reading_order(make_pdf: PdfMaker) -> None:
    left = [f"left column line {word} runs to here" for word in "abcdefghij"]
    right = [f"right column line {word} runs to here" for word in "abcdefghij"]
    page = []
    for number, pair in enumerate(zip(left, right, strict=True)):
        page += [(50, 100 + 14 * number, pair[0]), (320, 100 + 14 * number, pair[1])]
    lines = read(make_pdf(page)).text.split("\n")
    assert [line for line in lines if line] == left + right


def test_the_title_comes_from_the_file_if_it_has_a_sensible_one(make_pdf: PdfMaker) -> None:
    assert read(make_pdf(PROSE, title="Pump Manual")).title == "Pump Manual"
    assert read(make_pdf(PROSE, title="Microsoft Word - x.doc")).title == "some report"


@pytest.mark.parametrize(("user", "readable"), [("secret", False), ("", True)])
def test_only_a_password_for_opening_keeps_a_file_from_being_read(
    user: str, readable: bool
) -> None:
    buffer = io.BytesIO()
    lock = StandardEncryption(user, ownerPassword="owner", canCopy=0)
    canvas = Canvas(buffer, encrypt=lock)
    canvas.drawString(50, 500, "hello")
    canvas.save()
    if readable:
        assert read(buffer.getvalue()).text == "hello"
    else:
        with pytest.raises(ReadError, match="encrypted and needs a password"):
            read(buffer.getvalue())


def test_damaged_files_raise_nothing_but_read_errors(make_pdf: PdfMaker) -> None:
    content = make_pdf(PROSE, PROSE)
    draw = random.Random(5)
    for _ in range(40):
        damaged = bytearray(content[: draw.randrange(200, len(content) + 1)])
        for _ in range(10):
            damaged[draw.randrange(len(damaged))] = draw.randrange(256)
        try:
            read(bytes(damaged))
        except ReadError:
            continue


BORN_DIGITAL = (
    "open/federal-register-2020-17221.pdf",
    "open/i1040nr.pdf",
    "open/fr_olap.pdf",
    "open/nics-background-checks-2015-11-rotated.pdf",
    "pdfqa-open/NETFLIX_2015_10K.pdf",
    "pdfqa-open/2023.acl-long.386.pdf",
)


@pytest.mark.parametrize("name", BORN_DIGITAL)
def test_pdfium_finds_each_word_in_its_box(real_documents: Path, name: str) -> None:
    content = (real_documents / name).read_bytes()
    document = read(content)
    boxes, pdf = document.boxes, pypdfium2.PdfDocument(content)
    rows = sorted(random.Random(1).sample(range(len(boxes)), 200))
    found = sum(
        _bare(document.text[boxes.starts[row] : boxes.ends[row]])
        in _bare(_text_in_box(pdf[boxes.pages[row] - 1], *boxes.corners[4 * row : 4 * row + 4]))
        for row in rows
    )
    print(f"{name}: {found / len(rows):.3f}")
    assert found >= 0.98 * len(rows)


@pytest.mark.parametrize(
    "name", ["open/federal-register-2020-17221.pdf", "open/multi-column-2p.pdf", "open/eu-005.pdf"]
)
def test_no_letter_that_pdfium_finds_is_lost_or_added(real_documents: Path, name: str) -> None:
    content = (real_documents / name).read_bytes()
    there = "".join(page.get_textpage().get_text_range() for page in pypdfium2.PdfDocument(content))
    assert _letters(read(content).text) == _letters(there)


def _letters(text: str) -> Counter[str]:
    plain = unicodedata.normalize("NFKC", text)  # raised and lowered letters are still there
    return Counter(sign for sign in plain if sign.isalnum())


def test_a_line_that_comes_back_on_every_page_is_no_section(make_pdf: PdfMaker) -> None:
    pages = [[(50.0, 40.0, "ANNUAL REPORT"), *PROSE] for _ in range(4)]
    assert {block.section for block in read(make_pdf(*pages)).blocks} == {()}


def _text_in_box(page: pypdfium2.PdfPage, x0: float, y0: float, x1: float, y1: float) -> str:
    left, bottom, _, top = page.get_bbox()
    box = (left + x0, top - y1, left + x1, top - y0)
    if page.get_rotation() == 90:
        box = (left + y0, bottom + x0, left + y1, bottom + x1)
    margin = 0.6
    return page.get_textpage().get_text_bounded(
        box[0] - margin, box[1] - margin, box[2] + margin, box[3] + margin
    )


def _bare(text: str) -> str:
    """Hyphens and spaces left out: PDFium marks hyphens at line ends in its own way."""
    return re.sub(r"[-\s\x02\ufffe\xad]", "", text)


def written(name: str, lines: dict[int, str]) -> bytes:
    """A page of lines in one font, each at its height."""
    buffer = io.BytesIO()
    canvas = Canvas(buffer)
    for height, line in lines.items():
        canvas.setFont(name, 10)
        canvas.drawString(50, height, line)
    canvas.save()
    return buffer.getvalue()


def test_a_line_with_an_accented_capital_is_no_heading() -> None:
    pdfmetrics.registerFont(TTFont("Vera", "Vera.ttf"))
    lines = {
        500: "Ångströmregelungenundandere gelten weiter für uns",
        486: "Fernmieter im Haus und auch für alle davor.",
    }
    more = dict.fromkeys((300, 286, 272), "alle zahlen wie bisher im ganzen Haus weiter.")
    document = PdfReader().read(Path("a.pdf"), written("Vera", lines | more))
    assert all(block.kind is BlockKind.PARAGRAPH for block in document.blocks)


def test_lines_in_a_font_without_shapes_have_its_height() -> None:
    pdfmetrics.registerFont(UnicodeCIDFont("HeiseiMin-W3"))
    lines = {500: "電源コードを傷つけないでください。お手入れの際", 486: "は、必ず抜いてください。"}
    document = PdfReader().read(Path("a.pdf"), written("HeiseiMin-W3", lines))
    assert [block.kind for block in document.blocks] == [BlockKind.PARAGRAPH]
    (box, *_) = document.boxes.boxes(0, 5)
    assert 8 < box.y1 - box.y0 < 12
