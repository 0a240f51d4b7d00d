"""Reads web pages: the main content as blocks, without navigation, scripts or hidden parts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from selectolax.lexbor import LexborNode

from pincite.ingest.assembly import TextAssembly, choose_title
from pincite.ingest.html.charset import decode_page
from pincite.ingest.html.content import main_content
from pincite.ingest.html.nodes import INLINE, children, collapse, is_unread, parse_page, plain
from pincite.ingest.office.package import whole_number
from pincite.ingest.plain.text import text_blocks
from pincite.ingest.reading import content_remarks
from pincite.ingest.tables import Headers, TableCell, TableRow, TableWriter, guess_headers
from pincite.records.document import Block, BlockKind, Document, document_id

# Every page has some boilerplate; below this share it is not reported.
_WORTH_TELLING_SHARE = 0.4


class HtmlReader:
    """Reads `.html` files; never fetches anything or runs scripts."""

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
    """Add a page's content; returns the share of the displayed text that was left out, in 0..1.

    A chapter of a book or a message has no boilerplate; use `whole`.
    """
    content = main_content(page, whole=whole)
    for number, root in enumerate(content.roots):
        if number:
            assembly.outline.leave()  # an aside does not belong to the last heading
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


# Distinguishes data tables from layout tables, and finds their headers.

_CELLS = ("td", "th")
_LONGEST_CELL_CHARS = 600
_MOST_COLUMNS = 1000
_MOST_ROWS = 65_534


@dataclass(frozen=True, slots=True, kw_only=True)
class PageTable:
    """The data rows of a table, by node, and its headers."""

    rows: dict[int, TableRow]
    headers: Headers


def read_table(table: LexborNode) -> PageTable:
    """The data rows of a table; other rows only serve the page's layout."""
    if table.attributes.get("role") in ("presentation", "none"):
        return PageTable(rows={}, headers=Headers())
    rows: dict[int, TableRow] = {}
    # Columns still covered by a cell from above, and for how many rows.
    covered: dict[int, int] = {}
    heads = 0
    for node in _rows(table):
        cells = list(_cells(node, covered))
        if not _holds_values(node, cells, covered):
            continue
        if heads == len(rows) and (_is_head(node) or all(cell.is_header for cell in cells)):
            heads += 1
        rows[node.mem_id] = TableRow(cells=tuple(cells))
    return PageTable(rows=rows, headers=_headers(list(rows.values()), heads))


def _headers(rows: list[TableRow], heads: int) -> Headers:
    if heads and heads < len(rows):
        guessed = guess_headers(rows, marked=heads)
        beside = any(cell.is_header for row in rows[guessed.rows :] for cell in row.cells)
        return Headers(rows=guessed.rows) if beside else guessed
    marked = any(cell.is_header for row in rows for cell in row.cells)
    return Headers() if marked else guess_headers(rows)


def _rows(table: LexborNode) -> Iterator[LexborNode]:
    for child in children(table):
        if child.tag == "tr":
            yield child
        elif child.tag in ("thead", "tbody", "tfoot"):
            yield from (row for row in children(child) if row.tag == "tr")


def _cells(row: LexborNode, covered: dict[int, int]) -> Iterator[TableCell]:
    """The cells of a row with their columns; updates `covered` for the next row."""
    below = {column: rows - 1 for column, rows in covered.items() if rows > 1}
    column = 0
    for node in children(row):
        if node.tag not in _CELLS:
            continue
        while column in covered:
            column += 1
        columns = max(1, min(whole_number(node.attributes.get("colspan"), 1), _MOST_COLUMNS))
        rows = max(1, min(whole_number(node.attributes.get("rowspan"), 1), _MOST_ROWS))
        if rows > 1:
            below.update(dict.fromkeys(range(column, column + columns), rows - 1))
        yield TableCell(
            text=plain(node),
            column=column,
            columns=columns,
            rows=rows,
            is_header=node.tag == "th",
        )
        column += columns
    covered.clear()
    covered.update(below)


def _holds_values(row: LexborNode, cells: list[TableCell], covered: dict[int, int]) -> bool:
    """Whether a row contains values side by side, not the columns of a page layout."""
    if not cells or len(cells) + len(covered) < 2:
        return False
    if row.css_first("table, h1, h2, h3, h4, h5, h6, pre") is not None:
        return False
    return all(len(cell.text) <= _LONGEST_CELL_CHARS for cell in cells)


def _is_head(row: LexborNode) -> bool:
    return row.parent is not None and row.parent.tag == "thead"


# Walks the elements of a web page and converts them into blocks.

_HEADING = re.compile(r"h([1-6])")
_KINDS = {
    "li": BlockKind.LIST_ITEM,
    "dt": BlockKind.LIST_ITEM,
    "dd": BlockKind.LIST_ITEM,
    "pre": BlockKind.CODE,
    "figcaption": BlockKind.CAPTION,
    "caption": BlockKind.CAPTION,
}
_DEEPEST_HEADING = 6
# Half of a text that was laid out with blanks is in paragraphs of that many words; code is not.
_SHORTEST_TEXT = 1_000
_LEAST_PROSE = 0.5
_FEWEST_WORDS = 8
# Two line breaks in a row mark a new paragraph.
_EMPTY_LINE = re.compile("\x00\\s*\x00")


