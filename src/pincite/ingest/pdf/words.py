"""Words of a PDF page with their positions, and the line segments and tables they form."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache

from pincite.ingest.pdf.styles import TextStyle

# Chinese and Japanese: one box per character, else a whole line would be one word.
SIGNS_ALONE = "\u3001-\u3020\uff01-\uff65\u3040-\u30ff\u3400-\u9fff\U00020000-\U000323af"
_IS_ALONE = re.compile(f"[{SIGNS_ALONE}]")


@dataclass(slots=True)
class Word:
    """A run of characters without spaces, or a single Chinese or Japanese character.

    Coordinates are in points from the top left corner of the displayed page; `size` is the height
    of a line in this font. `glued` words follow the previous word without a space.
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
    """OCR confidence of its line; None for text from the PDF itself."""


def is_written_without_spaces(sign: str) -> bool:
    """Whether a character is a word of its own, as in Chinese and Japanese."""
    return _IS_ALONE.match(sign) is not None


class Segment:
    """Adjacent words on one line without a wide gap: a line of a column, or a cell."""

    __slots__ = ("bold", "italic", "size", "text", "words", "x0", "x1", "y0", "y1")

    def __init__(self, words: list[Word]) -> None:
        self.words = words
        longest = words[0]
        if len(words) == 1:
            self._take(longest)
            return
        x0, y0, x1, y1 = longest.x0, longest.y0, longest.x1, longest.y1
        most = bold = italic = 0
        pieces: list[str] = []
        # Inline comparisons: a page has thousands of words, and min() costs as much as five of them.
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

    def _take(self, word: Word) -> None:
        """Initialise from a single word, as in most table cells."""
        self.x0, self.y0, self.x1, self.y1 = word.x0, word.y0, word.x1, word.y1
        self.size, self.text = word.size, word.text
        self.bold, self.italic = word.style.bold, word.style.italic


Row = list[Segment]
"""Segments that PDFium found on one line, in PDFium's order."""


# Converts PDF coordinates to positions on the displayed page.

Rectangle = tuple[float, float, float, float]


class PageFrame:
    """Converts PDF coordinates to those of the displayed page: cropped, rotated, from the top left."""

    def __init__(self, bounds: Rectangle, rotation: int) -> None:
        self._left, self._bottom, self._right, self._top = bounds
        self._rotation = rotation
        size = (self._right - self._left, self._top - self._bottom)
        self.width, self.height = size if rotation in (0, 180) else size[::-1]

    @property
    def is_sideways(self) -> bool:
        """Whether lines that are horizontal on the displayed page are vertical in the file."""
        return self._rotation in (90, 270)

    @property
    def is_turned(self) -> bool:
        """Whether a viewer rotates the page."""
        return self._rotation != 0

    @property
    def left(self) -> float:
        """The left edge of the visible part of the page, in PDF coordinates."""
        return self._left

    def place(self, left: float, right: float, bottom: float, top: float) -> Rectangle:
        """The displayed rectangle x0, y0, x1, y1, clipped to the page.

        A rectangle outside the page is returned with x1 < x0 or y1 < y0.
        """
        if self._rotation == 0:
            x0, y0 = left - self._left, self._top - top
            x1, y1 = right - self._left, self._top - bottom
        elif self._rotation == 90:
            x0, y0 = bottom - self._bottom, left - self._left
            x1, y1 = top - self._bottom, right - self._left
        elif self._rotation == 180:
            x0, y0 = self._right - right, bottom - self._bottom
            x1, y1 = self._right - left, top - self._bottom
        else:
            x0, y0 = self._top - top, self._right - right
            x1, y1 = self._top - bottom, self._right - left
        width, height = self.width, self.height
        return (
            x0 if x0 > 0.0 else 0.0,
            y0 if y0 > 0.0 else 0.0,
            x1 if x1 < width else width,
            y1 if y1 < height else height,
        )

    def turned(self, x0: float, y0: float, x1: float, y1: float) -> Rectangle:
        """The displayed position of a rectangle of the page before rotation."""
        left, top = self._left, self._top
        return self.place(left + x0, left + x1, top - y1, top - y0)

    def before_turning(self) -> PageFrame:
        """The frame of the same page without rotation."""
        return PageFrame((self._left, self._bottom, self._right, self._top), 0)


