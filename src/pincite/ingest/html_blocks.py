"""Walks the elements of a web page and turns them into blocks of text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from selectolax.lexbor import LexborNode

from pincite.document import BlockKind
from pincite.ingest.assembly import TextAssembly

_HEADING = re.compile(r"h([1-6])")
_KINDS = {
    "li": BlockKind.LIST_ITEM,
    "dt": BlockKind.LIST_ITEM,
    "dd": BlockKind.LIST_ITEM,
    "pre": BlockKind.CODE,
}
_INLINE = frozenset(
    re.findall(
        r"\S+",
        "a abbr acronym b bdi bdo big cite code data del dfn em font i img ins kbd label map mark "
        "meter nobr output picture progress q rb ruby s samp small source span strike strong sub "
        "sup time tt u var wbr -text",
    )
)
# The reading aid over a sign (furigana) is not part of the sentence.
_UNREAD = frozenset(("rt", "rp", "-comment"))
_ROW_CELLS = ("td", "th")
_LONGEST_CELL_CHARS = 600
# Two line breaks in a row stand for a new paragraph.
_EMPTY_LINE = re.compile("\x00\\s*\x00")
_SPACES = re.compile(r"[ \t\r\n\f]+")


class BlockWalker:
    """Adds the text below an element to an assembly, block by block."""

    def __init__(self, assembly: TextAssembly) -> None:
        self._assembly = assembly
        self._pieces: list[str] = []
        self._preformatted = 0

    def walk(self, root: LexborNode) -> None:
        """Add everything below `root`.

        The stack holds nodes to enter and names of elements to leave; no recursion, because a
        page may nest thousands deep.
        """
        open_tags = ["body"]
        stack: list[LexborNode | None] = [root]
        while stack:
            node = stack.pop()
            if node is None:
                self._leave(open_tags.pop(), open_tags)
            elif node.tag == "-text":
                self._pieces.append(node.text_content or "")
            elif self._is_whole(node, open_tags):
                continue
            else:
                self._enter(node, open_tags)
                open_tags.append(node.tag or "")
                stack.append(None)
                stack.extend(reversed(list(_children(node))))
        self._flush(open_tags)

    def _is_whole(self, node: LexborNode, open_tags: list[str]) -> bool:
        """Deal with elements that are taken or left without looking at their children."""
        if node.tag in _UNREAD:
            return True
        if node.tag == "br":
            # Kept through the collapsing of white space, which it is not part of.
            self._pieces.append("\x00")
            return True
        if node.tag == "tr" and _is_data_row(node):
            self._flush(open_tags)
            cells = [_plain(child) for child in _children(node) if child.tag in _ROW_CELLS]
            if any(cells):
                self._assembly.add(" | ".join(cells), BlockKind.TABLE_ROW)
            return True
        return False

    def _enter(self, node: LexborNode, open_tags: list[str]) -> None:
        if node.tag not in _INLINE:
            self._flush(open_tags)
        if node.tag == "pre":
            self._preformatted += 1

    def _leave(self, tag: str, open_tags: list[str]) -> None:
        if tag not in _INLINE:
            self._flush([*open_tags, tag])
        if tag == "pre":
            self._preformatted -= 1

    def _flush(self, open_tags: list[str]) -> None:
        """End the block that is being collected; its kind is that of the nearest element."""
        pieces, self._pieces = "".join(self._pieces), []
        if self._preformatted:
            self._add(_verbatim(pieces), open_tags)
            return
        for paragraph in _EMPTY_LINE.split(pieces):
            self._add(_collapse(paragraph), open_tags)

    def _add(self, text: str, open_tags: list[str]) -> None:
        if not text:
            return
        for tag in reversed(open_tags):
            heading = _HEADING.fullmatch(tag)
            if heading:
                self._assembly.add_heading(text, int(heading[1]))
                return
            if tag in _KINDS:
                self._assembly.add(text, _KINDS[tag])
                return
        self._assembly.add(text, BlockKind.PARAGRAPH)


def _children(node: LexborNode) -> Iterator[LexborNode]:
    child = node.child
    while child is not None:
        yield child
        child = child.next


def _is_data_row(row: LexborNode) -> bool:
    """Whether a table row holds values side by side, not the columns of a page layout."""
    cells = [child for child in _children(row) if child.tag in _ROW_CELLS]
    if len(cells) < 2 or row.css_first("table, h1, h2, h3, h4, h5, h6, pre") is not None:
        return False
    return all(len(_plain(cell)) <= _LONGEST_CELL_CHARS for cell in cells)


def _plain(node: LexborNode) -> str:
    """The text of an element on one line; the texts of blocks in it stay apart."""
    pieces: list[str] = []
    stack = [node]
    while stack:
        current = stack.pop()
        if current.tag == "-text":
            pieces.append(current.text_content or "")
        elif current.tag not in _UNREAD:
            if current.tag not in _INLINE:
                pieces.append(" ")
            stack.extend(reversed(list(_children(current))))
    return " ".join(_collapse("".join(pieces)).split())


def _collapse(text: str) -> str:
    """Text as a browser shows it: one space for any white space, a line end for each `<br>`."""
    lines = (_SPACES.sub(" ", line).strip(" ") for line in text.split("\x00"))
    return "\n".join(line for line in lines if line.strip())


def _verbatim(text: str) -> str:
    lines = text.replace("\x00", "\n").replace("\r\n", "\n").strip("\n").split("\n")
    return "\n".join(line.rstrip() for line in lines).rstrip()