class BlockWalker:
    """Adds the text below an element to an assembly, block by block."""

    def __init__(self, assembly: TextAssembly) -> None:
        self._assembly = assembly
        self._pieces: list[str] = []
        self._preformatted = 0
        # Terms of a definition list whose definition has not come yet.
        self._terms: list[str] = []
        # For each definition list around the current node: whether a term is the head of a section.
        self._sections: list[bool] = []
        # Data rows of the tables around the current node, by node.
        self._rows: dict[int, tuple[TableWriter, TableRow]] = {}

    def walk(self, root: LexborNode) -> None:
        """Add everything below `root`.

        Uses a stack of nodes to enter and element names to leave instead of recursion, because a
        page may be nested thousands of levels deep.
        """
        open_tags = ["body"]
        stack: list[LexborNode | None] = [root]
        while stack:
            node = stack.pop()
            if node is None:
                self._leave(open_tags.pop(), open_tags)
            elif node.tag == "-text":
                self._pieces.append(node.text_content or "")
            elif self._is_whole(node, open_tags):
                continue
            else:
                self._enter(node, open_tags)
                open_tags.append(node.tag or "")
                stack.append(None)
                stack.extend(reversed(list(children(node))))
        self._flush(open_tags)
        self._add_terms()

    def _is_whole(self, node: LexborNode, open_tags: list[str]) -> bool:
        """Handle elements that are added or skipped without visiting their children."""
        if is_unread(node):
            return True
        if node.tag == "br":
            # A placeholder that survives the collapsing of white space.
            self._pieces.append("\x00")
            return True
        if node.tag == "tr" and node.mem_id in self._rows:
            self._flush(open_tags)
            self._add_terms()
            writer, row = self._rows.pop(node.mem_id)
            writer.add(row)
            return True
        return False

    def _enter(self, node: LexborNode, open_tags: list[str]) -> None:
        if node.tag not in INLINE:
            self._flush(open_tags)
        if node.tag == "dl":
            self._add_terms()
            self._sections.append(False)
        if node.tag in ("dt", "dd"):
            self._leave_section()
        if node.tag == "dd" and self._sections and self._terms and _has_several_blocks(node):
            # What stands there is about the term, as below a heading; it is read with the first part.
            self._assembly.outline.enter(
                _DEEPEST_HEADING + len(self._sections), ", ".join(self._terms)
            )
            self._sections[-1] = True
        if node.tag == "pre":
            self._preformatted += 1
        elif node.tag == "table":
            table = read_table(node)
            writer = TableWriter(self._assembly, headers=table.headers, separator=" | ")
            self._rows |= {row_id: (writer, row) for row_id, row in table.rows.items()}

    def _leave(self, tag: str, open_tags: list[str]) -> None:
        if tag not in INLINE:
            self._flush([*open_tags, tag])
        if tag == "pre":
            self._preformatted -= 1
        if tag == "dl":
            self._leave_section()
            self._sections.pop()

    def _leave_section(self) -> None:
        if any(self._sections[-1:]):
            self._assembly.outline.leave(_DEEPEST_HEADING + len(self._sections))
            self._sections[-1] = False

    def _flush(self, open_tags: list[str]) -> None:
        """End the current block; its kind is that of the nearest element."""
        pieces, self._pieces = "".join(self._pieces), []
        if self._preformatted:
            self._add_preformatted(_verbatim(pieces), open_tags)
            return
        for paragraph in _EMPTY_LINE.split(pieces):
            self._add(collapse(paragraph), open_tags)

    def _add_preformatted(self, text: str, open_tags: list[str]) -> None:
        """Add code as it is; a text that was laid out with blanks, such as a manual page, as text."""
        blocks = text_blocks(text) if len(text) >= _SHORTEST_TEXT else ()
        prose = sum(block.end - block.start for block in blocks if _is_prose(text, block))
        if blocks and prose >= _LEAST_PROSE * len(text):
            self._add_terms()
            self._assembly.add_blocks(text, blocks)
        else:
            self._add(text, open_tags)

    def _add(self, text: str, open_tags: list[str]) -> None:
        if not text:
            return
        nearest = next((t for t in reversed(open_tags) if t in _KINDS or _HEADING.fullmatch(t)), "")
        if nearest == "dt":
            self._terms.append(text)
            return
        if nearest == "dd":
            text, self._terms = "\n".join([*self._terms, text]), []
        self._add_terms()
        heading = _HEADING.fullmatch(nearest)
        if heading:
            self._assembly.add_heading(text, int(heading[1]))
        else:
            is_of_section = nearest == "dd" and any(self._sections[-1:])
            kind = None if is_of_section else _KINDS.get(nearest)
            self._assembly.add(text, kind or BlockKind.PARAGRAPH)

    def _add_terms(self) -> None:
        """Add terms that no definition follows."""
        for term in self._terms:
            self._assembly.add(term, BlockKind.LIST_ITEM)
        self._terms = []


def _has_several_blocks(node: LexborNode) -> bool:
    inner = (child for child in children(node) if child.tag not in INLINE)
    return sum(bool((child.text() or "").strip()) for child in islice(inner, 2)) == 2


def _is_prose(text: str, block: Block) -> bool:
    words = text[block.start : block.end]
    return len(words.split()) >= _FEWEST_WORDS and words.rstrip().endswith((".", "!", "?", ":"))


def _verbatim(text: str) -> str:
    lines = text.replace("\x00", "\n").replace("\r\n", "\n").strip("\n").split("\n")
    return "\n".join(line.rstrip() for line in lines).rstrip()
