"""A report as Markdown. Text of documents stays text: it makes no links, pictures or headings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from pincite.report.layout import Block, Heading, Look, Paragraph, Table, Words

_ACTIVE = re.compile(r"[\\`*_\[\]<>|~&#!]")
_LIST_START = re.compile(r"^(\d{1,9})([.)])(?=\s|$)|^([-+=])")


def markdown(blocks: Sequence[Block]) -> str:
    """The whole report."""
    return "\n\n".join(_lines(blocks)) + "\n"


def _lines(blocks: Sequence[Block]) -> Iterator[str]:
    for block in blocks:
        if isinstance(block, Heading):
            yield f"{'#' * block.level} {escaped(block.text)}"
        elif isinstance(block, Table):
            yield _table(block)
        else:
            yield _paragraph(block)


def _paragraph(block: Paragraph) -> str:
    text = "".join(map(_words, block.words)).strip()
    if block.look is Look.NOTE:
        return f"> **{text}**"
    if block.look is Look.SMALL:
        return f"*{text}*"
    if block.look is Look.NEAR:
        return f"- *{text}*"
    text = without_list_start(text)
    return f"- {text}" if block.look is Look.ITEM else text


def _words(words: Words) -> str:
    """Marks keep their brackets: what is inside them, and what follows, cannot make a link."""
    return f"[{escaped(words.text[1:-1])}]" if words.quotes else escaped(words.text)


def _table(block: Table) -> str:
    rows = [block.names, tuple("---" for _ in block.names), *block.rows]
    cells = [[cell if cell == "---" else escaped(cell) for cell in row] for row in rows]
    return "\n".join(f"| {' | '.join(row)} |" for row in cells)


def escaped(text: str) -> str:
    """Text, marked up so that it is shown as it is within a line."""
    return _ACTIVE.sub(r"\\\g<0>", text)


def without_list_start(line: str) -> str:
    """A line that begins no list, though its text begins like one."""
    return _LIST_START.sub(_break_list, line)


def _break_list(found: re.Match[str]) -> str:
    return rf"{found[1]}\{found[2]}" if found[1] else rf"\{found[3]}"
