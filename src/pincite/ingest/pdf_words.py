"""Takes the words of one PDF page from PDFium, with the place of each on the page as displayed."""

from __future__ import annotations

import ctypes
import re
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import repeat

import pypdfium2.raw as pdfium

from pincite.ingest.pdf_frame import PageFrame, Rectangle
from pincite.ingest.pdf_styles import TextStyle, TextStyles, address_of, direct

_HYPHEN = "\ufffe"
"""What PDFium writes for a hyphen that splits a word, without a line end after it."""
_NO_SIGN = "\uffff"
"""Stands for characters without a letter, so that positions in the text stay those in the page."""
_NO_SIGNS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\ufdd0-\ufdef\uffff]")
_SOFT_HYPHENS = str.maketrans({_HYPHEN: "-", "\u00ad": "-", _NO_SIGN: None})
_OTHER_HYPHENS = "\u2010\u2011"
_ODD = re.compile("[\ufffe\u00ad\uffff]")
_LINE_ENDS = "\r\n"
# Chinese and Japanese: a box for each sign, else a whole line would be one word.
_ALONE = "\u3001-\u3020\uff01-\uff65\u3040-\u30ff\u3400-\u9fff\U00020000-\U000323af"
_PIECES = re.compile(
    rf"[^\s{_ALONE}{_HYPHEN}]*{_HYPHEN}|[^\s{_ALONE}{_HYPHEN}]+|[{_ALONE}]|[{_LINE_ENDS}]+"
)
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff]")
_IS_ALONE = re.compile(f"[{_ALONE}]")

_FOUR_DOUBLES = struct.Struct("4d")
_FOUR_FLOATS = struct.Struct("4f")
_P, _I = ctypes.c_void_p, ctypes.c_int
# Without types of arguments: pointers made once are passed on as they are, a third faster.
_char_box = direct(pdfium.FPDFText_GetCharBox, _I)
_loose_box = direct(pdfium.FPDFText_GetLooseCharBox, _I, _P, _I, _P)
_text_object = direct(pdfium.FPDFText_GetTextObject, _P, _P, _I)
_code_at = direct(pdfium.FPDFText_GetUnicode, ctypes.c_uint, _P, _I)
_hyphen_at = direct(pdfium.FPDFText_IsHyphen, _I, _P, _I)
_copy_text = direct(pdfium.FPDFText_GetText, _I, _P, _I, _I, _P)


@dataclass(slots=True)
class Word:
    """A run of characters without a space, or a single sign of Chinese or Japanese.

    Coordinates are in points from the top left corner of the displayed page; `size` is the height
    of a line in this font. `glued` words follow the one before without a space.
    """

    text: str
    x0: float
    y0: float
    x1: float
    y1: float
    size: float
    style: TextStyle
    glued: bool
    confidence: float | None = None
    """How sure a recogniser was of its line; None for text that the PDF itself holds."""


def is_written_without_spaces(sign: str) -> bool:
    """Whether a sign is a word of its own, as in Chinese and Japanese."""
    return _IS_ALONE.match(sign) is not None


class Segment:
    """Words that stand side by side on one line without a wide gap: a line of a column, a cell."""

    __slots__ = ("bold", "italic", "size", "text", "words", "x0", "x1", "y0", "y1")

    def __init__(self, words: list[Word]) -> None:
        self.words = words
        longest = words[0]
        x0, y0, x1, y1 = longest.x0, longest.y0, longest.x1, longest.y1
        most = bold = italic = 0
        pieces: list[str] = []
        # Comparisons in place: a page has thousands of words, and min() costs five of them.
        for word in words:
            text, style = word.text, word.style
            length = len(text)
            if length > most:
                longest, most = word, length
            bold += length if style.bold else -length
            italic += length if style.italic else -length
            pieces.append(text if word.glued or not pieces else f" {text}")
            if word.x0 < x0:
                x0 = word.x0
            if word.y0 < y0:
                y0 = word.y0
            if word.x1 > x1:
                x1 = word.x1
            if word.y1 > y1:
                y1 = word.y1
        self.x0, self.y0, self.x1, self.y1 = x0, y0, x1, y1
        self.size = longest.size
        self.bold = bold > 0
        self.italic = italic > 0
        self.text = "".join(pieces)


Row = list[Segment]
"""Segments that PDFium found on one line, in its order."""

Piece = tuple[str, int, int]
"""Characters of a page that make a word, with the index of the first and of the one behind them."""


