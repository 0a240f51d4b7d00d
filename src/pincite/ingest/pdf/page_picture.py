"""Renders a page of a PDF, in a process that has access only to that file."""

from __future__ import annotations

import io

import pypdfium2
from pypdfium2 import PdfiumError

from pincite.errors import ReadError

_MOST_PIXELS = 24_000_000
"""An A4 page at four pixels per point has eight million."""


def page_picture(content: bytes, page: int, scale: float) -> bytes:
    """A PNG of a page (from 1) as displayed. Raises ReadError.

    A page that would be too large is scaled down.
    """
    try:
        with pypdfium2.PdfDocument(content) as pdf:
            if not 1 <= page <= len(pdf):
                raise ReadError(f"there is no page {page}; it has {len(pdf)} pages")
            drawn = pdf[page - 1]
            width, height = drawn.get_size()
            scale = min(scale, (_MOST_PIXELS / max(1.0, width * height)) ** 0.5)
            picture = drawn.render(scale=scale).to_pil()
    except PdfiumError as error:
        raise ReadError(f"this page cannot be rendered ({error})") from None
    buffer = io.BytesIO()
    picture.save(buffer, "png", compress_level=4)
    return buffer.getvalue()
