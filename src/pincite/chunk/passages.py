"""Cuts a document into passages that follow its headings and hold whole sentences only."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from pincite.chunk.sentences import sentence_spans
from pincite.document import UNQUOTED, Block, BlockKind, Document, Span
from pincite.records import Passage

_WHOLE = {BlockKind.TABLE_ROW, BlockKind.HEADING}
"""Blocks that are quoted whole or not at all."""


@dataclass(frozen=True, slots=True)
class _Sentence:
    start: int
    end: int
    page: int | None


class StructureChunker:
    """Passages of up to `max_chars` within one section.

    A passage is longer than `max_chars` only when a single sentence is. The last sentences of a
    passage, up to `overlap_chars`, are repeated at the start of the next one of the same section.
    A heading is part of its passages' context; one without any text below it is a passage itself.
    """

    def __init__(self, *, max_chars: int, overlap_chars: int) -> None:
        self._max_chars = max_chars
        self._overlap_chars = overlap_chars

    def chunk(self, document: Document) -> tuple[Passage, ...]:
        """Passages in reading order, with ids that depend on the document's content alone."""
        pieces = [
            (section, piece)
            for section, blocks in groupby(_quotable(document.blocks), lambda b: b.section)
            for piece in self._pack(_sentences(document.text, blocks))
        ]
        return tuple(
            _passage(document, section, piece, number)
            for number, (section, piece) in enumerate(pieces)
        )

    def _pack(self, sentences: Iterator[_Sentence]) -> Iterator[list[_Sentence]]:
        piece: list[_Sentence] = []
        for sentence in sentences:
            if piece and sentence.end - piece[0].start > self._max_chars:
                yield piece
                piece = self._overlap(piece, sentence)
            piece.append(sentence)
        if piece:
            yield piece

    def _overlap(self, piece: Sequence[_Sentence], following: _Sentence) -> list[_Sentence]:
        kept: list[_Sentence] = []
        for sentence in reversed(piece[1:]):
            too_much = piece[-1].end - sentence.start > self._overlap_chars
            too_long = following.end - sentence.start > self._max_chars
            if too_much or too_long:
                break
            kept.insert(0, sentence)
        return kept


def _quotable(blocks: Sequence[Block]) -> Iterator[Block]:
    """Every block that may be quoted, but no heading that has something below it."""
    blocks = [block for block in blocks if block.kind not in UNQUOTED]
    covered = {
        block.section[:depth]
        for block in blocks
        if block.kind is not BlockKind.HEADING
        for depth in range(1, len(block.section) + 1)
    }
    for block in blocks:
        if block.kind is not BlockKind.HEADING or block.section not in covered:
            yield block


def _sentences(text: str, blocks: Iterator[Block]) -> Iterator[_Sentence]:
    for block in blocks:
        if block.kind in _WHOLE:
            yield _Sentence(block.start, block.end, block.page)
            continue
        for start, end in sentence_spans(text[block.start : block.end]):
            yield _Sentence(block.start + start, block.start + end, block.page)


def _passage(
    document: Document, section: tuple[str, ...], piece: Sequence[_Sentence], number: int
) -> Passage:
    page = piece[0].page
    headings = section[1:] if section[:1] == (document.title,) else section
    return Passage(
        id=f"{document.id}_p{page or 1}_c{number}",
        span=Span(document_id=document.id, start=piece[0].start, end=piece[-1].end),
        section=section,
        page=page,
        sentences=tuple(Span(document_id=document.id, start=s.start, end=s.end) for s in piece),
        context=" > ".join((document.title, *headings)),
    )
