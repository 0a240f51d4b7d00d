"""Reads OpenDocument files (ODF 1.3): texts, spreadsheets and presentations, as of LibreOffice."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from lxml import etree
from openpyxl.worksheet.cell_range import CellRange

from pincite.errors import ReadError
from pincite.ingest.assembly import Place, TextAssembly, choose_title
from pincite.ingest.office.odf_styles import PLAIN, Look, Numbering, Styles, named
from pincite.ingest.office.package import Package, PackageLimits, elements, whole_number
from pincite.ingest.office.sheets import Sheet, SheetCell, SheetWriter
from pincite.ingest.reading import NeedsPassword, content_remarks, counted
from pincite.ingest.tables import TableCell, TableRow, TableWriter, guess_headers
from pincite.records.document import BlockKind, Document, Flag, FlagKind, Page, document_id
from pincite.text.marks import Run, written

_SPACES = re.compile(r"[ \t\r\n]+")
_MOST_SPACES = 200
_MOST_COLUMNS = 16_384
_MOST_CELLS = 1_000_000
"""Of a spreadsheet, with the cells that the file only says are repeated."""
_MEDIA_TYPE = "application/vnd.oasis.opendocument."
_SLIDE_POINTS = (720.0, 540.0)
_NUMBERS = frozenset({"float", "percentage", "currency", "date", "time"})


P, H, LIST, SECTION = named("text:p"), named("text:h"), named("text:list"), named("text:section")
TABLE, ROW, CELL = named("table:table"), named("table:table-row"), named("table:table-cell")
COVERED, FRAME, NOTE = named("table:covered-table-cell"), named("draw:frame"), named("text:note")
ANNOTATION, SPAN = named("office:annotation"), named("text:span")
_STYLE = named("text:style-name")
_INDEXES = frozenset(
    named(f"text:{kind}")
    for kind in (
        "table-of-content",
        "alphabetical-index",
        "illustration-index",
        "table-index",
        "object-index",
        "user-index",
    )
)
# Inline elements whose text is not that of the paragraph.
_APART = frozenset(
    {ANNOTATION, named("text:ruby-text"), named("text:tracked-changes"), named("office:forms")}
)
_MARGINS = [
    (f"{kind}{pages}", block)
    for kind, block in (("header", BlockKind.PAGE_HEADER), ("footer", BlockKind.PAGE_FOOTER))
    for pages in ("", "-left", "-first")
]
_ROW_GROUPS = frozenset(
    named(f"table:{kind}") for kind in ("table-header-rows", "table-rows", "table-row-group")
)
_SHAPES = frozenset(
    named(f"draw:{kind}")
    for kind in (
        "custom-shape",
        "rect",
        "ellipse",
        "line",
        "connector",
        "polygon",
        "path",
        "caption",
    )
)
_FRAMES = frozenset({FRAME, named("draw:g"), *_SHAPES})
_ASIDE = frozenset({ANNOTATION, NOTE, *_FRAMES})


class OpenDocumentReader:
    """Reads `.odt`, `.ods` and `.odp` files and their templates; never runs or opens anything."""

    def __init__(self, *, limits: PackageLimits | None = None) -> None:
        self._limits = limits

    def read(self, path: Path, content: bytes) -> Document:
        """Read one file's bytes. Raises ReadError when they are not a readable OpenDocument file."""
        package = Package(content, kind="OpenDocument file", limits=self._limits)
        _refuse_encrypted(package)
        with package.read_errors(etree.XMLSyntaxError):
            root = package.xml("content.xml")
            body = root.find(named("office:body"))
            parts = [] if body is None else elements(body)
            if not parts:
                raise ReadError(
                    "the OpenDocument file has no body; open it in its own program and save it again"
                )
            roots = [root, *_optional(package, "styles.xml")]
            styles = Styles(roots)
            kind = etree.QName(parts[0]).localname
            writer = _WRITERS.get(kind, _Slides)(styles, Numbering(roots))
            # The numbers of a sheet's charts stand in the sheet.
            writer.chart = partial(_chart, package) if kind != "spreadsheet" else writer.chart
            writer.write(parts[0])
            if kind == "text":
                writer.margins(roots[1:])
        remarks = content_remarks(
            "document", has_text=bool(writer.assembly.blocks), pictures=writer.pictures
        )
        identifier, sha256 = document_id(content)
        return Document(
            id=identifier,
            sha256=sha256,
            title=choose_title(path, _title(package), writer.first_title),
            media_type=_MEDIA_TYPE + kind,
            text=writer.assembly.text(),
            blocks=tuple(writer.assembly.blocks),
            pages=tuple(writer.pages),
            gaps=(*remarks.gaps, *writer.gaps),
            warnings=(*remarks.warnings, *writer.warnings()),
            flags=(*writer.assembly.flags, *_active_content(package)),
        )


