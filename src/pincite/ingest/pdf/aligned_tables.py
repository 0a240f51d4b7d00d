"""Finds tables without ruled lines on a PDF page from the vertical gaps between their columns.

If the columns cannot be determined, the lines remain rows without cells.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import dropwhile, pairwise
from statistics import median

from pincite.ingest.pdf.table_heads import link_headers
from pincite.ingest.pdf.words import (
    Item,
    Row,
    Segment,
    Table,
    TableCell,
    TableRow,
    Word,
    put_right_first,
)

_DIGIT, _YEAR = re.compile(r"\d"), re.compile(r"(?:19|20)\d\d")
_FARTHEST_IN_SIZES = 3.0
_MOST_SINGLE_LINES = 4
_MOST_SPANNING = 0.35
_MOST_WORDS = 9.0
_MOST_HEADER_LINES = 3
_MOST_LINES_TO_VALUES = 7
_LEAST_WORDS_OF_SENTENCE = 4
_MOST_LINES_OF_HEADS = 12
"""Most lines between a head and the first values, of all heads and of the first label."""
_MOST_LINES = 5
"""Most lines of a cell beside which other cells are looked for."""
_LEAST_SHARED = 0.25
"""Least share of the height of the lower of two pieces that are on one line."""


def with_aligned_tables(items: Sequence[Item], is_heading: Callable[[Segment], bool]) -> list[Item]:
    """The lines, with those of each table combined into one item."""
    lines = _Lines()
    for position, item in enumerate(items):
        lines.take(item, items[position + 1 : position + 1 + _MOST_LINES_OF_HEADS])
    items = [item if isinstance(item, Table) else with_values_apart(item) for item in lines.found]
    found: list[Item] = []
    position = 0
    while position < len(items):
        end = _region_end(items, position, is_heading)
        if end == position:
            found.append(items[position])
            position += 1
            continue
        while end < len(items) and lines.is_rest(items[end]):
            end += 1
        region = [item for item in items[position:end] if not isinstance(item, Table)]
        heads = _heads_above(found, region, is_heading) if _is_several(region) else []
        table = _table([*heads, *region], lines.wrapped) if _is_several(region) else None
        if table is None:
            found.extend(items[position:end])
        else:
            del found[len(found) - len(heads) :]
            found.append(table)
        position = end
    return found


class _Lines:
    """The lines of a page as they are seen, where the file has one cell of a table after another.

    `wrapped` has the first words of lines that continue the cell above them, by their `id`: the pieces
    of a line are cut and joined until its cells are known, but their words stay.
    """

    def __init__(self) -> None:
        self.found: list[Item] = []
        self.wrapped: set[int] = set()

    def take(self, item: Item, following: Sequence[Item]) -> None:
        """Add a line, or put it beside one of the last lines; `following` are the next ones."""
        if isinstance(item, Table):
            self.found.append(item)
            return
        number = _has_number(item)
        if not number and len(item) == 1 and not any(map(_has_values, following)):
            self.found.append(item)
            return
        place = self._beside(item)
        if place is None:
            self.found.insert(self._behind_higher(item), item)
            return
        line = self.found[place]
        assert not isinstance(line, Table)
        if number:  # A row of its own, which the file has column by column.
            self.wrapped.discard(id(line[0].words[0]))
        for below in self.found[place + 1 :]:
            if not isinstance(below, Table) and _continues_piece(line, below):
                self.wrapped.add(id(below[0].words[0]))
        self.found[place] = [*line, *item]

    def is_rest(self, item: Item) -> bool:
        """Whether a line continues the cell above it."""
        return not isinstance(item, Table) and id(item[0].words[0]) in self.wrapped

    def _last(self) -> Iterator[tuple[int, Row]]:
        """The last lines with their places, from the last one upwards."""
        for place in range(len(self.found) - 1, max(-1, len(self.found) - 1 - _MOST_LINES), -1):
            line = self.found[place]
            if isinstance(line, Table):
                return
            yield place, line

    def _beside(self, row: Row) -> int | None:
        """The place of the line that a row is to the right of, at the same height."""
        best, place = _LEAST_SHARED, None
        for number, line in self._last():
            left, right = line[-1], row[0]
            shared = min(left.y1, right.y1) - max(left.y0, right.y0)
            share = shared / min(left.y1 - left.y0, right.y1 - right.y0)
            if right.x0 > left.x1 and share > best:
                best, place = share, number
        return place

    def _behind_higher(self, row: Row) -> int:
        """The place of a row among the lines to its left: below those that are higher."""
        place = len(self.found)
        for number, line in self._last():
            if line[0].y0 <= row[0].y0 or line[-1].x1 >= row[0].x0:
                break
            place = number
        return place


def _continues_piece(line: Row, below: Row) -> bool:
    """Whether a line is a single piece below one of another line's."""
    piece = below[0]
    return len(below) == 1 and any(one.x0 < piece.x1 and piece.x0 < one.x1 for one in line)


