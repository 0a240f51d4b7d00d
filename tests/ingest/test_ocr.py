"""What the recogniser makes of pictures of pages; needs the extra `ocr`."""

from __future__ import annotations

import io
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pypdfium2
import pytest
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from pincite.ingest.pdf.reader import PdfReader
from pincite.ingest.pdf.scans import words_of_line
from pincite.ingest.sandbox.sandbox import SandboxedReader
from pincite.records.document import Document
from tests.conftest import photographed

ScanMaker = Callable[..., bytes]

needs_ocr = pytest.mark.usefixtures("recogniser")


@pytest.fixture(scope="module")
def recogniser() -> None:
    pytest.importorskip("rapidocr", reason="the extra `ocr` is not installed")


def read(content: bytes) -> Document:
    return PdfReader().read(Path("scan.pdf"), content)


def test_letters_keep_the_boxes_of_the_pieces_they_came_in() -> None:
    pieces = [("Pump", (0.0, 0.0, 40.0, 9.0)), ("P-101", (50.0, 0.0, 90.0, 9.0))]
    words = list(words_of_line("Pump P-101", pieces, (0.0, 1.0, 95.0, 11.0)))
    assert [(word.text, word.x0, word.x1) for word in words] == [
        ("Pump", 0.0, 40.0),
        ("P-101", 50.0, 90.0),
    ]
    assert {(word.y0, word.y1) for word in words} == {(1.0, 11.0)}


def test_chinese_signs_are_words_of_their_own_without_spaces() -> None:
    pieces = [(sign, (10.0 * at, 0.0, 10.0 * at + 9, 9.0)) for at, sign in enumerate("水泵P1号")]
    words = list(words_of_line("水泵 P1号", pieces, (0.0, 0.0, 50.0, 9.0)))
    assert [(word.text, word.glued) for word in words] == [
        ("水", False),
        ("泵", True),
        ("P1", False),
        ("号", True),
    ]
    assert (words[2].x0, words[2].x1) == (20.0, 39.0)


def test_pieces_that_do_not_spell_the_line_give_even_boxes() -> None:
    words = list(words_of_line("ab cd", [("a", (0.0, 0.0, 1.0, 1.0))], (0.0, 0.0, 40.0, 9.0)))
    assert [(word.text, word.x0, word.x1) for word in words] == [("ab", 0.0, 20.0), ("cd", 20, 40)]


@needs_ocr
def test_a_scan_is_read_with_words_where_they_stand(make_scan: ScanMaker) -> None:
    document = read(make_scan("The pump was serviced in March.\nNext date: 14 June 2025."))
    assert document.text.split() == [
        *("The", "pump", "was", "serviced", "in", "March."),
        *("Next", "date:", "14", "June", "2025."),
    ]
    assert document.gaps == ()
    assert all(page.gap == "" for page in document.pages)
    at = document.text.index("June")
    box = document.boxes.boxes(at, at + 4)[0]
    # Helvetica of 14 points: "Next date: 14 " is 88 wide and begins at 60; the line stands at 101.
    assert 140 < box.x0 < 155
    assert 80 < box.y0 < 92
    assert 99 < box.y1 < 110


@needs_ocr
def test_every_recognised_line_says_how_sure_it_is(make_scan: ScanMaker) -> None:
    document = read(make_scan("The pump was serviced in March.\nNext date: 14 June 2025."))
    lines = [document.text[line.start : line.end] for line in document.recognised]
    assert lines == ["The pump was serviced in March.", "Next date: 14 June 2025."]
    assert all(0.8 < line.confidence <= 1 for line in document.recognised)
    assert document.confidence(0, 8) is not None
    assert document.warnings == ()


@needs_ocr
def test_columns_of_a_scan_are_read_one_after_the_other() -> None:
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=(600, 800))
    left = "the left column tells of pumps and their long service life"
    right = "a right column speaks about valves which open and close"
    for number in range(10):
        canvas.drawString(50, 700 - 16 * number, f"{left.split()[number]} in the left column here")
        canvas.drawString(330, 700 - 16 * number, f"{right.split()[number]} in the right one there")
    canvas.showPage()
    canvas.save()
    text = read(photographed(buffer.getvalue())).text
    assert text.index("service in the left") < text.index("speaks in the right")


@needs_ocr
def test_a_picture_without_text_stays_a_gap(make_scan: ScanMaker) -> None:
    document = read(make_scan("A first page that has words.", ""))
    (gap,) = document.gaps
    assert gap.startswith("page 2 is a picture in which no text was recognised")
    assert [page.gap for page in document.pages] == [
        "",
        "a picture in which no text was recognised",
    ]


@needs_ocr
def test_a_scan_with_a_stamp_of_text_is_read_as_well(make_scan: ScanMaker) -> None:
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=(600, 800))
    lines = ["All statements of this page are part of the picture."] * 4
    scan = io.BytesIO(make_scan("\n".join(lines)))
    pdf = pypdfium2.PdfDocument(scan)
    picture = ImageReader(pdf[0].render(scale=2).to_pil())
    pdf.close()
    canvas.drawImage(picture, 0, 0, 600, 800)
    canvas.drawString(60, 40, "RECEIVED 7")
    canvas.showPage()
    canvas.save()
    text = read(buffer.getvalue()).text
    assert text.count("part of the picture") == 4
    assert "RECEIVED 7" in text


@needs_ocr
def test_the_limited_reader_process_can_recognise(tmp_path: Path, make_scan: ScanMaker) -> None:
    path = tmp_path / "scan.pdf"
    path.write_bytes(make_scan("Read in a process with little memory.", "And a second page."))
    with SandboxedReader() as reader:
        document = reader.read(path)
    assert document.text == "Read in a process with little memory.\n\nAnd a second page."
    assert document.gaps == ()


@needs_ocr
def test_recognising_asks_nothing_of_the_network(tmp_path: Path, make_scan: ScanMaker) -> None:
    path = tmp_path / "scan.pdf"
    path.write_bytes(make_scan("Nothing is fetched."))
    script = (
        "import sys; from pathlib import Path\n"
        "asked = []\n"
        "watch = lambda event, _: asked.append(event) if event in (\n"
        "    'socket.connect', 'socket.getaddrinfo', 'socket.sendto') else None\n"
        "sys.addaudithook(watch)\n"
        "from pincite.ingest.pdf.reader import PdfReader\n"
        "path = Path(sys.argv[1])\n"
        "print(PdfReader().read(path, path.read_bytes()).text)\n"
        "sys.exit(len(asked))\n"
    )
    search = f"import sys; sys.path[:] = {sys.path!r}\n"
    run = subprocess.run(
        [sys.executable, "-c", search + script, str(path)], capture_output=True, text=True
    )
    assert (run.returncode, run.stdout) == (0, "Nothing is fetched.\n"), run.stderr
