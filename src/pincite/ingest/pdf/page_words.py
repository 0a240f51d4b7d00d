"""Extracts the words of one PDF page with PDFium, with their positions on the displayed page."""

from __future__ import annotations

import ctypes
import re
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import repeat
from math import inf

import pypdfium2.raw as pdfium

from pincite.ingest.pdf.styles import (
    ADDRESS,
    Pointer,
    TextChecks,
    TextStyle,
    TextStyles,
    address_of,
    direct,
    pointer_to,
)
from pincite.ingest.pdf.words import SIGNS_ALONE, PageFrame, Rectangle, Word
from pincite.text.marks import Run, written

# Line heights of the fonts on a page, independent of the letters on a line.

_MATRIX = struct.Struct("6f")
_FLOAT = struct.Struct("f")
_font_of = direct(pdfium.FPDFTextObj_GetFont, ADDRESS)
_font_size = direct(pdfium.FPDFText_GetFontSize, ctypes.c_double)
_matrix_of = direct(pdfium.FPDFText_GetMatrix, ctypes.c_int)
_ascent = direct(pdfium.FPDFFont_GetAscent, ctypes.c_int)
_descent = direct(pdfium.FPDFFont_GetDescent, ctypes.c_int)


class FontHeights:
    """The line heights on one page, in points, from PDFium."""

    def __init__(self, page: Pointer) -> None:
        self._page = page
        self._matrix = bytearray(_MATRIX.size)
        matrix = ctypes.addressof(ctypes.c_char.from_buffer(self._matrix))
        self._matrix_pointer = pointer_to(matrix)
        self._value = bytearray(_FLOAT.size)
        value = ctypes.addressof(ctypes.c_char.from_buffer(self._value))
        self._value_pointer = pointer_to(value)

    def of(self, text_object: int, index: int) -> float:
        """The distance from descent to ascent of a text object; `index` is one of its characters.

        At least the font size, since some fonts declare heights that few of their letters keep to.
        0.0 if the font does not declare them, or if the text is not horizontal.
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


_HYPHEN = "\ufffe"
"""PDFium's character for a hyphen that splits a word, without a line end after it."""
_NO_SIGN = "\uffff"
"""Placeholder for unmapped characters, so that text offsets stay equal to character indices."""
_NO_SIGNS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\ufdd0-\ufdef\uffff]")
_HALVES = re.compile("[\ud800-\udfff]")
_SOFT_HYPHENS = str.maketrans({_HYPHEN: "-", "\u00ad": "-", _NO_SIGN: None})
_OTHER_HYPHENS = "\u2010\u2011"
_ODD = re.compile("[\ufffe\u00ad\uffff]")
_LINE_ENDS = "\r\n"
_PIECES = re.compile(
    rf"[^\s{SIGNS_ALONE}{_HYPHEN}]*{_HYPHEN}|[^\s{SIGNS_ALONE}{_HYPHEN}]+|[{SIGNS_ALONE}]|[{_LINE_ENDS}]+"
)
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff]")

_NOWHERE = -1
_SMALLEST_SIZE = 0.1

_FOUR_DOUBLES = struct.Struct("4d")
_FOUR_FLOATS = struct.Struct("4f")
_char_box = direct(pdfium.FPDFText_GetCharBox, ctypes.c_int)
_loose_box = direct(pdfium.FPDFText_GetLooseCharBox, ctypes.c_int)
_origin = direct(pdfium.FPDFText_GetCharOrigin, ctypes.c_int)
_angle = direct(pdfium.FPDFText_GetCharAngle, ctypes.c_float)
_text_object = direct(pdfium.FPDFText_GetTextObject, ADDRESS)
_code_at = direct(pdfium.FPDFText_GetUnicode, ctypes.c_uint)
_hyphen_at = direct(pdfium.FPDFText_IsHyphen, ctypes.c_int)
_copy_text = direct(pdfium.FPDFText_GetText, ctypes.c_int)


_LARGEST_SCRIPT = 0.85
_LEAST_RAISED, _LEAST_LOWERED = 0.15, 0.08
"""Of the size of the first character of a word: how small, high and low its note or index is."""

Piece = tuple[str, int, int]
"""The characters of a word, with their start and end index on the page."""


@dataclass(slots=True)
class _Band:
    """Properties shared by the words of one text object: their line height and style."""

    bottom: float
    top: float
    y0: float
    y1: float
    height: float
    """Height of the font in points; infinite if unknown. Accents may extend beyond it."""
    style: TextStyle


