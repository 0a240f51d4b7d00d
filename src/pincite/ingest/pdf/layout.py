"""Groups the lines of a PDF page into paragraphs, headings, list items and table rows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from pincite.ingest.pdf.aligned_tables import is_caption, with_aligned_tables
from pincite.ingest.pdf.headings import (
    ENDS_SENTENCE,
    LARGEST_LEVEL,
    LEAST_LARGER_LEVEL,
    BodyStyle,
    heading_level,
    is_numbered,
    runs_into,
)
from pincite.ingest.pdf.words import Item, Row, Segment, Table, TableCell
from pincite.records.document import BlockKind

_BULLETS = "•●○◦▪■□►▶➢✓✔❑*·‣–—-\uf0b7\uf0a7"
_LIST_MARKER = re.compile(
    rf"^(?:[{re.escape(_BULLETS)}]|\(?(?:\d{{1,3}}|[A-Za-z]|[ivxIVX]{{1,5}})[.)])(?=\s|$)"
)
_MARKER_ALONE = re.compile(
    rf"^(?:[{re.escape(_BULLETS)}]|\(?(?:\d{{1,3}}|[A-Za-z]|[ivxIVX]{{1,5}})[.)]|\d{{1,2}}(?:\.\d{{1,2}})*\.?)$"
)
_HAS_WORD = re.compile(r"[^\W\d_]{2}")
_LONGEST_CAPTION_CHARS = 400
_CELL_GAP_IN_SIZES = 2.5
_WORDS_OF_PROSE = 5
_SAME_STYLE_POINTS = 0.3
_RUNS_ON = re.compile(r"(?=[^\W\d_]{2})[a-zß-öø-ÿ](?!.*[.:?!]\s)")
"""Begins with a word in small letters and has no sentence that goes on behind its end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LineGroup:
    """The lines of one block; `level` ranks headings, a smaller number is higher.

    A row of a table with known columns has `cells` instead of `rows`.
    """

    kind: BlockKind
    rows: tuple[Row, ...] = ()
    level: int = 0
    cells: tuple[TableCell, ...] = ()


def group_lines(
    items: Sequence[Item], body: BodyStyle, titles: Mapping[str, int]
) -> Iterator[LineGroup]:
    """The blocks of one page in order; every line belongs to exactly one.

    `titles` has the levels of headings that bookmarks point to, keyed by `letters_of`.
    """
    items = with_aligned_tables(
        list(_tidied(items)), lambda line: heading_level(line, (), body, titles) > 0
    )
    leading = _leading([item for item in items if not isinstance(item, Table)])
    stretch: list[Row] = []
    for item in items:
        if not isinstance(item, Table):
            stretch.append(item)
            continue
        yield from _group_rows(stretch, leading, body, titles)
        stretch = []
        for row in item.rows:
            yield LineGroup(kind=BlockKind.TABLE_ROW, cells=tuple(row.cells))
    yield from _group_rows(stretch, leading, body, titles)


def _group_rows(
    rows: Sequence[Row], leading: float, body: BodyStyle, titles: Mapping[str, int]
) -> Iterator[LineGroup]:
    group: list[Row] = []
    kind, level = BlockKind.PARAGRAPH, 0
    for number, row in enumerate(rows):
        row_kind, row_level = _classify(row, rows[number + 1 : number + 2], body, titles)
        if row_level and _is_rest(row[0], group, (kind, level), row_level):
            row_kind, row_level = _kind_of_text(row[0]), 0
        if kind is BlockKind.HEADING and _ends_heading(group, row, rows[number + 1 : number + 2]):
            row_kind, row_level = kind, level
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


def _tidied(items: Sequence[Item]) -> Iterator[Item]:
    stretch: list[Row] = []
    for item in items:
        if not isinstance(item, Table):
            stretch.append(item)
            continue
        yield from _tidy_rows(stretch)
        stretch = []
        yield item
    yield from _tidy_rows(stretch)


def _tidy_rows(rows: Sequence[Row]) -> Iterator[Row]:
    for row in map(_tidy, _unjustified(list(_rejoined(rows)))):
        if len(row) > 1 and all(is_caption(piece.text) for piece in row):
            # Captions of pictures placed side by side are not a table row.
            yield from ([piece] for piece in row)
        else:
            yield row


