"""Tells the columns of lines of text by the empty stripes that run down between them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from pincite.ingest.pdf_cells import TableCell, TableRow
from pincite.ingest.pdf_words import Row, Segment, Word

_MOST_CROSSED = 0.15
_LEAST_GAP_IN_SIZES = 0.45
_CURRENCY = frozenset("$€£¥")
_AFTER_NUMBERS = frozenset({"%", ")", ")%", "%)", "*"})


@dataclass(frozen=True, slots=True)
class Stripe:
    """An empty stripe between two columns."""

    x0: float
    x1: float


def with_values_apart(row: Row) -> Row:
    """The same line, pieces that are nothing but values cut between them: each is a cell."""
    return [part for piece in row for part in _values(piece)]


def _values(piece: Segment) -> Iterator[Segment]:
    if len(piece.words) == 1 or not all(map(_is_value, piece.words)):
        yield piece
        return
    start = 0
    for number, (left, right) in enumerate(pairwise(piece.words), start=1):
        # "1 234" is one value; a sign of currency begins one.
        apart = right.x0 - left.x1 > _LEAST_GAP_IN_SIZES * piece.size
        if left.text not in _CURRENCY and (right.text in _CURRENCY or apart):
            yield Segment(piece.words[start:number])
            start = number
    yield Segment(piece.words[start:])


def _is_value(word: Word) -> bool:
    return word.text in _CURRENCY or TableCell([Segment([word])], 0, 0).is_value


def find_stripes(rows: Sequence[Row]) -> list[Stripe]:
    """The stripes that hardly any piece of a line crosses, from left to right."""
    if len(rows) < 2:
        return []
    allowed = int(_MOST_CROSSED * len(rows)) or int(len(rows) > 3)
    size = median(row[0].size for row in rows)
    edges = sorted(
        edge for row in rows for piece in row for edge in ((piece.x0, 1), (piece.x1, -1))
    )
    stripes: list[Stripe] = []
    covered, opened, seen = 0, 0.0, False
    for x, change in edges:
        after = covered + change
        if covered > allowed >= after:
            opened, seen = x, True
        elif covered <= allowed < after and seen and x - opened > 0.3 * size:
            stripes.append(Stripe(opened, x))
        covered = after
    return stripes


def cells_by_stripe(row: Row, stripes: Sequence[Stripe]) -> Iterator[TableCell]:
    """The pieces of a line by column; one that covers several columns stays whole."""
    found: list[TableCell] = []
    starts = [stripe.x0 - 1.0 for stripe in stripes]
    ends = [stripe.x1 + 0.5 for stripe in stripes]
    parts = [part for whole in row for part in _cut(whole, stripes)]
    for piece in sorted(parts, key=lambda part: part.x0):
        reach = bisect_right(starts, piece.x0), bisect_left(ends, piece.x1)
        first, last = _columns_of(piece, reach, stripes)
        if found and first <= found[-1].last:
            joined = Segment([*found[-1].lines[0].words, *piece.words])
            found[-1] = TableCell([joined], found[-1].first, max(last, found[-1].last))
        else:
            found.append(TableCell([piece], first, last))
    return iter(found)


def _columns_of(
    piece: Segment, reach: tuple[int, int], stripes: Sequence[Stripe]
) -> tuple[int, int]:
    """The first and the last column of a piece that begins and ends behind so many stripes."""
    first, last = reach
    if piece.text in _CURRENCY:
        # It stands before a number, often so far that the stripe between columns holds it.
        return first, max(first, last)
    if first > last:
        # Within a stripe: it belongs to the nearer side.
        stripe = stripes[last]
        nearer = last if piece.x0 - stripe.x0 < stripe.x1 - piece.x1 else first
        return nearer, nearer
    return first, last


def _cut(piece: Segment, stripes: Sequence[Stripe]) -> Iterator[Segment]:
    """Cut where a gap between words lies in a stripe: narrow columns nearly touch."""
    if len(piece.words) == 1:
        yield piece
        return
    start = 0
    gaps = sorted(right.x0 - left.x1 for left, right in pairwise(piece.words))
    usual = gaps[len(gaps) // 2] if len(gaps) > 2 else _LEAST_GAP_IN_SIZES * piece.size
    for number, (left, right) in enumerate(pairwise(piece.words), start=1):
        gap = right.x0 - left.x1
        wide = gap > min(_LEAST_GAP_IN_SIZES * piece.size, 1.3 * usual)
        # "2023 $ million" is one head; "12 $ 14" are two values.
        named = number + 1 < len(piece.words) and piece.words[number + 1].text[0].isalpha()
        currency = right.text in _CURRENCY and left.text not in _CURRENCY and not named
        if (wide or currency) and any(
            left.x1 <= stripe.x1 + 1.0 and right.x0 >= stripe.x0 - 1.0 for stripe in stripes
        ):
            yield Segment(piece.words[start:number])
            start = number
    yield Segment(piece.words[start:]) if start else piece


def join_signs(rows: list[TableRow], columns: int) -> int:
    """Put columns that hold only currency or percent signs to the numbers they belong to.

    A line that stands alone, "(in thousands)", is over a column and does not make one.
    """
    for column in range(columns - 1, -1, -1):
        texts = {
            cell.text
            for row in rows
            for cell in row.cells
            if cell.first == cell.last == column and len(row.cells) > 1
        }
        if not texts or not (texts <= _CURRENCY or texts <= _AFTER_NUMBERS):
            continue
        target = column + 1 if texts <= _CURRENCY else column - 1
        if not 0 <= target < columns:
            continue
        for row in rows:
            row.cells = list(_joined(row.cells, column, target))
        columns -= 1
    return columns


def _joined(cells: list[TableCell], column: int, target: int) -> Iterator[TableCell]:
    lost = max(column, target)
    waiting: list[TableCell] = []
    for cell in cells:
        cell.first -= cell.first >= lost
        cell.last -= cell.last >= lost
        if waiting and cell.first == waiting[-1].last == min(column, target):
            words = [*waiting[-1].lines[0].words, *cell.lines[0].words]
            waiting[-1] = TableCell([Segment(words)], waiting[-1].first, cell.last)
        else:
            waiting.append(cell)
    return iter(waiting)
