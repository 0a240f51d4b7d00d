"""Finds the blocks of HTML that stands in Markdown; each is a stretch of the file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pincite.document import BlockKind
from pincite.text.html_names import BLOCK_NAMES

_WITHIN_LINES = frozenset({"br", "button", "input", "option", "area", "link", "base", "rt", "rp"})
_BLOCK_TAG = re.compile(
    r"<!--.*?(?:-->|\Z)|<(?P<silent>script|style)\b[^<>]*>.*?(?P<end></(?P=silent)\s*>|\Z)"
    rf"|<(?P<close>/?)(?P<name>{'|'.join(sorted(BLOCK_NAMES - _WITHIN_LINES))})\b[^<>]*>",
    re.DOTALL | re.IGNORECASE,
)
# What is not closed runs to the end, so that a file of nothing but beginnings is looked through once.
_TAGS = re.compile(r"<!--.*?(?:-->|\Z)|<[^<>]*>", re.DOTALL)
_CODE_TAGS = re.compile(r"(?:</?(?:code|samp|kbd)\b[^<>]*>)+", re.IGNORECASE)
_KINDS = {
    **{f"h{level}": BlockKind.HEADING for level in range(1, 7)},
    "li": BlockKind.LIST_ITEM,
    "dt": BlockKind.LIST_ITEM,
    "dd": BlockKind.LIST_ITEM,
    "pre": BlockKind.CODE,
    "figcaption": BlockKind.CAPTION,
    "caption": BlockKind.CAPTION,
}
_MOST_OPEN = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class HtmlPiece:
    """What stands between two tags of blocks; `level` is that of a heading, else 0."""

    kind: BlockKind
    start: int
    end: int
    level: int = 0


def html_pieces(text: str, start: int, end: int) -> Iterator[HtmlPiece]:
    """The blocks in a stretch of HTML, in order; those without words are left out."""
    opened: list[str] = []
    begins = start
    for match in _BLOCK_TAG.finditer(text, start, end):
        if match["silent"] is None and match["name"] is None:
            continue
        yield from _piece(text, begins, match.start(), opened)
        begins = match.end()
        if match["silent"] and not match["end"]:
            # A script that nothing ends may have the rest of the file behind it.
            begins = text.index(">", match.start()) + 1
        name = (match["name"] or "").lower()
        if name in _KINDS and not match["close"] and len(opened) < _MOST_OPEN:
            opened.append(name)
        elif name in opened and match["close"]:
            del opened[len(opened) - 1 - opened[::-1].index(name) :]
    yield from _piece(text, begins, end, opened)


def _piece(text: str, start: int, end: int, opened: list[str]) -> Iterator[HtmlPiece]:
    name = opened[-1] if opened else ""
    kind = _KINDS.get(name, BlockKind.PARAGRAPH)
    if kind is BlockKind.CODE:
        start, end = _without_tags_around(text, start, end)
    blanks = "\r\n" if kind is BlockKind.CODE else None
    piece = text[start:end]
    start += len(piece) - len(piece.lstrip(blanks))
    end = max(start, start + len(text[start:end].rstrip()))
    if _TAGS.sub("", text[start:end]).strip(" \t\r\n>"):
        level = int(name[1]) if kind is BlockKind.HEADING else 0
        yield HtmlPiece(kind=kind, start=start, end=end, level=level)


def _without_tags_around(text: str, start: int, end: int) -> tuple[int, int]:
    before = _CODE_TAGS.match(text, start, end)
    start = before.end() if before else start
    behind = text.rfind("<", start, end)
    if behind >= 0 and _CODE_TAGS.fullmatch(text, behind, end):
        end = behind
    return start, end
