"""Tells which text of a PDF page stands in layers that are switched off.

Whether a layer shows follows from lists, policies and expressions that may refer to each other. PDFium
works that out when it draws a page, and tells nobody. So each piece of text that may be in a layer is
drawn alone: what leaves no trace is switched off.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import pypdfium2.raw as pdfium

from pincite.ingest.pdf_calls import ADDRESS, Pointer, address_of, direct, pointer_to

_MOST_PIECES = 1_000
"""Text of more pieces than this is not drawn, and counts as switched off."""
_DEEPEST = 64
_MOST_MARKS = 16
_LONGEST_SIDE = 800
_LONGEST_NAME = 32
_BYTES_A_PIXEL = 4

_count_on_page = direct(pdfium.FPDFPage_CountObjects, ctypes.c_int)
_on_page = direct(pdfium.FPDFPage_GetObject, ADDRESS)
_count_in_form = direct(pdfium.FPDFFormObj_CountObjects, ctypes.c_int)
_in_form = direct(pdfium.FPDFFormObj_GetObject, ADDRESS)
_type = direct(pdfium.FPDFPageObj_GetType, ctypes.c_int)
_count_marks = direct(pdfium.FPDFPageObj_CountMarks, ctypes.c_int)
_mark = direct(pdfium.FPDFPageObj_GetMark, ADDRESS)
_set_active = direct(pdfium.FPDFPageObj_SetIsActive, ctypes.c_int)
_render_mode = direct(pdfium.FPDFTextObj_GetTextRenderMode, ctypes.c_int)
_set_render_mode = direct(pdfium.FPDFTextObj_SetTextRenderMode, ctypes.c_int)

_Key = tuple[int, ...]
_Call = Callable[..., int]


def text_in_layers_off(page: object) -> frozenset[int]:
    """The addresses of the text objects of a page that a viewer does not show."""
    objects = _Objects()
    objects.collect(pointer_to(address_of(page)), (), _count_on_page, _on_page)
    if not objects.pieces:
        return frozenset()
    off: set[int] = set()
    drawing = _Drawing(page)
    objects.set_active(objects.all, active=False)
    for number, (forms, texts) in enumerate(objects.pieces.values()):
        if number >= _MOST_PIECES or not objects.shows(drawing, forms, texts):
            off.update(texts)
    objects.set_active(objects.all, active=True)
    return frozenset(off)


@dataclass(slots=True)
class _Objects:
    """What is on a page and in its forms."""

    all: list[int] = field(default_factory=list)
    pieces: dict[tuple[_Key, _Key], tuple[_Key, list[int]]] = field(default_factory=dict)
    """Text by the forms it stands in and by its marks of layers, where it has any of both."""

    def collect(self, holder: Pointer, forms: _Key, count: _Call, at: _Call) -> None:
        """Note the objects of a page or form, and those of the forms in it."""
        for number in range(count(holder)):
            address = at(holder, number)
            self.all.append(address)
            page_object = pointer_to(address)
            kind = _type(page_object)
            if kind == pdfium.FPDF_PAGEOBJ_FORM and len(forms) < _DEEPEST:
                self.collect(page_object, (*forms, address), _count_in_form, _in_form)
            elif kind == pdfium.FPDF_PAGEOBJ_TEXT:
                marks = tuple(_layer_marks(page_object))
                if forms or marks:
                    self.pieces.setdefault((forms, marks), (forms, []))[1].append(address)

    def set_active(self, addresses: list[int] | _Key, *, active: bool) -> None:
        """Have objects drawn, or left out."""
        for address in addresses:
            _set_active(pointer_to(address), int(active))

    def shows(self, drawing: _Drawing, forms: _Key, texts: list[int]) -> bool:
        """Whether a piece of text, drawn alone, leaves a trace; also one that is drawn invisibly."""
        modes = [_render_mode(pointer_to(text)) for text in texts]
        together = (*forms, *texts)
        self.set_active(together, active=True)
        for text in texts:
            _set_render_mode(pointer_to(text), pdfium.FPDF_TEXTRENDERMODE_FILL)
        found = drawing.shows_anything()
        for text, mode in zip(texts, modes, strict=True):
            _set_render_mode(pointer_to(text), mode)
        self.set_active(together, active=False)
        return found


class _Drawing:
    """A small picture of a page, without a background."""

    def __init__(self, page: object) -> None:
        self._page = page
        width = max(pdfium.FPDF_GetPageWidthF(page), 1.0)
        height = max(pdfium.FPDF_GetPageHeightF(page), 1.0)
        scale = _LONGEST_SIDE / max(width, height)
        self._size = max(1, int(width * scale)), max(1, int(height * scale))
        self._nothing = bytes(self._size[0] * self._size[1] * _BYTES_A_PIXEL)

    def shows_anything(self) -> bool:
        """Draw the page as it is now."""
        width, height = self._size
        pixels = ctypes.create_string_buffer(len(self._nothing))
        bitmap = pdfium.FPDFBitmap_CreateEx(
            width, height, pdfium.FPDFBitmap_BGRA, pixels, width * _BYTES_A_PIXEL
        )
        try:
            pdfium.FPDF_RenderPageBitmap(bitmap, self._page, 0, 0, width, height, 0, 0)
        finally:
            pdfium.FPDFBitmap_Destroy(bitmap)
        return pixels.raw != self._nothing


def _layer_marks(page_object: Pointer) -> Iterator[int]:
    for number in range(min(_count_marks(page_object), _MOST_MARKS)):
        address = _mark(page_object, number)
        if _mark_name(ctypes.cast(address, pdfium.FPDF_PAGEOBJECTMARK)) == "OC":
            yield address


def _mark_name(mark: object) -> str:
    buffer = (ctypes.c_ushort * _LONGEST_NAME)()
    length = ctypes.c_ulong()
    found = pdfium.FPDFPageObjMark_GetName(mark, buffer, 2 * _LONGEST_NAME, ctypes.byref(length))
    if not found or not 2 < length.value <= 2 * _LONGEST_NAME:
        return ""
    return bytes(buffer)[: length.value - 2].decode("utf-16-le", "replace")
