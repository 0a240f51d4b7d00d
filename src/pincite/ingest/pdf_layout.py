"""Makes paragraphs, headings, list items and table rows of the lines of a PDF page."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from pincite.document import BlockKind
from pincite.ingest.pdf_words import Row, Segment

_BULLETS = "•●○◦▪■□►▶➢✓✔❑*·‣–—-\uf0b7\uf0a7"
_LIST_MARKER = re.compile(
    rf"^(?:[{re.escape(_BULLETS)}]|\(?(?:\d{{1,3}}|[A-Za-z]|[ivxIVX]{{1,5}})[.)])(?=\s|$)"
)
_MARKER_ALONE = re.compile(
    rf"^(?:[{re.escape(_BULLETS)}]|\(?(?:\d{{1,3}}|[A-Za-z]|[ivxIVX]{{1,5}})[.)]|\d{{1,2}}(?:\.\d{{1,2}})*\.?)$"
)
_HAS_WORD = re.compile(r"[^\W\d_]{2}")
_NUMBERED_HEADING = re.compile(r"^(\d{1,2}(?:\.\d{1,2}){0,4})\.?\s+(?=[^\W\d_])")
_ENDS_SENTENCE = re.compile(r"[.!?:;。！？؟…][\"'”’)\]]*$")
_LONGEST_HEADING_CHARS = 120
_LONGEST_CAPITAL_HEADING_CHARS = 80
_LARGER = 1.13
_RUNNING_PAGES = 3
_CELL_GAP_IN_SIZES = 2.5


@dataclass(frozen=True, slots=True, kw_only=True)
class LineGroup:
    """Lines that form one block; `level` orders headings, smaller is higher."""

    kind: BlockKind
    rows: tuple[Row, ...]
    level: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class BodyStyle:
    """What most of a document's text looks like; headings are what stands out from it.

    `running` holds the lines that come back at the top or bottom of pages, numbers left out.
    """

    size: float
    bold: bool
    running: frozenset[str]


def body_style(pages: Iterable[Sequence[Row]]) -> BodyStyle:
    """The style most characters are set in, learnt from some pages of a document."""
    sizes: Counter[float] = Counter()
    edges: Counter[str] = Counter()
    bold = 0
    for rows in pages:
        edges.update({_without_numbers(row_text(row)) for row in (*rows[:3], *rows[-3:])})
        for segment in (segment for row in rows for segment in row):
            sizes[round(segment.size * 2) / 2] += len(segment.text)
            bold += len(segment.text) * (1 if segment.bold else -1)
    return BodyStyle(
        size=sizes.most_common(1)[0][0] if sizes else 12.0,
        # Some fonts call themselves bold without being it; then weight tells nothing.
        bold=bold > 0,
        running=frozenset(text for text, count in edges.items() if count >= _RUNNING_PAGES),
    )


def _without_numbers(text: str) -> str:
    return re.sub(r"\d+", "", text).strip()


def group_lines(rows: Sequence[Row], body: BodyStyle) -> Iterator[LineGroup]:
    """The blocks of one page in order; every row goes into exactly one of them."""
    rows = [_tidy(row) for row in _rejoined(rows)]
    leading = _leading(rows)
    group: list[Row] = []
    kind, level = BlockKind.PARAGRAPH, 0
    for number, row in enumerate(rows):
        row_kind, row_level = _classify(row, rows[number + 1 : number + 2], body)
        if group and (
            row_kind is BlockKind.TABLE_ROW
            or not _continues(group, row, (kind, level), (row_kind, row_level), leading)
        ):
            yield LineGroup(kind=kind, rows=tuple(group), level=level)
            group = []
        if not group:
            kind, level = row_kind, row_level
        group.append(row)
    if group:
        yield LineGroup(kind=kind, rows=tuple(group), level=level)


def row_text(row: Row) -> str:
    """A line as one string, with a tab between cells."""
    return "\t".join(segment.text for segment in row)


def _rejoined(rows: Sequence[Row]) -> Iterator[Row]:
    """Put back together what stands on one line: a bullet and its text, a note mark."""
    before: Row = []
    for row in rows:
        if before and _stands_beside(before, row):
            words = [*before[-1].words, *row[0].words]
            before = [*before[:-1], Segment(words), *row[1:]]
            continue
        if before:
            yield before
        before = row
    if before:
        yield before


def _stands_beside(before: Row, row: Row) -> bool:
    left, right = before[-1], row[0]
    shared_height = min(left.y1, right.y1) - max(left.y0, right.y0)
    if shared_height < 0.5 * min(left.y1 - left.y0, right.y1 - right.y0):
        return False
    is_bullet = len(before) == 1 and left.text in _BULLETS
    return -1.0 <= right.x0 - left.x1 < (5.0 if is_bullet else 0.8) * max(left.size, right.size)


def _tidy(row: Row) -> Row:
    """Join pieces that only look like cells: a marker and its text, words spread to fill a line."""
    if len(row) < 2:
        return row
    gap = row[1].x0 - row[0].x1
    spread = len(row) == 2 and 0 <= gap <= _CELL_GAP_IN_SIZES * row[1].size
    marked = gap < 5 * row[1].size and _MARKER_ALONE.match(row[0].text)
    if (spread or marked) and _HAS_WORD.search(row[1].text):
        return [Segment([*row[0].words, *row[1].words]), *row[2:]]
    return row


def _leading(rows: Sequence[Row]) -> float:
    """The usual distance from one line of a paragraph to the next."""
    tops = [row[0].y0 for row in rows]
    steps = sorted(b - a for a, b in pairwise(tops) if 2.0 < b - a < 60.0)
    size = median(row[0].size for row in rows) if rows else 12.0
    # Below the median: on a page of short paragraphs half the steps are gaps between them.
    step = steps[len(steps) * 3 // 10] if steps else 0.0
    alike = sum(abs(other - step) <= 0.1 * step for other in steps)
    if steps and (step <= 1.6 * size or alike > 0.5 * len(steps)):
        return step
    return 1.2 * size


def _classify(row: Row, following: Sequence[Row], body: BodyStyle) -> tuple[BlockKind, int]:
    """The kind a line has by itself, and its level if it is a heading."""
    if len(row) > 1:
        return BlockKind.TABLE_ROW, 0
    line = row[0]
    level = _heading_level(line, following, body)
    if level:
        return BlockKind.HEADING, level
    if _LIST_MARKER.match(line.text) and len(line.text) > 2:
        return BlockKind.LIST_ITEM, 0
    return BlockKind.PARAGRAPH, 0


def _heading_level(line: Segment, following: Sequence[Row], body: BodyStyle) -> int:
    """A number from 10 (largest) for headings, 0 for other lines.

    Size counts first, in steps of 10; among lines of the body's size capitals stand above bold
    ones, and numbered ones below, by the depth of their number.
    """
    text = line.text
    letters = [sign for sign in text if sign.isalpha()]
    if len(letters) < 3 or len(letters) < 0.4 * len(text) or len(text) > _LONGEST_HEADING_CHARS:
        return 0
    if not (text[0].isalnum() or text[0] in "\"'“‘«([¿¡§") or _runs_on(line, following, body):
        return 0
    if _without_numbers(text) in body.running:
        return 0
    numbered = _NUMBERED_HEADING.match(text)
    depth = numbered[1].count(".") + 1 if numbered else 0
    if line.size >= _LARGER * body.size:
        step = 1 if line.size >= 1.7 * body.size else 2 if line.size >= 1.35 * body.size else 3
        return 10 * step + depth
    if _ENDS_SENTENCE.search(text):
        return 0
    if _is_capitals(letters) and len(text) <= _LONGEST_CAPITAL_HEADING_CHARS:
        return 40 + depth
    is_short = len(text) <= _LONGEST_CAPITAL_HEADING_CHARS
    if numbered and depth > 1 and is_short and text[numbered.end()].isupper():
        return 43 + depth
    if line.bold and not body.bold and not text[0].islower():
        return 43 + depth
    return 0


def _is_capitals(letters: Sequence[str]) -> bool:
    return len(letters) >= 4 and sum(sign.isupper() for sign in letters) >= 0.85 * len(letters)


def _runs_on(line: Segment, following: Sequence[Row], body: BodyStyle) -> bool:
    """Whether a line goes on below as prose does, so that it is no title."""
    if line.text.endswith("-"):
        return line.size < 1.35 * body.size
    if not following or line.size >= 1.35 * body.size:
        return False
    below = following[0][0]
    near = 0 < below.y0 - line.y0 < 2 * line.size and abs(below.size - line.size) < 0.2 * line.size
    return near and below.text[:1].islower() and (len(line.text) > 60 or not line.bold)


def _continues(
    group: Sequence[Row],
    row: Row,
    group_kind: tuple[BlockKind, int],
    row_kind: tuple[BlockKind, int],
    leading: float,
) -> bool:
    """Whether a line belongs to the block that is being collected."""
    last, line = group[-1][0], row[0]
    if group_kind[0] is BlockKind.TABLE_ROW or row_kind[0] is BlockKind.LIST_ITEM:
        return False
    if BlockKind.HEADING in (group_kind[0], row_kind[0]):
        close = 0 < line.y0 - last.y0 <= 1.6 * max(last.size, line.size)
        return group_kind == row_kind and close and len(group) < 3 and not _is_numbered(line)
    step = line.y0 - last.y0
    unfinished = not _ENDS_SENTENCE.search(last.text)
    if step < -last.size or line.x0 > last.x1 + last.size:
        # The text went on in the next column, or a new piece begins there.
        return unfinished and line.text[:1].islower() and abs(line.size - last.size) < 1.5
    if step > max(1.45 * leading, 1.3 * last.size) and not (step < 2.2 * leading and unfinished):
        return False
    if step > 2.2 * max(leading, last.size) or abs(line.size - last.size) > 0.2 * last.size:
        return False
    return not _starts_paragraph(group, line)


def _starts_paragraph(group: Sequence[Row], line: Segment) -> bool:
    """Whether an indented line, or one after a short last line, begins a new paragraph."""
    last = group[-1][0]
    if not _ENDS_SENTENCE.search(last.text):
        return False
    left = min(row[0].x0 for row in group)
    right = max(row[0].x1 for row in group)
    indented = len(group) > 1 and 0.6 * line.size < line.x0 - last.x0 < 6 * line.size
    ended_short = last.x1 < right - 0.25 * (right - left) or (
        len(group) == 1 and line.x1 > last.x1 + 4 * line.size
    )
    return indented or ended_short


def _is_numbered(line: Segment) -> bool:
    return _NUMBERED_HEADING.match(line.text) is not None
