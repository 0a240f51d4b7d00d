"""Goes through the paragraphs and tables of a Word file in reading order."""

from __future__ import annotations

from lxml import etree

from pincite.document import BlockKind
from pincite.errors import ReadError
from pincite.ingest.assembly import TextAssembly
from pincite.ingest.docx_numbering import Numbering
from pincite.ingest.docx_styles import ParagraphRoles, Role
from pincite.ingest.docx_tables import read_table, within
from pincite.ingest.docx_text import PARAGRAPH, TABLE, RunText, W, text_boxes
from pincite.ingest.package import elements
from pincite.ingest.tables import TableWriter

_DEEPEST_TABLE = 30
_SKIPPED = frozenset(f"{W}{name}" for name in ("del", "moveFrom", "sdtPr", "sectPr"))
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"


class BodyWalker:
    """Adds what it finds to an assembly; one object serves all parts of a file."""

    def __init__(self, roles: ParagraphRoles, numbering: Numbering) -> None:
        self.assembly = TextAssembly()
        self.first_heading: str | None = None
        self._roles = roles
        self._texts = RunText(etree.Element("none"), frozenset())
        self._numbering = numbering
        self._kind: BlockKind | None = None

    def enter(self, root: etree._Element) -> RunText:
        """Turn to another part of the file."""
        self._texts = RunText(root, self._roles.hidden_styles)
        return self._texts

    def walk_as(self, root: etree._Element, kind: BlockKind) -> None:
        """Add everything below a root as blocks of one kind, whatever their styles say."""
        self._kind = kind
        self.walk(root)
        self._kind = None

    def walk(self, root: etree._Element) -> None:
        """Add everything below a body, a text box or a note."""
        stack = list(reversed(elements(root)))
        while stack:
            node = stack.pop()
            if node.tag == PARAGRAPH:
                self._paragraph(node)
                stack.extend(reversed(list(text_boxes(node))))
            elif node.tag == TABLE:
                self._table(node, depth=1)
            elif node.tag not in _SKIPPED and node.tag != _FALLBACK:
                # Content controls, inserted stretches and notes wrap paragraphs.
                stack.extend(reversed(elements(node)))

    def _paragraph(self, paragraph: etree._Element) -> None:
        role = self._roles.of(paragraph)
        text = self._numbered_text(paragraph, role)
        if self._kind is not None:
            self.assembly.add(text, self._kind)
        elif role.level is None:
            self.assembly.add(text, role.kind)
        else:
            self.assembly.add_heading(text, role.level)
            if text and self.first_heading is None:
                self.first_heading = text
        self._add_hidden(paragraph)

    def _numbered_text(self, paragraph: etree._Element, role: Role) -> str:
        """The text with the number Word writes before it, which the file does not hold."""
        text = self._texts.seen(paragraph)
        label = self._numbering.label(role.number) if role.number is not None else ""
        return f"{label} {text}" if label and text else text

    def _add_hidden(self, paragraph: etree._Element) -> None:
        self.assembly.add_hidden(self._texts.hidden(paragraph), "text that Word does not show")

    def _table(self, table: etree._Element, *, depth: int) -> None:
        """Add each row as a block; what is nested in a row follows it."""
        if depth > _DEEPEST_TABLE:
            raise ReadError(f"its tables are nested more than {_DEEPEST_TABLE} deep; flatten them")
        found = read_table(table, lambda p: self._numbered_text(p, self._roles.of(p)))
        writer = TableWriter(self.assembly, headers=found.headers, separator=" | ")
        for row in found.rows:
            writer.add(row.row)
            for cell in row.nodes:
                self._inside_cell(cell, depth)

    def _inside_cell(self, cell: etree._Element, depth: int) -> None:
        for paragraph in within(cell, PARAGRAPH):
            for box in text_boxes(paragraph):
                self.walk(box)
            self._add_hidden(paragraph)
        for nested in within(cell, TABLE):
            self._table(nested, depth=depth + 1)
