"""Determines how text on a PDF page is drawn: weight, colour and visibility.

PDFium reports this for each text object, which many characters share, so it is queried once each.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NewType, Protocol

import pypdfium2.raw as pdfium

# Calls PDFium with plain addresses, since a page needs thousands of tiny calls.

Pointer = NewType("Pointer", object)
"""An address in the form that `direct` functions accept."""


def address_of(pointer: Any) -> int:
    """The address in a pypdfium2 pointer."""
    return ctypes.cast(pointer, ctypes.c_void_p).value or 0


def pointer_to(address: int) -> Pointer:
    """Convert an address once for many calls, which would otherwise convert it each time."""
    return Pointer(ctypes.c_void_p.from_param(address))


def direct(function: Any, result: Any) -> Callable[..., Any]:
    """A function of PDFium that takes a `Pointer` for every address, and integers as they are.

    It keeps the GIL: these calls take less time than releasing and reacquiring it. An address
    passed as a plain integer would be truncated to 32 bits.
    """
    prototype: Callable[..., Any] = ctypes.PYFUNCTYPE(result)(address_of(function))
    return prototype


ADDRESS = ctypes.c_size_t
"""The result of functions that return an address; 0 if there is none."""


_BOLD_WEIGHT = 600
_BOLD_NAMES = (b"bold", b"black", b"heavy", b"semib", b"demi")
_DRAWS_NOTHING = 3
_CLIPS_ONLY = 7
_LONGEST_NAME = 128

Colour = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class TextStyle:
    """How one text object is drawn; `colour` is None if it is not a plain colour."""

    bold: bool = False
    italic: bool = False
    colour: Colour | None = None
    invisible: bool = False
    unseen: str = ""
    """Why the text is hidden according to the file; empty if it is not."""
    replaced: bool = False
    """Whether the file gives replacement text for what it draws."""


PLAIN = TextStyle()


_FOUR_NUMBERS = struct.Struct("4I")
_font_of = direct(pdfium.FPDFTextObj_GetFont, ADDRESS)
_font_weight = direct(pdfium.FPDFFont_GetWeight, ctypes.c_int)
_font_name = direct(pdfium.FPDFFont_GetBaseFontName, ctypes.c_size_t)
_render_mode = direct(pdfium.FPDFTextObj_GetTextRenderMode, ctypes.c_int)
_fill_colour = direct(pdfium.FPDFPageObj_GetFillColor, ctypes.c_int)


class TextChecks(Protocol):
    """Refines a style with what is known about one text object."""

    def of(self, address: int, font: int, style: TextStyle) -> TextStyle:
        """The style of the object at this address; unchanged if the object is ordinary."""
        ...


class TextStyles(dict[int, TextStyle]):
    """The styles of one page's text objects by address, computed on first access."""

    def __init__(self, checks: TextChecks | None = None) -> None:
        super().__init__({0: PLAIN})
        self._checks = checks
        self._known: dict[tuple[int, int, bytes], TextStyle] = {}
        self._colours = FillColours()

    def __missing__(self, address: int) -> TextStyle:
        text_object = pointer_to(address)
        font, mode = _font_of(text_object), _render_mode(text_object)
        colour = self._colours.raw(text_object)
        # A page has hundreds of text objects but only a handful of styles.
        look = font, mode, colour
        style = self._known.get(look)
        if style is None:
            style = self._known[look] = _style(*look)
        if self._checks is not None:
            style = self._checks.of(address, font, style)
        self[address] = style
        return style


def _style(font: int, mode: int, raw_colour: bytes) -> TextStyle:
    bold, italic = _face(font)
    colour = _FOUR_NUMBERS.unpack(raw_colour) if raw_colour else None
    clear = colour is not None and colour[3] == 0 and mode in (0, 4)
    return TextStyle(
        bold=bold,
        italic=italic,
        # Stroked letters are drawn in the line colour, and clipping ones show a picture.
        colour=colour[:3] if colour and mode in (0, 2, 4, 6) else None,
        invisible=mode in (_DRAWS_NOTHING, _CLIPS_ONLY) or clear,
    )


def _face(font: int) -> tuple[bool, bool]:
    """Whether a font is bold, and whether it is italic."""
    if not font:
        return False, False
    name = font_name(font).lower()
    heavy = _font_weight(pointer_to(font)) >= _BOLD_WEIGHT
    return heavy or any(
        part in name for part in _BOLD_NAMES
    ), b"italic" in name or b"oblique" in name


def font_name(font: int) -> bytes:
    """The name of a font in the file; empty if it is too long."""
    buffer = ctypes.create_string_buffer(_LONGEST_NAME)
    length = _font_name(pointer_to(font), buffer, ctypes.c_size_t(_LONGEST_NAME))
    return buffer.value if 0 < length <= _LONGEST_NAME else b""


class FillColours:
    """Reads the fill colours of objects, with one shared buffer."""

    def __init__(self) -> None:
        self._parts = bytearray(_FOUR_NUMBERS.size)
        start = ctypes.addressof(ctypes.c_char.from_buffer(self._parts))
        self._pointers = [pointer_to(start + 4 * number) for number in range(4)]

    def of(self, page_object: Pointer) -> tuple[int, int, int, int] | None:
        """Red, green, blue and opacity, each in 0..255; None if it is not a plain colour."""
        raw = self.raw(page_object)
        if not raw:
            return None
        red, green, blue, opacity = _FOUR_NUMBERS.unpack(raw)
        return red, green, blue, opacity

    def raw(self, page_object: Pointer) -> bytes:
        """The same four values as PDFium's raw bytes; empty instead of None."""
        return bytes(self._parts) if _fill_colour(page_object, *self._pointers) else b""
