"""Writes one slide into the text of a presentation: title, bullets, tables, diagrams, notes."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from pincite.document import BlockKind
from pincite.errors import ReadError
from pincite.ingest.assembly import Place, TextAssembly
from pincite.ingest.drawing_text import A, paragraph_text, paragraphs
from pincite.ingest.package import Package, Relation, elements, whole_number
from pincite.ingest.tables import Headers, TableCell, TableRow, TableWriter

P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_DIAGRAM = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}"
_TITLES = ("title", "ctrTitle")
# Placeholders that repeat on every slide.
_MARGINS = {
    "dt": BlockKind.PAGE_FOOTER,
    "ftr": BlockKind.PAGE_FOOTER,
    "sldNum": BlockKind.PAGE_FOOTER,
    "hdr": BlockKind.PAGE_HEADER,
}


class SlideWriter:
    """Adds one slide to an assembly."""

    def __init__(
        self, package: Package, assembly: TextAssembly, relation: Relation | None, number: int
    ) -> None:
        if relation is None or relation.external:
            raise ReadError("the presentation names the slide but does not hold it")
        self.images = 0
        self.comments = 0
        self.title: str | None = None
        self._package = package
        self._assembly = assembly
        self._number = number
        self._root = package.xml(relation.target)
        self._relations = package.relations(relation.target)

    def write(self) -> None:
        """Add the title, then the other shapes in the order in which they are drawn, then notes."""
        shapes = list(self._shapes(self._root))
        hidden = self._root.get("show") in ("0", "false")
        first = len(self._assembly.blocks)
        titles = [shape for shape in shapes if _placeholder(shape) in _TITLES]
        for shape in titles:
            self._title(shape)
        for shape in shapes:
            if not any(shape is title for title in titles):
                self._shape(shape)
        self._notes()
        self._count_comments()
        if hidden:
            for block in self._assembly.blocks[first:]:
                self._assembly.flag_hidden(block, f"slide {self._number} is hidden in the show")

    def _shapes(self, root: etree._Element) -> Iterator[etree._Element]:
        """Shapes, also those inside groups; a stack, because groups may nest thousands deep."""
        tree = root.find(f"{P}cSld/{P}spTree")
        stack = list(reversed(elements(tree))) if tree is not None else []
        while stack:
            node = stack.pop()
            if node.tag in (f"{P}sp", f"{P}graphicFrame", f"{P}pic"):
                yield node
            elif not node.tag.endswith("}Fallback"):
                # Groups, and the choices between a new and an old form of one shape.
                stack.extend(reversed(elements(node)))

    def _title(self, shape: etree._Element) -> None:
        lines = [paragraph_text(p) for p in _shape_paragraphs(shape)]
        text = " ".join(" ".join(line.split()) for line in lines if line)
        self._assembly.add_heading(text, 1)
        self.title = self.title or text or None

    def _shape(self, shape: etree._Element) -> None:
        properties = shape.find(f".//{P}cNvPr")
        if shape.tag == f"{P}pic" or shape.find(f"{P}spPr/{A}blipFill") is not None:
            self.images += 1
        if shape.tag == f"{P}graphicFrame":
            self._graphic(shape)
        elif properties is not None and properties.get("hidden") in ("1", "true"):
            for text in map(paragraph_text, _shape_paragraphs(shape)):
                self._assembly.add_hidden(text, f"a shape on slide {self._number} is hidden")
        else:
            kind = _placeholder(shape)
            for paragraph in _shape_paragraphs(shape):
                self._assembly.add(paragraph_text(paragraph), _kind(paragraph, kind))

    def _graphic(self, frame: etree._Element) -> None:
        table = frame.find(f"{A}graphic/{A}graphicData/{A}tbl")
        links = frame.find(f".//{_DIAGRAM}relIds")
        if table is not None:
            self._table(table)
        elif links is not None:
            self._diagram(links.get(f"{R}dm") or "")
        else:
            self.images += 1  # a chart, a film or an object of another program

    def _table(self, table: etree._Element) -> None:
        properties = table.find(f"{A}tblPr")
        has = {} if properties is None else properties.attrib
        headers = Headers(
            rows=1 if has.get("firstRow") in ("1", "true") else 0,
            columns=1 if has.get("firstCol") in ("1", "true") else 0,
        )
        writer = TableWriter(self._assembly, headers=headers, separator="\t")
        for row in table.iterchildren(f"{A}tr"):
            writer.add(TableRow(cells=tuple(_cells(row))))

    def _diagram(self, relation_id: str) -> None:
        """The texts of a SmartArt diagram, in the order of its outline."""
        for relation in self._relations:
            if relation.id == relation_id and relation.target in self._package.names:
                for point in self._package.xml(relation.target).iter(f"{_DIAGRAM}t"):
                    for paragraph in paragraphs(point):
                        self._assembly.add(paragraph_text(paragraph), BlockKind.LIST_ITEM)
                return
        self.images += 1

    def _notes(self) -> None:
        for relation in self._relations:
            if relation.kind != "notesSlide" or relation.target not in self._package.names:
                continue
            before = self._assembly.place
            self._assembly.place = Place(page=self._number, words=f"slide {self._number}, notes")
            for shape in self._shapes(self._package.xml(relation.target)):
                if _placeholder(shape) == "body":
                    for paragraph in _shape_paragraphs(shape):
                        self._assembly.add(paragraph_text(paragraph), BlockKind.PARAGRAPH)
            self._assembly.place = before

    def _count_comments(self) -> None:
        for relation in self._relations:
            if relation.kind == "comments" and relation.target in self._package.names:
                root = self._package.xml(relation.target)
                self.comments += sum(node.tag.endswith("}cm") for node in elements(root))


def _placeholder(shape: etree._Element) -> str:
    """The kind of placeholder a shape fills; empty for a free shape."""
    node = shape.find(f"{P}nvSpPr/{P}nvPr/{P}ph")
    return "" if node is None else node.get("type") or "content"


def _shape_paragraphs(shape: etree._Element) -> Iterator[etree._Element]:
    body = shape.find(f"{P}txBody")
    if body is not None:
        yield from paragraphs(body)


def _kind(paragraph: etree._Element, placeholder: str) -> BlockKind:
    if placeholder in _MARGINS:
        return _MARGINS[placeholder]
    properties = paragraph.find(f"{A}pPr")
    signs = {child.tag for child in elements(properties)} if properties is not None else set()
    if f"{A}buNone" in signs:
        return BlockKind.PARAGRAPH
    # In a placeholder for content each paragraph has a bullet unless it says otherwise.
    has_bullet = bool(signs & {f"{A}buChar", f"{A}buAutoNum"}) or placeholder in ("content", "body")
    return BlockKind.LIST_ITEM if has_bullet else BlockKind.PARAGRAPH


def _cells(row: etree._Element) -> Iterator[TableCell]:
    for column, cell in enumerate(row.iterchildren(f"{A}tc")):
        if "1" in (cell.get("hMerge"), cell.get("vMerge")):
            continue
        body = cell.find(f"{A}txBody")
        lines = map(paragraph_text, paragraphs(body)) if body is not None else ()
        text = " ".join(" ".join(line.split()) for line in lines if line)
        columns, rows = (whole_number(cell.get(name), 1) for name in ("gridSpan", "rowSpan"))
        yield TableCell(text=text, column=column, columns=min(columns, 1000), rows=rows)
