"""Sorts the lines of a page into reading order, if their order in the file differs."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from heapq import heappop, heappush
from itertools import pairwise

from pincite.ingest.pdf.words import Item, Row, Segment, Table

_SHARED_WIDTH = 0.3
_MOST_ITEMS = 600
_MOST_WORDS_IN_HEAD = 3
_MOST_HEAD_LINES = 5

Extent = tuple[float, float, float, float]
"""Left, right, top and effective bottom: lines of formulas overlap slightly."""


def in_order_of_reading(items: Sequence[Item]) -> list[Item]:
    """Columns one after the other, and each item after those directly above it."""
    ordered: list[Item] = []
    stretch: list[Row] = []
    for item in items:
        if isinstance(item, Table):
            ordered.extend(in_reading_order(_unstacked(stretch)))
            ordered.append(item)
            stretch = []
        else:
            stretch.append(item)
    ordered.extend(in_reading_order(_unstacked(stretch)))
    return _upper_first(ordered)


def _upper_first(items: list[Item]) -> list[Item]:
    """The same order, but each item after those above it: in some files the page header comes last.

    An item is above another if they overlap horizontally and its middle is higher.
    """
    if len(items) > _MOST_ITEMS:
        return items
    order = _released([_extent(item) for item in items])
    return [items[number] for number in order]


def _released(extents: Sequence[Extent]) -> Iterator[int]:
    """Indices in order, each held back until those above it have been returned."""
    # Sorted by bottom: hundreds of lines are compared, and only those that end above matter. An item
    # without height ends where it starts; it would wait for itself and be lost.
    inside = sorted((end, x0, x1, n) for n, (x0, x1, y0, end) in enumerate(extents) if end > y0)
    held_back: defaultdict[int, list[int]] = defaultdict(list)
    ready = list(range(len(extents)))
    while ready:
        number = heappop(ready)
        above = _first_above(extents[number], inside)
        if above is not None:
            held_back[above].append(number)
            continue
        yield number
        x0, x1, y0, end = extents[number]
        if end > y0:
            del inside[bisect_left(inside, (end, x0, x1, number))]
        for other in held_back.pop(number, ()):
            heappush(ready, other)


def _first_above(one: Extent, others: Sequence[tuple[float, float, float, int]]) -> int | None:
    """The index of the first item that ends above this one and overlaps it horizontally."""
    left, right, upper, _ = one
    for end, x0, x1, number in others:
        if end > upper:
            return None
        # Most are in another column.
        if x0 < right and left < x1:
            shared = min(right, x1) - max(left, x0)
            if shared > 0 and shared > _SHARED_WIDTH * min(x1 - x0, right - left):
                return number
    return None


def _extent(item: Item) -> Extent:
    if isinstance(item, Table):
        return item.x0, item.x1, item.y0, item.y1
    if len(item) == 1:
        x0, x1, y0, y1 = item[0].x0, item[0].x1, item[0].y0, item[0].y1
    else:
        y0, y1 = min([piece.y0 for piece in item]), max([piece.y1 for piece in item])
        x0, x1 = min([piece.x0 for piece in item]), max([piece.x1 for piece in item])
    return x0, x1, y0, y1 - 0.2 * (y1 - y0)


def _unstacked(rows: Sequence[Row]) -> list[Row]:
    """Place column heads side by side that the file contains one column after the other."""
    found: list[Row] = []
    run: list[Row] = []
    for row in rows:
        if len(row) == 1 and len(row[0].words) <= _MOST_WORDS_IN_HEAD:
            run.append(row)
            continue
        found.extend(_side_by_side(run))
        run = []
        found.append(row)
    found.extend(_side_by_side(run))
    return found


def _side_by_side(run: list[Row]) -> list[Row]:
    jumps = sum(b[0].x0 > a[0].x1 and b[0].y0 < a[0].y1 for a, b in pairwise(run))
    if jumps < 2:
        return run
    lines: list[list[Segment]] = []
    for (piece,) in sorted(run, key=lambda row: row[0].y0):
        if lines and piece.y0 < (lines[-1][0].y0 + lines[-1][0].y1) / 2:
            lines[-1].append(piece)
        else:
            lines.append([piece])
    if len(lines) > _MOST_HEAD_LINES:
        return run
    return [sorted(line, key=lambda piece: piece.x0) for line in lines]


# Separates columns of prose that a PDF contains line by line across the columns.

_FEWEST_GAPS = 6
_LEAST_SHARE_OF_ROWS = 0.25
_MOST_GUTTERS = 4
# Columns of prose differ from table columns in having long pieces of text and few numbers.
_FEWEST_WORDS = 3.5
_LARGEST_DIGIT_SHARE = 0.12
_DIGIT = re.compile(r"\d")


def in_reading_order(rows: list[Row]) -> list[Row]:
    """The segments, column by column if the file contains them across the columns."""
    crossing = [row for row in rows if len(row) > 1]
    if len(crossing) < max(_FEWEST_GAPS, _LEAST_SHARE_OF_ROWS * len(rows)):
        return rows
    if not _is_prose(crossing):
        return rows
    gutters = _gutters(crossing, max(_FEWEST_GAPS, _LEAST_SHARE_OF_ROWS * len(rows)))
    return list(_by_column(rows, gutters)) if gutters else rows


def _is_prose(rows: list[Row]) -> bool:
    texts = [segment.text for row in rows for segment in row]
    words = sum(len(text.split()) for text in texts)
    signs = sum(map(len, texts))
    digits = sum(len(_DIGIT.findall(text)) for text in texts)
    return words >= _FEWEST_WORDS * len(texts) and digits <= _LARGEST_DIGIT_SHARE * signs


def _gutters(rows: list[Row], fewest: float) -> list[float]:
    """The x positions, left to right, of empty stripes between the segments of many rows."""
    gaps = [
        (left.x1, right.x0) for row in rows for left, right in pairwise(row) if left.x1 < right.x0
    ]
    gutters: list[float] = []
    while len(gutters) < _MOST_GUTTERS:
        # The best position of a stripe is the right edge of some segment.
        lefts, rights = sorted(a for a, _ in gaps), sorted(b for _, b in gaps)
        counts = {x: bisect_right(lefts, x) - bisect_left(rights, x) for x in lefts}
        best = max(counts, key=lambda x: (counts[x], x), default=0.0)
        if counts.get(best, 0) < fewest:
            break
        gutters.append(best)
        gaps = [(a, b) for a, b in gaps if not a <= best <= b]
    return sorted(gutters)


def _by_column(rows: list[Row], gutters: list[float]) -> Iterator[Row]:
    """Sort the rows between full-width lines by column, then from top to bottom."""
    columns: defaultdict[int, list[Segment]] = defaultdict(list)
    for segment in (segment for row in rows for segment in row):
        first = sum(segment.x0 > gutter for gutter in gutters)
        last = sum(segment.x1 > gutter + 1.0 for gutter in gutters)
        if first == last:
            columns[first].append(segment)
        else:
            yield from _drain(columns)
            yield [segment]
    yield from _drain(columns)


def _drain(columns: defaultdict[int, list[Segment]]) -> Iterator[Row]:
    for number in sorted(columns):
        yield from _lines(sorted(columns[number], key=lambda segment: segment.y0))
    columns.clear()


def _lines(segments: list[Segment]) -> Iterator[Row]:
    """Rejoin segments at the same height into one line."""
    row: Row = []
    for segment in segments:
        if row and segment.y0 > row[-1].y0 + 0.4 * row[-1].size:
            yield sorted(row, key=lambda piece: piece.x0)
            row = []
        row.append(segment)
    if row:
        yield sorted(row, key=lambda piece: piece.x0)
