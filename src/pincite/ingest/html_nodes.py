"""Reads single elements of a web page: their children, and their text as a browser shows it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from selectolax.lexbor import LexborNode

INLINE = frozenset(
    re.findall(
        r"\S+",
        "a abbr acronym b bdi bdo big cite code data del dfn em font i img ins kbd label map mark "
        "meter nobr output picture progress q rb ruby s samp small source span strike strong sub "
        "sup time tt u var wbr -text",
    )
)
# The reading aid over a sign (furigana) is not part of the sentence.
UNREAD = frozenset(("rt", "rp", "-comment"))
_SPACES = re.compile(r"[ \t\r\n\f]+")


def children(node: LexborNode) -> Iterator[LexborNode]:
    """The nodes directly below an element, texts and comments too."""
    child = node.child
    while child is not None:
        yield child
        child = child.next


def plain(node: LexborNode) -> str:
    """The text of an element on one line; the texts of blocks in it stay apart."""
    pieces: list[str] = []
    stack = [node]
    while stack:
        current = stack.pop()
        if current.tag == "-text":
            pieces.append(current.text_content or "")
        elif current.tag not in UNREAD:
            if current.tag not in INLINE:
                pieces.append(" ")
            stack.extend(reversed(list(children(current))))
    return " ".join(collapse("".join(pieces)).split())


def collapse(text: str) -> str:
    """Text as a browser shows it: one space for any white space, a line end for each `<br>`."""
    lines = (_SPACES.sub(" ", line).strip(" ") for line in text.split("\x00"))
    return "\n".join(line for line in lines if line.strip())
