"""Decides which part of a web page is its content."""

from __future__ import annotations

import re
from enum import Enum

from selectolax.lexbor import LexborHTMLParser, LexborNode

# The first group never holds text for a reader; the second usually holds none of the content.
_MACHINERY = (
    "script, style, noscript, template, iframe, object, embed, svg, canvas, audio, video, select, "
    "button, input, textarea, datalist, head, title"
)
_BOILERPLATE = (
    "nav, header, footer, aside, form, dialog, [hidden], [aria-hidden=true], [role=navigation], "
    "[role=banner], [role=contentinfo], [role=search], [role=complementary], [role=dialog], [style]"
)
_HIDDEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_MOST = 0.5


class Removal(Enum):
    """How much to take out of a page."""

    MACHINERY = _MACHINERY
    BOILERPLATE = _BOILERPLATE


def remove(tree: LexborHTMLParser, what: Removal) -> None:
    """Take elements out of a page, except those that carry its content after all."""
    if tree.body is None:
        return
    most = _MOST * text_length(tree.body)
    for node in tree.css(what.value):
        if what is Removal.MACHINERY or (_is_boilerplate(node) and text_length(node) <= most):
            node.decompose()


def _is_boilerplate(node: LexborNode) -> bool:
    attributes = node.attributes
    if _HIDDEN_STYLE.search(attributes.get("style") or ""):
        return True
    if node.tag in ("header", "footer"):
        # The header of an article holds its title, the footer of a quote its source.
        return not _is_inside(node, ("article", "main", "blockquote", "section"))
    if node.tag in ("nav", "aside", "form", "dialog"):
        return True
    return "hidden" in attributes or attributes.get("aria-hidden") == "true" or "role" in attributes


def _is_inside(node: LexborNode, tags: tuple[str, ...]) -> bool:
    parent = node.parent
    while parent is not None:
        if parent.tag in tags:
            return True
        parent = parent.parent
    return False


def main_content(body: LexborNode) -> LexborNode:
    """The element marked as main content if it holds most of the text, else the whole body."""
    least = _MOST * text_length(body)
    marked = [(text_length(node), node) for node in body.css("main, article, [role=main]")]
    length, best = max(marked, key=lambda pair: pair[0], default=(0, body))
    return best if length >= least else body


def text_length(node: LexborNode | None) -> int:
    """How many characters of text an element holds, white space left out."""
    return len("".join(node.text(deep=True).split())) if node is not None else 0
