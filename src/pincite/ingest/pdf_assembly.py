"""Builds the text of a PDF from its lines, and notes where each word, block and page lies."""

from __future__ import annotations

from collections.abc import Sequence

from pincite.boxes import Box, BoxMap
from pincite.document import Block, BlockKind, Page
from pincite.ingest.outline import Outline
from pincite.ingest.pdf_layout import BodyStyle, LineGroup, group_lines
from pincite.ingest.pdf_frame import PageFrame
from pincite.ingest.pdf_words import Row, Segment

_CLOSE_KINDS = (BlockKind.LIST_ITEM, BlockKind.TABLE_ROW)


class PdfAssembly:
    """Collects pages in order; pages and blocks are separated by an empty line."""

    def __init__(self, body: BodyStyle) -> None:
        self.blocks: list[Block] = []
        self.pages: list[Page] = []
        self.boxes = BoxMap()
        self.first_heading: str | None = None
        self._body = body
        self._outline = Outline()
        self._pieces: list[str] = []
        self._length = 0

    def text(self) -> str:
        """Everything added so far."""
        return "".join(self._pieces)

    def add_page(self, number: int, frame: PageFrame, rows: Sequence[Row]) -> None:
        """Add the lines of a page as blocks."""
        start: int | None = None
        before: BlockKind | None = None
        for group in group_lines(rows, self._body):
            if self._length:
                close = group.kind in _CLOSE_KINDS and before is group.kind
                self._write("\n" if close else "\n\n")
            start = self._length if start is None else start
            self._add_group(group, number)
            before = group.kind
        self.pages.append(
            Page(
                number=number,
                start=self._length if start is None else start,
                end=self._length,
                width=frame.width,
                height=frame.height,
            )
        )

    def _add_group(self, group: LineGroup, page: int) -> None:
        start = self._length
        for number, row in enumerate(group.rows):
            self._write("\n" if number else "")
            self._add_row(row, page)
        if group.kind is BlockKind.HEADING:
            self._enter(" ".join(piece.text for row in group.rows for piece in row), group.level)
        self.blocks.append(
            Block(
                start=start,
                end=self._length,
                kind=group.kind,
                section=self._outline.path,
                page=page,
            )
        )

    def _enter(self, heading: str, level: int) -> None:
        path = self._outline.enter(level, heading)
        if self.first_heading is None:
            self.first_heading = path[-1]

    def _add_row(self, row: Row, page: int) -> None:
        """Add a line; a tab stands between the cells of a table row."""
        for number, segment in enumerate(row):
            self._write("\t" if number else "")
            self._add_words(segment, page)

    def _add_words(self, segment: Segment, page: int) -> None:
        for number, word in enumerate(segment.words):
            if number and not word.glued:
                self._write(" ")
            start = self._length
            self._write(word.text)
            box = Box(page=page, x0=word.x0, y0=word.y0, x1=word.x1, y1=word.y1)
            self.boxes.append(start, self._length, box)

    def _write(self, text: str) -> None:
        self._pieces.append(text)
        self._length += len(text)