def _has_values(item: Item) -> bool:
    return not isinstance(item, Table) and len(item) > 1 and _has_number(item)


def _has_number(row: Row) -> bool:
    return any(TableCell([piece], 0, 0).is_number for piece in row)


def _is_several(region: Sequence[Row]) -> bool:
    return sum(len(row) > 1 for row in region) > 1


def _region_end(items: Sequence[Item], start: int, is_heading: Callable[[Segment], bool]) -> int:
    """The end of the run of multi-piece lines that begins at `start`."""
    first = items[start]
    if isinstance(first, Table) or len(first) < 2:
        return start
    end, before, right = start + 1, first, first[-1].x1
    for position in range(start + 1, len(items)):
        row = items[position]
        if isinstance(row, Table) or not _is_below(before, row, right):
            break
        if len(row) > 1:
            end = position + 1
        elif position - end >= _MOST_SINGLE_LINES or len(row[0].text) > 100:
            break
        elif end - start > 1:
            following = items[position + 1 : position + 1 + _MOST_LINES_TO_VALUES]
            if _is_between(row[0], following, is_heading):
                break
        before, right = row, max(right, row[-1].x1)
    return end


def _is_between(
    line: Segment, following: Sequence[Item], is_heading: Callable[[Segment], bool]
) -> bool:
    """Whether a line is text between two tables: a caption, or a heading or a sentence above heads."""
    if is_caption(line.text):
        return True
    is_sentence = len(line.words) >= _LEAST_WORDS_OF_SENTENCE and line.text.endswith(
        (".", "!", "?", ":")
    )
    if not is_sentence and not is_heading(line):
        return False
    heads: Row | None = None
    for row in following:
        if isinstance(row, Table):
            return False
        numbers = _has_number(row)
        is_left = row[0].x0 < (heads or row)[0].x0 - row[0].size
        if is_left and len(row) > 1 and (numbers or len(heads or row) > 1):
            return numbers
        # The heads may be followed by the name of a section: "2015", "Assets:".
        if not is_left and (numbers or row[0].x0 < line.x0 + line.size):
            return False
        if not is_left and (len(row) > 1 or is_sentence):
            heads = row
    return False


def _is_below(before: Row, row: Row, right: float) -> bool:
    """Whether a line is the next row of a table that extends to `right`."""
    size = max(before[0].size, row[0].size)
    step = min(piece.y0 for piece in row) - min(piece.y0 for piece in before)
    apart = row[0].x0 > right + 3 * size
    return 0.3 * size < step < _FARTHEST_IN_SIZES * size and not apart


def _heads_above(
    found: Sequence[Item], region: Sequence[Row], is_heading: Callable[[Segment], bool]
) -> list[Row]:
    """Single pieces just above a table, over columns other than the first.

    A heading in the middle of the whole table, not of its values, is its title.
    """
    heads: list[Row] = []
    below = region[0] if region else []
    firsts = [row[0].x1 for row in region if len(row) > 1]
    for item in reversed(found):
        if isinstance(item, Table) or not below or len(heads) == _MOST_HEADER_LINES:
            break
        over = len(item) > 1 or item[0].x0 > median(firsts)
        if not over or not _is_below(item, below, region[0][-1].x1) or len(item[0].text) > 60:
            break
        if len(item) == 1 and is_heading(item[0]) and _is_title(item[0], region):
            break
        if is_caption(item[0].text):
            break
        heads.insert(0, item)
        below = item
    return heads


def _is_title(line: Segment, region: Sequence[Row]) -> bool:
    rows = [row for row in region if len(row) > 1]
    right = max(row[-1].x1 for row in rows)
    whole = min(row[0].x0 for row in rows) + right
    values = median(row[1].x0 for row in rows) + right
    middle = line.x0 + line.x1
    return abs(middle - whole) < abs(middle - values)


