"""Takes the text out of a piece of Word XML: what a reader of the page sees, in order."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from lxml import etree

from pincite.ingest.docx_math import M, linear
from pincite.ingest.package import elements, whole_number

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"

# Deleted or moved-away text, reading aids, field codes, and the older copy of a drawing.
LEFT_OUT = frozenset(
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
_RUN = f"{W}r"
# In half points: nobody reads letters of a point and a half.
_UNREADABLE_SIZE = 3


class RunText:
    """Tells the text that is seen from the text that is not."""

    def __init__(self, hidden_styles: frozenset[str] = frozenset()) -> None:
        self._hidden_styles = hidden_styles

    def seen(self, paragraph: etree._Element) -> str:
        """The text of one paragraph; text boxes anchored in it are not part of it."""
        return "".join(_pieces(paragraph, self._is_seen)).strip()

    def hidden(self, paragraph: etree._Element) -> str:
        """The text of the runs that Word does not show or print."""
        runs = [run for run in _runs(paragraph) if not self._is_seen(run)]
        return "".join("".join(_pieces(run, _always)) for run in runs).strip()

    def _is_seen(self, run: etree._Element) -> bool:
        properties = run.find(f"{W}rPr")
        if properties is None:
            return True
        hidden = properties.find(f"{W}vanish")
        if hidden is not None:
            return is_off(hidden)
        size = value_of(properties, "sz")
        if size is not None and whole_number(size, _UNREADABLE_SIZE + 1) <= _UNREADABLE_SIZE:
            return False
        return value_of(properties, "rStyle") not in self._hidden_styles


def text_boxes(paragraph: etree._Element) -> Iterator[etree._Element]:
    """The text boxes anchored in a paragraph, outermost only."""
    if paragraph.find(f".//{TEXT_BOX}") is None:
        return
    stack = list(reversed(elements(paragraph)))
    while stack:
        node = stack.pop()
        if node.tag == TEXT_BOX:
            yield node
        elif node.tag not in LEFT_OUT:
            stack.extend(reversed(elements(node)))


def value_of(node: etree._Element, name: str) -> str | None:
    """The value of a property: `<w:name w:val="..."/>` below a node."""
    child = node.find(f"{W}{name}")
    return child.get(f"{W}val") if child is not None else None


def is_off(switch: etree._Element) -> bool:
    """Whether a property that is there says no."""
    return switch.get(f"{W}val") in ("0", "false", "off")


def _always(_run: etree._Element) -> bool:
    return True


def _runs(paragraph: etree._Element) -> Iterator[etree._Element]:
    stack = list(reversed(elements(paragraph)))
    while stack:
        node = stack.pop()
        if node.tag == _RUN:
            yield node
        elif node.tag not in LEFT_OUT and node.tag != TEXT_BOX:
            stack.extend(reversed(elements(node)))


def _pieces(root: etree._Element, is_seen: Callable[[etree._Element], bool]) -> Iterator[str]:
    # A stack instead of recursion: a hostile file may nest thousands deep.
    stack = list(reversed(elements(root)))
    while stack:
        node = stack.pop()
        tag = node.tag
        if tag == f"{W}t":
            yield node.text or ""
        elif tag in _SIGNS:
            yield _SIGNS[tag]
        elif tag == f"{M}oMath":
            yield linear(node)
        elif tag == f"{W}sym":
            yield _symbol(node)
        elif tag not in LEFT_OUT and tag != TEXT_BOX and (tag != _RUN or is_seen(node)):
            stack.extend(reversed(elements(node)))


def _symbol(node: etree._Element) -> str:
    """A sign from a symbol font; those in the private area have no letter of their own."""
    try:
        code = int(node.get(f"{W}char") or "", 16)
    except ValueError:
        return ""
    return "\ufffd" if 0xE000 <= code <= 0xF8FF or not 32 <= code < 0xD800 else chr(code)
