"""Takes the words of one PDF page from PDFium, with the place of each on the page as displayed."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

import pypdfium2.raw as pdfium

_GAP_IN_SIZES = 1.2
_BOLD_WEIGHT = 600
_HYPHEN_AT_LINE_END = 0x02
_SOFT_HYPHENS = (_HYPHEN_AT_LINE_END, 0xFFFE, 0xAD)
_RETURN, _LINE_FEED = 0x0D, 0x0A


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
    bold: bool
    glued: bool
    confidence: float | None = None
    """How sure a recogniser was of its line; None for text that the PDF itself holds."""


class Segment:
    """Words that stand side by side on one line without a wide gap: a line of a column, a cell."""

    __slots__ = ("bold", "size", "text", "words", "x0", "x1", "y0", "y1")

    def __init__(self, words: list[Word]) -> None:
        self.words = words
        self.x0 = min(word.x0 for word in words)
        self.x1 = max(word.x1 for word in words)
        self.y0 = min(word.y0 for word in words)
        self.y1 = max(word.y1 for word in words)
        longest = max(words, key=lambda word: len(word.text))
        self.size = longest.size
        self.bold = sum(len(word.text) * (1 if word.bold else -1) for word in words) > 0
        self.text = "".join(
            word.text if word.glued or not number else f" {word.text}"
            for number, word in enumerate(words)
        )


Row = list[Segment]
"""Segments that PDFium found on one line, in its order."""


class PageFrame:
    """Turns PDF coordinates into those of the page as displayed: cropped, rotated, top left."""

    def __init__(self, bounds: tuple[float, float, float, float], rotation: int) -> None:
        self._left, self._bottom, self._right, self._top = bounds
        self._rotation = rotation
        size = (self._right - self._left, self._top - self._bottom)
        self.width, self.height = size if rotation in (0, 180) else size[::-1]

    def place(
        self, left: float, right: float, bottom: float, top: float
    ) -> tuple[float, float, float, float]:
        """The displayed rectangle x0, y0, x1, y1, cut off at the edges of the page.

        One that lies outside comes back with x1 below x0 or y1 below y0.
        """
        if self._rotation == 90:
            box = (bottom - self._bottom, left - self._left, top - self._bottom, right - self._left)
        elif self._rotation == 180:
            box = (
                self._right - right,
                bottom - self._bottom,
                self._right - left,
                top - self._bottom,
            )
        elif self._rotation == 270:
            box = (self._top - top, self._right - right, self._top - bottom, self._right - left)
        else:
            box = (left - self._left, self._top - top, right - self._left, self._top - bottom)
        x0, y0, x1, y1 = box
        return max(x0, 0.0), max(y0, 0.0), min(x1, self.width), min(y1, self.height)


class PageWords:
    """Reads one page's characters; buffers are shared by all calls because there are many."""

    def __init__(self, text_page: object, frame: PageFrame) -> None:
        self._page = text_page
        self._frame = frame
        self._corners = [ctypes.c_double() for _ in range(4)]
        self._pointers = [ctypes.byref(corner) for corner in self._corners]
        self._loose = pdfium.FS_RECTF()
        self._font_name = ctypes.create_string_buffer(128)
        self._font_flags = ctypes.c_int()
        self.unmapped = 0
        """Characters whose font does not say which letter they are."""
        self.outside = 0
        """Words beside the visible part of the page, which are left out."""

    def rows(self) -> list[Row]:
        """The lines of the page in the order PDFium found them, cut at wide gaps."""
        lines = (list(filter(self._is_visible, words)) for words in self._lines())
        return [row for words in lines if words for row in _rows(words)]

    def _lines(self) -> Iterator[list[Word]]:
        """The words of each line, as PDFium marks line ends."""
        line: list[Word] = []
        run: list[tuple[int, int]] = []
        # Whether the next word follows the one before without a space.
        glued = False
        for index, code in self._characters():
            role = _ROLES[code]
            if role is _Role.LETTER:
                run.append((index, code))
                if code != _HYPHEN_AT_LINE_END or not self._is_hyphen(index):
                    continue
            if run:
                line.append(self._word(run, glued=glued))
                run, glued = [], True
            if role is _Role.ALONE:
                line.append(self._word([(index, code)], glued=glued))
                glued = True
            elif role is _Role.SPACE:
                glued = False
            else:
                # PDFium leaves out the line end after a hyphen that splits a word.
                yield line
                line, glued = [], False
        if run:
            line.append(self._word(run, glued=glued))
        yield line

    def _characters(self) -> Iterator[tuple[int, int]]:
        """Index and code point of each character; the halves of a surrogate pair become one."""
        unicode_at, page = pdfium.FPDFText_GetUnicode, self._page
        high = 0
        for index in range(pdfium.FPDFText_CountChars(page)):
            code = unicode_at(page, index)
            if 0xD800 <= code < 0xE000:
                if code < 0xDC00:
                    high = code
                    continue
                code = 0x10000 + ((high - 0xD800) << 10) + (code - 0xDC00) if high else 0xFFFD
            high = 0
            if _ROLES[code] is _Role.NONE:
                self.unmapped += 1
            else:
                yield index, code

    def _is_hyphen(self, index: int) -> bool:
        return bool(pdfium.FPDFText_IsHyphen(self._page, index) == 1)

    def _is_visible(self, word: Word) -> bool:
        visible = word.x0 <= word.x1 and word.y0 <= word.y1
        self.outside += not visible
        return visible

    def _word(self, run: list[tuple[int, int]], *, glued: bool) -> Word:
        """Make a word of the characters collected."""
        first = run[0][0]
        left, right, bottom, top = self._extent(run)
        size = top - bottom
        if pdfium.FPDFText_GetLooseCharBox(self._page, first, self._loose):
            # The font's own height makes the boxes of a line equally high; some fonts lie about it.
            height = self._loose.top - self._loose.bottom
            if 0 < height < 3 * max(size, 0.1 * height, 2.0):
                bottom, top = min(bottom, self._loose.bottom), max(top, self._loose.top)
                size = height
        box = self._frame.place(left, right, bottom, top)
        text = "".join("-" if code in _SOFT_HYPHENS else chr(code) for _, code in run)
        return Word(text, *box, max(size, 1.0), self._is_bold(first), glued)

    def _extent(self, run: list[tuple[int, int]]) -> tuple[float, float, float, float]:
        """Left, right, bottom and top of a word in PDF coordinates."""
        first, last = self._char_box(run[0][0]), self._char_box(run[-1][0])
        boxes = [first, last]
        if last[0] < first[0] or any(0x590 <= code < 0x900 for _, code in run):
            # Only from left to right do the outer characters of a word enclose it.
            boxes = [self._char_box(index) for index, _ in run]
        lefts, rights, bottoms, tops = zip(*boxes, strict=True)
        return min(lefts), max(rights), min(bottoms), max(tops)

    def _char_box(self, index: int) -> tuple[float, float, float, float]:
        # Characters PDFium made up have no box; the buffers then keep the one before.
        pdfium.FPDFText_GetCharBox(self._page, index, *self._pointers)
        left, right, bottom, top = self._corners
        return left.value, right.value, bottom.value, top.value

    def _is_bold(self, index: int) -> bool:
        if pdfium.FPDFText_GetFontWeight(self._page, index) >= _BOLD_WEIGHT:
            return True
        length = pdfium.FPDFText_GetFontInfo(
            self._page, index, self._font_name, 128, self._font_flags
        )
        name = self._font_name.value.lower() if 0 < length <= 128 else b""
        return b"bold" in name or b"black" in name or b"heavy" in name


