from __future__ import annotations

import io
from pathlib import Path

import pytest
from reportlab.pdfgen.canvas import Canvas

from pincite.ingest.pdf.aligned_tables import is_caption
from pincite.ingest.pdf.reader import PdfReader
from pincite.records.document import Document
from tests.ingest.conftest import PdfMaker


def read(content: bytes) -> Document:
    return PdfReader().read(Path("layout.pdf"), content)


def blocks(document: Document) -> list[tuple[str, str]]:
    return [(b.kind.value, document.text[b.start : b.end]) for b in document.blocks]


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("Figure 3: The pump", True),
        ("Table 2. Torque values", True),
        ("Fig. 7-26. Self-locking nuts.", True),
        ("Table A4-12. Projected volume", True),
        ("Table 7.4 confirms that prices rose", False),
        ("Tables 7.4 to 7.6 turn the focus", False),
        ("Figure skating is a sport", False),
    ],
)
def test_captions_are_told_from_prose(line: str, named: bool) -> None:
    assert is_caption(line) is named


def test_a_caption_ends_before_the_prose_below(make_pdf: PdfMaker) -> None:
    page = [
        (50.0, 100.0, "Figure 3: The pump with its"),
        (50.0, 114.0, "upper cover removed."),
        (50.0, 150.0, "The pump stands beside the tank and runs all day long."),
    ]
    assert blocks(read(make_pdf(page)))[0] == (
        "caption",
        "Figure 3: The pump with its\nupper cover removed.",
    )


def test_small_print_below_the_text_with_a_mark_is_a_footnote() -> None:
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=(600, 800))
    for line in range(20):
        canvas.drawString(50, 700 - 14 * line, "The text of this page is set in normal letters.")
    canvas.setFont("Helvetica", 8)
    canvas.drawString(50, 100, "1 Measured at the outlet of the pump.")
    canvas.save()
    found = blocks(read(buffer.getvalue()))
    assert found[-1] == ("footnote", "1 Measured at the outlet of the pump.")
    assert [kind for kind, _ in found].count("footnote") == 1


def test_bookmarks_tell_headings_and_how_they_are_nested() -> None:
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=(600, 800))
    for level, y, title in ((0, 700, "Operation"), (1, 600, "Starting up"), (1, 500, "Shutdown")):
        canvas.bookmarkPage(title)
        canvas.addOutlineEntry(title, title, level)
        canvas.drawString(50, y, title)
        canvas.drawString(50, y - 30, "The valve is turned slowly, and the gauge is watched.")
    canvas.save()
    document = read(buffer.getvalue())
    assert [b.section for b in document.blocks if b.kind.value == "paragraph"] == [
        ("Operation",),
        ("Operation", "Starting up"),
        ("Operation", "Shutdown"),
    ]


@pytest.mark.parametrize("hyphen", ["-", "\u00ad", "\u2010"])
def test_a_word_split_at_a_line_end_keeps_one_plain_hyphen(hyphen: str) -> None:
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.cidfonts import UnicodeCIDFont

    pdfmetrics.registerFont(UnicodeCIDFont("STSong-Light"))
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=(600, 800))
    canvas.setFont("STSong-Light" if hyphen == "\u2010" else "Helvetica", 12)
    canvas.drawString(50, 700, f"The valve must be opened slowly, else the whole instal{hyphen}")
    canvas.drawString(50, 686, "lation is damaged by the shock.")
    canvas.save()
    assert "instal-\nlation is" in read(buffer.getvalue()).text


def test_the_head_of_a_page_that_the_file_holds_last_is_read_first(make_pdf: PdfMaker) -> None:
    page = [
        (50.0, 200.0, "The pump is serviced every year by the maker."),
        (50.0, 100.0, "Service instructions for the large pump"),
    ]
    assert [text for _, text in blocks(read(make_pdf(page)))] == [page[1][2], page[0][2]]


def test_three_columns_are_read_one_after_the_other(make_pdf: PdfMaker) -> None:
    columns = [
        [f"{name} column line {word} goes" for word in "abcdefghij"]
        for name in ("left", "middle", "right")
    ]
    page = [(40.0 + 185 * x, 100.0 + 14 * y, columns[x][y]) for y in range(10) for x in range(3)]
    lines = read(make_pdf(page)).text.split()
    assert [line for line in lines if line in ("left", "middle", "right")] == (
        ["left"] * 10 + ["middle"] * 10 + ["right"] * 10
    )


def test_a_table_that_lies_on_its_side_is_read_row_by_row(real_documents: Path) -> None:
    path = real_documents / "open/nics-background-checks-2015-11-rotated.pdf"
    document = read(path.read_bytes())
    row = next(b for b in document.blocks if document.text.startswith("Alaska", b.start))
    values = [document.text[cell.start : cell.end] for cell in row.cells]
    assert values[:4] == ["Alaska", "209", "3,062", "3,209"]
    page = document.pages[0]
    (box,) = document.boxes.boxes(row.start, row.start + len("Alaska"))
    assert box.y1 - box.y0 > box.x1 - box.x0
    assert 0 <= box.x0 <= box.x1 <= page.width