class _Writer:
    """Adds the content of a body to an assembly; what is common to the three kinds."""

    def __init__(self, styles: Styles, numbering: Numbering) -> None:
        self.assembly = TextAssembly()
        self.styles = styles
        self._numbering = numbering
        self._lists: list[str] = []
        self._label = ""
        self._is_continued = False
        self.pages: list[Page] = []
        self.gaps: list[str] = []
        self.first_title: str | None = None
        self.pictures = 0
        self._comments = 0
        self._deletions = 0
        self._indexes = 0
        self._fields = 0
        self._notes: list[tuple[str, str]] = []
        self._frames: list[etree._Element] = []
        self._unseen: list[str] = []
        self.chart: Callable[[str], etree._Element | None] = lambda _: None
        """The chart of an embedded object, by its address."""

    def write(self, body: etree._Element) -> None:
        """Add everything in the body."""
        self._blocks(body)
        for mark, text in self._notes:
            self.assembly.add(f"{mark} {text}".strip(), BlockKind.FOOTNOTE)

    def margins(self, roots: Sequence[etree._Element]) -> None:
        """Add the headers and footers of the pages."""
        for root in roots:
            for kind, block in _MARGINS:
                for node in root.iter(named(f"style:{kind}")):
                    for paragraph in node.iter(P):
                        self.assembly.add(self.paragraph(paragraph), block)

    def warnings(self) -> Iterator[str]:
        """Warnings about content that is left out."""
        if self._comments:
            yield f"{counted(self._comments, 'comment')} left out"
        if self._deletions:
            yield f"{counted(self._deletions, 'tracked deletion')} left out, insertions were read"
        if self._indexes:
            yield f"{counted(self._indexes, 'index')} left out; the entries are in the text"
        if self._fields:
            yield f"{counted(self._fields, 'form field')}; what is entered in them is not read"

    # --- Blocks ---------------------------------------------------------------------------------

    def _blocks(self, parent: etree._Element, kind: BlockKind = BlockKind.PARAGRAPH) -> None:
        for node in elements(parent):
            self._block(node, kind)

    def _block(self, node: etree._Element, kind: BlockKind) -> None:
        tag = node.tag
        if tag in (P, H):
            self._paragraph(node, kind)
        elif tag == LIST:
            self._list(node)
        elif tag == TABLE:
            self._table(node)
        elif tag in _FRAMES:
            self._frame(node)
        elif tag == SECTION and node.get(named("text:display")) == "none":
            self._hidden("\n".join(map(self.paragraph, node.iter(P, H))), "a section is hidden")
        elif not self._is_left_out(node):
            self._blocks(node, kind)

    def _list(self, node: etree._Element) -> None:
        """The items of a list, each with the number that the program shows before it."""
        outer = self._lists[-1] if self._lists else ""
        style = node.get(_STYLE) or outer
        self._lists.append(style)
        depth = len(self._lists)
        is_continued = node.get(named("text:continue-numbering")) == "true"
        is_continued = is_continued or node.get(named("text:continue-list")) is not None
        # A list that is all of an item of a continued list is continued with it.
        is_continued = is_continued or (self._is_continued and node.getprevious() is None)
        if not is_continued:
            self._numbering.begin(style, depth)
        for item in elements(node):
            self._is_continued = is_continued
            is_item = item.tag == named("text:list-item")
            start = item.get(named("text:start-value"))
            first = next(iter(elements(item)), None)
            # An item that only holds another list has no number of its own.
            if is_item and first is not None and first.tag in (P, H):
                self._label = self._numbering.label(style, depth, start)
            self._blocks(item, BlockKind.LIST_ITEM)
        self._lists.pop()
        self._is_continued = False

    def _is_left_out(self, node: etree._Element) -> bool:
        """Whether an element is no part of the text; what is left out is counted."""
        self._indexes += node.tag in _INDEXES
        if node.tag == named("text:tracked-changes"):
            self._deletions += sum(1 for _ in node.iter(named("text:deletion")))
        if node.tag == named("office:forms"):
            self._fields += sum(map(_is_field, node.iter()))
        return node.tag in _INDEXES or node.tag in _APART

    def _paragraph(self, node: etree._Element, kind: BlockKind) -> None:
        text = self.paragraph(node)
        style = node.get(_STYLE)
        label, self._label = self._label, ""
        if node.tag == H and not label and node.get(named("text:is-list-header")) != "true":
            label = self._numbering.label(
                "", whole_number(node.get(named("text:outline-level")), 1)
            )
        text = f"{label} {text}" if label and text.strip() else text
        if self.styles.look("paragraph", style).is_hidden:
            self._hidden(text, "a paragraph is hidden")
        elif node.tag == H:
            self._heading(text, whole_number(node.get(named("text:outline-level")), 1))
        elif self.styles.is_named("paragraph", style, frozenset({"Title"})):
            self._heading(text, 1)
        elif self.styles.is_named("paragraph", style, frozenset({"Preformatted Text"})):
            self.assembly.add(text, BlockKind.CODE)
        elif self.styles.is_named("paragraph", style, frozenset({"Caption"})):
            self.assembly.add(text, BlockKind.CAPTION)
        else:
            self.assembly.add(text, kind)
        unseen, self._unseen = self._unseen, []
        self._hidden(" ".join(unseen), "words are hidden")
        self._waiting_frames()

    def _heading(self, text: str, level: int) -> None:
        self.assembly.add_heading(text, level)
        self.first_title = self.first_title or text or None

    def _hidden(self, text: str, why: str) -> None:
        if text.strip():
            self.assembly.add_hidden(text, why)

    def _waiting_frames(self) -> None:
        """Add the frames that were met within a paragraph or a cell."""
        frames, self._frames = self._frames, []
        for frame in frames:
            self._frame(frame)

    def _frame(self, node: etree._Element) -> None:
        """Add the text of a frame or shape; count a picture or an embedded object."""
        if node.tag in _SHAPES:
            self._blocks(node)
            return
        for child in elements(node):
            if child.tag == named("draw:text-box"):
                self._blocks(child)
            elif child.tag == TABLE:
                self._table(child)
            elif child.tag in _FRAMES:
                self._frame(child)
            elif child.tag in (named("draw:image"), named("draw:object"), named("draw:plugin")):
                chart = self.chart(child.get(named("xlink:href"), ""))
                if chart is None:
                    self.pictures += 1
                else:
                    self._add_chart(chart)
                break  # A picture that stands for an object comes behind it.

    def _add_chart(self, chart: etree._Element) -> None:
        """Add a chart's title and the table of what it draws."""
        titles = chart.iterfind(named("chart:title"))
        title = " ".join("".join(one.itertext()).strip() for one in titles)
        if title:
            self.assembly.add(title, BlockKind.CAPTION)
        for table in chart.iterfind(TABLE):
            self._table(table)

    def _table(self, node: etree._Element) -> None:
        rows: list[TableRow] = []
        marked = 0
        for row, is_head in _rows(node):
            marked = len(rows) + 1 if is_head and marked == len(rows) else marked
            rows.append(TableRow(cells=tuple(self._cells(row))))
        writer = TableWriter(
            self.assembly, headers=guess_headers(rows, marked=marked), separator="\t"
        )
        writer.add_all(rows)
        self._waiting_frames()

    def _cells(self, row: etree._Element) -> Iterator[TableCell]:
        column = 0
        for cell in elements(row):
            if cell.tag == CELL:
                columns = min(
                    whole_number(cell.get(named("table:number-columns-spanned")), 1), 1000
                )
                yield TableCell(
                    text=self.cell(cell),
                    column=column,
                    columns=columns,
                    rows=whole_number(cell.get(named("table:number-rows-spanned")), 1),
                )
            if cell.tag in (CELL, COVERED):
                repeated = whole_number(cell.get(named("table:number-columns-repeated")), 1)
                column += min(repeated, _MOST_COLUMNS)

    def cell(self, node: etree._Element) -> str:
        """The text of a cell on one line; its frames wait."""
        found = [
            self.paragraph(one) for one in node.iter(P, H) if not _is_within(one, node, _ASIDE)
        ]
        # Those within a paragraph were met with it.
        self._frames += [
            one for one in node.iter(*_FRAMES) if not _is_within(one, node, {*_ASIDE, P, H})
        ]
        return " ".join(_SPACES.sub(" ", text).strip() for text in found if text.strip())

    # --- Text -----------------------------------------------------------------------------------

    def paragraph(self, node: etree._Element) -> str:
        """The text of a paragraph with the marks of its styles; its frames and notes come later."""
        look = self.styles.look("paragraph", node.get(_STYLE)).under(PLAIN)
        return written(self._runs(node, replace(look, is_hidden=False))).strip()

    def _runs(self, node: etree._Element, look: Look) -> Iterator[Run]:
        yield from self._run(node.text, look)
        for child in node:
            if isinstance(child.tag, str):
                yield from self._inline(child, look)
            yield from self._run(child.tail, look)

    def _inline(self, node: etree._Element, look: Look) -> Iterator[Run]:
        tag = node.tag
        if tag == named("text:s"):
            count = min(whole_number(node.get(named("text:c")), 1), _MOST_SPACES)
            yield from self._run(" ", look, times=count)
        elif tag == named("text:tab"):
            yield Run("\t")
        elif tag == named("text:line-break"):
            yield Run("\n")
        elif tag == NOTE:
            yield from self._note(node)
        elif tag in _FRAMES:
            self._frames.append(node)
        elif tag in _APART:
            self._comments += tag == ANNOTATION
        else:
            inner = self.styles.look("text", node.get(_STYLE)) if tag == SPAN else Look()
            yield from self._runs(node, inner.under(look))

    def _run(self, text: str | None, look: Look, times: int = 1) -> Iterator[Run]:
        shown = _SPACES.sub(" ", text or "") * times
        if shown and look.is_hidden:
            self._unseen.append(shown)
        elif shown:
            yield Run(shown, look.script or 0, bool(look.is_struck))

    def _note(self, node: etree._Element) -> Iterator[Run]:
        """The sign of a note; its text is added behind the body."""
        citation = node.find(named("text:note-citation"))
        sign = "".join(citation.itertext()).strip() if citation is not None else ""
        body = node.find(named("text:note-body"))
        if body is not None:
            self._notes.append((sign, " ".join(map(self.paragraph, body.iter(P, H)))))
        if sign:
            yield Run(sign, 1)


