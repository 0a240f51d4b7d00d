"""Helpers for elements of a web page: their children, and their text as a browser shows it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from selectolax.lexbor import LexborHTMLParser, LexborNode

from pincite.errors import ReadError
from pincite.text.inline_marks import INLINE_NAMES

INLINE = INLINE_NAMES | {"-text"}
# Ruby annotations (furigana) are not part of the sentence.
_UNREAD = frozenset(("rt", "rp", "-comment"))
# Signs of a link that only gives the address of the place where it stands, as generators put them
# behind headings. A footnote's sign is text.
_PERMALINKS = frozenset(("¶", "#", "§", "🔗", "\uf0c1"))
DEEPEST = 10_000
"""Levels of nesting; browsers give up at about 500."""

# Before parsing, tags in scripts, comments and attributes count too, and there may be many.
_MOST_OPEN = 5 * DEEPEST
# At each of these tags the parser searches all open elements: 200,000 of them would take minutes.
_SEARCHING = re.compile(
    r"<(/?)(address|article|aside|blockquote|center|details|dialog|dir|div|dl|fieldset|figcaption"
    r"|figure|footer|form|header|hgroup|listing|main|menu|nav|ol|pre|search|section|summary|ul)\b",
    re.IGNORECASE,
)
_SPACES = re.compile(r"[ \t\r\n\f]+")


def children(node: LexborNode) -> Iterator[LexborNode]:
    """The child nodes of an element, including text and comments."""
    child = node.child
    while child is not None:
        yield child
        child = child.next


def is_unread(node: LexborNode) -> bool:
    """Whether an element is no part of the text: a comment, a ruby annotation, a permalink."""
    if node.tag in _UNREAD:
        return True
    if node.tag != "a" or not (node.attributes.get("href") or "").startswith("#"):
        return False
    return (node.text() or "").strip() in _PERMALINKS


def parse_page(page: str) -> LexborHTMLParser:
    """Parse a page. Raises ReadError if its elements are nested too deep, also before parsing."""
    open_tags: Counter[str] = Counter()
    depth = 0
    for match in _SEARCHING.finditer(page):
        name = match[2].lower()
        if not match[1]:
            open_tags[name] += 1
            depth += 1
        elif open_tags[name]:
            open_tags[name] -= 1
            depth -= 1
        _refuse(depth, most=_MOST_OPEN)
    tree = LexborHTMLParser(page)
    _refuse_deep(tree.body)
    return tree


def _refuse_deep(root: LexborNode | None) -> None:
    stack = [(root, 0)] if root is not None else []
    while stack:
        node, depth = stack.pop()
        _refuse(depth, most=DEEPEST)
        stack.extend((child, depth + 1) for child in children(node))


def _refuse(depth: int, *, most: int) -> None:
    if depth > most:
        raise ReadError(
            f"its elements are nested more than {DEEPEST:,} deep, which no real page needs; "
            "save its text in another format"
        )


def plain(node: LexborNode) -> str:
    """The text of an element on one line, with spaces between blocks."""
    pieces: list[str] = []
    stack = [node]
    while stack:
        current = stack.pop()
        if current.tag == "-text":
            pieces.append(current.text_content or "")
        elif not is_unread(current):
            if current.tag not in INLINE:
                pieces.append(" ")
            stack.extend(reversed(list(children(current))))
    return " ".join(collapse("".join(pieces)).split())


def collapse(text: str) -> str:
    """Text as a browser shows it: one space for each run of white space, a newline for `<br>`."""
    lines = (_SPACES.sub(" ", line).strip(" ") for line in text.split("\x00"))
    return "\n".join(line for line in lines if line.strip())
