"""Extracts the main content of a web page."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from dataclasses import dataclass
from html import escape
from itertools import islice

from selectolax.lexbor import LexborHTMLParser, LexborNode

from pincite.ingest.html.nodes import children, parse_page

# Finds text that a browser does not display, or displays invisibly.

_CANDIDATES = "[hidden], [aria-hidden=true], [style], font[color]"
_OF_NO_SIZE = "of no size"
_NO_SIZE = re.compile(
    r"font-size\s*:\s*(?:0(?:\.0\d*)?(?:[a-z]+|%)?|(?:0?\.\d+|1)(?:px|pt|%))\s*(?:;|!|$)"
)
_UNSEEN_STYLES = (
    (re.compile(r"display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)"), "not displayed"),
    (_NO_SIZE, _OF_NO_SIZE),
    (re.compile(r"(?<![\w-])opacity\s*:\s*(?:0|0?\.0\d*)\s*(?:;|!|$)"), "transparent"),
    # Pages use a margin of some hundred pixels to centre a box.
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
# A size that is not relative to that of the parent.
_OWN_SIZE = re.compile(
    r"font-size\s*:\s*(?:0*[1-9][\d.]*(?:px|pt|rem|mm|cm|in|v[wh])|(?:x+-)?(?:small|large)|medium)"
)
_NAMED = {"white": "#ffffff", "black": "#000000"}
_RGB = re.compile(r"rgba?\(\s*(\d+)\s*,\s*(\d+)\s*,\s*(\d+)")
# Most pages contain hidden menus, dialogs and script messages; these are not reported.
_FURNITURE_TAGS = ("nav", "header", "footer", "aside", "form", "dialog", "li", "ul", "menu")
_FEWEST_WORDS = 4
_LONGEST_CHARS = 5_000
_MOST_HIDDEN_PIECES = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class HiddenText:
    """A piece of invisible text and the reason why it is invisible."""

    text: str
    why: str


def sets_background(tree: LexborHTMLParser) -> bool:
    """Whether style sheets may give the page a background other than white."""
    if tree.css_first("link[rel=stylesheet]") is not None:
        return True
    return any("background" in style.text(deep=True) for style in tree.css("style"))


def remove_hidden(
    tree: LexborHTMLParser, *, most: float, has_styles: bool, revealed: Container[int]
) -> Iterator[HiddenText]:
    """Remove invisible elements from a page; yields those that may be meant to deceive.

    `revealed` are those that a click shows.

    An element with more than `most` characters stays: scripts will make it visible, as the page
    would be empty without it.
    """
    found = 0
    for node in tree.css(_CANDIDATES):
        why = None if node.mem_id in revealed else _why_hidden(node, has_styles=has_styles)
        if why is None:
            continue
        for part in list(_without_own_size(node)) if why == _OF_NO_SIZE else [node]:
            text = " ".join(part.text(deep=True, separator=" ").split())
            if len(text.replace(" ", "")) > most:
                continue
            worth_telling = len(text.split()) >= _FEWEST_WORDS and not _is_furniture(part)
            part.decompose()
            if worth_telling and found < _MOST_HIDDEN_PIECES:
                found += 1
                yield HiddenText(text=text[:_LONGEST_CHARS], why=why)


# Content behind a click: tabs, accordions, collapsed answers.

_OPENERS = "[aria-controls], [data-target], [data-bs-target], [role=tab], a[href^='#']"
_OPENING_BUTTONS = (
    "button[aria-controls], button[aria-expanded], button[data-target], button[data-bs-target], "
    "button[role=tab], h1 button, h2 button, h3 button, h4 button, h5 button, h6 button, dt button"
)
_NOT_SHOWN = re.compile(r"display\s*:\s*none")
_LONGEST_LABEL_CHARS = 200
_FEWEST_PAIRS = 2
_TAB_LABEL = "<h6>{}</h6>"


def keep_labels(tree: LexborHTMLParser) -> None:
    """Keep the text of buttons that open something; other buttons say nothing of the content."""
    for button in tree.css(_OPENING_BUTTONS):
        button.unwrap()


def _revealed(tree: LexborHTMLParser) -> Iterator[int]:
    """Elements that a click shows, or a search in the page.

    Something on the page names them, or each of several stands behind a label of its own. What nothing
    reveals stays hidden.
    """
    opened = _opened(tree)
    pairs: dict[tuple[int, str], list[LexborNode]] = {}
    for node in tree.css("[hidden], [style], [aria-hidden=true]"):
        attributes = node.attributes
        is_closed = _is_closed(node)
        label = _label_before(node)
        if attributes.get("hidden") == "until-found":
            yield node.mem_id
        elif is_closed and (opener := opened.get(attributes.get("id") or "", "")):
            if opener != label:
                heading = LexborHTMLParser(_TAB_LABEL.format(escape(opener))).css_first("h6")
                assert heading is not None
                node.insert_before(heading)
            yield node.mem_id
        elif is_closed and label and node.parent is not None:
            kind = (node.parent.mem_id, f"{node.tag} {attributes.get('class') or ''}")
            pairs.setdefault(kind, []).append(node)
    for nodes in pairs.values():
        if len(nodes) >= _FEWEST_PAIRS:
            yield from (node.mem_id for node in nodes)


def _is_closed(node: LexborNode) -> bool:
    attributes = node.attributes
    return "hidden" in attributes or bool(_NOT_SHOWN.search(attributes.get("style") or ""))


def _opened(tree: LexborHTMLParser) -> dict[str, str]:
    """The ids of elements that a click opens, with the label that is seen and clicked."""
    found: dict[str, str] = {}
    for node in tree.css(_OPENERS):
        attributes = node.attributes
        if _is_closed(node):
            continue
        names = ("aria-controls", "data-target", "data-bs-target", "href")
        targets = " ".join(attributes.get(name) or "" for name in names).split()
        label = " ".join(node.text(deep=True, separator=" ").split())
        for target in targets if label else ():
            found.setdefault(target.removeprefix("#"), label[:_LONGEST_LABEL_CHARS])
    return found


def _label_before(node: LexborNode) -> str:
    """The short text of the element before, which may open this one; empty if there is none."""
    before = node.prev
    while before is not None and before.tag in ("-text", "-comment"):
        if (before.text_content or "").strip() and before.tag == "-text":
            return ""
        before = before.prev
    if before is None or _is_closed(before):
        return ""
    label = " ".join(before.text(deep=True, separator=" ").split())
    return label if len(label) <= _LONGEST_LABEL_CHARS else ""


def _without_own_size(node: LexborNode) -> Iterator[LexborNode]:
    """The descendants of an element without a size that set no size of their own."""
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


def _why_hidden(node: LexborNode, *, has_styles: bool) -> str | None:
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
    # A page without a background is white, unless a style sheet says otherwise.
    if background is None and not has_styles:
        background = "#ffffff"
    return "in the colour of the page" if colour == background else None


def _backgrounds(node: LexborNode) -> Iterator[str]:
    """The backgrounds set on an element and its ancestors, nearest first."""
    current: LexborNode | None = node
    while current is not None:
        attributes = current.attributes
        style = (attributes.get("style") or "").lower()
        if attributes.get("background") or any(map(_PICTURE.search, _PICTURED.findall(style))):
            yield ""  # the colours of the image are unknown
        match = _BACKGROUND.search(style)
        colour = _hex(match[1] if match else (attributes.get("bgcolor") or "").lower())
        if match or colour:
            yield colour
        current = current.parent


def _hex(colour: str) -> str:
    """A colour as `#rrggbb`; empty if it is not a colour."""
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
        if current.tag in _FURNITURE_TAGS:
            return True
        current = current.parent
    return False


# The first group never contains readable text; the second usually contains no content.
_MACHINERY = (
    "script, style, noscript, template, iframe, object, embed, svg, canvas, audio, video, select, "
    "button, input, datalist, head, title"
)
_BOILERPLATE = (
    "nav, header, footer, dialog:not([open]), [role=navigation], [role=banner], [role=contentinfo], "
    ".sphinxsidebar"
)
# These often contain content: warnings, terms next to a table, a page built as one form.
_ASIDES = "aside, form, dialog, [role=search], [role=complementary], [role=dialog]"
# Words in class names and ids of elements around an article.
_FURNITURE = re.compile(
    r"(?:^|[\s_-])(?:shar(?:e|es|ing|edaddy)|social|recommend(?:ed|ations?)|newsletters?"
    r"|breadcrumbs?|sidebar|most-popular|popular|trending|promos?|adverts?|advertisements?|dfp|ads?"
    r"|cookies?|consent|action-?bar|toolbar|paginat(?:ion|or)|pager|menu|nav(?:bar|box|igation)?"
    r"|sign-?up|subscri(?:be|ption)|outbrain|taboola|skip-?link|copyright|jump-?to)(?:$|[\s_-])"
)
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
# These are never boilerplate, whatever their class names.
_CONTENT_TAGS = frozenset(
    "main article body h1 h2 h3 h4 h5 h6 table caption thead tbody tfoot tr th td pre".split()
)
# The standard's names, and those of older generators.
_NEIGHBOURS = ", ".join(
    f"link[rel~={name}][href]"
    for name in ("prev", "previous", "next", "up", "home", "start", "top")
)
_LONGEST_NAVIGATION_CHARS = 400
_MOST_NAVIGATION_LINKS = 50
"""Looked at on a page: each costs what is around it."""
_MOST = 0.5
_MOST_FURNITURE = 0.25


@dataclass(frozen=True, slots=True, kw_only=True)
class MainContent:
    """The elements with a page's content, and what was removed from them and around them."""

    roots: tuple[LexborNode, ...]
    hidden: tuple[HiddenText, ...]
    left_out_share: float
    """The share of the displayed text that is not in the content, in 0..1."""


