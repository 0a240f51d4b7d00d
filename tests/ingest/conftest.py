"""Fixtures for the readers: small files made on the spot, and the folder of real documents."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Sequence
from pathlib import Path

import docx
import pypdfium2
import pytest
from reportlab.pdfgen.canvas import Canvas

PdfMaker = Callable[..., bytes]
Line = tuple[float, float, str]


@pytest.fixture(scope="session")
def real_documents() -> Path:
    """The folder of real files; the tests that need it are skipped where it is absent."""
    beside = Path(__file__).resolve().parents[3] / "shared"
    folder = Path(os.environ.get("PINCITE_SHARED", beside)) / "documents"
    if not folder.is_dir():
        pytest.skip(f"the real documents are not here ({folder}); set PINCITE_SHARED")
    return folder


@pytest.fixture
def make_pdf() -> PdfMaker:
    """Makes a PDF; each page is a list of (x, y from the top, text) in 12 point Helvetica."""

    def make(*pages: Sequence[Line], rotation: int = 0, title: str | None = None) -> bytes:
        buffer = io.BytesIO()
        canvas = Canvas(buffer, pagesize=(600, 800))
        if title:
            canvas.setTitle(title)
        for lines in pages:
            canvas.setFont("Helvetica", 12)
            for x, y, text in lines:
                canvas.drawString(x, 800 - y, text)
            canvas.showPage()
        canvas.save()
        return _rotated(buffer.getvalue(), rotation) if rotation else buffer.getvalue()

    return make


def _rotated(content: bytes, rotation: int) -> bytes:
    # Not by reportlab, which also swaps the sides of the page.
    pdf = pypdfium2.PdfDocument(content)
    for page in pdf:
        page.set_rotation(rotation)
    buffer = io.BytesIO()
    pdf.save(buffer)
    return buffer.getvalue()


@pytest.fixture
def docx_bytes() -> Callable[[docx.document.Document], bytes]:
    """Turns a python-docx document into the bytes of a file."""

    def save(document: docx.document.Document) -> bytes:
        buffer = io.BytesIO()
        document.save(buffer)
        return buffer.getvalue()

    return save
