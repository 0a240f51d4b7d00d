"""Takes the text out of DrawingML, the markup of shapes on slides and in diagrams."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from pincite.ingest.package import elements

A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_BREAKS = {f"{A}br": "\n", f"{A}tab": "\t"}


def paragraph_text(paragraph: etree._Element) -> str:
    """The text of one paragraph, its line breaks kept."""
    return "".join(_pieces(paragraph)).strip()


def paragraphs(body: etree._Element) -> Iterator[etree._Element]:
    """The paragraphs of a shape or a cell."""
    yield from body.iterchildren(f"{A}p")


def _pieces(paragraph: etree._Element) -> Iterator[str]:
    stack = list(reversed(elements(paragraph)))
    while stack:
        node = stack.pop()
        if node.tag.endswith("}t"):
            yield node.text or ""
        elif node.tag in _BREAKS:
            yield _BREAKS[node.tag]
        elif not node.tag.endswith("}Fallback"):
            stack.extend(reversed(elements(node)))
