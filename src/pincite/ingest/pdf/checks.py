"""Checks for each text object of a PDF page whether its text is what the page shows.

PDFium reports the marks around it (a layer, replacement text), its clipping, and what is painted over
it.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

import pypdfium2.raw as pdfium

from pincite.ingest.pdf.styles import (
    ADDRESS,
    FillColours,
    Pointer,
    TextStyle,
    address_of,
    direct,
    font_name,
    pointer_to,
)
from pincite.ingest.pdf.text_layer import TextLayer
from pincite.ingest.pdf.words import Rectangle

# Finds the text of a PDF page that is in layers that are switched off.

_MOST_PIECES = 1_000
"""Text with more pieces than this is not test-rendered, and counts as switched off."""
_DEEPEST = 64
_MOST_MARKS = 16
_LONGEST_SIDE = 800
_LONGEST_LAYER_NAME = 32
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
    """The objects of a page and its forms."""

    all: list[int] = field(default_factory=list)
    pieces: dict[tuple[_Key, _Key], tuple[_Key, list[int]]] = field(default_factory=dict)
    """Text objects by their enclosing forms and layer marks, if they have any."""

    def collect(self, holder: Pointer, forms: _Key, count: _Call, at: _Call) -> None:
        """Record the objects of a page or form, including those of nested forms."""
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
        """Include objects in rendering, or exclude them."""
        for address in addresses:
            _set_active(pointer_to(address), int(active))

    def shows(self, drawing: _Drawing, forms: _Key, texts: list[int]) -> bool:
        """Whether a piece of text, drawn alone, leaves a trace, even if its rendering is invisible."""
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
    """A small rendering of a page, without a background."""

    def __init__(self, page: object) -> None:
        self._page = page
        width = max(pdfium.FPDF_GetPageWidthF(page), 1.0)
        height = max(pdfium.FPDF_GetPageHeightF(page), 1.0)
        scale = _LONGEST_SIDE / max(width, height)
        self._size = max(1, int(width * scale)), max(1, int(height * scale))
        self._nothing = bytes(self._size[0] * self._size[1] * _BYTES_A_PIXEL)

    def shows_anything(self) -> bool:
        """Render the page in its current state; whether any pixel is set."""
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
    buffer = (ctypes.c_ushort * _LONGEST_LAYER_NAME)()
    length = ctypes.c_ulong()
    found = pdfium.FPDFPageObjMark_GetName(
        mark, buffer, 2 * _LONGEST_LAYER_NAME, ctypes.byref(length)
    )
    if not found or not 2 < length.value <= 2 * _LONGEST_LAYER_NAME:
        return ""
    return bytes(buffer)[: length.value - 2].decode("utf-16-le", "replace")


MAPPED = "text in a font that maps to different letters than it draws"
OFF = "text in a layer that is switched off"
CUT_OFF = "text clipped away"
COVERED = "text covered by something painted over it"

_MOST_OBJECTS = 20_000
_MOST_COVERS = 200
_LONGEST_NAME = 256
_OPAQUE = 255
_AT_THE_EDGE = 0.5
_RECTANGLE = range(4, 6)

_bounds = direct(pdfium.FPDFPageObj_GetBounds, ctypes.c_int)
_transparent = direct(pdfium.FPDFPageObj_HasTransparency, ctypes.c_int)
_count_segments = direct(pdfium.FPDFPath_CountSegments, ctypes.c_int)
_draw_mode = direct(pdfium.FPDFPath_GetDrawMode, ctypes.c_int)
_clip = direct(pdfium.FPDFPageObj_GetClipPath, ADDRESS)
_clip_paths = direct(pdfium.FPDFClipPath_CountPaths, ctypes.c_int)
_clip_segments = direct(pdfium.FPDFClipPath_CountPathSegments, ctypes.c_int)
_clip_segment = direct(pdfium.FPDFClipPath_GetPathSegment, ADDRESS)
_point = direct(pdfium.FPDFPathSegment_GetPoint, ctypes.c_int)
_FOUR = struct.Struct("4f")

Box = Rectangle
"""Left, bottom, right, top, in PDF coordinates."""


class PageChecks:
    """The checks of one page; objects inside forms are only checked for fonts and marks."""

    def __init__(self, page: object, layer: TextLayer) -> None:
        self._layer = layer
        self._names: dict[int, bytes] = {}
        self._clips: dict[int, Box | None] = {}
        self._numbers = bytearray(_FOUR.size)
        start = ctypes.addressof(ctypes.c_char.from_buffer(self._numbers))
        self._pointers = [pointer_to(start + 4 * number) for number in range(4)]
        self._order: dict[int, int] = {}
        self._off = text_in_layers_off(page) if layer.has_layers else frozenset()
        self._covers = list(self._later_covers(pointer_to(address_of(page))))

    def of(self, address: int, font: int, style: TextStyle) -> TextStyle:
        """The style of the object at this address; unchanged if the object is ordinary."""
        text_object = pointer_to(address)
        unseen = self._unseen(address, text_object, font)
        replaced = self._is_font_in(font, self._layer.odd_fonts) or (
            _count_marks(text_object) > 0 and _is_replaced(text_object)
        )
        return replace(style, unseen=unseen, replaced=replaced) if unseen or replaced else style

    def _unseen(self, address: int, text_object: Pointer, font: int) -> str:
        if self._is_font_in(font, self._layer.wrong_fonts):
            return MAPPED
        if address in self._off:
            return OFF
        place = self._order.get(address)
        if place is None:
            return ""
        box = self._box(text_object)
        if box is None:
            return ""
        clip = self._clip_of(text_object)
        if clip is not None and not _overlap(box, clip):
            return CUT_OFF
        if any(order > place and _encloses(cover, box) for order, cover in self._covers):
            return COVERED
        return ""

    def _is_font_in(self, font: int, names: frozenset[bytes]) -> bool:
        if not names or not font:
            return False
        if font not in self._names:
            self._names[font] = font_name(font)
        return self._names[font] in names

    def _later_covers(self, page: Pointer) -> Iterator[tuple[int, Box]]:
        """Opaque rectangles and pictures painted after some text, with their drawing order."""
        colours, seen_text, found = FillColours(), False, 0
        for order in range(min(_count_on_page(page), _MOST_OBJECTS)):
            one = _on_page(page, order)
            page_object = pointer_to(one)
            kind = _type(page_object)
            if kind == pdfium.FPDF_PAGEOBJ_TEXT:
                seen_text = True
                self._order[one] = order
            elif seen_text and found < _MOST_COVERS and self._is_opaque(page_object, kind, colours):
                box, clip = self._box(page_object), self._clip_of(page_object)
                if box is not None and clip is not None:
                    box = _intersection(box, clip)
                if box is not None:
                    found += 1
                    yield order, box

    def _is_opaque(self, page_object: Pointer, kind: int, colours: FillColours) -> bool:
        if kind != pdfium.FPDF_PAGEOBJ_PATH or _transparent(page_object):
            return False
        mode = (ctypes.c_int * 2)()
        _draw_mode(page_object, mode, ctypes.byref(mode, 4))
        if not mode[0] or _count_segments(page_object) not in _RECTANGLE:
            return False
        colour = colours.of(page_object)
        return colour is not None and colour[3] == _OPAQUE

    def _box(self, page_object: Pointer) -> Box | None:
        if not _bounds(page_object, *self._pointers):
            return None
        left, bottom, right, top = _FOUR.unpack(self._numbers)
        return left, bottom, right, top

    def _clip_of(self, page_object: Pointer) -> Box | None:
        """The bounding box of an object's clip path; None if it is not clipped."""
        clip = pointer_to(_clip(page_object))
        count = _clip_paths(clip)
        box: Box | None = None
        for path in range(max(count, 0)):
            corners = []
            for segment in range(max(_clip_segments(clip, path), 0)):
                _point(pointer_to(_clip_segment(clip, path, segment)), *self._pointers[:2])
                corners.append(_FOUR.unpack(self._numbers)[:2])
            if corners:
                xs, ys = zip(*corners, strict=True)
                own = min(xs), min(ys), max(xs), max(ys)
                box = own if box is None else _intersection(box, own) or (0.0, 0.0, 0.0, 0.0)
        return box


