"""Which rows of a table say nothing without the rows below them?"""

from __future__ import annotations

import re
from itertools import islice, takewhile

from pincite.document import Block, BlockKind, Document, Span
from pincite.records import Passage

_LONGEST_LABEL_CHARS = 120
_ENDS_SENTENCE = (".", "!", "?", "。", "！", "？")
_ANNOUNCES = (":", "：")
_ROWS_BELOW = 3
"""So many rows below a label are looked at: labels stand above labels."""

_YEARS_ALONE = re.compile(r"\s*(?:(?:19|20)\d\d(?!\d)(?:\s+vs?\.?)?\s*){2,}")


def is_table_head(document: Document, passage: Passage, span: Span) -> bool:
    """Whether it heads columns ("2015 2014 2013"), or rows ("Cash flows from operating activities:").

    The heads of some tables are not recognised as such; a row of years alone is one anyway.
    """
    if passage.rows_under(span):
        return True
    blocks = document.blocks_in(span.start, span.end)
    if len(blocks) != 1 or blocks[0].kind is not BlockKind.TABLE_ROW:
        return False
    text = document.text[span.start : span.end].strip()
    return bool(_YEARS_ALONE.fullmatch(text)) or _is_label(document, blocks[0], text)


def _is_label(document: Document, row: Block, text: str) -> bool:
    """A row of one cell that announces the rows below, or stands above rows with heads.

    What ends like a sentence may be one that stands in a table, and what has a digit a value.
    """
    if len(row.cells) > 1 or len(text) > _LONGEST_LABEL_CHARS or any(map(str.isdigit, text)):
        return False
    if text.endswith(_ENDS_SENTENCE):
        return False
    first = document.first_block_behind(row.start) + 1
    below = list(
        takewhile(
            lambda block: block.kind is BlockKind.TABLE_ROW,
            islice(document.blocks, first, first + _ROWS_BELOW),
        )
    )
    return bool(below) and (
        text.endswith(_ANNOUNCES) or any(cell.column_headers for b in below for cell in b.cells)
    )
