"""Lay out a sample as a PDF with running header and footer (needs reportlab)."""

from collections.abc import Callable
from functools import partial
from io import BytesIO
from typing import Any
from xml.sax.saxutils import escape

from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.platypus import (
    BaseDocTemplate,
    CondPageBreak,
    Frame,
    KeepTogether,
    PageTemplate,
    Paragraph,
    Spacer,
    Table,
)
from sample_text import Block, SampleText

MARGIN = 20 * mm
TEXT_WIDTH = A4[0] - 2 * MARGIN
STEP_INDENT = 14 * mm
NOTICE_COLOURS = {"warning": colors.Color(0.72, 0.1, 0.1), "caution": colors.Color(0.8, 0.5, 0.0)}
HEADER_FILL = colors.Color(0.88, 0.91, 0.94)

BODY = ParagraphStyle("body", fontName="Helvetica", fontSize=9.5, leading=13, spaceAfter=5)
CELL = ParagraphStyle("cell", parent=BODY, fontSize=8.5, leading=10.5, spaceAfter=0)
HEAD_CELL = ParagraphStyle("head-cell", parent=CELL, fontName="Helvetica-Bold")
CAPTION = ParagraphStyle("caption", parent=HEAD_CELL, spaceBefore=4, spaceAfter=3, keepWithNext=1)
TITLE = ParagraphStyle("title", fontName="Helvetica-Bold", fontSize=17, leading=21, spaceAfter=8)
HEADING_1 = ParagraphStyle(
    "h1", fontName="Helvetica-Bold", fontSize=13, leading=16, spaceBefore=9, spaceAfter=4,
    keepWithNext=1,
)  # fmt: skip
HEADING_2 = ParagraphStyle("h2", parent=HEADING_1, fontSize=10.5, leading=13, spaceBefore=6)
STEP = ParagraphStyle("step", parent=BODY, leftIndent=STEP_INDENT, bulletIndent=0)
BULLET = ParagraphStyle("bullet", parent=BODY, leftIndent=8 * mm, bulletIndent=3 * mm, spaceAfter=3)


def build_pdf(sample: SampleText) -> bytes:
    """Return the PDF; the first of two passes counts the pages for "Page x of y"."""
    _, total = _render(sample, total_pages=0)
    data, _ = _render(sample, total_pages=total)
    return data


def _render(sample: SampleText, total_pages: int) -> tuple[bytes, int]:
    """Lay out the document once and return its bytes and its number of pages."""
    buffer = BytesIO()
    meta = sample.meta
    document = BaseDocTemplate(
        buffer, pagesize=A4, invariant=1, author=meta["author"], subject=meta["subject"],
        title=f"{meta['number']} {meta['title']}", lang="en",
    )  # fmt: skip
    frame = Frame(MARGIN, 22 * mm, TEXT_WIDTH, A4[1] - 46 * mm, 0, 0, 0, 0)
    decorate = partial(_draw_running_lines, meta, total_pages)
    document.addPageTemplates(PageTemplate(frames=[frame], onPage=decorate))
    document.build(_story(sample))
    return buffer.getvalue(), int(document.page)


def _draw_running_lines(meta: dict[str, str], total_pages: int, canvas: Any, document: Any) -> None:
    """Draw the header and the footer of one page."""
    right, top, bottom = A4[0] - MARGIN, A4[1] - 15 * mm, 14 * mm
    canvas.setFont("Helvetica", 8)
    canvas.drawString(MARGIN, top, meta["company"])
    canvas.drawRightString(right, top, f"{meta['number']} Revision {meta['revision']}")
    canvas.drawString(MARGIN, bottom, meta["notice"])
    canvas.drawRightString(right, bottom, f"Page {document.page} of {total_pages}")
    canvas.setLineWidth(0.5)
    canvas.line(MARGIN, top - 2 * mm, right, top - 2 * mm)
    canvas.line(MARGIN, bottom + 4 * mm, right, bottom + 4 * mm)


def _story(sample: SampleText) -> list[Any]:
    """Return the flowables of the document."""
    story: list[Any] = [Paragraph(escape(sample.meta["title"]), TITLE), _control_table(sample)]
    for block in sample.blocks:
        story.extend(RENDERERS[block.kind](block))
    return story


def _control_table(sample: SampleText) -> Any:
    """Return the title block: two label and value pairs in each row."""
    styles = (HEAD_CELL, CELL, HEAD_CELL, CELL)
    rows = [
        [Paragraph(escape(text), style) for text, style in zip(row, styles, strict=True)]
        for row in sample.control
    ]
    return _ruled(rows, [34 * mm, 56 * mm, 28 * mm, 52 * mm])


def _ruled(rows: list[list[Any]], widths: list[float], *commands: Any, repeat: int = 0) -> Any:
    """Return a table with ruled cells."""
    grid = ("GRID", (0, 0), (-1, -1), 0.5, colors.black)
    middle = ("VALIGN", (0, 0), (-1, -1), "MIDDLE")
    return Table(rows, widths, style=[grid, middle, *commands], repeatRows=repeat)


def _heading(style: ParagraphStyle, block: Block) -> list[Any]:
    return [CondPageBreak(30 * mm), Paragraph(escape(block.text), style)]


def _paragraph(block: Block) -> list[Any]:
    return [Paragraph(escape(block.text), BODY)]


def _bullet(block: Block) -> list[Any]:
    return [Paragraph(escape(block.text), BULLET, bulletText="\u2022")]


def _step(block: Block) -> list[Any]:
    return [Paragraph(escape(block.text), STEP, bulletText=block.number)]


def _notice(block: Block) -> list[Any]:
    """Return a box with the word WARNING or CAUTION above the text."""
    colour = NOTICE_COLOURS[block.kind]
    label = ParagraphStyle("label", parent=HEAD_CELL, textColor=colour, alignment=1, spaceAfter=3)
    content = [Paragraph(block.kind.upper(), label), Paragraph(escape(block.text), CELL)]
    frame = ("BOX", (0, 0), (-1, -1), 1.5, colour)
    padding = [(f"{side}PADDING", (0, 0), (-1, -1), 6) for side in ("TOP", "BOTTOM", "LEFT")]
    box = Table([[content]], [TEXT_WIDTH - 10 * mm], style=[frame, *padding])
    return [KeepTogether([Spacer(1, 2 * mm), box, Spacer(1, 3 * mm)])]


def _table(block: Block) -> list[Any]:
    """Return the caption and a ruled table whose first row is the header."""
    rows = [
        [Paragraph(escape(cell), HEAD_CELL if index == 0 else CELL) for cell in row]
        for index, row in enumerate(block.rows)
    ]
    fill = ("BACKGROUND", (0, 0), (-1, 0), HEADER_FILL)
    table = _ruled(rows, [width * mm for width in block.widths], fill, repeat=1)
    return [Paragraph(escape(block.text), CAPTION), table, Spacer(1, 4 * mm)]


RENDERERS: dict[str, Callable[[Block], list[Any]]] = {
    "h1": partial(_heading, HEADING_1),
    "h2": partial(_heading, HEADING_2),
    "p": _paragraph,
    "bullet": _bullet,
    "step": _step,
    "warning": _notice,
    "caution": _notice,
    "table": _table,
}