class PageWords:
    """Extracts the words of one page.

    A call to PDFium costs about as much as three Python operations. So the characters of a page are
    fetched at once, and only the first and last character of each word are located, for all words
    of the page in one pass.
    """

    def __init__(
        self, text_page: object, frame: PageFrame, checks: TextChecks | None = None
    ) -> None:
        self._page = pointer_to(address_of(text_page))
        self._count = pdfium.FPDFText_CountChars(text_page)
        self._frame = frame
        self._is_sideways = frame.is_sideways
        # Words of an unrotated page are placed directly; on rotated pages no word passes this test.
        self._edge, self._width = frame.left, -1.0 if frame.is_turned else frame.width
        self._styles = TextStyles(checks)
        self._heights = FontHeights(self._page)
        # Read with struct, which is three times as fast as indexing the array.
        self._corners = bytearray(_FOUR_DOUBLES.size)
        start = ctypes.addressof(ctypes.c_char.from_buffer(self._corners))
        self._pointers = [repeat(pointer_to(start + 8 * number)) for number in range(4)]
        self._loose = bytearray(_FOUR_FLOATS.size)
        loose = ctypes.addressof(ctypes.c_char.from_buffer(self._loose))
        self._loose_pointer = pointer_to(loose)
        self._bands: dict[int, _Band] = {}
        self.unmapped = 0
        """Number of characters that their font does not map to a letter."""
        self.outside: list[list[Word]] = []
        """Words outside the visible part of the page."""

    def lines(self) -> Iterator[list[Word]]:
        """The visible words of each line, in PDFium's order."""
        for words in self._lines():
            seen = [word for word in words if word.x0 <= word.x1 and word.y0 <= word.y1]
            if len(seen) < len(words):
                self.outside.append(
                    [word for word in words if word.x0 > word.x1 or word.y0 > word.y1]
                )
            if seen:
                yield seen

    def _lines(self) -> Iterator[list[Word]]:
        """The words of each line; PDFium marks the line ends."""
        found = [(piece[0], *piece.span()) for piece in _PIECES.finditer(self._text())]
        starts = [start for _, start, _ in found]
        firsts = self._char_boxes(starts)
        lasts = self._char_boxes([end - 1 for _, _, end in found])
        text_objects = map(_text_object, repeat(self._page), starts)
        last_objects = map(_text_object, repeat(self._page), [end - 1 for _, _, end in found])
        line: list[Word] = []
        # The end of the previous word, if the next one may be glued to it.
        behind = _NOWHERE
        for piece, first, last, text_object, last_object in zip(
            found, firsts, lasts, text_objects, last_objects, strict=True
        ):
            text, start, end = piece
            if text[0] not in _LINE_ENDS:
                word = self._word(piece, first, last, text_object, behind)
                if word is not None:
                    if last_object != text_object and self._may_have_scripts(start, end - 1):
                        word.text = self._with_scripts(piece)
                    line.append(word)
                behind = end if word is not None or start == behind else _NOWHERE
                if text[-1] != _HYPHEN:
                    continue
            yield _with_plain_hyphen(line)
            line, behind = [], _NOWHERE
        yield _with_plain_hyphen(line)

    def _text(self) -> str:
        """All characters of the page, each at its PDFium index."""
        buffer = (ctypes.c_uint16 * (self._count + 1))()
        length = _copy_text(self._page, 0, self._count, buffer) - 1
        text = bytes(buffer)[: 2 * max(length, 0)].decode("utf-16-le", "surrogatepass")
        # PDFium omits control characters here, and writes surrogate pairs for rare characters.
        if length != self._count or len(text) != length:
            text = self._characters()
        for mark in re.finditer(_HYPHEN, text):
            if not _hyphen_at(self._page, mark.start()):
                text = f"{text[: mark.start()]}{_NO_SIGN}{text[mark.end() :]}"
        text, unmapped = _NO_SIGNS.subn(_NO_SIGN, text)
        self.unmapped += unmapped
        return text

    def _characters(self) -> str:
        """The characters, fetched one by one."""
        codes = map(_code_at, repeat(self._page), range(self._count))
        text = "".join(map(chr, codes)).replace("\x02", _HYPHEN)
        return "".join(self._whole_signs(text)) if _HALVES.search(text) else text

    def _whole_signs(self, text: str) -> Iterator[str]:
        """Each character; the first half of a surrogate pair becomes empty."""
        high = 0
        for code in map(ord, text):
            if 0xD800 <= code < 0xDC00:
                high = code
                self.unmapped -= 1
                yield _NO_SIGN
                continue
            if 0xDC00 <= code < 0xE000:
                code = 0x10000 + ((high - 0xD800) << 10) + (code - 0xDC00) if high else 0xFFFD
            high = 0
            yield chr(code)

    def _word(
        self, piece: Piece, first: Rectangle, last: Rectangle, text_object: int, behind: int
    ) -> Word | None:
        """Make a word from consecutive characters; None if none of them is mapped.

        It is glued to the previous word if that ends at `behind`.
        """
        text, start, _ = piece
        left, right, bottom, top = first
        if last[0] < left or not text.isascii():
            if _ODD.search(text):
                text = text.translate(_SOFT_HYPHENS)
                if not text:
                    return None
            left, right, bottom, top = self._extent(piece, first, last)
        else:
            _, last_right, last_bottom, last_top = last
            right = last_right if last_right > right else right
            bottom = last_bottom if last_bottom < bottom else bottom
            top = last_top if last_top > top else top
        size = top - bottom
        band = self._bands.get(text_object)
        if band is None or not (band.bottom - 1.0 <= bottom and top <= band.top + 1.0):
            band = self._find_band(text_object, start)
        # The font's declared height makes the boxes of a line equally high; some fonts declare it
        # wrongly. A font that is not embedded has no glyph shapes, so there is no other source.
        if (
            band.height < 3 * (size if size > 2.0 else 2.0)
            or size < _SMALLEST_SIZE < band.height < inf
        ):
            if band.bottom <= bottom and top <= band.top and left >= self._edge:
                x0, x1 = left - self._edge, right - self._edge
                if x0 <= x1 <= self._width:
                    # Nearly all words are within the band of their line and on the page.
                    return Word(
                        text, x0, band.y0, x1, band.y1, band.height, band.style, start == behind
                    )
            bottom, top, size = min(band.bottom, bottom), max(band.top, top), band.height
        x0, y0, x1, y1 = self._frame.place(left, right, bottom, top)
        if self._is_sideways:
            size = min(y1 - y0, x1 - x0) if len(text) == 1 else y1 - y0
        return Word(text, x0, y0, x1, y1, max(size, _SMALLEST_SIZE), band.style, start == behind)

    def _may_have_scripts(self, first: int, last: int) -> bool:
        """Whether the last character of a word is drawn smaller and higher or lower than the first."""
        return self._script(self._drawn(last), self._drawn(first)) != 0

    def _with_scripts(self, piece: Piece) -> str:
        """A word with the marks of its raised and lowered characters."""
        text, start, end = piece
        drawn = [self._drawn(index) for index in range(start, end)]
        base = drawn[0]
        runs = [
            Run(sign.translate(_SOFT_HYPHENS), self._script(one, base))
            for sign, one in zip(text, drawn, strict=True)
        ]
        return written(runs)

    def _drawn(self, index: int) -> tuple[float, float, float]:
        """Size, height of the base line and angle of a character; infinite height if unknown."""
        x, y = ctypes.c_double(), ctypes.c_double()
        known = _origin(self._page, index, ctypes.byref(x), ctypes.byref(y))
        return (
            float(_font_size(self._page, index)),
            y.value if known else inf,
            float(_angle(self._page, index)),
        )

    @staticmethod
    def _script(one: tuple[float, float, float], base: tuple[float, float, float]) -> int:
        """1 for a character raised above the base line of another, -1 for a lowered one, else 0."""
        (size, height, angle), (base_size, base_height, base_angle) = one, base
        if (
            angle
            or base_angle
            or size > _LARGEST_SCRIPT * base_size
            or inf in (height, base_height)
        ):
            return 0
        if height - base_height > _LEAST_RAISED * base_size:
            return 1
        return -1 if base_height - height > _LEAST_LOWERED * base_size else 0

    def _find_band(self, text_object: int, index: int) -> _Band:
        """The shared properties of a text object's words, from one of its characters.

        If its text is vertical, each word has its own.
        """
        known = bool(_loose_box(self._page, index, self._loose_pointer))
        _, top, _, bottom = _FOUR_FLOATS.unpack(self._loose)
        _, y0, _, y1 = self._frame.place(0.0, 0.0, bottom, top)
        height = max(top - bottom, _SMALLEST_SIZE) if known and top > bottom else inf
        # PDFium includes the shape of the given character, such as an accented capital.
        height = min(height, self._heights.of(text_object, index) or inf)
        band = _Band(bottom, top, y0, y1, height, self._styles[text_object])
        if known and text_object:
            self._bands[text_object] = band
        return band

    def _extent(self, piece: Piece, first: Rectangle, last: Rectangle) -> Rectangle:
        """Left, right, bottom and top of a word in PDF coordinates, from its outer characters."""
        text, start, end = piece
        left, right, bottom, top = first
        other_left, other_right, other_bottom, other_top = last
        if other_left >= left and (text.isascii() or not _RIGHT_TO_LEFT.search(text)):
            return (
                left,
                right if right >= other_right else other_right,
                bottom if bottom <= other_bottom else other_bottom,
                top if top >= other_top else other_top,
            )
        # Only in left-to-right text do the first and last character enclose the word.
        boxes = self._char_boxes(range(start, end))
        lefts, rights, bottoms, tops = zip(*boxes, strict=True)
        return min(lefts), max(rights), min(bottoms), max(tops)

    def _char_boxes(self, indices: Sequence[int]) -> list[Rectangle]:
        """Left, right, bottom and top of characters in PDF coordinates."""
        # Each call fills the same buffer, which is read before the next call; the loop runs in C.
        calls = map(_char_box, repeat(self._page), indices, *self._pointers)
        boxes = map(_FOUR_DOUBLES.unpack, repeat(self._corners))
        return [box for _, box in zip(calls, boxes, strict=False)]


def _with_plain_hyphen(line: list[Word]) -> list[Word]:
    """The line; a word split at its end gets a plain hyphen, which joining words looks for."""
    if line and len(line[-1].text) > 1 and line[-1].text[-1] in _OTHER_HYPHENS:
        line[-1].text = f"{line[-1].text[:-1]}-"
    return line