class _Sheets(_Writer):
    """Adds the sheets of a spreadsheet."""

    def write(self, body: etree._Element) -> None:
        """Add every sheet: its tables, its comments, its drawings."""
        self._writer = SheetWriter(self.assembly)
        self._cells_left = _MOST_CELLS
        heads = _filter_heads(body)
        for node in body.iterfind(TABLE):
            name = node.get(named("table:name")) or "Sheet"
            style = node.get(named("table:style-name"))
            shown = self.styles.property("table", style, "table-properties", "table:display")
            sheet = Sheet(name=name, is_hidden=shown == "false", header_rows=heads.get(name, set()))
            self._fill(sheet, node)
            self._writer.add(sheet)
            self._frames += [
                shape
                for shapes in node.iterfind(named("table:shapes"))
                for shape in elements(shapes)
            ]
            self.assembly.place = Place(words=f"text box on {name}")
            self._waiting_frames()
            self.assembly.place = Place()

    def warnings(self) -> Iterator[str]:
        """Warnings about content that is left out."""
        yield from super().warnings()
        yield from self._writer.warnings()

    def _fill(self, sheet: Sheet, node: etree._Element) -> None:
        self._note_columns(sheet, node)
        number = 1
        for row, is_head in _rows(node):
            repeated = whole_number(row.get(named("table:number-rows-repeated")), 1)
            cells = [*self._sheet_cells(sheet, row, number)]
            is_hidden = row.get(named("table:visibility")) in ("collapse", "filter")
            for here in range(number, number + (repeated if cells else 0)):
                self._cells_left -= len(cells)
                if self._cells_left < 0:
                    self.gaps.append(
                        f"the sheet {sheet.name!r} has more than {_MOST_CELLS:,} cells; the rows "
                        f"from {here:,} on were not read"
                    )
                    return
                sheet.rows[here] = [replace(cell, row=here) for cell in cells]
                sheet.hidden_rows |= {here} if is_hidden else set()
                sheet.header_rows |= {here} if is_head else set()
            number += repeated

    def _note_columns(self, sheet: Sheet, node: etree._Element) -> None:
        column = 1
        for one in node.iter(named("table:table-column")):
            repeated = whole_number(one.get(named("table:number-columns-repeated")), 1)
            behind = min(column + repeated, _MOST_COLUMNS + 1)
            if one.get(named("table:visibility")) in ("collapse", "filter"):
                sheet.hidden_columns.update(range(column, behind))
            column = behind

    def _sheet_cells(self, sheet: Sheet, row: etree._Element, number: int) -> Iterator[SheetCell]:
        column = 1
        for node in elements(row):
            if node.tag not in (CELL, COVERED):
                continue
            repeated = whole_number(node.get(named("table:number-columns-repeated")), 1)
            behind = min(column + repeated, _MOST_COLUMNS + 1)
            text = self.cell(node) if node.tag == CELL else ""
            if text:
                look = self.styles.look("table-cell", node.get(named("table:style-name")))
                is_number = node.get(named("office:value-type")) in _NUMBERS
                for here in range(column, behind):
                    yield SheetCell(number, here, text, is_number, bool(look.is_bold))
                self._note_merged(sheet, node, number, column)
            self._note_comment(sheet, node, number, column)
            column = behind

    def _note_merged(self, sheet: Sheet, node: etree._Element, row: int, column: int) -> None:
        columns = min(whole_number(node.get(named("table:number-columns-spanned")), 1), 1000)
        rows = min(whole_number(node.get(named("table:number-rows-spanned")), 1), 100_000)
        if columns * rows > 1:
            sheet.merged[row, column] = CellRange(
                min_col=column, min_row=row, max_col=column + columns - 1, max_row=row + rows - 1
            )

    def _note_comment(self, sheet: Sheet, node: etree._Element, row: int, column: int) -> None:
        for comment in node.iterfind(ANNOTATION):
            text = " ".join(self.paragraph(one) for one in comment.iter(P))
            if text.strip():
                sheet.comments[row, column] = text