def _table(lines: list[Row], wrapped: Set[int]) -> Table | None:
    in_pieces = [row for row in lines if len(row) > 1]
    table = _with_columns(lines, find_stripes(in_pieces), wrapped)
    if table is not None and not _crowded(table):
        return table
    other = _with_columns(lines, find_stripes(_below_shared_heads(in_pieces)), wrapped)
    return min(filter(None, (table, other)), key=_crowded, default=None)


def _crowded(table: Table) -> int:
    """The number of cells with several values, which are those of columns under one head."""
    cells = (cell for row in table.rows for cell in row.cells)
    return sum(len(with_values_apart(cell.lines)) > len(cell.lines) for cell in cells)


def _with_columns(
    lines: Sequence[Row], stripes: Sequence[Stripe], wrapped: Set[int]
) -> Table | None:
    if not stripes:
        return None
    rows = [TableRow(list(cells_by_stripe(row, stripes))) for row in lines]
    several = [row for row in rows if len(row.cells) > 1]
    cells = [cell for row in several for cell in row.cells]
    if len(several) < 2 or _is_prose(cells):
        return None
    columns = join_signs(rows, len(stripes) + 1)
    for row in rows:
        row.cells = [part for cell in row.cells for part in _heads_in(cell)]
    values = [row for row in several if any(cell.is_number for cell in row.cells)] or several
    spanning = sum(cell.first < cell.last for row in values for cell in row.cells)
    if columns < 2 or spanning > _MOST_SPANNING * len(values):
        return None
    table = Table(list(_whole_rows(rows, wrapped)), columns)
    put_right_first(table)
    link_headers(table)
    return table


def _below_shared_heads(rows: list[Row]) -> list[Row]:
    """The rows from the first with a head for each column, if others above are heads of several."""
    most = max(map(len, rows))
    below = list(dropwhile(lambda row: len(row) < most - 1 and not _has_number(row), rows))
    return below if sum(map(_has_number, below)) >= len(below) - 1 else []


def _heads_in(cell: TableCell) -> list[TableCell]:
    """The heads of several columns in one cell: "2015 vs. 2014 2014 vs. 2013"; else the cell.

    They have a year each and differ only in digits.
    """
    words, columns = cell.lines[0].words, cell.last - cell.first + 1
    size, rest = divmod(len(words), columns)
    shapes = [_DIGIT.sub("0", word.text) for word in words]
    is_repeated = columns > 1 and size and not rest and shapes == shapes[:size] * columns
    if not is_repeated or not any(_YEAR.fullmatch(word.text) for word in words[:size]):
        return [cell]
    return [
        TableCell([Segment(words[n * size : (n + 1) * size])], cell.first + n, cell.first + n)
        for n in range(columns)
    ]


def _is_prose(cells: Sequence[TableCell]) -> bool:
    """Whether the pieces are lines of running text in columns: long, or hyphenated at the end."""
    if sum(len(cell.text.split()) for cell in cells) > _MOST_WORDS * len(cells):
        return True
    broken = sum(cell.text[-2:-1].isalpha() and cell.text.endswith("-") for cell in cells)
    return broken > 0 and not any(cell.is_number for cell in cells)


def _whole_rows(rows: Sequence[TableRow], wrapped: Set[int]) -> Iterator[TableRow]:
    """Merge the continuation lines of wrapped cells into their row."""
    steps = [b.y0 - a.y0 for a, b in pairwise(rows)]
    step = median(steps) if steps else 0.0
    whole: TableRow | None = None
    for row, distance in zip(rows, [step, *steps], strict=True):
        goes_on = id(row.cells[0].lines[0].words[0]) in wrapped
        if whole is not None and (
            goes_on or _continues_row(whole, row, close=distance < 0.8 * step)
        ):
            for cell in row.cells:
                _append(whole, cell)
            continue
        if whole is not None:
            yield whole
        whole = row
    if whole is not None:
        yield whole


