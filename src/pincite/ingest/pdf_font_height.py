"""How high are the lines of a font on a page, whichever letters they hold?"""

from __future__ import annotations

import ctypes
import struct

import pypdfium2.raw as pdfium

from pincite.ingest.pdf_calls import ADDRESS, Pointer, direct, pointer_to

_MATRIX = struct.Struct("6f")
_FLOAT = struct.Struct("f")
_font_of = direct(pdfium.FPDFTextObj_GetFont, ADDRESS)
_font_size = direct(pdfium.FPDFText_GetFontSize, ctypes.c_double)
_matrix_of = direct(pdfium.FPDFText_GetMatrix, ctypes.c_int)
_ascent = direct(pdfium.FPDFFont_GetAscent, ctypes.c_int)
_descent = direct(pdfium.FPDFFont_GetDescent, ctypes.c_int)


class FontHeights:
    """Asks PDFium for the heights of lines on one page, in points."""

    def __init__(self, page: Pointer) -> None:
        self._page = page
        self._matrix = bytearray(_MATRIX.size)
        matrix = ctypes.addressof(ctypes.c_char.from_buffer(self._matrix))
        self._matrix_pointer = pointer_to(matrix)
        self._value = bytearray(_FLOAT.size)
        value = ctypes.addressof(ctypes.c_char.from_buffer(self._value))
        self._value_pointer = pointer_to(value)

    def of(self, text_object: int, index: int) -> float:
        """From the descent to the ascent of a text object, of which `index` is a character.

        At least the font's size: some fonts name heights that few of their letters keep to.
        0.0 where the font does not tell, or where the text does not run level.
        """
        font = _font_of(pointer_to(text_object)) if text_object else 0
        if not font or not _matrix_of(self._page, index, self._matrix_pointer):
            return 0.0
        _, turn, slant, scale, _, _ = _MATRIX.unpack(self._matrix)
        if turn or scale <= 0.0 or abs(slant) > scale:
            return 0.0
        size = float(_font_size(self._page, index))
        heights: list[float] = []
        for ask in (_ascent, _descent):
            if not ask(pointer_to(font), ctypes.c_float(size), self._value_pointer):
                return 0.0
            heights += _FLOAT.unpack(self._value)
        return max(heights[0] - heights[1], size) * float(scale)
