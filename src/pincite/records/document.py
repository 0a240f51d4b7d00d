"""The document that a reader makes from a file: its text, and the positions of everything in it.

Frozen, slotted, keyword-only. There is one coordinate system: offsets count Unicode code points
of `Document.text`, start inclusive, end exclusive.
"""

from __future__ import annotations

import hashlib
import os
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from itertools import accumulate
from pathlib import Path
from typing import BinaryIO

from pincite.records.files import open_regular

READING_VERSION = 28
"""Incremented when a reader or the chunker changes its result for the same file; files ingested with an
older version are then read again."""

# Positions of words on pages.

_WIDEST_BLANK = 4.0
"""In line heights: words farther apart are not joined into one box."""


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
    """The position of each word of a paged document, as parallel columns with one row per word.

    Columns instead of objects, because a 600-page file has 300,000 words.
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
        """Add the word at `start:end`; words must be added in text order."""
        self.starts.append(start)
        self.ends.append(end)
        self.pages.append(box.page)
        self.corners.extend((box.x0, box.y0, box.x1, box.y1))

    def boxes(self, start: int, end: int) -> tuple[Box, ...]:
        """The boxes that cover the words of `start:end`, one per printed line."""
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
    # On either side, since Arabic and Hebrew run right to left; a wide gap means another column.
    gap = max(word.x0 - line.x1, line.x0 - word.x1)
    return line.page == word.page and overlap >= height / 2 and gap <= _WIDEST_BLANK * height


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Span:
    """A stretch of one document's text: `Document.text[start:end]`."""

    document_id: str
    start: int
    end: int

    def contains(self, other: Span) -> bool:
        """Whether `other` is entirely inside this span of the same document."""
        return (
            self.document_id == other.document_id
            and self.start <= other.start
            and other.end <= self.end
        )


# --- The structure of a document -------------------------------------------------------------


class BlockKind(StrEnum):
    """The role of a piece of text on its page."""

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    LIST_ITEM = "list_item"
    TABLE_ROW = "table_row"
    CODE = "code"
    CAPTION = "caption"
    FOOTNOTE = "footnote"
    PAGE_HEADER = "page_header"
    PAGE_FOOTER = "page_footer"
    HIDDEN = "hidden"


UNQUOTED = frozenset({BlockKind.PAGE_HEADER, BlockKind.PAGE_FOOTER, BlockKind.HIDDEN})
"""Kept in the document but never quoted: page headers, page footers and hidden text."""


Range = tuple[int, int]
"""Start and end of a range of one document's text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One cell of a table row and its header cells.

    `column_headers` and `row_headers` are the ranges of header cells, outermost first; header
    cells themselves have none. `place` is its address if the format has one (`B7`).
    """

    start: int
    end: int
    column_headers: tuple[Range, ...] = ()
    row_headers: tuple[Range, ...] = ()
    place: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One structural piece of a document; blocks do not overlap and come in reading order.

    `section` is the path of headings above the block, outermost first; a heading's own text is
    the last element of its own path. `page` is None if the format has no pages. `place` is the
    location in formats without pages ("Sheet1!A7:D7", "row 12", "attachment a.txt").
    """

    start: int
    end: int
    kind: BlockKind
    section: tuple[str, ...] = ()
    page: int | None = None
    place: str = ""
    cells: tuple[Cell, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One page or slide of a paged document; `number` counts from 1, sizes are in PDF points.

    `label` is the printed number if it differs (`iv`, `A-3`). `images` counts images whose text, if
    any, was not read. `gap` says what is missing from the page, if anything.
    """

    number: int
    start: int
    end: int
    width: float
    height: float
    label: str = ""
    images: int = 0
    gap: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecognisedLine:
    """A line read from an image by OCR, and the recogniser's confidence, in 0..1."""

    start: int
    end: int
    confidence: float


class FlagKind(StrEnum):
    """Suspicious content for a person to review; none of it is ever obeyed."""

    HIDDEN_TEXT = "hidden text"
    INVISIBLE_CHARACTERS = "invisible characters"
    INSTRUCTION = "text that gives orders to a language model"
    ACTIVE_CONTENT = "active content"
    ATTACHMENT = "attachment"
    REPLACED_TEXT = "text layer, not appearance"


@dataclass(frozen=True, slots=True, kw_only=True)
class Flag:
    """Content that may be meant to deceive; `start:end` is empty if it has no text."""

    kind: FlagKind
    detail: str
    start: int = 0
    end: int = 0
    page: int | None = None


