"""Reads what a viewer shows on top of a PDF page: comments and the contents of form fields.

Nothing is executed; PDFium as pypdfium2 ships it has no script engine.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass

import pypdfium2
import pypdfium2.raw as pdfium

from pincite.ingest.pdf_frame import PageFrame, Rectangle

_MOST_ANNOTATIONS = 2000
_MOST_CHARACTERS = 20_000
_HIDDEN = 1 << 1
_NOT_VIEWED = 1 << 5
_COMMENTS = {
    pdfium.FPDF_ANNOT_TEXT,
    pdfium.FPDF_ANNOT_FREETEXT,
    pdfium.FPDF_ANNOT_HIGHLIGHT,
    pdfium.FPDF_ANNOT_UNDERLINE,
    pdfium.FPDF_ANNOT_SQUIGGLY,
    pdfium.FPDF_ANNOT_STRIKEOUT,
    pdfium.FPDF_ANNOT_STAMP,
    pdfium.FPDF_ANNOT_CARET,
    pdfium.FPDF_ANNOT_INK,
    pdfium.FPDF_ANNOT_SQUARE,
    pdfium.FPDF_ANNOT_CIRCLE,
    pdfium.FPDF_ANNOT_LINE,
    pdfium.FPDF_ANNOT_POLYGON,
}
_SHOWN_FIELDS = {
    pdfium.FPDF_FORMFIELD_TEXTFIELD,
    pdfium.FPDF_FORMFIELD_COMBOBOX,
    pdfium.FPDF_FORMFIELD_LISTBOX,
}


@dataclass(frozen=True, slots=True)
class Note:
    """The text of one annotation or form field, and its place on the page."""

    text: str
    place: Rectangle


def page_notes(page: pypdfium2.PdfPage, frame: PageFrame) -> Iterator[Note]:
    """The comments and filled fields of a page, in the order of the file."""
    for index in range(min(pdfium.FPDFPage_GetAnnotCount(page.raw), _MOST_ANNOTATIONS)):
        annotation = pdfium.FPDFPage_GetAnnot(page.raw, index)
        if not annotation:
            continue
        try:
            text = "" if _is_hidden(annotation) else _text(annotation, page.formenv)
            if text.strip():
                yield Note(text.strip()[:_MOST_CHARACTERS], _place(annotation, frame))
        finally:
            pdfium.FPDFPage_CloseAnnot(annotation)


def _is_hidden(annotation: object) -> bool:
    return bool(pdfium.FPDFAnnot_GetFlags(annotation) & (_HIDDEN | _NOT_VIEWED))


def _text(annotation: object, form: pypdfium2.PdfFormEnv | None) -> str:
    kind = pdfium.FPDFAnnot_GetSubtype(annotation)
    if kind in _COMMENTS:
        return _read(pdfium.FPDFAnnot_GetStringValue, annotation, b"Contents")
    if kind != pdfium.FPDF_ANNOT_WIDGET or form is None:
        return ""
    if pdfium.FPDFAnnot_GetFormFieldType(form.raw, annotation) not in _SHOWN_FIELDS:
        return ""
    return _read(pdfium.FPDFAnnot_GetFormFieldValue, form.raw, annotation)


def _read(function: object, *arguments: object) -> str:
    """A text that PDFium writes into a buffer, as UTF-16 with a closing zero."""
    assert callable(function)
    length = min(function(*arguments, None, 0), 4 * _MOST_CHARACTERS)
    if length <= 2:
        return ""
    buffer = (ctypes.c_ushort * (length // 2 + 1))()
    function(*arguments, buffer, length)
    return bytes(buffer)[: length - 2].decode("utf-16-le", "replace").replace("\r", "\n")


def _place(annotation: object, frame: PageFrame) -> Rectangle:
    corners = pdfium.FS_RECTF()
    pdfium.FPDFAnnot_GetRect(annotation, corners)
    left, right = sorted((corners.left, corners.right))
    bottom, top = sorted((corners.bottom, corners.top))
    x0, y0, x1, y1 = frame.place(left, right, bottom, top)
    # One beside the page is listed by viewers all the same: it gets a place at the edge.
    x0, y0 = min(x0, frame.width), min(y0, frame.height)
    return x0, y0, max(x0, x1), max(y0, y1)
