"""A document as the statements that are compared: sentences, list items, headings and table rows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pincite.records.document import UNQUOTED, Block, BlockKind, Cell, Document
from pincite.text.as_read import statement_key
from pincite.text.sentences import sentence_spans

_WHOLE = frozenset({BlockKind.HEADING, BlockKind.TABLE_ROW})
_NUMBER = re.compile(r"^(?:\(?(?:\d{1,3}(?:\.\d{1,3}){0,4}|[a-z]|[ivx]{1,5})[.)]|\d+(?:\.\d+)+)\s+")
"""The number of a heading or an item, which changes when another one is put before it."""


@dataclass(frozen=True, slots=True, eq=False)
class Unit:
    """A statement at `start:end` of its document. Equal keys are equal words, whatever the format."""

    document: Document
    start: int
    end: int
    key: str
    kind: BlockKind
    section: tuple[str, ...]
    place: str
    cells: tuple[Cell, ...] = ()

    @property
    def text(self) -> str:
        """The words, verbatim."""
        return self.document.text[self.start : self.end]

    def cell_texts(self) -> dict[str, str]:
        """The cells of a row by the words of their heads; by their number where these do not tell."""
        texts: dict[str, str] = {}
        for number, cell in enumerate(self.cells, start=1):
            heads = (self.document.text[start:end] for start, end in cell.column_headers)
            head = " ".join(" ".join(heads).split())
            if not head or head in texts:
                head = f"{head} column {number}".lstrip()
            texts[head] = " ".join(self.document.text[cell.start : cell.end].split())
        return texts


def units_of(document: Document) -> tuple[Unit, ...]:
    """The statements of a document in order, without page margins and hidden text."""
    return tuple(
        Unit(document, start, end, key, block.kind, block.section, block.place, block.cells)
        for block in document.blocks
        if block.kind not in UNQUOTED
        for start, end in _spans(document, block)
        if (key := _key(document, block, start, end))
    )


def _spans(document: Document, block: Block) -> Iterator[tuple[int, int]]:
    text = document.text[block.start : block.end]
    if block.kind is BlockKind.CODE:
        start = block.start
        for line in text.splitlines(keepends=True):
            yield start, start + len(line.rstrip())
            start += len(line)
    elif block.kind in _WHOLE:
        yield block.start, block.start + len(text.rstrip())
    else:
        for start, end in sentence_spans(text):
            yield block.start + start, block.start + end


def _key(document: Document, block: Block, start: int, end: int) -> str:
    key = statement_key(document.text[start:end], document.media_type)
    if not any(map(str.isalnum, key)):
        return ""
    if block.kind in (BlockKind.HEADING, BlockKind.LIST_ITEM):
        return _NUMBER.sub("", key).strip("# ") or key
    return key
