"""Keeps HTML comments in Markdown out of what is quoted: nobody sees them on the page."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from markdown_it.token import Token

from pincite.document import Block, BlockKind, Flag, FlagKind, Range

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
# `<!-- prettier-ignore -->` and its like are for tools.
_FEWEST_WORDS = 4


def comment_ranges(text: str, token: Token, start: int, end: int) -> Iterator[Range]:
    """Where the comments of one paragraph lie in the text; comments in code are not comments."""
    for child in token.children or ():
        if child.type == "html_inline" and child.content.startswith("<!--"):
            found = text.find(child.content, start, end)
            if found >= 0:
                start = found + len(child.content)
                yield found, start


def comments_in(text: str, start: int, end: int) -> Iterator[Range]:
    """Where the comments in a stretch of HTML lie."""
    yield from (match.span() for match in _COMMENT.finditer(text, start, end))


def without_comments(text: str, blocks: Iterable[Block], comments: Sequence[Range]) -> list[Block]:
    """The blocks cut around comments, and each comment with words as a block nobody quotes."""
    pieces = [piece for block in blocks for piece in _outside(text, block, comments)]
    hidden = [
        Block(start=start, end=end, kind=BlockKind.HIDDEN)
        for start, end in comments
        if len(text[start:end].strip("<!->").split()) >= _FEWEST_WORDS
    ]
    return sorted((*pieces, *hidden), key=lambda block: (block.start, block.end))


def comment_flags(blocks: Iterable[Block]) -> tuple[Flag, ...]:
    """One report for each hidden comment."""
    return tuple(
        Flag(
            kind=FlagKind.HIDDEN_TEXT,
            detail="a comment that is not shown",
            start=block.start,
            end=block.end,
        )
        for block in blocks
        if block.kind is BlockKind.HIDDEN
    )


def _outside(text: str, block: Block, comments: Sequence[Range]) -> Iterator[Block]:
    start = block.start
    # Comments come in order and do not overlap, so their ends are in order too.
    first_inside = bisect_right(comments, block.start, key=lambda pair: pair[1])
    after = bisect_left(comments, block.end, key=lambda pair: pair[0])
    inside = comments[first_inside:after]
    if not inside:
        yield block
        return
    for first, last in (*inside, (block.end, block.end)):
        piece = text[start:first]
        left = start + len(piece) - len(piece.lstrip())
        if piece.strip():
            yield replace(block, start=left, end=left + len(piece.strip()), cells=())
        start = max(start, last)
