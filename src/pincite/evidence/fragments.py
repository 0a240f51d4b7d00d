"""Does a stretch of a document say anything when it stands alone?

A heading, a remark in brackets, a bare date or number, a ruler, an entry of a table of contents and a
question of a few words are what statements hang on, and none themselves. That is told from the kind of
block, from what of it a reader sees and from how many words that has; no list of words is needed.
"""

from __future__ import annotations

import re

from pincite.document import Block, BlockKind, Document, Span
from pincite.text.as_read import as_read
from pincite.text.dates import moments
from pincite.text.remarks import is_remark

_LONGEST_CHARS = 300
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f]|[^\W\d_]{2,}")
_SENTENCE_END = re.compile(r"[.!。！।؟۔…:：][\s\"'”’»)\]*_]*$")
_QUESTION = re.compile(r"[?？؟][\s\"'”’»)\]*_]*$")
# A whole sentence in brackets has its full stop within them.
_IN_BRACKETS = re.compile(r"(?:\([^()]*[^().!?]\)|\[[^\[\]]*[^\[\].!?]\]|[\s.,;])+")
_CONTENTS_LINE = re.compile(
    r"(?:(?<!\.)\.{4,}+|(?<!\. )(?:\. ){3,}+|(?<!…)…{2,}+)[ .…]*+(?:\d{1,4}|[ivxlc]{1,7})$"
)
_PICTURES = re.compile(r"(?:!\[[^\[\]]*\]\([^()]*\)|<img\b[^<>]*>|\{%[^{}]*%\}|\s)+", re.IGNORECASE)
_FEWEST_WORDS = 3
"""Of what is a line of its own and does not end as a sentence does."""

_FEWEST_ASKING = 4
"""Of a question: "6 weeks?" asks nothing."""

_FEWEST_BRACKETED = 8
_FEWEST_IN_HEADING = 8
"""Of a heading without a figure that says something itself."""


def is_fragment(document: Document, span: Span) -> bool:
    """Whether it is no statement, whatever words it shares with a question."""
    if span.end - span.start > _LONGEST_CHARS:
        return False
    blocks = document.blocks_in(span.start, span.end)
    kind = blocks[0].kind if len(blocks) == 1 else None
    source = document.text[span.start : span.end]
    shown = as_read(source, document.media_type, kind).strip()
    if not any(map(str.isalnum, shown)):
        return True
    if kind is BlockKind.CODE:
        return False
    if is_remark(source):
        return True
    if kind is BlockKind.PARAGRAPH and _PICTURES.fullmatch(source):
        return True
    words = len(_WORD.findall(shown))
    if _QUESTION.search(shown):
        return words < _FEWEST_ASKING
    if _IN_BRACKETS.fullmatch(shown):
        return words < _FEWEST_BRACKETED
    if all(map(_CONTENTS_LINE.search, shown.splitlines())):
        return True
    return _is_line_of_few_words(shown, words, kind, is_whole=_is_whole(blocks, span))


def _is_whole(blocks: tuple[Block, ...], span: Span) -> bool:
    return len(blocks) == 1 and (blocks[0].start, blocks[0].end) == (span.start, span.end)


def _is_line_of_few_words(
    shown: str, words: int, kind: BlockKind | None, *, is_whole: bool
) -> bool:
    """Whether a block of its own is too short to say something: "FOUR", "12 March 2024", "- 7 -".

    An item of a list and a row of a table say what they are by what stands above them.
    """
    if not is_whole or kind not in (BlockKind.HEADING, BlockKind.PARAGRAPH):
        return False
    if _SENTENCE_END.search(shown):
        return False
    has_figure = any(map(str.isdigit, shown))
    if kind is BlockKind.HEADING:
        return words < (_FEWEST_WORDS if has_figure else _FEWEST_IN_HEADING)
    if not has_figure:
        return words < _FEWEST_WORDS and ":" not in shown
    return words == 0 or _is_date(shown)


def _is_date(shown: str) -> bool:
    found = moments(shown)
    outside = [
        sign
        for place, sign in enumerate(shown)
        if not any(moment.start <= place < moment.end for moment in found)
    ]
    return bool(found) and not any(map(str.isalnum, outside))