class _Slides(_Writer):
    """Adds the slides of a presentation, or the pages of a drawing."""

    def write(self, body: etree._Element) -> None:
        """Add one page for each slide, with its notes."""
        for number, slide in enumerate(body.iterfind(named("draw:page")), start=1):
            start = self.assembly.start_of_next(BlockKind.PARAGRAPH)
            before, pictures = len(self.assembly.blocks), self.pictures
            self.assembly.place = Place(page=number)
            self.assembly.outline.leave()
            self._slide(slide, number)
            images = self.pictures - pictures
            gap = ""
            if images and len(self.assembly.blocks) == before:
                gap = f"slide {number} has no text, only {counted(images, 'picture')}"
                self.gaps.append(gap)
            end = self.assembly.length
            width, height = _SLIDE_POINTS
            self.pages.append(
                Page(
                    number=number, start=min(start, end), end=end, width=width, height=height,
                    images=images, gap=gap,
                )
            )  # fmt: skip

    def _slide(self, slide: etree._Element, number: int) -> None:
        first = len(self.assembly.blocks)
        frames = elements(slide)
        titles = [one for one in frames if one.get(named("presentation:class")) == "title"]
        for frame in titles:
            self._heading(" ".join(self.paragraph(one) for one in frame.iter(P)), 1)
        for frame in frames:
            if frame.tag == named("presentation:notes"):
                self.assembly.place = Place(page=number, words=f"slide {number}, notes")
                self._frame(frame)
            elif frame not in titles:
                self._block(frame, BlockKind.PARAGRAPH)
        style = slide.get(named("draw:style-name"))
        shown = self.styles.property(
            "drawing-page", style, "drawing-page-properties", "presentation:visibility"
        )
        if shown == "hidden":
            for block in self.assembly.blocks[first:]:
                self.assembly.flag_hidden(block, f"slide {number} is hidden in the show")


