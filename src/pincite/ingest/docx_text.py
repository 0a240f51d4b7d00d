"""Takes the text out of a piece of Word XML: what a reader of the page sees, in order."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"

# Deleted or moved-away text, reading aids, field codes, and the older copy of a drawing.
_LEFT_OUT = frozenset(
    (
        f"{W}del",
        f"{W}moveFrom",
        f"{W}delText",
        f"{W}instrText",
        f"{W}rt",
        f"{W}pPr",
        f"{W}rPr",
        f"{W}sdtPr",
        f"{W}tblPr",
        f"{_MC}Fallback",
    )
)
_SIGNS = {
    f"{W}tab": "\t",
    f"{W}ptab": "\t",
    f"{W}br": "\n",
    f"{W}cr": "\n",
    f"{W}noBreakHyphen": "\u2011",
}
TEXT_BOX = f"{W}txbxContent"
PARAGRAPH = f"{W}p"
TABLE = f"{W}tbl"


def paragraph_text(paragraph: etree._Element) -> str:
    """The text of one paragraph; text boxes anchored in it are not part of it."""
    return "".join(_pieces(paragraph)).strip()


def text_boxes(paragraph: etree._Element) -> Iterator[etree._Element]:
    """The text boxes anchored in a paragraph, outermost only."""
    stack = list(reversed(elements(paragraph)))
    while stack:
        node = stack.pop()
        if node.tag == TEXT_BOX:
            yield node
        elif node.tag not in _LEFT_OUT:
            stack.extend(reversed(elements(node)))


def parse_part(content: bytes) -> etree._Element:
    """The root of one part's XML; entities are neither resolved nor fetched."""
    return etree.fromstring(content, etree.XMLParser(resolve_entities=False, no_network=True))


def elements(node: etree._Element) -> list[etree._Element]:
    """The child elements; comments, processing instructions and entities have no name."""
    return [child for child in node if isinstance(child.tag, str)]


def _pieces(paragraph: etree._Element) -> Iterator[str]:
    # A stack instead of recursion: a hostile file may nest thousands deep.
    stack = list(reversed(elements(paragraph)))
    while stack:
        node = stack.pop()
        if node.tag in (f"{W}t", f"{_M}t"):
            yield node.text or ""
        elif node.tag in _SIGNS:
            yield _SIGNS[node.tag]
        elif node.tag == f"{W}sym":
            yield _symbol(node)
        elif node.tag not in _LEFT_OUT and node.tag != TEXT_BOX and not _is_hidden_run(node):
            stack.extend(reversed(elements(node)))


def _symbol(node: etree._Element) -> str:
    """A sign from a symbol font; those in the private area have no letter of their own."""
    try:
        code = int(node.get(f"{W}char") or "", 16)
    except ValueError:
        return ""
    return "\ufffd" if 0xE000 <= code <= 0xF8FF or not 32 <= code < 0xD800 else chr(code)


def _is_hidden_run(node: etree._Element) -> bool:
    if node.tag != f"{W}r":
        return False
    hidden = node.find(f"{W}rPr/{W}vanish")
    return hidden is not None and hidden.get(f"{W}val") not in ("0", "false", "off")
