"""A report as one HTML page without scripts or external resources."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Sequence

from lxml import html
from lxml.html import HtmlElement
from lxml.html import builder as element

from pincite.report.layout import Block, Heading, Look, Paragraph, Table

_STYLE = """
:root{color-scheme:light dark;--page:#fff;--ink:#1a1a1a;--faint:#555;--line:#ccc;--note:#fdf3dc}
:root{--link:#0b5394;--mark:#fff3a8}
@media screen and (prefers-color-scheme:dark){
:root{--page:#16181d;--ink:#e8e8e8;--faint:#b4b8c0;--line:#444a54;--note:#382c10}
:root{--link:#8ab8f0;--mark:#4a3b00}}
body{font:16px/1.55 system-ui,sans-serif;max-width:46rem;margin:2.5rem auto;padding:0 1rem}
body{background:var(--page);color:var(--ink)}p,h1,h2,h3{overflow-wrap:anywhere}
h1{font-size:1.7rem;line-height:1.25}
h2{font-size:1.25rem;margin-top:2.2rem;border-bottom:1px solid var(--line)}
h3{font-size:1rem;margin:1.4rem 0 .3rem}.small{color:var(--faint);font-size:.88rem}
.note{background:var(--note);border-inline-start:4px solid #c98a00;padding:.4rem .8rem}
.item{margin:.5rem 0;margin-inline-start:1.2rem;display:list-item}
.near{margin:.3rem 0;margin-inline-start:1.2rem;color:var(--faint);font-size:.88rem;font-style:italic}
.reference{font-size:.88rem;margin:.3rem 0}.reference:target{background:var(--mark)}
a{color:var(--link);text-decoration:none;white-space:nowrap}a:hover{text-decoration:underline}
.table{overflow-x:auto}
table{border-collapse:collapse;font-size:.88rem;margin:.8rem 0}th,td{border:1px solid var(--line)}
th,td{padding:.25rem .6rem;text-align:start;vertical-align:top}
td{overflow-wrap:anywhere}
@media print{body{margin:0;max-width:none}a{color:inherit}h2,h3{break-after:avoid}}
"""


def page(blocks: Sequence[Block]) -> str:
    """The whole page. It is built as a tree of elements, so text cannot become markup."""
    first = next((block.text for block in blocks if isinstance(block, Heading)), "Report")
    digest = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    head = element.HEAD(
        element.META(charset="utf-8"),
        element.META({"http-equiv": "Content-Security-Policy", "content": policy}),
        element.META(name="viewport", content="width=device-width, initial-scale=1"),
        element.META(name="referrer", content="no-referrer"),
        element.TITLE(first),
        element.STYLE(_STYLE),
    )
    document = element.HTML(head, element.BODY(element.MAIN(*_elements(blocks))), lang="en")
    return str(html.tostring(document, doctype="<!doctype html>", encoding="unicode")) + "\n"


def _elements(blocks: Sequence[Block]) -> Iterator[HtmlElement]:
    for block in blocks:
        if isinstance(block, Heading):
            yield getattr(element, f"H{block.level}")(block.text, dir="auto")
        elif isinstance(block, Table):
            yield _table(block)
        else:
            yield _paragraph(block)


def _paragraph(block: Paragraph) -> HtmlElement:
    made = element.P(dir="auto")
    if block.look is not Look.TEXT:
        made.set("class", str(block.look))
    if block.reference:
        made.set("id", _anchor(block.reference))
    for words in block.words:
        if words.quotes:
            made.append(element.A(words.text, href=f"#{_anchor(words.quotes[0])}"))
        else:
            made.append(element.SPAN(words.text))
    return made


def _anchor(number: int) -> str:
    return f"quote-{number}"


def _table(block: Table) -> HtmlElement:
    rows = [element.TR(*(element.TD(cell, dir="auto") for cell in row)) for row in block.rows]
    names = element.TR(*(element.TH(name) for name in block.names))
    made = element.TABLE(element.THEAD(names), element.TBODY(*rows))
    # On narrow screens a wide table scrolls in its own frame, also by keyboard.
    return element.DIV({"class": "table", "tabindex": "0"}, made)