def _chart(package: Package, address: str) -> etree._Element | None:
    """The chart of the object at an address within the file; None if it is another object."""
    name = f"{address.removeprefix('./').rstrip('/')}/content.xml"
    if not address or name not in package.names:
        return None
    try:
        return package.xml(name).find(f"{named('office:body')}//{named('chart:chart')}")
    except ReadError:
        return None  # It counts as a picture that was not read.


_WRITERS: dict[str, type[_Writer]] = {"text": _Writer, "spreadsheet": _Sheets}


def _rows(table: etree._Element, *, is_head: bool = False) -> Iterator[tuple[etree._Element, bool]]:
    """The rows of a table in order, and whether the file marks each as a head."""
    for node in elements(table):
        if node.tag == ROW:
            yield node, is_head
        elif node.tag in _ROW_GROUPS:
            marked = is_head or node.tag == named("table:table-header-rows")
            yield from _rows(node, is_head=marked)


def _is_within(node: etree._Element, cell: etree._Element, tags: Collection[object]) -> bool:
    """Whether something in a cell is in an element of such a kind there."""
    for around in node.iterancestors():
        if around is cell:
            return False
        if around.tag in tags:
            return True
    return False


def _is_field(node: etree._Element) -> bool:
    tag = node.tag if isinstance(node.tag, str) else ""
    local = tag.rpartition("}")[2]
    return ":form:" in tag and local in (
        "text",
        "textarea",
        "checkbox",
        "radio",
        "listbox",
        "combobox",
    )