def test_a_line_stretched_to_the_width_of_its_column_is_no_table_row() -> None:
    file = io.BytesIO()
    canvas = Canvas(file)
    canvas.setFont("Helvetica", 10)
    full = "The valve of the second pump opens at once"
    width = canvas.stringWidth(full)
    for y, words in ((700, full), (676, full)):
        canvas.drawString(72, y, words)
    pieces = ["when the old lamp", "burns, and it", "shuts"]
    blank = (width - sum(map(canvas.stringWidth, pieces))) / 2
    assert 14 < blank < 24
    x = 72.0
    for piece in pieces:
        canvas.drawString(x, 688, piece)
        x += canvas.stringWidth(piece) + blank
    canvas.save()
    found = read(file.getvalue())
    assert [str(block.kind) for block in found.blocks] == ["paragraph"]
    assert "when the old lamp burns, and it shuts" in " ".join(found.text.split())


def set_in_sizes(*lines: tuple[float, str]) -> Document:
    """A page of lines below each other, each at its size, with a gap where the size changes."""
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=(600, 800))
    y, before = 740.0, 0.0
    for size, text in lines:
        y -= 1.2 * size if size == before else 2.5 * size
        canvas.setFont("Helvetica", size)
        canvas.drawString(50, y, text)
        before = size
    canvas.save()
    return read(buffer.getvalue())


SMALL_PRINT = [
    (8.0, "Results may differ from those that the directors of the company now expect.")
] * 30


def test_text_larger_than_the_small_print_is_text_to_its_last_line() -> None:
    document = set_in_sizes(
        (15, "Dividend"),
        (10, "Summary of the year"),
        (
            10,
            "The board declared a dividend of 12 cents per share, and the record date will be the",
        ),
        (
            10,
            "seventh day of September. Holders on the register will be paid, and the payment date of",
        ),
        (10, "September 27, 2023, holds for all of them."),
        (15, "Repurchases"),
        (
            10,
            "The company repurchased 41 million shares, which is 3 percent of those outstanding, in",
        ),
        (
            10,
            "Fiscal year 2023, on the exchanges of two countries where they are listed and traded, at",
        ),
        (10, "total cost of $431 million."),
        *SMALL_PRINT,
    )
    found = blocks(document)
    assert [text for kind, text in found if kind == "heading"] == [
        "Dividend",
        "Summary of the year",
        "Repurchases",
    ]
    assert any(text.endswith("of\nSeptember 27, 2023, holds for all of them.") for _, text in found)
    assert any(text.endswith("at\ntotal cost of $431 million.") for _, text in found)


def test_a_line_that_begins_in_small_letters_is_the_rest_of_a_sentence() -> None:
    document = set_in_sizes((12, "Outlook of the year"), (10, "balance of trade"), *SMALL_PRINT)
    assert ("heading", "balance of trade") not in blocks(document)
    titled = set_in_sizes((12, "Report on the"), (12, "state of the pumps"), *SMALL_PRINT)
    assert blocks(titled)[0] == ("heading", "Report on the\nstate of the pumps")


def test_the_last_line_of_a_sentence_is_no_heading_though_it_is_large_and_short() -> None:
    document = set_in_sizes(
        (
            10,
            "It was in breach of the rules on the health and the safety of those who worked there, and",
        ),
        (
            10,
            "of people who came there to visit, under regulation 12 of the Health and Social Care Act",
        ),
        (10, "Regulations 2014 (Activities)"),
        *SMALL_PRINT,
    )
    assert "heading" not in [kind for kind, _ in blocks(document)]


def set_bold(*lines: str) -> Document:
    """Lines of which those that begin with "*" are set in bold type, above a page of text."""
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=(600, 800))
    text = ["The pump stands beside the tank and it runs all day and all night long."] * 12
    for number, line in enumerate((*lines, *text)):
        canvas.setFont("Helvetica-Bold" if line.startswith("*") else "Helvetica", 12)
        canvas.drawString(50, 740 - 14 * number, line.removeprefix("*"))
    canvas.save()
    return read(buffer.getvalue())


@pytest.mark.parametrize(
    ("lines", "heading"),
    [
        (("*Six in ten now go online, and just", "*under half are broadband adopters"), 2),
        (("*Line 48", "*contributions credit (see Form 8880)."), 2),
        # A heading that runs on in the line of its text, and text below in small letters.
        (("*Retirement savings", "*contributions credit. You may be"), 1),
        (("*Retirement savings", "of former employees are kept by the fund."), 1),
    ],
)
def test_a_heading_goes_on_in_the_next_line(lines: tuple[str, ...], heading: int) -> None:
    kind, text = blocks(set_bold(*lines))[0]
    assert kind == "heading"
    assert text.split("\n") == [line.removeprefix("*") for line in lines[:heading]]


def test_bold_text_below_a_bold_line_is_no_heading() -> None:
    lines = ("*Read this first", "*before the pump is started, and", "*keep it beside the pump")
    assert blocks(set_bold(*lines))[0] == ("heading", "Read this first")
