"""Extracts text from DrawingML, the markup of shapes on slides and in diagrams.

python-pptx returns paragraphs without their equations, and no text from diagrams.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from lxml import etree

from pincite.ingest.docx.text import M, linear
from pincite.ingest.office.package import elements
from pincite.ingest.office.symbols import in_symbol_font, is_symbol_font
from pincite.text.marks import Run, written

A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_BREAKS = {f"{A}br": "\n", f"{A}tab": "\t"}


def paragraph_text(paragraph: etree._Element) -> str:
    """The text of one paragraph, with its line breaks."""
    return written(_pieces(paragraph)).strip()


def one_line(paragraphs: Iterable[etree._Element]) -> str:
    """The text of several paragraphs on one line, for titles and cells."""
    lines = map(paragraph_text, paragraphs)
    return " ".join(" ".join(line.split()) for line in lines if line)


def _pieces(paragraph: etree._Element) -> Iterator[Run]:
    stack = list(reversed(elements(paragraph)))
    style, font = Run(""), None
    while stack:
        node = stack.pop()
        if node.tag == f"{M}oMath":
            yield Run(linear(node))
        elif node.tag.endswith("}t"):
            yield replace(style, text=in_symbol_font(node.text or "", font))
        elif node.tag in _BREAKS:
            yield replace(style, text=_BREAKS[node.tag])
        elif not node.tag.endswith("}Fallback"):
            if node.tag == f"{A}r":
                style, font = _style(node), _font(node)
            stack.extend(reversed(elements(node)))


def _style(run: etree._Element) -> Run:
    properties = run.find(f"{A}rPr")
    if properties is None:
        return Run("")
    baseline = properties.get("baseline") or "0"  # in thousandths of a percent of the size
    script = 0 if baseline.strip("-0%") == "" else -1 if baseline.startswith("-") else 1
    return Run("", script, (properties.get("strike") or "noStrike") != "noStrike")


def _font(run: etree._Element) -> str | None:
    for name in ("sym", "latin"):
        font = run.find(f"{A}rPr/{A}{name}")
        if font is not None and is_symbol_font(font.get("typeface")):
            return str(font.get("typeface"))
    return None
