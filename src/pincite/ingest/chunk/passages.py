"""Splits a document into passages that respect its headings and contain only whole sentences."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import PurePath

from pincite.records.document import UNQUOTED, Block, BlockKind, Document, Range, Span
from pincite.records.flow import Passage
from pincite.records.formats import Markup, markup_of
from pincite.text.inline_marks import around_links
from pincite.text.sentences import sentence_spans

_WHOLE = {BlockKind.TABLE_ROW, BlockKind.HEADING}
"""Blocks that are quoted whole or not at all."""

LONGEST_SENTENCE_CHARS = 4_000
"""Two printed pages without a full stop are a list, a log or a data dump, not a sentence."""

LONGEST_CODE_CHARS = 1_500
"""About thirty lines of code, or a diagram, are quoted whole."""

Measure = Callable[[str], int]
"""Measures a text in the unit of the limits: characters or tokens."""


@dataclass(frozen=True, slots=True)
class _Sentence:
    """A sentence with its start and end in the unit of the limits."""

    start: int
    end: int
    begins: int
    ends: int
    block: Block


class StructureChunker:
    """Passages of up to `max_size` within one section.

    A passage exceeds it only when a single sentence does. With `min_size`, a passage that has
    reached it ends with its paragraph. The last sentences of a passage, up to `overlap`, are
    repeated at the start of the next one in the same section. A heading is part of the context of
    its passages; a heading with no text below it is a passage of its own.

    Sizes are in characters or in the unit of `measure`; then blanks between sentences do not count.
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
        """Passages in reading order; their ids depend only on the document's content."""
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
    if len(spans) > 1 and markup_of(document.media_type) is Markup.MARKDOWN:
        spans = around_links(text[block.start : block.end], spans)
    for start, end in spans:
        yield from cut_long(text, block.start + start, block.start + end, LONGEST_SENTENCE_CHARS)


def _quotable(blocks: Sequence[Block]) -> Iterator[Block]:
    """The blocks that may be quoted, except headings with content below them."""
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
    """The indices of the sentences with the column headers of a row's cells, top to bottom.

    The nearest header alone may be "(in thousands)", with the years in the row above it.
    """
    above = {
        start for cell in row.block.cells for start, _ in cell.column_headers if start < row.start
    }
    numbers = {(start, bisect_right(starts, start) - 1) for start in above}
    return tuple(sorted({n for start, n in numbers if n >= 0 and start < piece[n].end}))


# Context prepended to a passage when it is embedded or shown to a model, never to a quote (P6).

_PARTS = re.compile(r"[\s_.\-]+")
_LONGEST_WORD_WITH_DIGITS = 12
_SAY_NOTHING = frozenset(
    "copy doc document draft file final image index new page readme report scan text untitled".split()
)
_VERSION = re.compile(r"(?:v|ver|rev|version|edition)\d{1,3}|(?:19|20)\d\d", re.IGNORECASE)
_LONGEST_HEADER_CHARS = 200


def context_lines(
    document: Document, section: tuple[str, ...], blocks: Sequence[Block], start: int
) -> str:
    """File name, title and headings on one line; then the table header if the passage lacks it.

    `blocks` are the passage's blocks and `start` is the offset of its text: a header at or after
    `start` is already part of it.
    """
    headings = section[1:] if section[:1] == (document.title,) else section
    first = " > ".join((*_file_words(document), document.title, *headings))
    header = _table_header(document.text, blocks, start)
    return f"{first}\n{header}" if header else first


def _file_words(document: Document) -> Iterator[str]:
    """The words of the file name, if they add to the title.

    A name that is only a number or an id (`d0123`, a hash) adds nothing; a year or a version after
    words of the title does.
    """
    words = [word for word in _PARTS.split(PurePath(document.name).stem) if not _is_hash(word)]
    title = document.title.casefold()
    telling = [word.casefold() for word in words if len(word) > 2 and word.isalpha()]
    is_version = telling and any(_VERSION.fullmatch(word) for word in words)
    if is_version or any(word not in title and word not in _SAY_NOTHING for word in telling):
        yield " ".join(words)


def _is_hash(part: str) -> bool:
    has_digit = any(sign.isdigit() for sign in part)
    return not part or (has_digit and len(part) >= _LONGEST_WORD_WITH_DIGITS)


def _table_header(text: str, blocks: Sequence[Block], start: int) -> str:
    """The column headers of the first table row, if they precede the passage."""
    for block in blocks:
        names: list[str] = []
        for cell in block.cells:
            outside = [header for header in cell.column_headers if header[1] <= start]
            if outside:
                names.append(" ".join(_words(text, header) for header in outside))
        if names:
            return " | ".join(dict.fromkeys(names))[:_LONGEST_HEADER_CHARS]
    return ""


def _words(text: str, header: Range) -> str:
    return " ".join(text[header[0] : header[1]].split())


# Splits text that is too long to quote, at natural pauses.

# From the best place to split to the worst; the split is after the match.
_PAUSES = tuple(re.compile(pattern) for pattern in (r"\n", r"\t", r"[;:]\s", r",\s", r"\s"))

_EMPTY_LINE = re.compile(r"[^\S\n]*\n")
_EMPTY_LINES = re.compile(r"\n(?:[^\S\n]*\n)+")

_LEAST_SHARE = 0.5
"""A piece must be at least this fraction of the limit; else the next kind of pause is tried."""


def cut_long(text: str, start: int, end: int, limit: int) -> Iterator[tuple[int, int]]:
    """Ranges of at most `limit` characters that cover `text[start:end]`, surrounding blanks removed.

    A sentence this long is a list, a log or a table cell without full stops. It is split at a line
    end, else between cells, after a semicolon or colon, after a comma, or between words; only a run
    without blanks is split inside.
    """
    while end - start > limit:
        cut = _cut(text, start, start + limit)
        yield from _trimmed(text, start, cut)
        start = cut
    yield from _trimmed(text, start, end)


def cut_code(text: str, start: int, end: int, limit: int) -> Iterator[tuple[int, int]]:
    """Ranges of whole lines with indentation: everything if within `limit` characters, else paragraphs.

    Code has no sentences, so full stops do not count. A paragraph that is too long is split at line
    ends, and a line that is too long is split like other text.
    """
    for first, last in [(start, end)] if end - start <= limit else _paragraphs(text, start, end):
        while last - first > limit:
            cut = text.rfind("\n", first, first + limit) + 1
            if cut <= first:
                yield from cut_long(text, first, first + limit, limit)
                cut = first + limit
            else:
                yield from _filled(text, first, cut)
            first = cut
        yield from _filled(text, first, last)


def _paragraphs(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    for match in _EMPTY_LINES.finditer(text, start, end):
        yield start, match.start()
        start = match.end()
    yield start, end


def _filled(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The range without surrounding empty lines; the first line keeps its indentation."""
    while first := _EMPTY_LINE.match(text, start, end):
        start = first.end()
    end = start + len(text[start:end].rstrip())
    if start < end:
        yield start, end


def _cut(text: str, start: int, latest: int) -> int:
    earliest = start + int(_LEAST_SHARE * (latest - start))
    for pause in _PAUSES:
        found = [match.end() for match in pause.finditer(text, earliest, latest)]
        if found:
            return found[-1]
    # A combining mark must not be separated from its letter.
    cut = latest
    while cut > earliest + 1 and unicodedata.combining(text[cut]):
        cut -= 1
    return cut


def _trimmed(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    piece = text[start:end]
    first = start + len(piece) - len(piece.lstrip())
    last = start + len(piece.rstrip())
    if first < last:
        yield first, last