def _continues_row(whole: TableRow, row: TableRow, *, close: bool) -> bool:
    first = row.cells[0]
    small = first.text[:1].islower()
    if len(whole.cells) == 1 and whole.cells[0].first == 0 == first.first:
        # A label too long for its line, with the values on the second line.
        return small and not whole.cells[0].text.endswith(":")
    filled = {cell.first for cell in whole.cells}
    wrapped = all(c.first in filled and not c.is_number and c.first == c.last for c in row.cells)
    if first.first == 0:
        return len(row.cells) == 1 and small and wrapped
    return wrapped and (small or close) and any(not cell.is_number for cell in whole.cells)


def _append(whole: TableRow, cell: TableCell) -> None:
    for known in whole.cells:
        if known.first == cell.first:
            known.lines.extend(cell.lines)
            return
    whole.cells.append(cell)
    whole.cells.sort(key=lambda cell: cell.first)


# Finds columns in lines of text from the empty vertical stripes between them.

_MOST_CROSSED = 0.15
_LEAST_GAP_IN_SIZES = 0.45
_CURRENCY = frozenset("$€£¥")
_AFTER_NUMBERS = frozenset({"%", ")", ")%", "%)", "*"})


@dataclass(frozen=True, slots=True)
class Stripe:
    """An empty vertical stripe between two columns."""

    x0: float
    x1: float


def with_values_apart(row: Row) -> Row:
    """The line, with pieces that contain only values split so that each value is a cell."""
    return [part for piece in row for part in _values(piece)]


def _values(piece: Segment) -> Iterator[Segment]:
    if len(piece.words) == 1 or not all(map(_is_value, piece.words)):
        yield piece
        return
    start = 0
    for number, (left, right) in enumerate(pairwise(piece.words), start=1):
        # "1 234" is one value; a currency sign starts one.
        apart = right.x0 - left.x1 > _LEAST_GAP_IN_SIZES * piece.size
        if left.text not in _CURRENCY and (right.text in _CURRENCY or apart):
            yield Segment(piece.words[start:number])
            start = number
    yield Segment(piece.words[start:])


def _is_value(word: Word) -> bool:
    return word.text in _CURRENCY or TableCell([Segment([word])], 0, 0).is_value


def find_stripes(rows: Sequence[Row]) -> list[Stripe]:
    """The stripes that almost no piece of a line crosses, from left to right."""
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
    """The pieces of a line by column; a piece that spans several columns stays whole."""
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
    """The first and last column of a piece, from the numbers of stripes before its start and end."""
    first, last = reach
    if piece.text in _CURRENCY:
        # It precedes a number, often at such a distance that it lies in the stripe between columns.
        return first, max(first, last)
    if first > last:
        # Within a stripe: it belongs to the nearer column.
        stripe = stripes[last]
        nearer = last if piece.x0 - stripe.x0 < stripe.x1 - piece.x1 else first
        return nearer, nearer
    return first, last


def _cut(piece: Segment, stripes: Sequence[Stripe]) -> Iterator[Segment]:
    """Split at word gaps that lie in a stripe, because narrow columns nearly touch."""
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
    """Merge columns that contain only currency or percent signs with the columns of their numbers.

    A line of its own, such as "(in thousands)", is above a column and does not form one.
    """
    for column in range(columns - 1, -1, -1):
        cells = [
            cell
            for row in rows
            for cell in row.cells
            if cell.first == cell.last == column and len(row.cells) > 1
        ]
        before = sum(cell.text in _CURRENCY for cell in cells)
        after = sum(cell.text in _AFTER_NUMBERS for cell in cells)
        # Heads may be above the signs, since they are above the whole column.
        heads = sum(not cell.is_value for cell in cells) - before - after
        if not column or heads > _MOST_HEADER_LINES or len(cells) != heads + (before or after):
            continue
        target = column + 1 if before else column - 1
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


# Distinguishes captions of figures and tables from prose that starts with their name.

_CAPTION = re.compile(
    r"^(?i:fig(?:ure|\.)?|table|tab\.|chart|exhibit|plate|scheme|listing|diagram|abbildung|abb\."
    r"|tabelle|tableau|figura|tabla|tabella)\s+[A-Z]{0,2}\d+(?:\s?[.\-–]\s?[A-Z]?\d+)*[a-z]?"
    r"(?:\s?[:.|–—](?:\s|$)|\s+[A-Z\"“(]|$)"
)


def is_caption(text: str) -> bool:
    """Whether a line is a caption: `Figure 3: ...`, `Table 2`, but not `Table 2 shows`."""
    return bool(_CAPTION.match(text))