def _is_replaced(text_object: Pointer) -> bool:
    """Whether the file gives replacement text for this object."""
    for number in range(min(_count_marks(text_object), _MOST_MARKS)):
        mark = ctypes.cast(_mark(text_object, number), pdfium.FPDF_PAGEOBJECTMARK)
        if _text(mark, b"ActualText"):
            return True
    return False


def _text(mark: object, key: bytes) -> str:
    """A text parameter of a mark; empty if there is none."""
    buffer = (ctypes.c_ushort * _LONGEST_NAME)()
    length = ctypes.c_ulong()
    found = pdfium.FPDFPageObjMark_GetParamStringValue(
        mark, key, buffer, 2 * _LONGEST_NAME, ctypes.byref(length)
    )
    if not found or length.value <= 2:
        return ""
    return bytes(buffer)[: min(length.value, 2 * _LONGEST_NAME) - 2].decode("utf-16-le", "replace")


def _intersection(one: Box, other: Box) -> Box | None:
    left, bottom = max(one[0], other[0]), max(one[1], other[1])
    right, top = min(one[2], other[2]), min(one[3], other[3])
    return (left, bottom, right, top) if left < right and bottom < top else None


def _overlap(one: Box, other: Box) -> bool:
    return (
        one[0] < other[2] + _AT_THE_EDGE
        and other[0] < one[2] + _AT_THE_EDGE
        and one[1] < other[3] + _AT_THE_EDGE
        and other[1] < one[3] + _AT_THE_EDGE
    )


def _encloses(outer: Box, inner: Box) -> bool:
    return (
        outer[0] <= inner[0] + _AT_THE_EDGE
        and outer[1] <= inner[1] + _AT_THE_EDGE
        and outer[2] >= inner[2] - _AT_THE_EDGE
        and outer[3] >= inner[3] - _AT_THE_EDGE
    )
