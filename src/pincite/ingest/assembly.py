"""Builds the text of a document block by block, for formats whose text has to be extracted."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pincite.records.document import (
    Block,
    BlockKind,
    Cell,
    Document,
    Flag,
    FlagKind,
    Range,
    RecognisedLine,
)
from pincite.records.files import title_of_name

_CLOSE_KINDS = (BlockKind.LIST_ITEM, BlockKind.TABLE_ROW)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The position of the blocks being added: a page or slide number, or a description."""

    page: int | None = None
    words: str = ""


class TextAssembly:
    """Collects blocks in reading order and records the offsets of each in the text.

    An empty line separates blocks; a newline separates adjacent list items and table rows.
    """

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self.flags: list[Flag] = []
        self.recognised: list[RecognisedLine] = []
        self.outline = Outline()
        self.place = Place()
        self._pieces: list[str] = []
        self._length = 0

    @property
    def length(self) -> int:
        """The length of the text so far, in characters."""
        return self._length

    def add(self, text: str, kind: BlockKind) -> Block | None:
        """Add a block below the current heading; blank text is ignored."""
        return self._append(text, kind) if text.strip() else None

    def add_heading(self, text: str, level: int) -> None:
        """Add a heading and open its section."""
        if text.strip():
            self.outline.enter(level, text)
            self._append(text, BlockKind.HEADING)

    def add_hidden(self, text: str, detail: str) -> None:
        """Add text that is invisible on the page; it is kept and flagged, but never quoted."""
        block = self.add(text, BlockKind.HIDDEN)
        if block is not None:
            self.flag_hidden(block, detail)

    def flag_hidden(self, block: Block, detail: str) -> None:
        """Flag a block as hidden; adjacent blocks hidden for the same reason share one flag."""
        last = self.flags[-1] if self.flags else None
        if last is not None and (last.detail, last.page) == (detail, block.page):
            self.flags[-1] = replace(last, end=block.end)
            return
        self.flags.append(
            Flag(
                kind=FlagKind.HIDDEN_TEXT,
                detail=detail,
                start=block.start,
                end=block.end,
                page=block.page,
            )
        )

    def set_cells(self, cells: tuple[Cell, ...]) -> None:
        """Set the cells of the most recently added block."""
        self.blocks[-1] = replace(self.blocks[-1], cells=cells)

    def add_blocks(self, text: str, blocks: Sequence[Block]) -> int:
        """Add a text with its blocks; returns the offset at which it starts.

        The blocks go below the current heading; their places are appended to the current one.
        """
        separator = "\n\n" if self._length else ""
        shift = self._length + len(separator)
        self._pieces += (separator, text)
        self._length = shift + len(text)
        self.blocks += [self._moved(block, shift) for block in blocks]
        return shift

    def add_document(self, part: Document) -> None:
        """Add a document embedded in this one, with its flags and recognised lines."""
        shift = self.add_blocks(part.text, part.blocks)
        page = self.place.page
        self.flags += [
            replace(flag, start=flag.start + shift, end=flag.end + shift, page=page)
            for flag in part.flags
        ]
        self.recognised += [
            replace(line, start=line.start + shift, end=line.end + shift)
            for line in part.recognised
        ]

    def start_of_next(self, kind: BlockKind) -> int:
        """The offset at which the next block of this kind will start."""
        return self._length + len(self._separator(kind))

    def text(self) -> str:
        """Everything added so far."""
        return "".join(self._pieces)

    def _append(self, text: str, kind: BlockKind) -> Block:
        separator = self._separator(kind)
        start = self._length + len(separator)
        self._pieces += (separator, text)
        self._length = start + len(text)
        block = Block(
            start=start,
            end=self._length,
            kind=kind,
            section=self.outline.path,
            page=self.place.page,
            place=self.place.words,
        )
        self.blocks.append(block)
        return block

    def _moved(self, block: Block, shift: int) -> Block:
        inner = block.place or (f"page {block.page}" if block.page is not None else "")
        return replace(
            block,
            start=block.start + shift,
            end=block.end + shift,
            section=(*self.outline.path, *block.section),
            page=self.place.page,
            place=", ".join(words for words in (self.place.words, inner) if words),
            cells=tuple(_moved_cell(cell, shift) for cell in block.cells),
        )

    def _separator(self, kind: BlockKind) -> str:
        if not self.blocks:
            return ""
        return "\n" if kind in _CLOSE_KINDS and self.blocks[-1].kind is kind else "\n\n"


def _moved_cell(cell: Cell, shift: int) -> Cell:
    def moved(ranges: tuple[Range, ...]) -> tuple[Range, ...]:
        return tuple((start + shift, end + shift) for start, end in ranges)

    return replace(
        cell,
        start=cell.start + shift,
        end=cell.end + shift,
        column_headers=moved(cell.column_headers),
        row_headers=moved(cell.row_headers),
    )


# The heading path of the current position, maintained while a reader walks through a document.

_MARKER = re.compile(r"^\[[A-Z][A-Z _-]*\]\s+(?=\S)")
_SPACES = re.compile(r"\s+")
_LONGEST_TITLE_CHARS = 200


class Outline:
    """The headings above the current position; a deeper heading nests below a shallower one."""

    def __init__(self) -> None:
        self._open: list[tuple[int, str]] = []

    def enter(self, level: int, heading: str) -> tuple[str, ...]:
        """Open a section; returns its path, ending with the heading itself."""
        while self._open and self._open[-1][0] >= level:
            self._open.pop()
        self._open.append((level, clean_heading(heading)))
        return self.path

    def leave(self, level: int = 0) -> None:
        """Close the sections of this level and deeper ones; by default all."""
        while self._open and self._open[-1][0] >= level:
            self._open.pop()

    @property
    def path(self) -> tuple[str, ...]:
        """The headings above the current position, outermost first."""
        return tuple(heading for _, heading in self._open)


def clean_heading(heading: str) -> str:
    """The heading on one line, without a leading marker such as `[ARTICLE]`."""
    return _MARKER.sub("", _SPACES.sub(" ", heading).strip())


def choose_title(path: Path, *candidates: str | None) -> str:
    """The first usable title among the candidates, else one derived from the file name."""
    for candidate in candidates:
        title = clean_heading(candidate or "")
        if title and len(title) <= _LONGEST_TITLE_CHARS:
            return title
    return title_of_name(path.name)
