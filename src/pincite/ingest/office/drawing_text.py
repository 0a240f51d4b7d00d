"""Extracts text from DrawingML, the markup of shapes on slides and in diagrams.

python-pptx returns paragraphs without their equations, and no text from diagrams.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lxml import etree

from pincite.ingest.docx.text import M, linear
from pincite.ingest.office.package import elements

A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_BREAKS = {f"{A}br": "\n", f"{A}tab": "\t"}


def paragraph_text(paragraph: etree._Element) -> str:
    """The text of one paragraph, with its line breaks."""
    return "".join(_pieces(paragraph)).strip()


def one_line(paragraphs: Iterable[etree._Element]) -> str:
    """The text of several paragraphs on one line, for titles and cells."""
    lines = map(paragraph_text, paragraphs)
    return " ".join(" ".join(line.split()) for line in lines if line)


def _pieces(paragraph: etree._Element) -> Iterator[str]:
    stack = list(reversed(elements(paragraph)))
    while stack:
        node = stack.pop()
        if node.tag == f"{M}oMath":
            yield linear(node)
        elif node.tag.endswith("}t"):
            yield node.text or ""
        elif node.tag in _BREAKS:
            yield _BREAKS[node.tag]
        elif not node.tag.endswith("}Fallback"):
            stack.extend(reversed(elements(node)))
