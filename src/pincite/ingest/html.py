"""Reads web pages: the main content as blocks, without navigation, scripts and hidden parts."""

from __future__ import annotations

from pathlib import Path

from selectolax.lexbor import LexborHTMLParser, LexborNode

from pincite.document import BlockKind, Document, document_id
from pincite.ingest.assembly import TextAssembly
from pincite.ingest.html_blocks import BlockWalker
from pincite.ingest.html_charset import decode_page
from pincite.ingest.html_content import Removal, main_content, remove, text_length
from pincite.ingest.outline import choose_title

# When what is left after removing boilerplate is a smaller part of the page than this, the page
# is not built the way the rules expect, and keeping boilerplate beats losing content.
_LEAST_KEPT_SHARE = 0.25


class HtmlReader:
    """Reads `.html` files; nothing is fetched and no script is run."""

    def read(self, path: Path, content: bytes) -> Document:
        """Read one file's bytes. Raises ReadError when they are not text."""
        decoded = decode_page(content)
        assembly = _extract(decoded.text)
        identifier, sha256 = document_id(content)
        text = assembly.text()
        warnings = () if assembly.blocks else ("the page has no text; nothing in it can be found",)
        return Document(
            id=identifier,
            sha256=sha256,
            title=choose_title(path, _first_heading(assembly, text), _page_title(decoded.text)),
            media_type="text/html",
            text=text,
            blocks=tuple(assembly.blocks),
            warnings=warnings,
        )


def add_whole_page(page: str, assembly: TextAssembly) -> None:
    """Add all of a page that has no navigation around it: a chapter of a book, a message."""
    tree = LexborHTMLParser(page)
    remove(tree, Removal.MACHINERY)
    if tree.body is not None:
        BlockWalker(assembly).walk(tree.body)


def _extract(page: str) -> TextAssembly:
    """Walk the page with all rules, then with fewer if those leave too little of it."""
    tree = LexborHTMLParser(page)
    remove(tree, Removal.MACHINERY)
    whole = text_length(tree.body)
    remove(tree, Removal.BOILERPLATE)
    body = tree.body
    if text_length(body) < _LEAST_KEPT_SHARE * whole:
        tree = LexborHTMLParser(page)
        remove(tree, Removal.MACHINERY)
        body = tree.body
    assembly = TextAssembly()
    if body is not None:
        BlockWalker(assembly).walk(main_content(body))
    return assembly


def _first_heading(assembly: TextAssembly, text: str) -> str | None:
    for block in assembly.blocks:
        if block.kind is BlockKind.HEADING and len(block.section) == 1:
            return text[block.start : block.end]
    return None


def _page_title(page: str) -> str | None:
    title: LexborNode | None = LexborHTMLParser(page).css_first("head > title")
    return title.text() if title is not None else None