class _Role(Enum):
    """What a character does in a line."""

    LETTER = "part of a word"
    ALONE = "a word by itself, without spaces around"
    SPACE = "between words"
    LINE_END = "between lines"
    NONE = "not a character"


class _Roles(dict[int, _Role]):
    """The role of each code point, found once: the loop over characters is the slow part."""

    def __missing__(self, code: int) -> _Role:
        role = self[code] = _find_role(code)
        return role


_ROLES = _Roles()


def _find_role(code: int) -> _Role:
    if code in (_RETURN, _LINE_FEED):
        return _Role.LINE_END
    if _is_no_character(code):
        return _Role.NONE
    if code != _HYPHEN_AT_LINE_END and chr(code).isspace():
        return _Role.SPACE
    return _Role.ALONE if is_written_without_spaces(code) else _Role.LETTER


def _is_no_character(code: int) -> bool:
    if code < 0x20:
        return code not in (_HYPHEN_AT_LINE_END, 0x09, _LINE_FEED, _RETURN)
    return 0x7F <= code < 0x85 or code == 0xFFFF or 0xFDD0 <= code <= 0xFDEF


def is_written_without_spaces(code: int) -> bool:
    """Chinese and Japanese: a box for each sign, else a whole line would be one word."""
    return 0x3040 <= code <= 0x30FF or 0x3400 <= code <= 0x9FFF or 0x20000 <= code <= 0x323AF


def _rows(words: list[Word]) -> Iterator[Row]:
    """Cut a line where words stand apart by more than a space, or one stands below the other.

    PDFium puts a bullet far to the left on the line before its own.
    """
    row: Row = []
    start = 0
    for position in range(1, len(words) + 1):
        before = words[position - 1]
        word = words[position] if position < len(words) else None
        below = word is None or _starts_row(before, word)
        if (
            word is None
            or below
            or _gap(before, word) > _GAP_IN_SIZES * max(before.size, word.size)
        ):
            row.append(Segment(words[start:position]))
            start = position
        if below:
            yield row
            row = []


def _starts_row(before: Word, word: Word) -> bool:
    """Whether a word does not share its height with the one before.

    Words of text that runs up the margin stand above each other, and stay together.
    """
    if min(before.y1, word.y1) > max(before.y0, word.y0):
        return False
    shared_width = min(before.x1, word.x1) - max(before.x0, word.x0)
    runs_up = word.y1 <= before.y0 + 1 and shared_width > 0.5 * (before.x1 - before.x0)
    return not runs_up


def _gap(before: Word, word: Word) -> float:
    """The empty space between two words, in either direction of writing."""
    return max(word.x0 - before.x1, before.x0 - word.x1)
