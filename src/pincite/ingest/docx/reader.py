"""Reads Word files: headings, paragraphs, lists, tables, text boxes, notes and margins."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from lxml import etree

from pincite.errors import ReadError
from pincite.ingest.assembly import Place, TextAssembly, choose_title
from pincite.ingest.docx.styles import Numbering, ParagraphRoles, Role
from pincite.ingest.docx.tables import read_table, within
from pincite.ingest.docx.text import (
    PARAGRAPH,
    TABLE,
    RunText,
    W,
    shows_placeholder,
    text_boxes,
)
from pincite.ingest.office.charts import add_chart
from pincite.ingest.office.package import Package, PackageLimits, Relation, elements
from pincite.ingest.reading import Remarks, content_remarks, counted
from pincite.ingest.tables import TableWriter
from pincite.records.document import BlockKind, Document, document_id

# Walks the paragraphs and tables of a Word file in reading order.

_DEEPEST_TABLE = 30
_SKIPPED = frozenset(f"{W}{name}" for name in ("del", "moveFrom", "sdtPr", "sectPr"))
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"


class BodyWalker:
    """Adds the content of a Word file to an assembly; one object serves all parts of the file."""

    def __init__(self, roles: ParagraphRoles, numbering: Numbering) -> None:
        self.assembly = TextAssembly()
        self.first_heading: str | None = None
        self._roles = roles
        self._texts = RunText(etree.Element("none"))
        self._numbering = numbering
        self._kind: BlockKind | None = None

    def enter(self, root: etree._Element) -> RunText:
        """Switch to another part of the file."""
        self._texts = RunText(root, self._roles.run_styles)
        return self._texts

    def walk_as(self, root: etree._Element, kind: BlockKind) -> None:
        """Add everything below a root as blocks of one kind, regardless of style."""
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
            elif node.tag == f"{W}sdt" and shows_placeholder(node):
                continue
            elif node.tag not in _SKIPPED and node.tag != _FALLBACK:
                # Content controls, tracked insertions and notes wrap paragraphs.
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
        """The text with the automatic number that Word displays and the file does not contain."""
        text = self._texts.visible(paragraph)
        label = self._numbering.label(role.number) if role.number is not None else ""
        return f"{label} {text}" if label and text else text

    def _add_hidden(self, paragraph: etree._Element) -> None:
        self.assembly.add_hidden(self._texts.hidden(paragraph), "text that Word does not show")

    def _table(self, table: etree._Element, *, depth: int) -> None:
        """Add each row as a block, followed by the content nested in it."""
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


_MEDIA_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
_NOTES = {
    "footnotes": ("footnote", "footnoteReference"),
    "endnotes": ("endnote", "endnoteReference"),
}
_MARGINS = {"header": BlockKind.PAGE_HEADER, "footer": BlockKind.PAGE_FOOTER}
# `Page 3 of 12`, as Word last counted: not useful in quotes. Possessive quantifiers (`*+`) prevent
# backtracking: a ruled line of 200 signs would take minutes.
_PAGE_NUMBER = re.compile(
    r"\W*+(?:page|seite|p\.|s\.)?\W*+\d*+\W*+(?:of|von)?\W*+\d*+\W*+", re.IGNORECASE
)
_PICTURE = "{http://schemas.openxmlformats.org/drawingml/2006/picture}pic"
_OLD_PICTURE = "{urn:schemas-microsoft-com:vml}imagedata"
_CHART = "{http://schemas.openxmlformats.org/drawingml/2006/chart}chart"
_DIAGRAM = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}relIds"


class DocxReader:
    """Reads `.docx` and `.docm` files; never runs macros or opens external resources."""

    def __init__(self, *, limits: PackageLimits | None = None) -> None:
        self._limits = limits

    def read(self, path: Path, content: bytes) -> Document:
        """Read one file's bytes. Raises ReadError when they are not a readable Word file."""
        word = _WordFile(Package(content, kind="Word file", limits=self._limits))
        walker = BodyWalker(word.roles, word.numbering)
        walker.enter(word.body)
        walker.walk(word.body)
        damaged = tuple(_append_other_parts(word, walker))
        assembly = walker.assembly
        remarks = word.remarks(has_text=bool(assembly.blocks))
        identifier, sha256 = document_id(content)
        return Document(
            id=identifier,
            sha256=sha256,
            title=choose_title(path, word.package.title(), walker.first_heading),
            media_type=_MEDIA_TYPE,
            text=assembly.text(),
            blocks=tuple(assembly.blocks),
            gaps=(*damaged, *remarks.gaps),
            warnings=remarks.warnings,
            flags=(*assembly.flags, *word.package.active_content()),
        )


