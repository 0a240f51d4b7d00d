"""Reads web pages: the main content as blocks, without navigation, scripts and hidden parts."""

from __future__ import annotations

from pathlib import Path

from selectolax.lexbor import LexborNode

from pincite.document import BlockKind, Document, document_id
from pincite.ingest.assembly import TextAssembly
from pincite.ingest.counting import content_remarks
from pincite.ingest.html_blocks import BlockWalker
from pincite.ingest.html_charset import decode_page
from pincite.ingest.html_content import main_content
from pincite.ingest.html_nodes import parse_page
from pincite.ingest.outline import choose_title

# Below this the parts around the content are what every page has.
_WORTH_TELLING_SHARE = 0.4


class HtmlReader:
    """Reads `.html` files; nothing is fetched and no script is run."""

    def read(self, path: Path, content: bytes) -> Document:
        """Read one file's bytes. Raises ReadError when they are not text."""
        decoded = decode_page(content)
        assembly = TextAssembly()
        left_out = add_page(decoded.text, assembly)
        identifier, sha256 = document_id(content)
        text = assembly.text()
        remarks = content_remarks("page", has_text=bool(assembly.blocks))
        warnings = [*([decoded.doubt] if decoded.doubt else []), *remarks.warnings]
        if assembly.blocks and left_out >= _WORTH_TELLING_SHARE:
            warnings.append(
                f"left out {left_out:.0%} of the page's text: navigation, advertisements and "
                "other parts around the content"
            )
        return Document(
            id=identifier,
            sha256=sha256,
            title=choose_title(path, _first_heading(assembly, text), _page_title(decoded.text)),
            media_type="text/html",
            text=text,
            blocks=tuple(assembly.blocks),
            warnings=tuple(warnings),
            flags=tuple(assembly.flags),
        )


def add_page(page: str, assembly: TextAssembly, *, whole: bool = False) -> float:
    """Add a page's content; returns how much of what a browser shows was left out, in 0..1.

    A chapter of a book or a message has nothing around it and is taken `whole`.
    """
    content = main_content(page, whole=whole)
    for number, root in enumerate(content.roots):
        if number:
            assembly.outline.leave()  # an aside is not below the last heading of the content
        BlockWalker(assembly).walk(root)
    for hidden in content.hidden:
        assembly.add_hidden(hidden.text, f"text {hidden.why}")
    return content.left_out_share


def _first_heading(assembly: TextAssembly, text: str) -> str | None:
    for block in assembly.blocks:
        if block.kind is BlockKind.HEADING and len(block.section) == 1:
            return text[block.start : block.end]
    return None


def _page_title(page: str) -> str | None:
    title: LexborNode | None = parse_page(page).css_first("head > title")
    return title.text() if title is not None else None
