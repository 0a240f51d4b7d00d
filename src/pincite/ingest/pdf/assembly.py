"""Builds the text of a PDF from its pages, and records the position of words, blocks and pages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from pincite.ingest.assembly import Outline
from pincite.ingest.pdf.hidden import OUTSIDE, HiddenText
from pincite.ingest.pdf.layout import LineGroup, goes_on, is_unfinished
from pincite.ingest.pdf.pages import Note, PageContent
from pincite.ingest.pdf.words import PageFrame, Row, Segment, TableCell, Word
from pincite.records.document import (
    Block,
    BlockKind,
    Box,
    BoxMap,
    Cell,
    Flag,
    FlagKind,
    Page,
    Range,
    RecognisedLine,
)

_CLOSE_KINDS = (BlockKind.LIST_ITEM, BlockKind.TABLE_ROW)
_LONGEST_EXCERPT = 80


@dataclass(slots=True)
class _OpenPage:
    """A page whose last paragraph, and everything below it, is not written yet."""

    content: PageContent
    start: int | None = None
    held: LineGroup | None = None
    below: Sequence[LineGroup] = ()
    footer: Sequence[Row] = ()


class PdfAssembly:
    """Collects pages in order; an empty line separates pages and blocks.

    A paragraph that continues across a page break is one block. It is written last on its page and
    first on the next, so that nothing interrupts it: notes and the page footer come before it.
    """

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self.pages: list[Page] = []
        self.flags: list[Flag] = []
        self.boxes = BoxMap()
        self.recognised: list[RecognisedLine] = []
        self.first_heading: str | None = None
        self._outline = Outline()
        self._pieces: list[str] = []
        self._length = 0
        self._last_kind: BlockKind | None = None
        self._open: _OpenPage | None = None
        self._ranges: dict[int, Range] = {}
        # The frames of pages with sideways text, which is read before rotation.
        self._turned: dict[int, PageFrame] = {}

    def text(self) -> str:
        """Everything added so far."""
        return "".join(self._pieces)

    def add_page(
        self,
        content: PageContent,
        groups: Sequence[LineGroup],
        *,
        header: Sequence[Row],
        footer: Sequence[Row],
    ) -> None:
        """Add a page: its blocks in order, and its running headers and footers."""
        if content.layout is not content.frame:
            self._turned[content.number] = content.frame
        start = self._close(content.number, groups[0] if groups else None)
        self._ranges = {}
        groups = groups[start is not None :]
        held = _unfinished(groups)
        self._open = _OpenPage(content, start)
        self._add_running(header, BlockKind.PAGE_HEADER)
        for group in groups[:held]:
            self._add_group(group)
        if held is not None:
            self._open.held, self._open.below = groups[held], groups[held + 1 :]
        self._open.footer = footer

    def finish(self) -> None:
        """Write the rest of the last page."""
        self._close(0, None)

    def _close(self, number: int, following: LineGroup | None) -> int | None:
        """End the open page. Returns the start of the next one if it begins within a paragraph."""
        page = self._open
        if page is None:
            return None
        held, start = page.held, None
        if held is not None and following is not None and goes_on(held, following):
            self._add_foot(page)
            begin = self._begin(held.kind)
            self._add_rows(held.rows, page.content.number)
            self._end_page(page)
            self._write("\n")
            start = self._length
            self._add_rows(following.rows, number)
            self._add_block(begin, held.kind)
        else:
            if held is not None:
                self._add_group(held)
            self._add_foot(page)
            self._end_page(page)
        self._open = None
        return start

    def _add_foot(self, page: _OpenPage) -> None:
        """Add what is below the last paragraph of a page, or not part of its text."""
        for group in page.below:
            self._add_group(group)
        for note in page.content.notes:
            self._add_note(note)
        self._add_running(page.footer, BlockKind.PAGE_FOOTER)
        for reason, found in groupby(page.content.hidden, lambda hidden: hidden.reason):
            self._add_hidden(reason, list(found))

    def _end_page(self, page: _OpenPage) -> None:
        content = page.content
        self.pages.append(
            Page(
                number=content.number,
                start=self._length if page.start is None else page.start,
                end=self._length,
                width=content.frame.width,
                height=content.frame.height,
                label=content.label,
                images=content.images,
                gap=content.gap,
            )
        )

    def _begin(self, kind: BlockKind) -> int:
        """Write the separator before a block. Returns the start of the block."""
        close = kind in _CLOSE_KINDS and self._last_kind is kind
        if self._length:
            self._write("\n" if close else "\n\n")
        if self._open is not None and self._open.start is None:
            self._open.start = self._length
        self._last_kind = kind
        return self._length

    def _add_block(self, start: int, kind: BlockKind, *, cells: Iterable[Cell] = ()) -> None:
        self.blocks.append(
            Block(
                start=start,
                end=self._length,
                kind=kind,
                section=self._outline.path,
                page=self._number,
                cells=tuple(cells),
            )
        )

    @property
    def _number(self) -> int:
        return self._open.content.number if self._open is not None else 0

    def _add_group(self, group: LineGroup) -> None:
        # A row without cells may be next to a row with cells, but belongs to a different table.
        start = self._begin(group.kind)
        if group.cells:
            self._add_block(start, group.kind, cells=self._add_cells(group.cells))
            return
        self._add_rows(group.rows, self._number)
        if group.kind is BlockKind.HEADING:
            self._enter(" ".join(piece.text for row in group.rows for piece in row), group.level)
        self._add_block(start, group.kind)

    def _enter(self, heading: str, level: int) -> None:
        path = self._outline.enter(level, heading)
        if self.first_heading is None:
            self.first_heading = path[-1]

    def _add_cells(self, cells: Sequence[TableCell]) -> list[Cell]:
        """Add a table row; tabs separate cells, newlines separate the lines of a cell."""
        added = []
        for number, cell in enumerate(cells):
            self._write("\t" if number else "")
            added.append(self._add_cell(cell))
        return added

    def _add_cell(self, cell: TableCell) -> Cell:
        start = self._length
        for number, line in enumerate(cell.lines):
            self._write("\n" if number else "")
            self._add_line(line, self._number)
        self._ranges[id(cell)] = (start, self._length)
        return Cell(
            start=start,
            end=self._length,
            column_headers=tuple(self._ranges[id(head)] for head in cell.column_headers),
            row_headers=tuple(self._ranges[id(head)] for head in cell.row_headers),
        )

    def _add_running(self, rows: Sequence[Row], kind: BlockKind) -> None:
        if rows:
            start = self._begin(kind)
            self._add_rows(rows, self._number)
            self._add_block(start, kind)

    def _add_note(self, note: Note) -> None:
        start = self._begin(BlockKind.PARAGRAPH)
        self._write(note.text)
        turned = self._turned.get(self._number)
        x0, y0, x1, y1 = note.place if turned is None else turned.turned(*note.place)
        self.boxes.append(start, self._length, Box(page=self._number, x0=x0, y0=y0, x1=x1, y1=y1))
        self._add_block(start, BlockKind.PARAGRAPH)

    def _add_hidden(self, reason: str, found: Sequence[HiddenText]) -> None:
        start = self._begin(BlockKind.HIDDEN)
        for number, hidden in enumerate(found):
            self._write("\n" if number else "")
            line = Segment(list(hidden.words))
            self._add_line(line, self._number, with_boxes=reason != OUTSIDE)
        self._add_block(start, BlockKind.HIDDEN)
        text = " ".join(word.text for hidden in found for word in hidden.words)
        self.flags.append(
            Flag(
                kind=FlagKind.HIDDEN_TEXT,
                detail=f"{reason}: {_excerpt(text)}",
                start=start,
                end=self._length,
                page=self._number,
            )
        )

    def _add_rows(self, rows: Sequence[Row], page: int) -> None:
        """Add lines; tabs separate the pieces of a line."""
        for number, row in enumerate(rows):
            self._write("\n" if number else "")
            for place, segment in enumerate(row):
                self._write("\t" if place else "")
                self._add_line(segment, page)

    def _add_line(self, line: Segment, page: int, *, with_boxes: bool = True) -> None:
        start = self._length
        self._write(line.text)
        if with_boxes:
            self._add_boxes(line.words, start, page)
        if line.words[0].confidence is not None:
            self._add_recognised(start, line.words)
        if any(word.style.replaced for word in line.words):
            self._flag_replaced(line, start, page)

    def _add_boxes(self, words: Sequence[Word], start: int, page: int) -> None:
        boxes, turned = self.boxes, self._turned.get(page)
        end = start
        for number, word in enumerate(words):
            start = end if word.glued or not number else end + 1
            end = start + len(word.text)
            boxes.starts.append(start)
            boxes.ends.append(end)
            boxes.pages.append(page)
            box = word.x0, word.y0, word.x1, word.y1
            boxes.corners.extend(box if turned is None else turned.turned(*box))

    def _add_recognised(self, start: int, words: Sequence[Word]) -> None:
        sure = [word.confidence for word in words if word.confidence is not None]
        self.recognised.append(
            RecognisedLine(start=start, end=self._length, confidence=sum(sure) / len(sure))
        )

    def _flag_replaced(self, line: Segment, start: int, page: int) -> None:
        words = [word.text for word in line.words if word.style.replaced]
        if not any(map(str.isalnum, "".join(words))):
            return  # hyphens and bullets
        detail = f"the file substitutes {_excerpt(' '.join(words))} for the text it draws"
        self.flags.append(
            Flag(
                kind=FlagKind.REPLACED_TEXT,
                detail=detail,
                start=start,
                end=self._length,
                page=page,
            )
        )

    def _write(self, text: str) -> None:
        if text:
            self._pieces.append(text)
            self._length += len(text)


def _excerpt(text: str) -> str:
    return repr(text if len(text) <= _LONGEST_EXCERPT else f"{text[:_LONGEST_EXCERPT]}...")


def _unfinished(groups: Sequence[LineGroup]) -> int | None:
    """The index of the last text block, if its last sentence is unfinished."""
    for number in range(len(groups) - 1, -1, -1):
        if groups[number].kind is not BlockKind.FOOTNOTE:
            return number if is_unfinished(groups[number]) else None
    return None
