"""Tells whether a paragraph goes on after something that stands in its way: notes, a page break."""

from __future__ import annotations

from pincite.document import BlockKind
from pincite.ingest.pdf_headings import ENDS_SENTENCE
from pincite.ingest.pdf_layout import LineGroup
from pincite.ingest.pdf_words import Segment

_SAME_SIZE = 1.5


def is_unfinished(group: LineGroup) -> bool:
    """Whether a block is text whose last sentence does not end with it."""
    is_text = group.kind in (BlockKind.PARAGRAPH, BlockKind.LIST_ITEM)
    return is_text and not ENDS_SENTENCE.search(_last_line(group).text)


def goes_on(held: LineGroup, following: LineGroup) -> bool:
    """Whether a paragraph plainly continues an unfinished block before it."""
    if not is_unfinished(held) or following.kind is not BlockKind.PARAGRAPH:
        return False
    first, last = following.rows[0][0], _last_line(held)
    plainly = first.text[:1].islower() or last.text.endswith(",")
    return plainly and abs(first.size - last.size) < _SAME_SIZE


def _last_line(group: LineGroup) -> Segment:
    return group.rows[-1][-1]