class Coverage(StrEnum):
    """How much of a file was read."""

    COMPLETE = "complete"
    PARTIAL = "partial"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """The content of a file. `id` derives from the file's bytes, so equal files are one document.

    For text formats `text` is the decoded file, unchanged, `encoding` is its codec, and `first_byte`
    is where the text begins (after a byte order mark). For other formats `encoding` is None.
    """

    id: str
    sha256: str
    title: str
    media_type: str
    name: str = ""
    """The file's name when it was read."""
    text: str
    encoding: str | None = None
    first_byte: int = 0
    blocks: tuple[Block, ...] = ()
    pages: tuple[Page, ...] = ()
    boxes: BoxMap = field(default_factory=BoxMap)
    recognised: tuple[RecognisedLine, ...] = ()
    gaps: tuple[str, ...] = ()
    """What is missing, as text ("page 3 has no text"); with any, the file is `partial`."""
    warnings: tuple[str, ...] = ()
    """Other messages of the reader about this file."""
    flags: tuple[Flag, ...] = ()
    reading: int = 0
    """The `READING_VERSION` that read the file; 0 if that is not known."""

    @property
    def coverage(self) -> Coverage:
        """Whether the whole file was read."""
        return Coverage.PARTIAL if self.gaps else Coverage.COMPLETE

    def page_at(self, position: int) -> Page | None:
        """The page of a character; None if there are no pages."""
        row = bisect_right(self.pages, position, key=lambda page: page.start) - 1
        return self.pages[row] if row >= 0 and position < self.pages[row].end else None

    def blocks_in(self, start: int, end: int) -> tuple[Block, ...]:
        """The blocks that overlap `start:end`, in order."""
        first = self.first_block_behind(start)
        last = bisect_left(self.blocks, end, lo=first, key=lambda block: block.start)
        return self.blocks[first:last]

    def first_block_behind(self, start: int) -> int:
        """The index of the first block that ends after a position."""
        return bisect_right(self.blocks, start, key=lambda block: block.end)

    def readable(self, start: int, end: int) -> str:
        """`text[start:end]` with blanks in the place of what is never quoted: hidden text, margins."""
        shown = self.text[start:end]
        for block in self.blocks_in(start, end):
            if block.kind in UNQUOTED:
                first, last = max(block.start, start) - start, min(block.end, end) - start
                shown = shown[:first] + " " * (last - first) + shown[last:]
        return shown

    def section_around(self, start: int, end: int) -> Range:
        """The whole section around `start:end`: the adjacent blocks under the same heading."""
        inside = self.blocks_in(start, end)
        if not inside or not inside[0].section:
            return start, end
        path = inside[0].section
        first = self.first_block_behind(start)
        last = first + len(inside) - 1
        while first and self.blocks[first - 1].section[: len(path)] == path:
            first -= 1
        while last + 1 < len(self.blocks) and self.blocks[last + 1].section[: len(path)] == path:
            last += 1
        return self.blocks[first].start, self.blocks[last].end

    def confidence(self, start: int, end: int) -> float | None:
        """The mean OCR confidence of `text[start:end]`, weighted by length; None without OCR."""
        weighed = [
            (min(end, line.end) - max(start, line.start), line.confidence)
            for line in self.recognised
            if line.start < end and start < line.end
        ]
        length = sum(shared for shared, _ in weighed)
        return sum(shared * sure for shared, sure in weighed) / length if length else None

    def byte_range(self, start: int, end: int) -> tuple[int, int] | None:
        """The byte range of `text[start:end]` in the file; None unless it is a text format."""
        if self.encoding is None:
            return None
        first, last = (
            self.first_byte + _bytes_before(self.text, self.encoding, position)
            for position in (start, end)
        )
        return first, last


_STRIDE = 4096


def _bytes_before(text: str, encoding: str, position: int) -> int:
    """The number of bytes before a position in the text."""
    strides = position // _STRIDE
    rest = text[strides * _STRIDE : position]
    return _milestones(text, encoding)[strides] + len(rest.encode(encoding))


@lru_cache(maxsize=8)
def _milestones(text: str, encoding: str) -> tuple[int, ...]:
    """Byte offsets of every 4,096th character, to find many quotes of a long text quickly."""
    pieces = (text[start : start + _STRIDE] for start in range(0, len(text), _STRIDE))
    return tuple(accumulate((len(piece.encode(encoding)) for piece in pieces), initial=0))


_ID_DIGITS = 16
_HASHED_AT_ONCE = 1 << 20


def document_id(content: bytes) -> tuple[str, str]:
    """The document id and the full SHA-256 of a file's bytes.

    The id is the first 16 hexadecimal digits (64 bits): short enough to read, and the chance of
    two files out of a million sharing one is below 1 in 30 million.
    """
    digest = hashlib.sha256(content).hexdigest()
    return digest[:_ID_DIGITS], digest


def file_digest(path: Path) -> tuple[str, str]:
    """The document id and the full SHA-256 of a file, without loading it into memory."""
    with open_regular(path) as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return digest[:_ID_DIGITS], digest


def open_file_digest(file: BinaryIO) -> tuple[str, str]:
    """The same for an open file, regardless of its position: another process may be reading it."""
    digest = hashlib.sha256()
    if hasattr(os, "pread"):
        position = 0
        while piece := os.pread(file.fileno(), _HASHED_AT_ONCE, position):
            digest.update(piece)
            position += len(piece)
    else:
        file.seek(0)
        while piece := file.read(_HASHED_AT_ONCE):
            digest.update(piece)
    return digest.hexdigest()[:_ID_DIGITS], digest.hexdigest()
