"""How pieces of text on a PDF page are drawn: bold or not, in which colour, visible or not.

PDFium knows this for each text object; many characters share one, so it is asked once.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pypdfium2.raw as pdfium

_BOLD_WEIGHT = 600
_BOLD_NAMES = (b"bold", b"black", b"heavy", b"semib", b"demi")
_DRAWS_NOTHING = 3
_CLIPS_ONLY = 7

Colour = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class TextStyle:
    """How one text object is drawn; `colour` is None where it has no plain one."""

    bold: bool = False
    italic: bool = False
    colour: Colour | None = None
    invisible: bool = False


PLAIN = TextStyle()


def direct(function: Any, result: Any, *arguments: Any) -> Callable[..., Any]:
    """A function of PDFium that takes and gives plain addresses.

    pypdfium2 wraps every pointer in an object, which costs more than most of the calls themselves.
    """
    address = address_of(function)
    prototype: Callable[..., Any] = ctypes.CFUNCTYPE(result, *arguments)(address)
    return prototype


def address_of(pointer: Any) -> int:
    """Where a pointer of pypdfium2 points."""
    return ctypes.cast(pointer, ctypes.c_void_p).value or 0


_FOUR_NUMBERS = struct.Struct("4I")
_P, _I = ctypes.c_void_p, ctypes.c_int
_font_of = direct(pdfium.FPDFTextObj_GetFont, _P, _P)
_font_weight = direct(pdfium.FPDFFont_GetWeight, _I, _P)
_font_name = direct(pdfium.FPDFFont_GetBaseFontName, ctypes.c_size_t, _P, _P, ctypes.c_size_t)
_render_mode = direct(pdfium.FPDFTextObj_GetTextRenderMode, _I, _P)
_fill_colour = direct(pdfium.FPDFPageObj_GetFillColor, _I, _P, _P, _P, _P, _P)


class TextStyles(dict[int | None, TextStyle]):
    """The styles of one page's text objects by their addresses, found when first asked for."""

    def __init__(self) -> None:
        super().__init__({None: PLAIN, 0: PLAIN})
        self._faces: dict[int | None, tuple[bool, bool]] = {}
        self._known: dict[tuple[bool, bool, Colour | None, bool], TextStyle] = {}
        self._colours = FillColours()
        self._name = ctypes.create_string_buffer(128)

    def __missing__(self, text_object: int | None) -> TextStyle:
        style = self[text_object] = self._find(text_object)
        return style

    def _find(self, text_object: int | None) -> TextStyle:
        font = _font_of(text_object)
        face = self._faces.get(font)
        if face is None:
            face = self._faces[font] = self._face(font)
        mode = _render_mode(text_object)
        colour = self._colours.of(text_object)
        # Only stroked letters have the colour of their lines, and clipping ones show a picture.
        plain = colour[:3] if colour and mode in (0, 2, 4, 6) else None
        clear = colour is not None and colour[3] == 0 and mode in (0, 4)
        look = (*face, plain, mode in (_DRAWS_NOTHING, _CLIPS_ONLY) or clear)
        # A page has hundreds of text objects and a handful of looks.
        style = self._known.get(look)
        if style is None:
            style = self._known[look] = TextStyle(*look)
        return style

    def _face(self, font: int | None) -> tuple[bool, bool]:
        """Whether a font is bold, and whether it is italic."""
        if not font:
            return False, False
        length = _font_name(font, ctypes.addressof(self._name), 128)
        name = self._name.value.lower() if 0 < length <= 128 else b""
        bold = _font_weight(font) >= _BOLD_WEIGHT or any(part in name for part in _BOLD_NAMES)
        return bold, b"italic" in name or b"oblique" in name


class FillColours:
    """Asks for the colours that objects are filled with; one buffer serves all of them."""

    def __init__(self) -> None:
        self._parts = bytearray(_FOUR_NUMBERS.size)
        start = ctypes.addressof(ctypes.c_char.from_buffer(self._parts))
        self._pointers = (start, start + 4, start + 8, start + 12)

    def of(self, page_object: int | None) -> tuple[int, int, int, int] | None:
        """Red, green, blue and opacity, each in 0..255; None where it is no plain colour."""
        if not _fill_colour(page_object, *self._pointers):
            return None
        red, green, blue, opacity = _FOUR_NUMBERS.unpack(self._parts)
        return red, green, blue, opacity
