"""Cuts the text of a message where it quotes an earlier one, and where a letter opens and ends."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby, pairwise

from pincite.document import Block, BlockKind
from pincite.text.remarks import is_remark

QUOTED = "quoted message"
"""The place of what a message repeats of an earlier one."""

_LINE = re.compile(r"[^\n]*\n?")
_QUOTED_LINE = re.compile(r"\s*>")
_LEAD_LINE_END = re.compile(r"[:：]\s*$")
_LEADS = re.compile(r"(?<![\w.+-])[\w.+-]++@[\w-]+|\d{1,2}[./:-]\d{1,2}|(?:19|20)\d\d")
"""An address, a time or a date in the line above a quoted message."""
_MOST_LEAD_LINES = 3


def cut_at_replies(text: str, blocks: Sequence[Block]) -> Iterator[Block]:
    """The blocks of a message's text, of which each is quoted as a whole or not at all.

    The line above a quoted message ("On Friday Bo wrote:") belongs to it; a greeting or closing is a
    block of its own. Quoted blocks have `QUOTED` as their place.
    """
    pieces = [piece for block in blocks for piece in _pieces(text, block)]
    for piece, following in pairwise([*pieces, None]):
        if piece is None:
            return
        leads = following is not None and following.place == QUOTED and not piece.place
        yield replace(piece, place=QUOTED) if leads and _is_lead(text, piece) else piece


def _is_lead(text: str, block: Block) -> bool:
    said = text[block.start : block.end]
    is_short = said.count("\n") < _MOST_LEAD_LINES
    return is_short and bool(_LEAD_LINE_END.search(said) and _LEADS.search(said))


def _pieces(text: str, block: Block) -> Iterator[Block]:
    """A block, cut into quoted lines, lines that lead them in, remarks, and the rest."""
    lines = [*_lines(text, block)]
    kinds = [_kind(text[start:end]) for start, end in lines]
    for row in range(len(lines) - 1):
        if kinds[row + 1] == "quoted" and not kinds[row]:
            _mark_lead(text, lines, kinds, row)
    if not any(kinds):
        yield block
        return
    place = 0
    for kind, group in groupby(kinds):
        rows = lines[place : (place := place + len([*group]))]
        start, end = rows[0][0], rows[-1][0] + len(text[slice(*rows[-1])].rstrip())
        if any(sign.isalnum() for sign in text[start:end]):
            is_quoted = kind in ("quoted", "lead")
            told = QUOTED if is_quoted else block.place
            form = BlockKind.PARAGRAPH if kind else block.kind
            yield replace(block, start=start, end=end, kind=form, place=told)


def _mark_lead(text: str, lines: Sequence[tuple[int, int]], kinds: list[str], row: int) -> None:
    """Mark the shortest run of lines up to `row` that leads in what is quoted below."""
    for first in range(row, max(-1, row - _MOST_LEAD_LINES), -1):
        said = text[lines[first][0] : lines[row][1]]
        if kinds[first] or not _LEAD_LINE_END.search(said):
            return
        is_cut = said.lstrip()[:1] == "<" or said.lstrip()[:1].islower()
        if _LEADS.search(said) and not is_cut:
            kinds[first : row + 1] = ["lead"] * (row + 1 - first)
            return


def _kind(line: str) -> str:
    if _QUOTED_LINE.match(line):
        return "quoted"
    return "remark" if is_remark(line) else ""


def _lines(text: str, block: Block) -> Iterator[tuple[int, int]]:
    for found in _LINE.finditer(text, block.start, block.end):
        if found[0]:
            yield found.span()