def _filter_heads(body: etree._Element) -> dict[str, set[int]]:
    """The first rows of the ranges that have filters, by sheet."""
    found: dict[str, set[int]] = {}
    for node in body.iter(named("table:database-range")):
        if node.get(named("table:contains-header")) == "false":
            continue
        area = node.get(named("table:target-range-address")) or ""
        place = re.match(r"\$?'?([^'.]{1,200})'?\.\$?[A-Z]{1,3}\$?(\d{1,7})", area)
        if place:
            found.setdefault(place[1], set()).add(int(place[2]))
    return found


def _optional(package: Package, name: str) -> list[etree._Element]:
    return [package.xml(name)] if name in package.names else []


def _title(package: Package) -> str | None:
    try:
        roots = _optional(package, "meta.xml")
    except ReadError:
        return None  # Damaged properties do not affect the text.
    return next((node.text for root in roots for node in root.iter(named("dc:title"))), None)


def _refuse_encrypted(package: Package) -> None:
    name = "META-INF/manifest.xml"
    if name in package.names and b"encryption-data" in package.part(name):
        raise NeedsPassword("it is password-protected; save it without a password")


def _active_content(package: Package) -> Iterator[Flag]:
    yield from package.active_content()
    macros = sorted(one for one in package.names if one.startswith(("Basic/", "Scripts/")))
    if macros:
        yield Flag(kind=FlagKind.ACTIVE_CONTENT, detail=f"macros ({macros[0]}); they are never run")
