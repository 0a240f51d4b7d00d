"""Detects whether a plain text file is written in Markdown, from the structure of the whole file."""

from __future__ import annotations

import re
from collections.abc import Sequence

_HEADING = re.compile(r"(#{1,6})[ \t]+\S")
_MARKED_HEADING = re.compile(r"#{1,6}[ \t]+\[[A-Z][A-Z _-]*\][ \t]+\S")
_FENCE = re.compile(r"[ ]{0,3}(?:```|~~~)[\w+-]*[ \t]*$")
_LINK = re.compile(r"\[[^\[\]\n]{1,200}\]\((?:https?://|mailto:|[#./]|[\w-]+[./#])[^()\s]{0,500}\)")
_BOLD = re.compile(r"(?<![\w*])\*\*[^\s*][^*\n]{0,200}\*\*(?![\w*])")
_ITEM = re.compile(r"[ ]{0,8}(?:[-*+]|\d{1,3}\.)[ \t]+\S")
_TABLE_RULE = re.compile(r"[ ]{0,3}\|?[ ]*+:?-{2,}+:?[ ]*+(?:\|[ ]*+:?-{2,}+:?[ ]*+)++\|?[ \t]*+$")
# Scripts, C, RPM, XML, reStructuredText and AsciiDoc, where "#" and "*" mean something else.
_OTHER = re.compile(
    r"#!|[ \t]*#(?:include|define|if|endif)\b|%[A-Z]|<\?xml|<!DOCTYPE|\.\. [\w-]+::|={1,5} \S"
    r"|[a-z]+::\S*\[|\[\[?[a-z]+(?:,[^\]]*)?\]{1,2}$|\+$|\.{4,}$|\S.{0,100}::$"
)
_FRONT_MATTER = re.compile(r"---[ \t]*\n\w[^\n]*:")
_FEWEST_ITEMS = 3
_FEWEST_BOLD = 3
_FEWEST_SIGNS = 3


def is_markdown(text: str) -> bool:
    """Whether it has headings of two levels, several plus other structure, or three other structures.

    Consecutive lines with `#` are comments, as are those that begin a script; then no line is a
    heading. Knowledge bases whose entries begin with `# [ARTICLE]` have such headings.
    """
    lines = text.splitlines()
    if any(map(_OTHER.match, lines)):
        return False
    outside, fences = _outside_fences(lines)
    prose = "\n".join(outside)
    others = [
        fences > 0,
        bool(_FRONT_MATTER.match(text)),
        any(map(_MARKED_HEADING.match, outside)),
        bool(_LINK.search(prose)),
        len(_BOLD.findall(prose)) >= _FEWEST_BOLD,
        sum(map(bool, map(_ITEM.match, outside))) >= _FEWEST_ITEMS,
        any(map(_TABLE_RULE.match, outside)),
    ]
    levels = _heading_levels(outside)
    if len(set(levels)) > 1 and levels[0] == min(levels):
        return True
    return sum(others) + min(len(levels), 2) >= _FEWEST_SIGNS


def _outside_fences(lines: Sequence[str]) -> tuple[list[str], int]:
    """The lines outside fenced code, and the number of closed fences."""
    outside: list[str] = []
    closed = 0
    opened: int | None = None
    for number, line in enumerate(lines):
        if not _FENCE.match(line):
            if opened is None:
                outside.append(line)
        elif opened is None:
            opened = number
        else:
            opened = None
            closed += 1
    if opened is not None:
        outside += lines[opened:]
    return outside, closed


def _heading_levels(lines: Sequence[str]) -> list[int]:
    """The levels of the heading lines; none if some are consecutive, as comments are."""
    levels: list[int] = []
    before = 0
    for line in lines:
        match = _HEADING.match(line)
        level = len(match[1]) if match else 0
        if level and level == before:
            return []
        if level:
            levels.append(level)
        before = level if line.strip() else 0
    return levels