def _unjustified(rows: Sequence[Row]) -> Iterator[Row]:
    """Join the pieces of a line of prose that was justified to the width of its column."""
    for number, row in enumerate(rows):
        around = [*rows[max(number - 1, 0) : number], *rows[number + 1 : number + 2]]
        if len(row) > 1 and any(_is_as_wide(row, other) for other in around):
            yield [Segment([word for piece in row for word in piece.words])]
        else:
            yield row


def _is_as_wide(row: Row, prose: Row) -> bool:
    """Whether a line with gaps has the same left and right edge as a neighbour without gaps."""
    if len(prose) > 1 or len(prose[0].words) < _WORDS_OF_PROSE:
        return False
    size = row[0].size
    gaps = [right.x0 - left.x1 for left, right in pairwise(row)]
    same_edges = max(abs(row[0].x0 - prose[0].x0), abs(row[-1].x1 - prose[0].x1)) < 0.3 * size
    return same_edges and all(0 < gap < _CELL_GAP_IN_SIZES * size for gap in gaps)


def _rejoined(rows: Sequence[Row]) -> Iterator[Row]:
    """Rejoin parts of one line: a bullet and its text, a footnote mark."""
    before: Row = []
    for row in rows:
        if before and _is_next_to(before, row):
            words = [*before[-1].words, *row[0].words]
            before = [*before[:-1], Segment(words), *row[1:]]
            continue
        if before:
            yield before
        before = row
    if before:
        yield before


def _is_next_to(before: Row, row: Row) -> bool:
    left, right = before[-1], row[0]
    shared_height = min(left.y1, right.y1) - max(left.y0, right.y0)
    if shared_height < 0.5 * min(left.y1 - left.y0, right.y1 - right.y0):
        return False
    is_bullet = len(before) == 1 and left.text in _BULLETS
    return -1.0 <= right.x0 - left.x1 < (5.0 if is_bullet else 0.8) * max(left.size, right.size)