class PageWords:
    """Reads one page's characters.

    Every call of PDFium costs about as much as three steps of Python, so the letters of a page are
    taken at once, and of a word only the first and the last character are asked for their place,
    for all words of the page in one go.
    """

    def __init__(self, text_page: object, frame: PageFrame) -> None:
        self._page = address_of(text_page)
        self._count = pdfium.FPDFText_CountChars(text_page)
        self._frame = frame
        self._is_sideways = frame.is_sideways
        self._styles = TextStyles()
        # Read with struct, which is three times as fast as going through the array.
        self._corners = bytearray(_FOUR_DOUBLES.size)
        start = ctypes.addressof(ctypes.c_char.from_buffer(self._corners))
        places = (self._page, start, start + 8, start + 16, start + 24)
        self._pointers = [repeat(ctypes.c_void_p(place)) for place in places]
        self._loose = bytearray(_FOUR_FLOATS.size)
        self._loose_address = ctypes.addressof(ctypes.c_char.from_buffer(self._loose))
        self._loose_heights: dict[int | None, tuple[float, float]] = {}
        self.unmapped = 0
        """Characters whose font does not say which letter they are."""
        self.outside: list[list[Word]] = []
        """Words beside the visible part of the page."""

    def lines(self) -> Iterator[list[Word]]:
        """The visible words of each line in the order PDFium found them."""
        for words in self._lines():
            seen = [word for word in words if word.x0 <= word.x1 and word.y0 <= word.y1]
            if len(seen) < len(words):
                self.outside.append(
                    [word for word in words if word.x0 > word.x1 or word.y0 > word.y1]
                )
            if seen:
                yield seen

    def _lines(self) -> Iterator[list[Word]]:
        """The words of each line, as PDFium marks line ends."""
        found = [(piece[0], *piece.span()) for piece in _PIECES.finditer(self._text())]
        starts = [start for _, start, _ in found]
        firsts = self._char_boxes(starts)
        lasts = self._char_boxes([end - 1 for _, _, end in found])
        text_objects = map(_text_object, repeat(self._page), starts)
        line: list[Word] = []
        # Whether the next word follows the one before without a space, and where that one ends.
        glued, before = False, 0
        for piece, first, last, text_object in zip(found, firsts, lasts, text_objects, strict=True):
            text, start, end = piece
            if text[0] not in _LINE_ENDS:
                glued = glued and start == before
                word = self._word(piece, self._extent(piece, first, last), text_object, glued=glued)
                if word is not None:
                    line.append(word)
                    glued = True
                before = end
                if text[-1] != _HYPHEN:
                    continue
            yield _with_plain_hyphen(line)
            line, glued = [], False
        yield _with_plain_hyphen(line)

    def _text(self) -> str:
        """All characters of the page, each at its own index."""
        buffer = (ctypes.c_uint16 * (self._count + 1))()
        length = _copy_text(self._page, 0, self._count, ctypes.addressof(buffer)) - 1
        text = bytes(buffer)[: 2 * max(length, 0)].decode("utf-16-le", "surrogatepass")
        # PDFium leaves out control characters there, and writes two units for rare signs.
        if length != self._count or len(text) != length:
            text = "".join(self._characters())
        for mark in re.finditer(_HYPHEN, text):
            if not _hyphen_at(self._page, mark.start()):
                text = f"{text[: mark.start()]}{_NO_SIGN}{text[mark.end() :]}"
        text, unmapped = _NO_SIGNS.subn(_NO_SIGN, text)
        self.unmapped += unmapped
        return text

    def _characters(self) -> Iterator[str]:
        """Each character one by one; of the halves of a surrogate pair the first becomes nothing."""
        high = 0
        for index in range(self._count):
            code = _code_at(self._page, index)
            if 0xD800 <= code < 0xDC00:
                high = code
                self.unmapped -= 1
                yield _NO_SIGN
                continue
            if 0xDC00 <= code < 0xE000:
                code = 0x10000 + ((high - 0xD800) << 10) + (code - 0xDC00) if high else 0xFFFD
            high = 0
            yield _HYPHEN if code == 2 else chr(code)

    def _word(
        self, piece: Piece, extent: Rectangle, text_object: int | None, *, glued: bool
    ) -> Word | None:
        """Make a word of some characters in a row; None if they have no letters."""
        text, start, _ = piece
        if not text.isascii() and _ODD.search(text):
            text = text.translate(_SOFT_HYPHENS)
            if not text:
                return None
        left, right, bottom, top = extent
        size = top - bottom
        # The font's own height makes the boxes of a line equally high; some fonts lie about it.
        loose_bottom, loose_top = self._line_height(text_object, start, bottom, top)
        height = loose_top - loose_bottom
        if 0 < height < 3 * (size if size > 2.0 else 2.0):
            bottom = loose_bottom if loose_bottom < bottom else bottom
            top = loose_top if loose_top > top else top
            size = height
        box = self._frame.place(left, right, bottom, top)
        if self._is_sideways:
            size = min(box[3] - box[1], box[2] - box[0]) if len(text) == 1 else box[3] - box[1]
        size = size if size > 0.1 else 0.1
        return Word(text, *box, size, self._styles[text_object], glued)

    def _line_height(
        self, text_object: int | None, index: int, bottom: float, top: float
    ) -> tuple[float, float]:
        """Bottom and top of a line in the font of a character.

        The words of one text object share them, unless it runs up the page.
        """
        known = self._loose_heights.get(text_object)
        if known is not None and known[0] - 1.0 <= bottom and top <= known[1] + 1.0:
            return known
        if not _loose_box(self._page, index, self._loose_address):
            return 0.0, 0.0
        _, loose_top, _, loose_bottom = _FOUR_FLOATS.unpack(self._loose)
        if text_object:
            self._loose_heights[text_object] = (loose_bottom, loose_top)
        return loose_bottom, loose_top

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
        # Only from left to right do the outer characters of a word enclose it.
        boxes = self._char_boxes(range(start, end))
        lefts, rights, bottoms, tops = zip(*boxes, strict=True)
        return min(lefts), max(rights), min(bottoms), max(tops)

    def _char_boxes(self, indices: Sequence[int]) -> list[Rectangle]:
        """Left, right, bottom and top of characters in PDF coordinates."""
        page, *corners = self._pointers
        # Each call fills the same buffer, which is read before the next; no step runs in Python.
        calls = map(_char_box, page, indices, *corners)
        boxes = map(_FOUR_DOUBLES.unpack, repeat(self._corners))
        return [box for _, box in zip(calls, boxes, strict=False)]


def _with_plain_hyphen(line: list[Word]) -> list[Word]:
    """The same line; a word it splits ends with the one sign that joining words looks for."""
    if line and len(line[-1].text) > 1 and line[-1].text[-1] in _OTHER_HYPHENS:
        line[-1].text = f"{line[-1].text[:-1]}-"
    return line
