"""Reads presentations: one page per slide, with titles, bullets, tables and notes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import IO

from lxml import etree
from pptx.enum.shapes import PP_PLACEHOLDER
from pptx.exc import PythonPptxError
from pptx.package import Package as PresentationPackage
from pptx.parts.presentation import PresentationPart
from pptx.presentation import Presentation
from pptx.shapes.base import BaseShape
from pptx.shapes.graphfrm import GraphicFrame
from pptx.shapes.group import GroupShape
from pptx.slide import NotesSlide, Slide
from pptx.table import Table
from pptx.util import Pt

from pincite.errors import ReadError
from pincite.ingest.assembly import Place, TextAssembly, choose_title
from pincite.ingest.office.charts import add_chart
from pincite.ingest.office.drawing_text import A, one_line, paragraph_text
from pincite.ingest.office.package import Package, PackageLimits, elements, parse_xml
from pincite.ingest.reading import content_remarks, counted
from pincite.ingest.tables import Headers, TableCell, TableRow, TableWriter
from pincite.records.document import BlockKind, Document, Page, document_id

_MEDIA_TYPE = "application/vnd.openxmlformats-officedocument.presentationml.presentation"


class PptxReader:
    """Reads `.pptx` and `.pptm` files; never runs macros or opens external resources."""

    def __init__(self, *, limits: PackageLimits | None = None) -> None:
        self._limits = limits

    def read(self, path: Path, content: bytes) -> Document:
        """Read one file's bytes. Raises ReadError when they are not a readable presentation."""
        package = Package(content, kind="PowerPoint file", limits=self._limits)
        deck = _Deck(package)
        deck.read()
        assembly = deck.assembly
        remarks = content_remarks("presentation", has_text=bool(assembly.blocks))
        identifier, sha256 = document_id(content)
        return Document(
            id=identifier,
            sha256=sha256,
            title=choose_title(path, package.title(), deck.first_title),
            media_type=_MEDIA_TYPE,
            text=assembly.text(),
            blocks=tuple(assembly.blocks),
            pages=tuple(deck.pages),
            gaps=tuple(deck.gaps),
            warnings=(*remarks.warnings, *deck.warnings()),
            flags=(*assembly.flags, *package.active_content()),
        )


class _Deck:
    """The slides of one presentation in order."""

    def __init__(self, package: Package) -> None:
        self.assembly = TextAssembly()
        self.pages: list[Page] = []
        self.gaps: list[str] = []
        self.first_title: str | None = None
        self._package = package
        self._comments = 0
        self._pictures = 0

    def read(self) -> None:
        """Read every slide; a damaged one is recorded as a gap."""
        with self._reading():
            deck = self._open()
            # Not `deck.slides`, which fails entirely if one of its links is damaged.
            links = [
                node.get(f"{R}id") or "" for node in deck.element.iterfind(f"{P}sldIdLst/{P}sldId")
            ]
            size = _slide_size(deck)
        for number, link in enumerate(links, start=1):
            self._slide(number, deck.part, link, size)

    def _open(self) -> Presentation:
        """The presentation without damaged parts, which are recorded as gaps."""
        try:
            return _presentation(self._package.for_library())
        except etree.XMLSyntaxError:
            damaged = self._package.damaged_xml()
            deck = _presentation(self._package.for_library(leave_out=damaged))
        self.gaps += [f"its part {name} is damaged and was not read" for name in sorted(damaged)]
        return deck

    def _reading(self) -> AbstractContextManager[None]:
        return self._package.read_errors(PythonPptxError)

    def warnings(self) -> Iterator[str]:
        """Warnings about content that is left out in every presentation."""
        if self._pictures:
            pictures = counted(self._pictures, "picture")
            yield f"{pictures}; text in them is not read"
        if self._comments:
            yield f"{counted(self._comments, 'reviewer comment')} left out"

    def _slide(
        self, number: int, deck: PresentationPart, link: str, size: tuple[float, float]
    ) -> None:
        start = self.assembly.start_of_next(BlockKind.PARAGRAPH)
        before, images, gap = len(self.assembly.blocks), 0, ""
        self.assembly.place = Place(page=number)
        self.assembly.outline.leave()
        try:
            with self._reading():
                writer = SlideWriter(self.assembly, deck.related_slide(link), number)
                writer.write()
            images = writer.images
            self._comments += writer.comments
            self.first_title = self.first_title or writer.title
        except ReadError as error:
            gap = f"slide {number} could not be read: {error}"
        if images and len(self.assembly.blocks) == before:
            gap = f"slide {number} has no text, only {counted(images, 'picture')}"
        if gap:
            self.gaps.append(gap)
        self._pictures += images
        end = self.assembly.length
        self.pages.append(
            Page(
                number=number,
                start=min(start, end),
                end=end,
                width=size[0],
                height=size[1],
                images=images,
                gap=gap,
            )
        )


