"""Words of a PDF page with their places, and the pieces of lines that they make."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pincite.ingest.pdf_styles import TextStyle

# Chinese and Japanese: a box for each sign, else a whole line would be one word.
SIGNS_ALONE = "\u3001-\u3020\uff01-\uff65\u3040-\u30ff\u3400-\u9fff\U00020000-\U000323af"
_IS_ALONE = re.compile(f"[{SIGNS_ALONE}]")


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
        if len(words) == 1:
            self._take(longest)
            return
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

    def _take(self, word: Word) -> None:
        """Be as a single word is, as in most cells of tables."""
        self.x0, self.y0, self.x1, self.y1 = word.x0, word.y0, word.x1, word.y1
        self.size, self.text = word.size, word.text
        self.bold, self.italic = word.style.bold, word.style.italic


Row = list[Segment]
"""Segments that PDFium found on one line, in its order."""