# Rows and cells of tables on a PDF page.

_NUMBER = re.compile(
    r"^[^\w]*\d[\d.,:/\s-]*\W*[A-Za-z%]{0,3}\W*$|^[-–—−]+$|^n/?[am]$", re.IGNORECASE
)
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_YEAR = re.compile(r"^\W*(?:19|20)\d\d\W*[A-Za-z]?\W*$")


@lru_cache(maxsize=4096)
def _is_number(text: str) -> bool:
    # Cached, because cells are checked again for each row and column they may belong to.
    return bool(_NUMBER.match(text)) and not _YEAR.match(text)


@dataclass(slots=True, eq=False)
class TableCell:
    """The lines of one cell, the columns it spans (from 0), and its header cells."""

    lines: list[Segment]
    first: int
    last: int
    column_headers: tuple[TableCell, ...] = ()
    row_headers: tuple[TableCell, ...] = ()

    @property
    def text(self) -> str:
        """The lines, joined with spaces."""
        lines = self.lines
        return lines[0].text if len(lines) == 1 else " ".join([line.text for line in lines])

    @property
    def is_number(self) -> bool:
        """Whether it is a value, not a word; years do not count, as they are often column names."""
        return _is_number(self.text)

    @property
    def is_value(self) -> bool:
        """Whether it is a value or a year."""
        return bool(_NUMBER.match(self.text))

    @property
    def bold(self) -> bool:
        """Whether most of it is bold."""
        return sum(len(line.text) * (1 if line.bold else -1) for line in self.lines) > 0


@dataclass(slots=True)
class TableRow:
    """The non-empty cells of one row, from left to right."""

    cells: list[TableCell]

    @property
    def y0(self) -> float:
        """Its upper edge."""
        return min(line.y0 for cell in self.cells for line in cell.lines)

    @property
    def size(self) -> float:
        """The height of a line in it."""
        return max(line.size for cell in self.cells for line in cell.lines)


@dataclass(slots=True)
class Table:
    """A table, or the part of one on a page; `x0` to `y1` are its bounds."""

    rows: list[TableRow]
    columns: int
    x0: float = field(init=False)
    y0: float = field(init=False)
    x1: float = field(init=False)
    y1: float = field(init=False)

    def __post_init__(self) -> None:
        lines = [line for row in self.rows for cell in row.cells for line in cell.lines]
        self.x0, self.x1 = min(line.x0 for line in lines), max(line.x1 for line in lines)
        self.y0, self.y1 = min(line.y0 for line in lines), max(line.y1 for line in lines)


Item = Row | Table
"""An element of a page: a line, or a table between lines."""


def put_right_first(table: Table) -> None:
    """Number the columns from the right in right-to-left writing."""
    texts = "".join(cell.text for row in table.rows for cell in row.cells)
    if 2 * len(_RIGHT_TO_LEFT.findall(texts)) <= sum(map(str.isalpha, texts)):
        return
    last = table.columns - 1
    for row in table.rows:
        for cell in row.cells:
            cell.first, cell.last = last - cell.last, last - cell.first
        row.cells.sort(key=lambda cell: cell.first)


def lines_of(words: Iterable[Word]) -> list[Segment]:
    """The words of one cell as lines from top to bottom; within a line they keep their order."""
    lines: list[list[Word]] = []
    for word in words:
        for line in reversed(lines):
            shared = min(line[0].y1, word.y1) - max(line[0].y0, word.y0)
            if shared > 0.5 * min(line[0].y1 - line[0].y0, word.y1 - word.y0):
                line.append(word)
                break
        else:
            lines.append([word])
    return sorted((Segment(line) for line in lines), key=lambda line: line.y0)
