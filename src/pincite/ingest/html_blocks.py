"""Walks the elements of a web page and turns them into blocks of text."""

from __future__ import annotations

import re

from selectolax.lexbor import LexborNode

from pincite.document import BlockKind
from pincite.ingest.assembly import TextAssembly
from pincite.ingest.html_nodes import INLINE, UNREAD, children, collapse
from pincite.ingest.html_tables import read_table
from pincite.ingest.tables import TableRow, TableWriter

_HEADING = re.compile(r"h([1-6])")
_KINDS = {
    "li": BlockKind.LIST_ITEM,
    "dt": BlockKind.LIST_ITEM,
    "dd": BlockKind.LIST_ITEM,
    "pre": BlockKind.CODE,
    "figcaption": BlockKind.CAPTION,
    "caption": BlockKind.CAPTION,
}
# Two line breaks in a row stand for a new paragraph.
_EMPTY_LINE = re.compile("\x00\\s*\x00")


class BlockWalker:
    """Adds the text below an element to an assembly, block by block."""

    def __init__(self, assembly: TextAssembly) -> None:
        self._assembly = assembly
        self._pieces: list[str] = []
        self._preformatted = 0
        # Rows of the tables around the current node that hold values, by node.
        self._rows: dict[int, tuple[TableWriter, TableRow]] = {}

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
                stack.extend(reversed(list(children(node))))
        self._flush(open_tags)

    def _is_whole(self, node: LexborNode, open_tags: list[str]) -> bool:
        """Deal with elements that are taken or left without looking at their children."""
        if node.tag in UNREAD:
            return True
        if node.tag == "br":
            # Kept through the collapsing of white space, which it is not part of.
            self._pieces.append("\x00")
            return True
        if node.tag == "tr" and node.mem_id in self._rows:
            self._flush(open_tags)
            writer, row = self._rows.pop(node.mem_id)
            writer.add(row)
            return True
        return False

    def _enter(self, node: LexborNode, open_tags: list[str]) -> None:
        if node.tag not in INLINE:
            self._flush(open_tags)
        if node.tag == "pre":
            self._preformatted += 1
        elif node.tag == "table":
            table = read_table(node)
            writer = TableWriter(self._assembly, headers=table.headers, separator=" | ")
            self._rows |= {row_id: (writer, row) for row_id, row in table.rows.items()}

    def _leave(self, tag: str, open_tags: list[str]) -> None:
        if tag not in INLINE:
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
            self._add(collapse(paragraph), open_tags)

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


def _verbatim(text: str) -> str:
    lines = text.replace("\x00", "\n").replace("\r\n", "\n").strip("\n").split("\n")
    return "\n".join(line.rstrip() for line in lines).rstrip()
