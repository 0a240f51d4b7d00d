"""A report as Markdown. Text of documents is escaped: it creates no links, images or headings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from pincite.report.layout import Block, Heading, Look, Paragraph, Table, Words

_ACTIVE = re.compile(r"[\\`*_\[\]<>|~&#!]")
_LIST_START = re.compile(r"^(\d{1,9})([.)])(?=\s|$)|^([-+=])")


def markdown(blocks: Sequence[Block]) -> str:
    """The whole report as Markdown."""
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
    """Marks keep their brackets; what is inside and after them is escaped and cannot form a link."""
    return f"[{escaped(words.text[1:-1])}]" if words.quotes else escaped(words.text)


def _table(block: Table) -> str:
    rows = [block.names, tuple("---" for _ in block.names), *block.rows]
    cells = [[cell if cell == "---" else escaped(cell) for cell in row] for row in rows]
    return "\n".join(f"| {' | '.join(row)} |" for row in cells)


def escaped(text: str) -> str:
    """Text escaped so that it is shown literally within a line."""
    return _ACTIVE.sub(r"\\\g<0>", text)


def without_list_start(line: str) -> str:
    """A line whose start is escaped if it would begin a list."""
    return _LIST_START.sub(_break_list, line)


def _break_list(found: re.Match[str]) -> str:
    return rf"{found[1]}\{found[2]}" if found[1] else rf"\{found[3]}"
