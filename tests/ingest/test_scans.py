"""What is said of pages that nobody recognised."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest
from reportlab.pdfgen.canvas import Canvas

from pincite.ingest.pdf import scans
from pincite.ingest.pdf.reader import PdfReader
from pincite.ingest.pdf.scans import RecognisedPage
from pincite.ingest.pdf.styles import PLAIN
from pincite.ingest.pdf.words import Word
from pincite.ingest.reading import ReadingOptions
from pincite.records.document import Coverage, Document

ScanMaker = Callable[..., bytes]


class FakeRecogniser:
    """Sees one doubtful word on every page, or fails."""

    confidence = 0.4
    error: Exception | None = None

    def __init__(self, on_new: object = None) -> None:
        del on_new

    def read(self, page: object) -> RecognisedPage:
        if self.error:
            raise self.error
        word = Word("Blurred.", 10, 10, 90, 22, 12, PLAIN, glued=False)
        word.confidence = self.confidence
        return RecognisedPage(lines=[[word]], confidence=self.confidence, letters=7)


def read(content: bytes, **options: int) -> Document:
    return PdfReader(ReadingOptions(**options)).read(Path("scan.pdf"), content)  # type: ignore[arg-type]


def test_without_the_extra_the_gap_says_what_to_install(
    make_scan: ScanMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scans, "recogniser_name", lambda: "")
    document = read(make_scan("one", "two"))
    assert document.gaps == (
        "pages 1-2 of 2 have no text (a scan or a picture); install pincite[ocr] to read them",
    )
    assert document.coverage is Coverage.PARTIAL
    assert document.pages[1].gap == "no text (a scan or a picture)"


def test_where_it_is_turned_off_the_gap_says_so(
    make_scan: ScanMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scans, "recogniser_name", lambda: "rapidocr 3")
    (gap,) = read(make_scan("one"), recognise=False).gaps
    assert gap.endswith("set ingest.ocr to auto to read it")


def test_a_blank_page_misses_nothing() -> None:
    buffer = io.BytesIO()
    canvas = Canvas(buffer)
    canvas.drawString(50, 700, "A page with some words on it.")
    canvas.showPage()
    canvas.showPage()
    canvas.save()
    document = read(buffer.getvalue(), recognise=False)
    assert (document.gaps, len(document.pages)) == ((), 2)


def test_a_doubtful_page_is_told(make_scan: ScanMaker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scans, "recogniser_name", lambda: "rapidocr 3")
    monkeypatch.setattr(scans, "PageRecogniser", FakeRecogniser)
    document = read(make_scan("one", "two"))
    assert document.text == "Blurred.\n\nBlurred."
    assert document.gaps == ()
    (warning,) = document.warnings
    assert warning.startswith("pages 1-2 of 2 are recognised in a picture with little certainty")
    assert "0.40 of 1" in warning


def test_a_recogniser_that_fails_costs_the_page_only(
    make_scan: ScanMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    failing = type("Failing", (FakeRecogniser,), {"error": IndexError("list index out of range")})
    monkeypatch.setattr(scans, "recogniser_name", lambda: "rapidocr 3")
    monkeypatch.setattr(scans, "PageRecogniser", failing)
    document = read(make_scan("one"))
    assert document.gaps == (
        "page 1 is a picture that could not be recognised (IndexError); nothing on it can be found",
    )


def test_pages_beyond_the_limit_are_a_gap(make_scan: ScanMaker) -> None:
    document = read(make_scan("one", "two", "three"), recognise=False, max_pages=1)
    assert len(document.pages) == 1
    assert document.gaps[-1] == (
        "pages 2-3 of 3 are not read, because the limit is 1 per file; raise ingest.max_pages or split "
        "the file"
    )


def test_a_sign_of_life_is_given_for_every_page(make_scan: ScanMaker) -> None:
    signs: list[int] = []
    options = ReadingOptions(recognise=False, on_page=lambda: signs.append(1))
    PdfReader(options).read(Path("scan.pdf"), make_scan(*["page"] * 30))
    assert len(signs) == 30
