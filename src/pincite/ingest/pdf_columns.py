"""Puts columns of prose one after the other where a PDF prints them line by line.

Most PDF files hold their columns in reading order, and then nothing is changed. Some print
straight across the page, so that the line of one column is followed by its neighbour's.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise

from pincite.ingest.pdf_words import Row, Segment

_FEWEST_GAPS = 6
_LEAST_SHARE_OF_ROWS = 0.25
_MOST_GUTTERS = 4
# What tells columns of prose from columns of a table: long pieces of text, few numbers.
_FEWEST_WORDS = 3.5
_LARGEST_DIGIT_SHARE = 0.12
_DIGIT = re.compile(r"\d")


def in_reading_order(rows: list[Row]) -> list[Row]:
    """The same segments, column by column if the page was printed across its columns."""
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
    """Where, from left to right, an empty stripe runs down between segments of many rows."""
    gaps = [
        (left.x1, right.x0) for row in rows for left, right in pairwise(row) if left.x1 < right.x0
    ]
    gutters: list[float] = []
    while len(gutters) < _MOST_GUTTERS:
        # The best place for a stripe is the right edge of some segment.
        lefts, rights = sorted(a for a, _ in gaps), sorted(b for _, b in gaps)
        counts = {x: bisect_right(lefts, x) - bisect_left(rights, x) for x in lefts}
        best = max(counts, key=lambda x: (counts[x], x), default=0.0)
        if counts.get(best, 0) < fewest:
            break
        gutters.append(best)
        gaps = [(a, b) for a, b in gaps if not a <= best <= b]
    return sorted(gutters)


def _by_column(rows: list[Row], gutters: list[float]) -> Iterator[Row]:
    """Sort the stretches between full-width lines by column, then from top to bottom."""
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
    """Put segments of the same height back on one line."""
    row: Row = []
    for segment in segments:
        if row and segment.y0 > row[-1].y0 + 0.4 * row[-1].size:
            yield sorted(row, key=lambda piece: piece.x0)
            row = []
        row.append(segment)
    if row:
        yield sorted(row, key=lambda piece: piece.x0)
