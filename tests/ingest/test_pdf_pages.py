from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pypdfium2
import pytest
from PIL import Image
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from pincite.ingest.pdf.reader import PdfReader
from pincite.ingest.pdf.report import page_list
from pincite.ingest.reading import ReadingOptions
from pincite.records.document import Coverage, Document, FlagKind
from tests.ingest.raw_pdf import raw_pdf


def read(content: bytes) -> Document:
    return PdfReader().read(Path("pages.pdf"), content)


def draw(*pages: Callable[[Canvas], None]) -> bytes:
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=(600, 800))
    for paint in pages:
        paint(canvas)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def prose(canvas: Canvas) -> None:
    canvas.drawString(50, 700, "The pump is serviced every year.")


def scan(canvas: Canvas) -> None:
    image = ImageReader(Image.new("RGB", (8, 8), "gray"))
    canvas.drawImage(image, 50, 100, width=400, height=500)


def blank(canvas: Canvas) -> None:
    canvas.setLineWidth(2)


def both(canvas: Canvas) -> None:
    prose(canvas)
    scan(canvas)


def icon(canvas: Canvas) -> None:
    prose(canvas)
    canvas.drawImage(ImageReader(Image.new("RGB", (8, 8), "red")), 50, 750, width=20, height=20)


def test_a_page_that_is_a_picture_is_a_gap() -> None:
    unread = PdfReader(ReadingOptions(recognise=False))
    document = unread.read(Path("pages.pdf"), draw(prose, scan, prose, scan))
    (gap,) = document.gaps
    assert gap.startswith("pages 2, 4 of 4 have no text (a scan or a picture); ")
    assert document.coverage is Coverage.PARTIAL
    assert [bool(page.gap) for page in document.pages] == [False, True, False, True]


def test_a_blank_page_is_told_but_nothing_is_missing_on_it() -> None:
    document = read(draw(prose, blank))
    assert document.coverage is Coverage.COMPLETE
    assert document.warnings == ("page 2 is blank",)


def test_pictures_large_enough_to_hold_text_are_counted() -> None:
    assert [page.images for page in read(draw(prose, both, icon)).pages] == [0, 1, 0]


def test_page_lists_are_short() -> None:
    assert page_list([3, 4, 5, 9], 12) == "pages 3-5, 9 of 12 are"
    assert page_list([7], 12, verb="has") == "page 7 has"


def test_pages_have_the_numbers_printed_on_them(real_documents: Path) -> None:
    path = real_documents / "pdfqa-open/watch_d.pdf"
    labels = [page.label for page in read(path.read_bytes()).pages]
    assert labels[:4] == ["i", "ii", "1", "2"]


def test_labels_that_only_repeat_the_number_are_left_out() -> None:
    assert [page.label for page in read(draw(prose, prose)).pages] == ["", ""]


def test_contents_of_form_fields_are_read_where_they_are_shown() -> None:
    def form(canvas: Canvas) -> None:
        prose(canvas)
        canvas.acroForm.textfield(
            name="serial", value="SN 4711", x=100, y=300, width=120, height=20
        )

    document = read(draw(form))
    assert "SN 4711" in document.text
    start = document.text.index("SN 4711")
    (box,) = document.boxes.boxes(start, start + 7)
    assert box.y0 == pytest.approx(480, abs=3)


def test_comments_are_read(real_documents: Path) -> None:
    text = read((real_documents / "open/annotated_pdf.pdf").read_bytes()).text
    assert {"This is a text annotation.", "Highlight comment", "Hello world!"} <= set(
        text.split("\n\n")
    )


def test_scripts_are_flagged() -> None:
    content = draw(prose)
    script = b"/Type /Catalog /OpenAction << /S /JavaScript /JS (app.alert\\(1\\)) >>"
    document = read(content.replace(b"/Type /Catalog", script))
    details = {flag.detail for flag in document.flags if flag.kind is FlagKind.ACTIVE_CONTENT}
    assert details == {
        "it contains JavaScript; nothing was run",
        "it contains an action on opening; nothing was run",
    }


def test_attached_files_are_flagged() -> None:
    pdf = pypdfium2.PdfDocument(draw(prose))
    pdf.new_attachment("payload.exe").set_data(b"MZ")
    buffer = io.BytesIO()
    pdf.save(buffer)
    (flag,) = read(buffer.getvalue()).flags
    assert flag.kind is FlagKind.ATTACHMENT
    assert "'payload.exe'" in flag.detail


def test_an_opening_view_is_no_active_content() -> None:
    content = draw(prose).replace(b"/Type /Catalog", b"/Type /Catalog /OpenAction [ 3 0 R /Fit ]")
    assert read(content).flags == ()


@pytest.mark.parametrize("is_drawn_by_reader", [False, True])
def test_a_form_without_fields_that_are_read_is_a_gap(is_drawn_by_reader: bool) -> None:
    xfa = b'<xdp:xdp xmlns:xdp="http://ns.adobe.com/xdp/"><f><Length>7.4</Length></f></xdp:xdp>'
    lines = [(12, 700, "Registration of a boat")]
    content = raw_pdf(lines, xfa=xfa, is_drawn_by_reader=is_drawn_by_reader)
    document = read(content)
    assert [gap for gap in document.gaps if "XFA" in gap]
    assert "7.4" not in document.text
    assert not read(raw_pdf(lines)).gaps
