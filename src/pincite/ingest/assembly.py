"""Builds the text of a document block by block, for formats whose text has to be extracted."""

from __future__ import annotations

from pincite.document import Block, BlockKind
from pincite.ingest.outline import Outline

_CLOSE_KINDS = (BlockKind.LIST_ITEM, BlockKind.TABLE_ROW)


class TextAssembly:
    """Collects blocks in reading order and knows where each one lies in the text so far.

    Blocks are separated by an empty line, neighbouring list items and table rows by a line end.
    """

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self.outline = Outline()
        self._pieces: list[str] = []
        self._length = 0

    def add(self, text: str, kind: BlockKind) -> None:
        """Add a block below the current heading; text without any letters or signs is ignored."""
        if text.strip():
            self._append(text, kind)

    def add_heading(self, text: str, level: int) -> None:
        """Add a heading and make it the section of what follows."""
        if text.strip():
            self.outline.enter(level, text)
            self._append(text, BlockKind.HEADING)

    def text(self) -> str:
        """Everything added so far."""
        return "".join(self._pieces)

    def _append(self, text: str, kind: BlockKind) -> None:
        separator = self._separator(kind)
        start = self._length + len(separator)
        self._pieces += (separator, text)
        self._length = start + len(text)
        self.blocks.append(
            Block(start=start, end=self._length, kind=kind, section=self.outline.path)
        )

    def _separator(self, kind: BlockKind) -> str:
        if not self.blocks:
            return ""
        return "\n" if kind in _CLOSE_KINDS and self.blocks[-1].kind is kind else "\n\n"
