"""Cuts the lines of a PDF page into pieces that stand apart: columns, cells, a bullet and its text."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from pincite.ingest.pdf_words import Row, Segment, Word

_GAP_IN_SIZES = 1.2


def cut_into_segments(words: list[Word]) -> Iterator[Row]:
    """Cut a line where words stand apart by more than a space, or one stands below the other.

    PDFium puts a bullet far to the left on the line before its own.
    """
    if not words:
        return
    row: Row = []
    start = 0
    for position, (before, word) in enumerate(pairwise(words), start=1):
        same_height = before.y0 < before.y1 > word.y0 < word.y1 > before.y0
        below = not same_height and _starts_row(before, word)
        widest = _GAP_IN_SIZES * (before.size if before.size > word.size else word.size)
        # The empty space between two words counts in either direction of writing.
        if below or word.x0 - before.x1 > widest or before.x0 - word.x1 > widest:
            row.append(Segment(words[start:position]))
            start = position
        if below:
            yield row
            row = []
    row.append(Segment(words[start:]))
    yield row


def _starts_row(before: Word, word: Word) -> bool:
    """Whether a word of another height than the one before stands below it or above.

    Words of text that runs up or down the margin stand above each other, and stay together.
    """
    shared_width = min(before.x1, word.x1) - max(before.x0, word.x0)
    width = before.x1 - before.x0
    if shared_width <= 0.5 * width:
        return True
    runs_up = word.y1 <= before.y0 + 1
    is_tall = before.y1 - before.y0 > 1.5 * width or word.y1 - word.y0 > 1.5 * width
    runs_down = is_tall and 0 <= word.y0 - before.y1 < width
    return not (runs_up or runs_down)
