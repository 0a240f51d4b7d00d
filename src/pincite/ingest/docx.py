"""Reads Word files: headings, paragraphs, lists, tables, text boxes and notes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from docx.document import Document as WordDocument
from docx.opc.constants import RELATIONSHIP_TYPE
from lxml import etree

from pincite.document import BlockKind, Document, document_id
from pincite.errors import ReadError
from pincite.ingest.assembly import TextAssembly
from pincite.ingest.docx_package import MEBIBYTE, open_package
from pincite.ingest.docx_styles import ParagraphRoles
from pincite.ingest.docx_text import (
    PARAGRAPH,
    TABLE,
    W,
    elements,
    paragraph_text,
    parse_part,
    text_boxes,
)
from pincite.ingest.outline import Outline, choose_title

_MEDIA_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
_NOTES = (RELATIONSHIP_TYPE.FOOTNOTES, RELATIONSHIP_TYPE.ENDNOTES)
_MARGINS = (RELATIONSHIP_TYPE.HEADER, RELATIONSHIP_TYPE.FOOTER)
# A page number or a bare name in a margin is not worth finding.
_FEWEST_MARGIN_WORDS = 3
_DEEPEST_TABLE = 30


class DocxReader:
    """Reads `.docx` files; macros are never run and nothing outside the file is opened."""

    def __init__(self, *, max_unpacked_bytes: int = 256 * MEBIBYTE) -> None:
        self._max_unpacked_bytes = max_unpacked_bytes

    def read(self, path: Path, content: bytes) -> Document:
        """Read one file's bytes. Raises ReadError when they are not a readable Word file."""
        word = open_package(content, max_unpacked_bytes=self._max_unpacked_bytes)
        walker = _Walker(ParagraphRoles(word))
        walker.walk(_body(word))
        warnings = list(_append_other_parts(word, walker))
        if not walker.assembly.blocks:
            warnings.append("the document has no text; nothing in it can be found")
        identifier, sha256 = document_id(content)
        return Document(
            id=identifier,
            sha256=sha256,
            title=choose_title(path, _core_title(word), walker.first_heading),
            media_type=_MEDIA_TYPE,
            text=walker.assembly.text(),
            blocks=tuple(walker.assembly.blocks),
            warnings=tuple(warnings),
        )


def _body(word: WordDocument) -> etree._Element:
    body = word.element.find(f"{W}body")
    if body is None:
        raise ReadError("the Word file has no body; open it in Word and save it anew as .docx")
    return body


def _core_title(word: WordDocument) -> str | None:
    try:
        return str(word.core_properties.title)
    except (KeyError, ValueError, TypeError, AttributeError, etree.XMLSyntaxError):
        return None  # a damaged property sheet says nothing about the text


def _append_other_parts(word: WordDocument, walker: _Walker) -> Iterator[str]:
    """Add notes and page margins behind the body; yields a warning for a part that is damaged."""
    # Notes stand below no heading: the last one of the body is not theirs.
    walker.assembly.outline = Outline()
    seen: set[str] = set()
    for relationship in word.part.rels.values():
        if relationship.is_external or relationship.reltype not in (*_NOTES, *_MARGINS):
            continue
        try:
            # Parsed by hand: python-docx leaves the parts it has no class for as bytes.
            root = parse_part(relationship.target_part.blob)
        except etree.XMLSyntaxError as error:
            yield f"its {relationship.reltype.rsplit('/', 1)[-1]} could not be read ({error})"
            continue
        if relationship.reltype in _NOTES:
            walker.walk(root)
        else:
            _append_margin(root, walker, seen)


def _append_margin(root: etree._Element, walker: _Walker, seen: set[str]) -> None:
    """Add a page header or footer once, however many sections of the file repeat it."""
    for paragraph in root.iter(PARAGRAPH):
        text = paragraph_text(paragraph)
        if len(text.split()) >= _FEWEST_MARGIN_WORDS and text not in seen:
            seen.add(text)
            walker.assembly.add(text, BlockKind.PARAGRAPH)


class _Walker:
    """Goes through paragraphs and tables in order and adds them to the assembly."""

    def __init__(self, roles: ParagraphRoles) -> None:
        self.assembly = TextAssembly()
        self.first_heading: str | None = None
        self._roles = roles

    def walk(self, root: etree._Element) -> None:
        """Add everything below a body, a text box or a set of notes."""
        stack = list(reversed(elements(root)))
        while stack:
            node = stack.pop()
            if node.tag == PARAGRAPH:
                self._paragraph(node)
                stack.extend(reversed(list(text_boxes(node))))
            elif node.tag == TABLE:
                self._table(node, depth=1)
            elif node.tag not in (f"{W}del", f"{W}moveFrom", f"{W}sdtPr", f"{W}sectPr"):
                # Content controls, inserted stretches and notes wrap paragraphs.
                stack.extend(reversed(elements(node)))

    def _paragraph(self, paragraph: etree._Element) -> None:
        text = paragraph_text(paragraph)
        role = self._roles.of(paragraph)
        if role.level is None:
            self.assembly.add(text, role.kind)
            return
        self.assembly.add_heading(text, role.level)
        if text and self.first_heading is None:
            self.first_heading = text

    def _table(self, table: etree._Element, *, depth: int) -> None:
        """Add each row as a block; a nested table follows the row that holds it."""
        if depth > _DEEPEST_TABLE:
            raise ReadError(f"its tables are nested more than {_DEEPEST_TABLE} deep; flatten them")
        for row in _within(table, f"{W}tr"):
            cells = [cell for cell in _within(row, f"{W}tc") if not _continues_above(cell)]
            texts = [_cell_text(cell) for cell in cells]
            if any(texts):
                self.assembly.add(" | ".join(texts), BlockKind.TABLE_ROW)
            for cell in cells:
                for box in (box for p in _within(cell, PARAGRAPH) for box in text_boxes(p)):
                    self.walk(box)
                for nested in _within(cell, TABLE):
                    self._table(nested, depth=depth + 1)


def _within(node: etree._Element, tag: str) -> Iterator[etree._Element]:
    """The nearest elements of a kind below a node, also inside content controls and insertions."""
    stack = list(reversed(elements(node)))
    while stack:
        child = stack.pop()
        if child.tag == tag:
            yield child
        elif child.tag not in (TABLE, PARAGRAPH, f"{W}tr", f"{W}tc", f"{W}del", f"{W}moveFrom"):
            stack.extend(reversed(elements(child)))


def _cell_text(cell: etree._Element) -> str:
    lines = (paragraph_text(paragraph) for paragraph in _within(cell, PARAGRAPH))
    return " ".join(" ".join(line.split()) for line in lines if line)


def _continues_above(cell: etree._Element) -> bool:
    """Whether a cell is the lower part of one merged downwards; its text stands above."""
    merge = cell.find(f"{W}tcPr/{W}vMerge")
    return merge is not None and merge.get(f"{W}val") in (None, "continue")