def _tidy(row: Row) -> Row:
    """Join pieces that only look like cells: a marker and its text, or words of a justified line."""
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
    # Below the median: on a page of short paragraphs, half of the steps are paragraph gaps.
    step = steps[len(steps) * 3 // 10] if steps else 0.0
    alike = sum(abs(other - step) <= 0.1 * step for other in steps)
    if steps and (step <= 1.6 * size or alike > 0.5 * len(steps)):
        return step
    return 1.2 * size


def _classify(
    row: Row, following: Sequence[Row], body: BodyStyle, titles: Mapping[str, int]
) -> tuple[BlockKind, int]:
    """The kind of a line on its own, and its level if it is a heading."""
    if len(row) > 1:
        return BlockKind.TABLE_ROW, 0
    line = row[0]
    if is_caption(line.text):
        return BlockKind.CAPTION, 0
    level = heading_level(line, following, body, titles)
    if level:
        return BlockKind.HEADING, level
    return _kind_of_text(line), 0


def _kind_of_text(line: Segment) -> BlockKind:
    is_item = _LIST_MARKER.match(line.text) and len(line.text) > 2
    return BlockKind.LIST_ITEM if is_item else BlockKind.PARAGRAPH


def _ends_heading(group: Sequence[Row], row: Row, following: Sequence[Row]) -> bool:
    """Whether a line in small letters is the rest of the heading above, and no text in its style.

    The line below it then has another style.
    """
    if not group or len(row) > 1 or ENDS_SENTENCE.search(group[-1][-1].text):
        return False
    last, line = group[-1][-1], row[0]
    return (
        _RUNS_ON.match(line.text) is not None
        and _has_style_of(line, last)
        and not any(_has_style_of(below[0], last) for below in following)
        and 0 < line.y0 - last.y0 <= 1.6 * last.size
    )


def _has_style_of(line: Segment, other: Segment) -> bool:
    alike = abs(line.size - other.size) < _SAME_STYLE_POINTS
    return alike and (line.bold, line.italic) == (other.bold, other.italic)


def _is_rest(
    line: Segment, group: Sequence[Row], group_kind: tuple[BlockKind, int], level: int
) -> bool:
    """Whether a line that looks like a heading is the rest of a sentence above."""
    kind, level_above = group_kind
    if level < LARGEST_LEVEL or (group and level == level_above):
        return False
    if group and kind in (BlockKind.PARAGRAPH, BlockKind.LIST_ITEM) and runs_into(group, line):
        return True
    # Very large type is a design element, which may lack capitals.
    small = line.text[0].islower() and line.words[0].text.islower()
    return small and level >= LEAST_LARGER_LEVEL


def _continues(
    group: Sequence[Row],
    row: Row,
    group_kind: tuple[BlockKind, int],
    row_kind: tuple[BlockKind, int],
    leading: float,
) -> bool:
    """Whether a line belongs to the current block."""
    last, line = group[-1][0], row[0]
    if group_kind[0] is BlockKind.TABLE_ROW or row_kind[0] is BlockKind.LIST_ITEM:
        return False
    if BlockKind.CAPTION in (group_kind[0], row_kind[0]):
        return _continues_caption(group, line, group_kind[0], row_kind[0], leading)
    if BlockKind.HEADING in (group_kind[0], row_kind[0]):
        close = 0 < line.y0 - last.y0 <= 1.6 * max(last.size, line.size)
        return group_kind == row_kind and close and len(group) < 3 and not is_numbered(line)
    step = line.y0 - last.y0
    unfinished = not ENDS_SENTENCE.search(last.text)
    if step < -last.size or line.x0 > last.x1 + last.size:
        # Either the text continues in the next column, or a new piece starts there.
        return unfinished and line.text[:1].islower() and abs(line.size - last.size) < 1.5
    if step > max(1.45 * leading, 1.3 * last.size) and not (step < 2.2 * leading and unfinished):
        return False
    if step > 2.2 * max(leading, last.size) or abs(line.size - last.size) > 0.2 * last.size:
        return False
    return not _starts_paragraph(group, line)


def _continues_caption(
    group: Sequence[Row], line: Segment, kind: BlockKind, row_kind: BlockKind, leading: float
) -> bool:
    """Whether a line continues a caption, or looks like a caption but continues a paragraph."""
    last = group[-1][0]
    step = line.y0 - last.y0
    near = 0 < step <= 1.25 * max(leading, last.size)
    alike = abs(line.size - last.size) <= 0.08 * last.size
    if row_kind is BlockKind.CAPTION:
        # "... as shown in / Table 2. The next ...": a line of prose that happens to start this way.
        return kind is BlockKind.PARAGRAPH and near and not ENDS_SENTENCE.search(last.text)
    length = sum(len(row[0].text) for row in group)
    ended = ENDS_SENTENCE.search(last.text) and last.x1 < line.x1 - 2 * last.size
    return (
        near and alike and line.bold == last.bold and length < _LONGEST_CAPTION_CHARS and not ended
    )


def _starts_paragraph(group: Sequence[Row], line: Segment) -> bool:
    """Whether an indented line, or one after a short last line, starts a new paragraph."""
    last = group[-1][0]
    if not ENDS_SENTENCE.search(last.text):
        return False
    left = min(row[0].x0 for row in group)
    right = max(row[0].x1 for row in group)
    indented = len(group) > 1 and 0.6 * line.size < line.x0 - last.x0 < 6 * line.size
    ended_short = last.x1 < right - 0.25 * (right - left) or (
        len(group) == 1 and line.x1 > last.x1 + 4 * line.size
    )
    return indented or ended_short


# Determines whether a paragraph continues after an interruption: notes, a page break.

_SAME_SIZE = 1.5


def is_unfinished(group: LineGroup) -> bool:
    """Whether a block is text whose last sentence is unfinished."""
    is_text = group.kind in (BlockKind.PARAGRAPH, BlockKind.LIST_ITEM)
    return is_text and not ENDS_SENTENCE.search(_last_line(group).text)


def goes_on(held: LineGroup, following: LineGroup) -> bool:
    """Whether a paragraph clearly continues the unfinished block before it."""
    if not is_unfinished(held) or following.kind is not BlockKind.PARAGRAPH:
        return False
    first, last = following.rows[0][0], _last_line(held)
    plainly = first.text[:1].islower() or last.text.endswith(",")
    return plainly and abs(first.size - last.size) < _SAME_SIZE


def _last_line(group: LineGroup) -> Segment:
    return group.rows[-1][-1]
