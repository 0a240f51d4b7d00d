"""Cuts a document into passages that follow its headings and hold whole sentences only."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from pincite.chunk.context import context_lines
from pincite.chunk.long_sentences import cut_code, cut_long
from pincite.document import UNQUOTED, Block, BlockKind, Document, Span
from pincite.records import Passage
from pincite.text.as_read import MARKDOWN
from pincite.text.inline_marks import around_links
from pincite.text.sentences import sentence_spans

_WHOLE = {BlockKind.TABLE_ROW, BlockKind.HEADING}
"""Blocks that are quoted whole or not at all."""

LONGEST_SENTENCE_CHARS = 4_000
"""Two printed pages without a full stop are no sentence but a list, a log or a data dump."""

LONGEST_CODE_CHARS = 1_500
"""Some thirty lines of code, or a diagram, are quoted whole."""

Measure = Callable[[str], int]
"""The size of a text, in the unit of the limits: characters or tokens."""


@dataclass(frozen=True, slots=True)
class _Sentence:
    """A sentence, and where it begins and ends in the unit of the limits."""

    start: int
    end: int
    begins: int
    ends: int
    block: Block


class StructureChunker:
    """Passages of up to `max_size` within one section.

    A passage is longer than that only when a single sentence is. With `min_size`, a passage that
    has reached it ends with its paragraph. The last sentences of a passage, up to `overlap`, are
    repeated at the start of the next one of the same section. A heading is part of its passages'
    context; one without any text below it is a passage itself.

    Sizes are characters, or what `measure` counts; then blanks between sentences count nothing.
    """

    def __init__(
        self,
        *,
        max_size: int,
        overlap: int,
        min_size: int | None = None,
        measure: Measure | None = None,
    ) -> None:
        self._max_size = max_size
        self._overlap_size = overlap
        self._min_size = max_size if min_size is None else min_size
        self._measure = measure

    def chunk(self, document: Document) -> tuple[Passage, ...]:
        """Passages in reading order, with ids that depend on the document's content alone."""
        pieces = [
            (section, piece)
            for section, blocks in groupby(_quotable(document.blocks), lambda b: b.section)
            for piece in self._pack(self._sentences(document, blocks))
        ]
        return tuple(
            _passage(document, section, piece, number)
            for number, (section, piece) in enumerate(pieces)
        )

    def _pack(self, sentences: Iterator[_Sentence]) -> Iterator[list[_Sentence]]:
        piece: list[_Sentence] = []
        for sentence in sentences:
            if piece and (
                sentence.ends - piece[0].begins > self._max_size or self._is_full(piece, sentence)
            ):
                yield piece
                piece = self._overlap(piece, sentence)
            piece.append(sentence)
        if piece:
            yield piece

    def _is_full(self, piece: Sequence[_Sentence], following: _Sentence) -> bool:
        ends_paragraph = following.block is not piece[-1].block
        return ends_paragraph and piece[-1].ends - piece[0].begins >= self._min_size

    def _overlap(self, piece: Sequence[_Sentence], following: _Sentence) -> list[_Sentence]:
        kept: list[_Sentence] = []
        for sentence in reversed(piece[1:]):
            too_much = piece[-1].ends - sentence.begins > self._overlap_size
            too_long = following.ends - sentence.begins > self._max_size
            if too_much or too_long:
                break
            kept.insert(0, sentence)
        return kept

    def _sentences(self, document: Document, blocks: Iterator[Block]) -> Iterator[_Sentence]:
        position = 0
        text = document.text
        for block in blocks:
            for start, end in _ranges(document, block):
                if self._measure is None:
                    yield _Sentence(start, end, start, end, block)
                    continue
                begins = position
                position += self._measure(text[start:end])
                yield _Sentence(start, end, begins, position, block)


def _ranges(document: Document, block: Block) -> Iterator[tuple[int, int]]:
    text = document.text
    if block.kind is BlockKind.CODE:
        yield from cut_code(text, block.start, block.end, LONGEST_CODE_CHARS)
        return
    spans = [(0, block.end - block.start)]
    if block.kind not in _WHOLE:
        spans = sentence_spans(text[block.start : block.end])
    if len(spans) > 1 and document.media_type == MARKDOWN:
        spans = around_links(text[block.start : block.end], spans)
    for start, end in spans:
        yield from cut_long(text, block.start + start, block.start + end, LONGEST_SENTENCE_CHARS)


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


def _passage(
    document: Document, section: tuple[str, ...], piece: Sequence[_Sentence], number: int
) -> Passage:
    first, last = piece[0], piece[-1]
    on_page = document.page_at(first.start)
    page = on_page.number if on_page else first.block.page
    blocks = list(dict.fromkeys(sentence.block for sentence in piece))
    return Passage(
        id=f"{document.id}_p{page or 1}_c{number}",
        span=Span(document_id=document.id, start=first.start, end=last.end),
        section=section,
        page=page,
        sentences=tuple(Span(document_id=document.id, start=s.start, end=s.end) for s in piece),
        context=context_lines(document, section, blocks, first.start),
        headers=_headers(piece),
    )


def _headers(piece: Sequence[_Sentence]) -> tuple[tuple[int, ...], ...]:
    starts = [sentence.start for sentence in piece]
    found = tuple(_rows_above(piece, starts, sentence) for sentence in piece)
    return found if any(found) else ()


def _rows_above(
    piece: Sequence[_Sentence], starts: Sequence[int], row: _Sentence
) -> tuple[int, ...]:
    """The numbers of the sentences that hold the column headers of a row's cells, from above.

    The nearest alone may be "(in thousands)", with the years in the row above it.
    """
    above = {
        start for cell in row.block.cells for start, _ in cell.column_headers if start < row.start
    }
    numbers = {(start, bisect_right(starts, start) - 1) for start in above}
    return tuple(sorted({n for start, n in numbers if n >= 0 and start < piece[n].end}))