def _presentation(file: IO[bytes]) -> Presentation:
    # Not `pptx.Presentation`, which rejects slide shows and templates.
    deck: Presentation = PresentationPackage.open(file).main_document_part.presentation
    return deck


def _slide_size(deck: Presentation) -> tuple[float, float]:
    """Width and height in points; the size of old slides if the file gives none."""
    return (deck.slide_width or Pt(720)).pt, (deck.slide_height or Pt(540)).pt


# Writes one slide into the text: title, bullets, tables, diagrams, notes.

P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_DIAGRAM = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}"
_TITLES = (PP_PLACEHOLDER.TITLE, PP_PLACEHOLDER.CENTER_TITLE, PP_PLACEHOLDER.VERTICAL_TITLE)
_BULLETED = (PP_PLACEHOLDER.OBJECT, PP_PLACEHOLDER.BODY)
# Placeholders that repeat on every slide.
_MARGINS = {
    PP_PLACEHOLDER.DATE: BlockKind.PAGE_FOOTER,
    PP_PLACEHOLDER.FOOTER: BlockKind.PAGE_FOOTER,
    PP_PLACEHOLDER.SLIDE_NUMBER: BlockKind.PAGE_FOOTER,
    PP_PLACEHOLDER.HEADER: BlockKind.PAGE_HEADER,
}
_YES = ("1", "true")
_NO = ("0", "false")


class SlideWriter:
    """Adds one slide to an assembly."""

    def __init__(self, assembly: TextAssembly, slide: Slide, number: int) -> None:
        self.images = 0
        self.comments = 0
        self.title: str | None = None
        self._assembly = assembly
        self._slide = slide
        self._number = number

    def write(self) -> None:
        """Add the title, then the other shapes in drawing order, then the notes."""
        first = len(self._assembly.blocks)
        shapes = list(_shapes(self._slide))
        titles = [shape for shape in shapes if _placeholder(shape) in _TITLES]
        for shape in titles:
            self._title(shape)
        for shape in shapes:
            if shape not in titles:
                self._shape(shape)
        self._notes()
        self._count_comments()
        if self._slide.element.get("show") in _NO:
            for block in self._assembly.blocks[first:]:
                self._assembly.flag_hidden(block, f"slide {self._number} is hidden in the show")

    def _title(self, shape: BaseShape) -> None:
        text = one_line(_paragraphs(shape))
        self._assembly.add_heading(text, 1)
        self.title = self.title or text or None

    def _shape(self, shape: BaseShape) -> None:
        hidden = f"a shape on slide {self._number} is hidden" if _is_hidden(shape) else ""
        if _shows_picture(shape):
            self.images += 1
        if isinstance(shape, GraphicFrame):
            self._graphic(shape, hidden)
        for paragraph in _paragraphs(shape):
            self._add(paragraph, _kind(paragraph, _placeholder(shape)), hidden)

    def _add(self, paragraph: etree._Element, kind: BlockKind, hidden: str = "") -> None:
        if hidden:
            self._assembly.add_hidden(paragraph_text(paragraph), hidden)
        else:
            self._assembly.add(paragraph_text(paragraph), kind)

    def _graphic(self, frame: GraphicFrame, hidden: str) -> None:
        links = frame.element.find(f".//{_DIAGRAM}relIds")
        if links is not None:
            self._diagram(links.get(f"{R}dm") or "", hidden)
        elif frame.has_table:
            self._table(frame.table, hidden)
        elif not (frame.has_chart and self._chart(frame, hidden)):
            self.images += 1  # a video, an embedded object, a chart without numbers

    def _chart(self, frame: GraphicFrame, hidden: str) -> bool:
        try:
            chart = frame.chart_part._element
        except (KeyError, AttributeError, ValueError):
            return False  # its part is missing
        return add_chart(chart, self._assembly, hidden)

    def _table(self, table: Table, hidden: str) -> None:
        headers = Headers(rows=int(table.first_row), columns=int(table.first_col))
        writer = TableWriter(self._assembly, headers=headers, separator="\t")
        for row in table.rows:
            cells = tuple(
                TableCell(
                    text=one_line(cell._tc.iterfind(f"{A}txBody/{A}p")),
                    column=column,
                    columns=min(cell.span_width, 1000),
                    rows=cell.span_height,
                )
                for column, cell in enumerate(row.cells)
                if not cell.is_spanned
            )
            writer.add(TableRow(cells=cells, hidden=hidden))

    def _diagram(self, relation_id: str, hidden: str) -> None:
        """Add the texts of a SmartArt diagram in outline order."""
        link = self._slide.part.rels.get(relation_id)
        if link is None:
            self.images += 1
            return
        for point in parse_xml(link.target_part.blob).iter(f"{_DIAGRAM}t"):
            for paragraph in point.iterchildren(f"{A}p"):
                self._add(paragraph, BlockKind.LIST_ITEM, hidden)

    def _notes(self) -> None:
        if not self._slide.has_notes_slide:
            return
        before = self._assembly.place
        self._assembly.place = Place(page=self._number, words=f"slide {self._number}, notes")
        for shape in _shapes(self._slide.notes_slide):
            if _placeholder(shape) is PP_PLACEHOLDER.BODY:
                for paragraph in _paragraphs(shape):
                    self._add(paragraph, BlockKind.PARAGRAPH)
        self._assembly.place = before

    def _count_comments(self) -> None:
        for link in self._slide.part.rels.values():
            if link.reltype.endswith("/comments") and not link.is_external:
                root = parse_xml(link.target_part.blob)
                self.comments += sum(node.tag.endswith("}cm") for node in elements(root))