class _WordFile:
    """The parts of a Word file that all its paragraphs share."""

    def __init__(self, package: Package) -> None:
        self.package = package
        main = package.main_part()
        self.relations = tuple(
            relation
            for relation in package.relations(main)
            if not relation.external and relation.target in package.names
        )
        root = package.xml(main)
        body = root.find(f"{W}body")
        if body is None:
            raise ReadError("the Word file has no body; open it in Word and save it again as .docx")
        self.body = body
        self.charts = 0
        """Those whose numbers were read."""
        self.numbering = Numbering(self._optional("numbering"))
        self.roles = ParagraphRoles(self._optional("styles"), self.numbering)

    def remarks(self, *, has_text: bool) -> Remarks:
        """Remarks on content of the file that is not in the text."""
        found = content_remarks("document", has_text=has_text, pictures=self._count_pictures())
        chunks = sum(relation.kind == "aFChunk" for relation in self.relations)
        gaps = [f"{counted(chunks, 'document')} embedded in this one not read"] if chunks else []
        return Remarks(
            gaps=(*found.gaps, *gaps), warnings=(*found.warnings, *self._other_warnings())
        )

    def _other_warnings(self) -> Iterator[str]:
        comments = self._optional("comments")
        count = sum(1 for _ in comments.iter(f"{W}comment")) if comments is not None else 0
        if count:
            yield f"{counted(count, 'reviewer comment')} left out"
        inserted = sum(1 for _ in self.body.iter(f"{W}ins", f"{W}moveTo"))
        deleted = sum(1 for _ in self.body.iter(f"{W}del", f"{W}moveFrom"))
        if inserted or deleted:
            yield (
                f"{counted(inserted + deleted, 'tracked change')} read as accepted; "
                "deleted text is left out"
            )

    def _count_pictures(self) -> int:
        nodes = self.body.iter(_PICTURE, _OLD_PICTURE, _CHART, _DIAGRAM)
        shown = sum(not any(node.iterancestors(_FALLBACK)) for node in nodes)
        return max(0, shown - self.charts)

    def _optional(self, kind: str) -> etree._Element | None:
        """The root of an optional part; None if it is missing or damaged."""
        for relation in self.relations:
            if relation.kind == kind:
                try:
                    return self.package.xml(relation.target)
                except ReadError:
                    return None
        return None


def _append_other_parts(word: _WordFile, walker: BodyWalker) -> Iterator[str]:
    """Add notes, headers and footers after the body; yields a gap for each damaged part."""
    # Notes belong to no heading, not even to the last one of the body.
    walker.assembly.outline.leave()
    seen: set[str] = set()
    for relation in word.relations:
        if relation.kind not in (*_NOTES, *_MARGINS, "chart"):
            continue
        try:
            root = word.package.xml(relation.target)
        except ReadError as error:
            yield f"its {relation.kind} could not be read ({error})"
            continue
        if relation.kind == "chart":
            walker.assembly.place = Place(words=f"chart {word.charts + 1}")
            word.charts += add_chart(root, walker.assembly)
            walker.assembly.place = Place()
            continue
        texts = walker.enter(root)
        if relation.kind in _NOTES:
            _append_notes(word, root, relation, walker)
        else:
            walker.assembly.place = Place(words=f"page {relation.kind}")
            for text in map(texts.visible, root.iter(PARAGRAPH)):
                # Kept once, however many sections repeat it. It may be quoted, since it is often the
                # only place of a document's number, version or date.
                if text not in seen:
                    seen.add(text)
                    is_number = _PAGE_NUMBER.fullmatch(text)
                    kind = _MARGINS[relation.kind] if is_number else BlockKind.PARAGRAPH
                    walker.assembly.add(text, kind)
            walker.assembly.place = Place()


def _append_notes(
    word: _WordFile, root: etree._Element, relation: Relation, walker: BodyWalker
) -> None:
    """Add notes, numbered by the order of their references in the body."""
    name, reference = _NOTES[relation.kind]
    order = [node.get(f"{W}id") for node in word.body.iter(f"{W}{reference}")]
    numbers = {note: number for number, note in enumerate(order, start=1)}
    for note in root.iterchildren(f"{W}{name}"):
        number = numbers.get(note.get(f"{W}id"))
        walker.assembly.place = Place(words=f"{name} {number}" if number else name)
        walker.walk_as(note, BlockKind.FOOTNOTE)
    walker.assembly.place = Place()
