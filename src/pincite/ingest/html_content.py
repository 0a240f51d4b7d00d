"""Decides which part of a web page is its content."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from selectolax.lexbor import LexborHTMLParser, LexborNode

from pincite.ingest.html_hidden import HiddenText, sets_background, take_hidden
from pincite.ingest.html_nodes import parse_page

# The first group never holds text for a reader; the second usually holds none of the content.
_MACHINERY = (
    "script, style, noscript, template, iframe, object, embed, svg, canvas, audio, video, select, "
    "button, input, datalist, head, title"
)
_BOILERPLATE = (
    "nav, header, footer, dialog:not([open]), [role=navigation], [role=banner], [role=contentinfo]"
)
# These hold content as often as not: warnings, terms beside a table, a page built as one form.
_ASIDES = "aside, form, dialog, [role=search], [role=complementary], [role=dialog]"
# Words that sites use in the names of what stands around an article.
_FURNITURE = re.compile(
    r"(?:^|[\s_-])(?:shar(?:e|es|ing|edaddy)|social|recommend(?:ed|ations?)|newsletters?"
    r"|breadcrumbs?|sidebar|most-popular|popular|trending|promos?|adverts?|advertisements?|dfp|ads?"
    r"|cookies?|consent|action-?bar|toolbar|paginat(?:ion|or)|pager|menu|nav(?:bar|box|igation)?"
    r"|sign-?up|subscri(?:be|ption)|outbrain|taboola|skip-?link|copyright|jump-?to)(?:$|[\s_-])"
)
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
# A site may name these as it likes; they are never what stands around the content.
_CONTENT_TAGS = frozenset(
    "main article body h1 h2 h3 h4 h5 h6 table caption thead tbody tfoot tr th td pre".split()
)
_MOST = 0.5
_MOST_FURNITURE = 0.25


@dataclass(frozen=True, slots=True, kw_only=True)
class MainContent:
    """The elements that hold a page's content, and what was taken out of them and around them."""

    roots: tuple[LexborNode, ...]
    hidden: tuple[HiddenText, ...]
    left_out_share: float
    """How much of the text that a browser shows is not in the content, in 0..1."""


# When what is left after removing boilerplate is a smaller part of the page than this, the page
# is not built the way the rules expect, and keeping boilerplate beats losing content.
_LEAST_KEPT_SHARE = 0.25


def main_content(page: str, *, whole: bool = False) -> MainContent:
    """The content of a page, or all that a browser shows of it if it is `whole`.

    Raises ReadError for a page whose elements are nested beyond reason.
    """
    tree = parse_page(page)
    hidden = _without_machinery(tree)
    shown = text_length(tree.body)
    if tree.body is None or whole:
        whole_page = (tree.body,) if tree.body is not None else ()
        return MainContent(roots=whole_page, hidden=hidden, left_out_share=0.0)
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
    """How many characters of text an element holds, white space left out."""
    return len("".join(node.text(deep=True).split())) if node is not None else 0


def _without_machinery(tree: LexborHTMLParser) -> tuple[HiddenText, ...]:
    has_styles = sets_background(tree)
    for node in tree.css(_MACHINERY):
        node.decompose()
    most = _MOST * text_length(tree.body)
    return tuple(take_hidden(tree, most=most, has_styles=has_styles))


def _remove_boilerplate(body: LexborNode, shown: int) -> None:
    """Take out what stands around the content, except what carries the content after all."""
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
        # The header of an article holds its title, the footer of a quote its source.
        return not _is_inside(node, ("article", "main", "blockquote", "section"))
    return True


def _furniture(body: LexborNode) -> Iterator[LexborNode]:
    for node in body.css("[class], [id]"):
        attributes = node.attributes
        names = f"{attributes.get('class') or ''} {attributes.get('id') or ''}"
        if _FURNITURE.search(_CAMEL.sub("-", names).lower()) and node.tag not in _CONTENT_TAGS:
            yield node


def _is_linked(node: LexborNode) -> bool:
    """Whether an element holds mostly links and names of controls; a main heading never is."""
    if node.css_first("h1, table, pre") is not None:
        return False
    linked = sum(text_length(part) for part in node.css("a, label, legend"))
    return linked >= _MOST * text_length(node)


def _is_inside(node: LexborNode, tags: tuple[str, ...]) -> bool:
    return any(parent.tag in tags for parent in _upwards(node))


def _upwards(node: LexborNode) -> Iterator[LexborNode]:
    """The elements around one, nearest first."""
    parent = node.parent
    while parent is not None:
        yield parent
        parent = parent.parent


def _marked_content(body: LexborNode) -> Iterator[LexborNode]:
    """The element marked as main content if it holds most of the text, else the whole body.

    Of what stands around it only asides follow: those of links are gone by now, so that what is
    left are warnings, terms and the like.
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