def _shapes(slide: Slide | NotesSlide) -> Iterator[BaseShape]:
    """The shapes of a slide or its notes, including those inside groups."""
    _choose_forms(slide.element)
    return _leaves(slide.shapes)


def _leaves(shapes: Iterable[BaseShape]) -> Iterator[BaseShape]:
    for shape in shapes:
        if isinstance(shape, GroupShape):
            yield from _leaves(shape.shapes)
        else:
            yield shape


def _choose_forms(slide: etree._Element) -> None:
    """Keep one form of each shape saved in a new and an old form; python-pptx ignores both."""
    for both in list(slide.iter(f"{_MC}AlternateContent")):
        if both.getparent().tag in (f"{P}spTree", f"{P}grpSp"):
            form = both.find(f"{_MC}Choice")
            for shape in both.find(f"{_MC}Fallback") or () if form is None else list(form):
                both.addprevious(shape)


def _placeholder(shape: BaseShape) -> PP_PLACEHOLDER | None:
    """The type of placeholder a shape fills; None if it fills none."""
    return shape.placeholder_format.type if shape.is_placeholder else None


def _paragraphs(shape: BaseShape) -> Iterator[etree._Element]:
    body = shape.element.find(f"{P}txBody")
    if body is not None:
        yield from body.iterchildren(f"{A}p")


def _is_hidden(shape: BaseShape) -> bool:
    around = (shape.element, *shape.element.iterancestors(f"{P}grpSp"))
    properties = (node.find(f"*/{P}cNvPr") for node in around)
    return any(node is not None and node.get("hidden") in _YES for node in properties)


def _shows_picture(shape: BaseShape) -> bool:
    fill = shape.element.find(f"{P}spPr/{A}blipFill")
    return shape.element.tag == f"{P}pic" or fill is not None


def _kind(paragraph: etree._Element, placeholder: PP_PLACEHOLDER | None) -> BlockKind:
    if placeholder in _MARGINS:
        return _MARGINS[placeholder]
    properties = paragraph.find(f"{A}pPr")
    signs = {child.tag for child in elements(properties)} if properties is not None else set()
    if f"{A}buNone" in signs:
        return BlockKind.PARAGRAPH
    # In a content placeholder, paragraphs have bullets by default.
    has_bullet = bool(signs & {f"{A}buChar", f"{A}buAutoNum"}) or placeholder in _BULLETED
    return BlockKind.LIST_ITEM if has_bullet else BlockKind.PARAGRAPH