# If less than this share of the page is left after removing boilerplate, the page is not built the
# way the rules expect, and keeping boilerplate is better than losing content.
_LEAST_KEPT_SHARE = 0.25


def main_content(page: str, *, whole: bool = False) -> MainContent:
    """The content of a page, or with `whole` everything that a browser displays.

    Raises ReadError if its elements are nested too deep.
    """
    tree = parse_page(page)
    neighbours = _neighbours(tree)
    hidden = _without_machinery(tree)
    shown = text_length(tree.body)
    if tree.body is None or whole:
        whole_page = (tree.body,) if tree.body is not None else ()
        return MainContent(roots=whole_page, hidden=hidden, left_out_share=0.0)
    _remove_navigation(tree.body, neighbours)
    _remove_boilerplate(tree.body, shown)
    if text_length(tree.body) < _LEAST_KEPT_SHARE * shown:
        tree = parse_page(page)
        hidden = _without_machinery(tree)
    assert tree.body is not None
    roots = tuple(_marked_content(tree.body))
    kept = sum(map(text_length, roots))
    return MainContent(
        roots=roots, hidden=hidden, left_out_share=1 - kept / shown if shown else 0.0
    )


def text_length(node: LexborNode | None) -> int:
    """The number of characters of text in an element, without white space."""
    return len("".join(node.text(deep=True).split())) if node is not None else 0


