"""Where words stand on a page."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

_WIDEST_BLANK = 4.0
"""In heights of a line: words farther apart are not joined into one box."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """A rectangle on a page, in PDF points from the top left corner; pages count from 1."""

    page: int
    x0: float
    y0: float
    x1: float
    y1: float


@dataclass(frozen=True, slots=True, kw_only=True)
class BoxMap:
    """Where each word of a paged document stands: parallel columns, one row per word.

    Columns instead of one object per word, because a 600-page file has 300,000 words.
    Rows are in order of `starts`; coordinates are as in `Box`.
    """

    starts: array[int] = field(default_factory=lambda: array("l"))
    ends: array[int] = field(default_factory=lambda: array("l"))
    pages: array[int] = field(default_factory=lambda: array("l"))
    corners: array[float] = field(default_factory=lambda: array("f"))
    """Four values for each word: x0, y0, x1, y1."""

    def __len__(self) -> int:
        return len(self.starts)

    def append(self, start: int, end: int, box: Box) -> None:
        """Add the word at `start:end`; words are added in text order while a reader works."""
        self.starts.append(start)
        self.ends.append(end)
        self.pages.append(box.page)
        self.corners.extend((box.x0, box.y0, box.x1, box.y1))

    def boxes(self, start: int, end: int) -> tuple[Box, ...]:
        """The boxes that cover the words of `start:end`, one per line of print."""
        return tuple(_join_lines(self._words(start, end)))

    def _words(self, start: int, end: int) -> Iterator[Box]:
        row = bisect_right(self.ends, start)
        while row < len(self.starts) and self.starts[row] < end:
            x0, y0, x1, y1 = self.corners[4 * row : 4 * row + 4]
            yield Box(page=self.pages[row], x0=x0, y0=y0, x1=x1, y1=y1)
            row += 1


def _join_lines(words: Iterable[Box]) -> Iterator[Box]:
    """Join neighbouring words that share a line (their heights overlap by half or more)."""
    line: Box | None = None
    for word in words:
        if line is not None and _same_line(line, word):
            line = Box(
                page=line.page,
                x0=min(line.x0, word.x0),
                y0=min(line.y0, word.y0),
                x1=max(line.x1, word.x1),
                y1=max(line.y1, word.y1),
            )
            continue
        if line is not None:
            yield line
        line = word
    if line is not None:
        yield line


def _same_line(line: Box, word: Box) -> bool:
    height = min(line.y1 - line.y0, word.y1 - word.y0)
    overlap = min(line.y1, word.y1) - max(line.y0, word.y0)
    # To either side, since Arabic and Hebrew run to the left; far away is another column.
    gap = max(word.x0 - line.x1, line.x0 - word.x1)
    return line.page == word.page and overlap >= height / 2 and gap <= _WIDEST_BLANK * height
