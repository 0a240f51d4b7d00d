"""Reads the pages of a PDF one by one: lines in reading order, tables, hidden text and gaps."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pypdfium2
import pypdfium2.raw as pdfium

from pincite.ingest.pdf.checks import PageChecks
from pincite.ingest.pdf.drawing import PageDrawing, Rule, page_drawing, strike_out
from pincite.ingest.pdf.hidden import OUTSIDE, HiddenText, HiddenWords
from pincite.ingest.pdf.labels import FieldKind, FormField, take_fields, with_labelled_values
from pincite.ingest.pdf.order import in_order_of_reading
from pincite.ingest.pdf.page_words import PageWords
from pincite.ingest.pdf.report import DAMAGED, UNMAPPED
from pincite.ingest.pdf.ruled_tables import cut_into_segments, ruled_grids, take_ruled_tables
from pincite.ingest.pdf.scans import ScannedPages
from pincite.ingest.pdf.text_layer import TextLayer
from pincite.ingest.pdf.words import Item, PageFrame, Rectangle, Row, Table, Word, lines_of
from pincite.ingest.reading import ReadingOptions

# Reads annotations: comments and the contents of form fields.

_MOST_ANNOTATIONS = 2000
_MOST_CHARACTERS = 20_000
_HIDDEN = 1 << 1
_NOT_VIEWED = 1 << 5
_COMMENTS = {
    pdfium.FPDF_ANNOT_TEXT,
    pdfium.FPDF_ANNOT_FREETEXT,
    pdfium.FPDF_ANNOT_HIGHLIGHT,
    pdfium.FPDF_ANNOT_UNDERLINE,
    pdfium.FPDF_ANNOT_SQUIGGLY,
    pdfium.FPDF_ANNOT_STRIKEOUT,
    pdfium.FPDF_ANNOT_STAMP,
    pdfium.FPDF_ANNOT_CARET,
    pdfium.FPDF_ANNOT_INK,
    pdfium.FPDF_ANNOT_SQUARE,
    pdfium.FPDF_ANNOT_CIRCLE,
    pdfium.FPDF_ANNOT_LINE,
    pdfium.FPDF_ANNOT_POLYGON,
}
_TEXT_FIELDS = {
    pdfium.FPDF_FORMFIELD_TEXTFIELD,
    pdfium.FPDF_FORMFIELD_COMBOBOX,
    pdfium.FPDF_FORMFIELD_LISTBOX,
}
_BOXES = {pdfium.FPDF_FORMFIELD_CHECKBOX, pdfium.FPDF_FORMFIELD_RADIOBUTTON}
_TICKED, _NOT_TICKED = "☒", "☐"


@dataclass(frozen=True, slots=True)
class Note:
    """The text of one annotation, and its position on the page."""

    text: str
    place: Rectangle


def has_fields(page: pypdfium2.PdfPage) -> bool:
    """Whether a page has fields of a form, filled in or not."""
    for number in range(min(pdfium.FPDFPage_GetAnnotCount(page.raw), _MOST_ANNOTATIONS)):
        annotation = pdfium.FPDFPage_GetAnnot(page.raw, number)
        if not annotation:
            continue
        kind = pdfium.FPDFAnnot_GetSubtype(annotation)
        pdfium.FPDFPage_CloseAnnot(annotation)
        if kind == pdfium.FPDF_ANNOT_WIDGET:
            return True
    return False


def page_notes(page: pypdfium2.PdfPage, frame: PageFrame) -> Iterator[Note | FormField | Rule]:
    """The comments and filled form fields of a page, and lines through what it strikes out."""
    for index in range(min(pdfium.FPDFPage_GetAnnotCount(page.raw), _MOST_ANNOTATIONS)):
        annotation = pdfium.FPDFPage_GetAnnot(page.raw, index)
        if not annotation:
            continue
        try:
            if _is_hidden(annotation):
                continue
            if pdfium.FPDFAnnot_GetSubtype(annotation) == pdfium.FPDF_ANNOT_STRIKEOUT:
                yield from _middles(annotation, frame)
            place = _place(annotation, frame)
            if (field := _field(annotation, page.formenv, place)) is not None:
                yield field
            elif text := _comment(annotation).strip():
                yield Note(text[:_MOST_CHARACTERS], place)
        finally:
            pdfium.FPDFPage_CloseAnnot(annotation)


def _middles(annotation: object, frame: PageFrame) -> Iterator[Rule]:
    """A line through the middle of each area of an annotation."""
    corners = pdfium.FS_QUADPOINTSF()
    count = min(pdfium.FPDFAnnot_CountAttachmentPoints(annotation), _MOST_ANNOTATIONS)
    for number in range(count):
        if pdfium.FPDFAnnot_GetAttachmentPoints(annotation, number, corners):
            xs = [corners.x1, corners.x2, corners.x3, corners.x4]
            ys = [corners.y1, corners.y2, corners.y3, corners.y4]
            x0, y0, x1, y1 = frame.place(min(xs), max(xs), min(ys), max(ys))
            yield Rule((y0 + y1) / 2, x0, x1)


def _is_hidden(annotation: object) -> bool:
    return bool(pdfium.FPDFAnnot_GetFlags(annotation) & (_HIDDEN | _NOT_VIEWED))


def _comment(annotation: object) -> str:
    if pdfium.FPDFAnnot_GetSubtype(annotation) not in _COMMENTS:
        return ""
    return _read(pdfium.FPDFAnnot_GetStringValue, annotation, b"Contents")


def _field(
    annotation: object, form: pypdfium2.PdfFormEnv | None, place: Rectangle
) -> FormField | None:
    """A text field or choice that is filled in, or a box whether it is ticked or not."""
    if form is None or pdfium.FPDFAnnot_GetSubtype(annotation) != pdfium.FPDF_ANNOT_WIDGET:
        return None
    kind = pdfium.FPDFAnnot_GetFormFieldType(form.raw, annotation)
    if kind in _BOXES:
        value = _TICKED if pdfium.FPDFAnnot_IsChecked(form.raw, annotation) else _NOT_TICKED
    elif kind in _TEXT_FIELDS:
        value = _read(pdfium.FPDFAnnot_GetFormFieldValue, form.raw, annotation).strip()
    else:
        return None
    if not value:
        return None
    name = _read(pdfium.FPDFAnnot_GetFormFieldAlternateName, form.raw, annotation)
    name = name or _read(pdfium.FPDFAnnot_GetFormFieldName, form.raw, annotation)
    if kind == pdfium.FPDF_FORMFIELD_RADIOBUTTON:
        choice = _read(pdfium.FPDFAnnot_GetFormFieldExportValue, form.raw, annotation)
        name = f"{name} {choice}".strip()
    return FormField(
        kind=FieldKind.BOX if kind in _BOXES else FieldKind.TEXT,
        value=value[:_MOST_CHARACTERS],
        name=name or "field",
        place=place,
    )


def _read(function: object, *arguments: object) -> str:
    """Calls a PDFium function that writes null-terminated UTF-16 text into a buffer."""
    assert callable(function)
    length = min(function(*arguments, None, 0), 4 * _MOST_CHARACTERS)
    if length <= 2:
        return ""
    buffer = (ctypes.c_ushort * (length // 2 + 1))()
    function(*arguments, buffer, length)
    return bytes(buffer)[: length - 2].decode("utf-16-le", "replace").replace("\r", "\n")


def _place(annotation: object, frame: PageFrame) -> Rectangle:
    corners = pdfium.FS_RECTF()
    pdfium.FPDFAnnot_GetRect(annotation, corners)
    left, right = sorted((corners.left, corners.right))
    bottom, top = sorted((corners.bottom, corners.top))
    x0, y0, x1, y1 = frame.place(left, right, bottom, top)
    # Viewers also list an annotation outside the page: it is placed at the edge.
    x0, y0 = min(x0, frame.width), min(y0, frame.height)
    return x0, y0, max(x0, x1), max(y0, y1)


# A few stray glyphs are normal; above this share the text of the page is garbage.
_UNMAPPED_SHARE_TO_TELL = 0.2
_SMALLEST_PICTURE = 36.0
_LEAST_PICTURE_SHARE = 0.01
# A picture under at least this many words is a background, or a scan with OCR text.
_WORDS_OF_A_SCAN = 5
_WHITE = 250
_LONGEST_LABEL = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class PageContent:
    """The content of one page; `blank` means that nothing at all is drawn on it.

    Positions are in `layout`: the displayed `frame` or, if the displayed text is sideways, the
    page before rotation.
    """

    number: int
    frame: PageFrame
    layout: PageFrame
    items: Sequence[Item] = ()
    hidden: Sequence[HiddenText] = ()
    notes: Sequence[Note] = ()
    label: str = ""
    images: int = 0
    gap: str = ""
    blank: bool = False


_NO_FRAME = PageFrame((0.0, 0.0, 0.0, 0.0), 0)


class PageSource:
    """Provides the content of each page; caches the pages sampled to learn the file's style."""

    def __init__(
        self,
        pdf: pypdfium2.PdfDocument,
        scans: ScannedPages,
        options: ReadingOptions,
        layer: TextLayer,
    ) -> None:
        self._pdf = pdf
        self._layer = layer
        self._scans = scans
        self._last = min(len(pdf), options.max_pages)
        self._on_page = options.on_page
        self._read_ahead: dict[int, PageContent] = {}

    def sample(self, count: int) -> Iterator[PageContent]:
        """Up to about `count` pages, spread over the file."""
        for number in range(1, self._last + 1, max(1, self._last // count)):
            self._read_ahead[number] = self._read(number)
            yield self._read_ahead[number]

    def pages(self) -> Iterator[PageContent]:
        """Every page in order."""
        for number in range(1, self._last + 1):
            known = self._read_ahead.pop(number, None)
            yield known if known is not None else self._read(number)

    def _read(self, number: int) -> PageContent:
        label = _label(self._pdf, number)
        try:
            page = self._pdf[number - 1]
        except pypdfium2.PdfiumError:
            return PageContent(
                number=number, frame=_NO_FRAME, layout=_NO_FRAME, label=label, gap=DAMAGED
            )
        try:
            return _content(page, number, label, self._scans, self._layer)
        except pypdfium2.PdfiumError:
            return PageContent(
                number=number, frame=_NO_FRAME, layout=_NO_FRAME, label=label, gap=DAMAGED
            )
        finally:
            page.close()
            self._on_page()


def _content(
    page: pypdfium2.PdfPage, number: int, label: str, scans: ScannedPages, layer: TextLayer
) -> PageContent:
    frame = PageFrame(page.get_bbox(), page.get_rotation())
    checks = PageChecks(page.raw, layer)
    text_page = page.get_textpage()
    try:
        words, found, layout = _words(text_page.raw, frame, checks)
    finally:
        text_page.close()
    drawing = page_drawing(page.raw, layout)
    hiding = HiddenWords(drawing, layout.width * layout.height)
    lines = hiding.take_from(found)
    annotations = list(page_notes(page, layout))
    struck = [rule for rule in annotations if isinstance(rule, Rule)]
    strike_out(lines, [*drawing.horizontal, *struck])
    notes = tuple(note for note in annotations if isinstance(note, Note))
    fields = [field for field in annotations if isinstance(field, FormField)]
    if words.unmapped or _shows_something(drawing):
        lines = scans.lines(number, page, lines, drawing.pictures)
    gap = UNMAPPED if _is_nonsense(words.unmapped, lines) else scans.gap(number)
    outside = (HiddenText(OUTSIDE, tuple(line)) for line in words.outside)
    return PageContent(
        number=number,
        frame=frame,
        layout=layout,
        items=_items(lines, drawing, fields),
        hidden=(*hiding.found, *outside),
        notes=notes,
        label=label,
        images=_unread_pictures(drawing, lines, layout),
        gap=gap,
        blank=not lines and not gap and not annotations,
    )


def _words(
    text_page: object, frame: PageFrame, checks: PageChecks
) -> tuple[PageWords, list[list[Word]], PageFrame]:
    """The words of a page by line, and the frame in which these lines are horizontal."""
    words = PageWords(text_page, frame, checks)
    lines = list(words.lines())
    if not frame.is_sideways:
        return words, lines, frame
    long = [word for line in lines for word in line if len(word.text) > 2]
    across = sum(word.x1 - word.x0 > word.y1 - word.y0 for word in long)
    if 2 * across < len(long):
        layout = frame.before_turning()
        words = PageWords(text_page, layout, checks)
        return words, list(words.lines()), layout
    # PDFium looks for lines on the unrotated page, where it finds columns of words instead.
    upright = [line.words for line in lines_of(word for line in lines for word in line)]
    return words, [sorted(line, key=lambda word: word.x0) for line in upright], frame


def _items(
    lines: list[list[Word]], drawing: PageDrawing, fields: Sequence[FormField]
) -> list[Item]:
    """The page's lines, form fields and ruled tables, in reading order."""
    lines, forms = take_fields(lines, fields)
    lines, tables = take_ruled_tables(lines, ruled_grids(drawing))
    starting: dict[int, list[Table]] = {}
    for position, table in (*forms, *tables):
        starting.setdefault(position, []).append(table)
    items: list[Item] = []
    stretch: list[Row] = []
    for position, line in enumerate([*lines, []]):
        if position in starting:
            items.extend(with_labelled_values(stretch))
            items.extend(starting[position])
            stretch = []
        stretch.extend(cut_into_segments(line))
    items.extend(with_labelled_values(stretch))
    return in_order_of_reading(items)


def _is_nonsense(unmapped: int, lines: list[list[Word]]) -> bool:
    if unmapped <= 0:
        return False
    return unmapped > _UNMAPPED_SHARE_TO_TELL * sum(len(w.text) for line in lines for w in line)


def _shows_something(drawing: PageDrawing) -> bool:
    coloured = any(area.colour is None or min(area.colour) < _WHITE for area in drawing.areas)
    return bool(coloured or drawing.pictures or drawing.horizontal or drawing.vertical)


def _unread_pictures(drawing: PageDrawing, lines: list[list[Word]], frame: PageFrame) -> int:
    """Pictures large enough to hold text, without text over them."""
    least = _LEAST_PICTURE_SHARE * frame.width * frame.height
    count = 0
    for x0, y0, x1, y1 in drawing.pictures:
        width, height = x1 - x0, y1 - y0
        if min(width, height) < _SMALLEST_PICTURE or width * height < least:
            continue
        over = sum(
            x0 <= (word.x0 + word.x1) / 2 <= x1 and y0 <= (word.y0 + word.y1) / 2 <= y1
            for line in lines
            for word in line
        )
        count += over < _WORDS_OF_A_SCAN
    return count


def _label(pdf: pypdfium2.PdfDocument, number: int) -> str:
    """The label of a page (`iv`, `A-3`); empty if it is just the page number."""
    buffer = (ctypes.c_ushort * _LONGEST_LABEL)()
    size = 2 * _LONGEST_LABEL
    length = pdfium.FPDF_GetPageLabel(pdf.raw, number - 1, buffer, size)
    if not 2 < length <= size:
        return ""
    label = bytes(buffer)[: length - 2].decode("utf-16-le", "replace").strip()
    return label if label != str(number) else ""