def _without_machinery(tree: LexborHTMLParser) -> tuple[HiddenText, ...]:
    has_styles = sets_background(tree)
    # Found before the buttons go, which name what they open.
    revealed = frozenset(_revealed(tree))
    keep_labels(tree)
    for node in tree.css(_MACHINERY):
        node.decompose()
    most = _MOST * text_length(tree.body)
    return tuple(remove_hidden(tree, most=most, has_styles=has_styles, revealed=revealed))


def _neighbours(tree: LexborHTMLParser) -> frozenset[str]:
    """The addresses of the pages before, after and above this one, as its head gives them."""
    named = tree.css(_NEIGHBOURS)
    return frozenset(node.attributes.get("href") or "" for node in named) - {""}


def _remove_navigation(body: LexborNode, neighbours: frozenset[str]) -> None:
    """Remove lines of links to the pages around this one."""
    if not neighbours:
        return
    removed: set[int] = set()
    leading = (link for link in body.css("a[href]") if link.attributes.get("href") in neighbours)
    for link in islice(leading, _MOST_NAVIGATION_LINKS):
        if link.mem_id in removed:
            continue
        found = None
        for node in _upwards(link):
            if node.tag == "body" or not _leads_away(node, neighbours):
                break
            found = node
        if found is not None and len(found.css("a[href]")) > 1:
            removed |= {part.mem_id for part in found.css("a[href]")}
            found.decompose()


