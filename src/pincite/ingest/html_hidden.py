"""Finds text of a web page that a browser does not show, or shows so that nobody sees it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from selectolax.lexbor import LexborHTMLParser, LexborNode

from pincite.ingest.html_nodes import children

_CANDIDATES = "[hidden], [aria-hidden=true], [style], font[color]"
_OF_NO_SIZE = "of no size"
_NO_SIZE = re.compile(
    r"font-size\s*:\s*(?:0(?:\.0\d*)?(?:[a-z]+|%)?|(?:0?\.\d+|1)(?:px|pt|%))\s*(?:;|!|$)"
)
_UNSEEN_STYLES = (
    (re.compile(r"display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)"), "not displayed"),
    (_NO_SIZE, _OF_NO_SIZE),
    (re.compile(r"(?<![\w-])opacity\s*:\s*(?:0|0?\.0\d*)\s*(?:;|!|$)"), "transparent"),
    # A margin of some hundred is how pages put a box in the middle.
    (
        re.compile(
            r"(?:(?<![\w-])(?:left|top|text-indent)\s*:\s*-\d{3,}|margin-(?:left|top)\s*:\s*-\d{4,})"
            r"(?:px|em|pt|rem)"
        ),
        "outside the page",
    ),
)
_COLOUR = re.compile(r"(?<![\w-])color\s*:\s*([^;!]+)")
_BACKGROUND = re.compile(r"(?<![\w-])background(?:-color)?\s*:\s*([^;!]+)")
_PICTURED = re.compile(r"(?<![\w-])background(?:-image)?\s*:([^;!]*)")
_PICTURE = re.compile(r"(?:url|gradient)\(")
# A size that does not follow from the one around it.
_OWN_SIZE = re.compile(
    r"font-size\s*:\s*(?:0*[1-9][\d.]*(?:px|pt|rem|mm|cm|in|v[wh])|(?:x+-)?(?:small|large)|medium)"
)
_NAMED = {"white": "#ffffff", "black": "#000000"}
_RGB = re.compile(r"rgba?\(\s*(\d+)\s*,\s*(\d+)\s*,\s*(\d+)")
# Menus, dialogs and messages of scripts wait unseen on most pages; they are not worth a word.
_FURNITURE = ("nav", "header", "footer", "aside", "form", "dialog", "li", "ul", "menu")
_FEWEST_WORDS = 4
_LONGEST_CHARS = 5_000
_MOST = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class HiddenText:
    """A stretch of text nobody sees, and why."""

    text: str
    why: str


def sets_background(tree: LexborHTMLParser) -> bool:
    """Whether style sheets may give the page another colour than white."""
    if tree.css_first("link[rel=stylesheet]") is not None:
        return True
    return any("background" in style.text(deep=True) for style in tree.css("style"))


def take_hidden(tree: LexborHTMLParser, *, most: float, has_styles: bool) -> Iterator[HiddenText]:
    """Take unseen elements out of a page; yields those that may be meant to deceive.

    An element with more than `most` characters stays: scripts make it visible, or the page would
    be empty.
    """
    found = 0
    for node in tree.css(_CANDIDATES):
        why = _why_unseen(node, has_styles=has_styles)
        if why is None:
            continue
        for part in list(_unsized(node)) if why == _OF_NO_SIZE else [node]:
            text = " ".join(part.text(deep=True, separator=" ").split())
            if len(text.replace(" ", "")) > most:
                continue
            worth_telling = len(text.split()) >= _FEWEST_WORDS and not _is_furniture(part)
            part.decompose()
            if worth_telling and found < _MOST:
                found += 1
                yield HiddenText(text=text[:_LONGEST_CHARS], why=why)


def _unsized(node: LexborNode) -> Iterator[LexborNode]:
    """The parts of an element without a size that have none of their own either."""
    sized = [part for part in node.css("[style]") if _has_size(part) and part.mem_id != node.mem_id]
    if not sized:
        yield node
        return
    own = {part.mem_id for part in sized}
    above = {node.mem_id}
    for part in sized:
        parent = part.parent
        while parent is not None and parent.mem_id not in above:
            above.add(parent.mem_id)
            parent = parent.parent
    stack = [node]
    while stack:
        for child in children(stack.pop()):
            if child.mem_id in own:
                continue
            if child.mem_id in above:
                stack.append(child)
            elif child.tag != "-comment":
                yield child


def _has_size(node: LexborNode) -> bool:
    style = (node.attributes.get("style") or "").lower()
    return bool(_OWN_SIZE.search(style)) and not _NO_SIZE.search(style)


def _why_unseen(node: LexborNode, *, has_styles: bool) -> str | None:
    attributes = node.attributes
    if "hidden" in attributes:
        return "not displayed"
    if attributes.get("aria-hidden") == "true":
        return "kept from screen readers"
    style = (attributes.get("style") or "").lower()
    for pattern, why in _UNSEEN_STYLES:
        if pattern.search(style):
            return why
    return _why_same_colour(node, style, has_styles=has_styles)


def _why_same_colour(node: LexborNode, style: str, *, has_styles: bool) -> str | None:
    match = _COLOUR.search(style)
    colour = _hex(match[1] if match else node.attributes.get("color") or "")
    if not colour:
        return None
    background = next(_backgrounds(node), None)
    # Without a background of its own a page is white, unless a style sheet says otherwise.
    if background is None and not has_styles:
        background = "#ffffff"
    return "in the colour of the page" if colour == background else None


def _backgrounds(node: LexborNode) -> Iterator[str]:
    """The backgrounds set on an element and those around it, nearest first."""
    current: LexborNode | None = node
    while current is not None:
        attributes = current.attributes
        style = (attributes.get("style") or "").lower()
        if attributes.get("background") or any(map(_PICTURE.search, _PICTURED.findall(style))):
            yield ""  # whatever colour the picture has
        match = _BACKGROUND.search(style)
        colour = _hex(match[1] if match else (attributes.get("bgcolor") or "").lower())
        if match or colour:
            yield colour
        current = current.parent


def _hex(colour: str) -> str:
    """A colour as `#rrggbb`; empty for what is none."""
    colour = colour.strip().lower()
    rgb = _RGB.match(colour)
    if rgb:
        return "#" + "".join(f"{min(int(part), 255):02x}" for part in rgb.groups())
    if re.fullmatch(r"#[0-9a-f]{3}", colour):
        return "#" + "".join(sign * 2 for sign in colour[1:])
    return _NAMED.get(colour, colour if re.fullmatch(r"#[0-9a-f]{6}", colour) else "")


def _is_furniture(node: LexborNode) -> bool:
    current: LexborNode | None = node
    while current is not None:
        if current.tag in _FURNITURE:
            return True
        current = current.parent
    return False
