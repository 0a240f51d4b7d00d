"""Detects lines repeated on every page: running headers, footers and page numbers."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from pincite.ingest.pdf.headings import BodyStyle
from pincite.ingest.pdf.layout import LineGroup, goes_on
from pincite.ingest.pdf.words import Item, Row, Segment, Table
from pincite.records.document import BlockKind

PAGES_AHEAD = 8
"""The number of pages that must be noted before a page is sorted."""
_FEWEST_PAGES = 3
_LINES_AT_EDGE = 4
_EDGE_SHARE = 0.16
_STRIP = 5.0
_NUMBERS = re.compile(r"\d+|\b[ivxlc]+\b")
_PAGE_NUMBER = re.compile(
    r"^\W*(?:(?:page|seite|p\.)\s*)?(\d{1,4})(?:\s*(?:of|/|von)\s*\d+)?\W*$", re.I
)


@dataclass(frozen=True, slots=True)
class SortedPage:
    """The lines of a page: running header, body, running footer."""

    header: tuple[Row, ...]
    body: tuple[Item, ...]
    footer: tuple[Row, ...]


class RunningLines:
    """Records the outer lines of pages, and removes those that recur from each page."""

    def __init__(self, page_count: int) -> None:
        self._fewest = min(_FEWEST_PAGES, max(2, page_count))
        self._short = page_count < _FEWEST_PAGES
        # The number of pages with a text in a horizontal strip, and the number of its wordings.
        self._pages: Counter[tuple[str, int]] = Counter()
        self._wordings: defaultdict[str, set[str]] = defaultdict(set)
        self._page_numbers: Counter[int] = Counter()

    def note(self, number: int, items: Sequence[Item], height: float) -> None:
        """Record a page's outer lines."""
        edges = (
            _edge(items, height, top=True),
            _edge(items, height, top=False),
            _vertical_lines(items),
        )
        noted: set[tuple[str, int]] = set()
        counted: set[int] = set()
        for edge in edges:
            for row in edge:
                text = _text(row)
                noted.add((_NUMBERS.sub("#", text), int(row[0].y0 // _STRIP)))
                printed = _PAGE_NUMBER.match(text)
                if printed:
                    counted.add(int(printed[1]) - number)
                if self._short:
                    self._wordings[_NUMBERS.sub("#", text)].add(text)
        self._pages.update(noted)
        self._page_numbers.update(counted)

    def sort(self, number: int, items: Sequence[Item], height: float) -> SortedPage:
        """Remove recurring lines from a page, from the edges inwards."""
        top = self._running(number, _edge(items, height, top=True), items)
        rest = [item for item in items if not any(item is row for row in top)]
        bottom = self._running(number, _edge(rest, height, top=False), rest)
        beside = [row for row in _vertical_lines(rest) if self._recurs(number, row)]
        footer = [*reversed(bottom), *beside]
        body = tuple(item for item in rest if not any(item is row for row in footer))
        return SortedPage(tuple(top), body, tuple(footer))

    def _running(self, number: int, edge: Sequence[Row], items: Sequence[Item]) -> list[Row]:
        found: list[Row] = []
        for row in edge:
            if not self._recurs(number, row) or _touches_table(row, items):
                break
            found.append(row)
        return found

    def _recurs(self, number: int, row: Row) -> bool:
        text = _text(row)
        printed = _PAGE_NUMBER.match(text)
        if printed and self._page_numbers[int(printed[1]) - number] > 1:
            return True
        pattern = _NUMBERS.sub("#", text)
        strip = int(row[0].y0 // _STRIP)
        pages = sum(self._pages[pattern, near] for near in (strip - 1, strip, strip + 1))
        if self._short and len(self._wordings[pattern]) < pages:
            # Two pages may be alike; a line that differs only in its page number is caught above.
            return False
        # Symbols and numbers alone are as often table rows as page numbers.
        return pages >= self._fewest and sum(map(str.isalpha, text)) > 2


def _text(row: Row) -> str:
    return " ".join(segment.text for segment in row).strip()


def _edge(items: Sequence[Item], height: float, *, top: bool) -> list[Row]:
    """The outermost lines at the top or bottom of a page, from the edge inwards."""
    rows = [item for item in items if not isinstance(item, Table)]
    rows.sort(key=lambda row: row[0].y0, reverse=not top)
    limit = _EDGE_SHARE * height
    return [
        row
        for number, row in enumerate(rows[:_LINES_AT_EDGE])
        # On a page that is not full, the page number may be at any height, but it comes last.
        if (row[0].y0 < limit if top else row[0].y1 > height - limit)
        or (not number and _PAGE_NUMBER.match(_text(row)))
    ]


def _vertical_lines(items: Sequence[Item]) -> list[Row]:
    """Vertical lines, as in the margin."""
    rows = [item for item in items if not isinstance(item, Table) and len(item) == 1]
    return [row for row in rows if row[0].y1 - row[0].y0 > 4 * (row[0].x1 - row[0].x0)]


def _touches_table(row: Row, items: Sequence[Item]) -> bool:
    """Whether a line of several pieces is close to another one, so that it may be a table head."""
    if len(row) < 2:
        return False
    near = 0.5 * row[0].size
    return any(
        other is not row and len(other) > 1 and _distance(row, other) < near
        for other in items
        if not isinstance(other, Table)
    )


def _distance(row: Row, other: Row) -> float:
    return max(other[0].y0 - row[0].y1, row[0].y0 - other[0].y1)


# Detects footnotes by their small print and their marks.

_SMALLER = 0.93
_LOWER_PART = 0.4
_MARK = re.compile(
    r"^(?:\(?\d{1,3}\)?[.:]?\s?|[*†‡§¶∗⋆]++\s?|\(?[a-z]\)\s)(?=(?:(?![^\W\d_])\S)*+[^\W\d_])"
)
_PROSE = (BlockKind.PARAGRAPH, BlockKind.LIST_ITEM)


def with_footnotes(groups: Sequence[LineGroup], body: BodyStyle, height: float) -> list[LineGroup]:
    """The blocks, with footnotes marked: small print with a mark, below the text of its column.

    A paragraph that continues in the next column, past the footnotes of its own, is one block.
    """
    marked: list[LineGroup] = []
    noted = False
    for number, group in enumerate(groups):
        small = _is_small(group, body) and group.rows[0][0].y0 > _LOWER_PART * height
        begins = small and bool(_MARK.match(group.rows[0][0].text))
        noted = small and (noted or begins) and not _has_text_below(group, groups, number, body)
        marked.append(replace(group, kind=BlockKind.FOOTNOTE) if noted else group)
    return _rejoined(marked)


def _rejoined(groups: Sequence[LineGroup]) -> list[LineGroup]:
    """Join the parts of a paragraph that footnotes interrupt; the notes follow it."""
    found: list[LineGroup] = []
    notes: list[LineGroup] = []
    for group in groups:
        if group.kind is BlockKind.FOOTNOTE:
            notes.append(group)
            continue
        if notes and found and goes_on(found[-1], group):
            found[-1] = replace(found[-1], rows=(*found[-1].rows, *group.rows))
            continue
        found.extend((*notes, group))
        notes = []
    return [*found, *notes]


def _is_small(group: LineGroup, body: BodyStyle) -> bool:
    if group.kind not in _PROSE:
        return False
    # The mark itself is smaller still, so the longest line counts.
    longest = max((row[0] for row in group.rows), key=lambda line: len(line.text))
    return longest.size <= _SMALLER * body.size


def _has_text_below(
    group: LineGroup, groups: Sequence[LineGroup], number: int, body: BodyStyle
) -> bool:
    """Whether text of normal size follows further down in the same column."""
    last = group.rows[-1][0]
    return any(
        other.kind in (*_PROSE, BlockKind.HEADING)
        and not _is_small(other, body)
        and _is_below(other.rows[0][0], last)
        for other in groups[number + 1 :]
        if other.rows
    )


def _is_below(line: Segment, upper: Segment) -> bool:
    return line.y0 > upper.y0 and min(line.x1, upper.x1) > max(line.x0, upper.x0)
