"""Recognises notes at the foot of a PDF page by their small print and their marks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from pincite.document import BlockKind
from pincite.ingest.pdf_continuation import goes_on
from pincite.ingest.pdf_headings import BodyStyle
from pincite.ingest.pdf_layout import LineGroup
from pincite.ingest.pdf_words import Segment

_SMALLER = 0.93
_LOWER_PART = 0.4
_MARK = re.compile(
    r"^(?:\(?\d{1,3}\)?[.:]?\s?|[*†‡§¶∗⋆]++\s?|\(?[a-z]\)\s)(?=(?:(?![^\W\d_])\S)*+[^\W\d_])"
)
_PROSE = (BlockKind.PARAGRAPH, BlockKind.LIST_ITEM)


def with_footnotes(groups: Sequence[LineGroup], body: BodyStyle, height: float) -> list[LineGroup]:
    """The same blocks, with notes told: small print below the text of its column, with a mark.

    A paragraph that goes on in the next column, past the notes of its own, is one block.
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
    """Put the parts of a paragraph together between which notes stand; the notes follow it."""
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