def _leads_away(node: LexborNode, neighbours: frozenset[str]) -> bool:
    if text_length(node) > _LONGEST_NAVIGATION_CHARS or node.css_first("h1, h2, pre") is not None:
        return False
    return all(
        (link.attributes.get("href") or "") in neighbours | {"#"} for link in node.css("a[href]")
    )


def _remove_boilerplate(body: LexborNode, shown: int) -> None:
    """Remove boilerplate, except elements that contain the content after all."""
    for node in body.css(_BOILERPLATE):
        if _is_boilerplate(node) and text_length(node) <= _MOST * shown:
            node.decompose()
    for node in body.css(_ASIDES):
        if text_length(node) <= _MOST * shown and _is_linked(node):
            node.decompose()
    for node in list(_furniture(body)):
        if text_length(node) <= _MOST_FURNITURE * shown and _is_linked(node):
            node.decompose()


def _is_boilerplate(node: LexborNode) -> bool:
    if node.tag in ("header", "footer"):
        # The header of an article contains its title, the footer of a quote its source.
        return not _is_inside(node, ("article", "main", "blockquote", "section"))
    return True


def _furniture(body: LexborNode) -> Iterator[LexborNode]:
    for node in body.css("[class], [id]"):
        attributes = node.attributes
        names = f"{attributes.get('class') or ''} {attributes.get('id') or ''}"
        if _FURNITURE.search(_CAMEL.sub("-", names).lower()) and node.tag not in _CONTENT_TAGS:
            yield node


def _is_linked(node: LexborNode) -> bool:
    """Whether an element consists mostly of links and form labels, and contains no main heading."""
    if node.css_first("h1, table, pre") is not None:
        return False
    linked = sum(text_length(part) for part in node.css("a, label, legend"))
    return linked >= _MOST * text_length(node)


def _is_inside(node: LexborNode, tags: tuple[str, ...]) -> bool:
    return any(parent.tag in tags for parent in _upwards(node))


def _upwards(node: LexborNode) -> Iterator[LexborNode]:
    """The ancestors of an element, nearest first."""
    parent = node.parent
    while parent is not None:
        yield parent
        parent = parent.parent


def _marked_content(body: LexborNode) -> Iterator[LexborNode]:
    """The element marked as main content if it has most of the text, else the whole body.

    It is followed only by asides: those made of links are already removed, so the rest are
    warnings, terms and the like.
    """
    least = _MOST * text_length(body)
    marked = [(text_length(node), node) for node in body.css("main, article, [role=main]")]
    length, best = max(marked, key=lambda pair: pair[0], default=(0, body))
    if length < least or best.mem_id == body.mem_id:
        yield body
        return
    yield best
    taken = {best.mem_id}
    around = {node.mem_id for node in _upwards(best)}
    for node in body.css(_ASIDES):
        if node.mem_id not in around and not any(n.mem_id in taken for n in _upwards(node)):
            taken.add(node.mem_id)
            yield node
