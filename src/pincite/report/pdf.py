"""A report as PDF with embedded fonts."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from reportlab.lib import colors
from reportlab.lib.enums import TA_RIGHT
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.platypus import Paragraph as Flowing
from reportlab.platypus import SimpleDocTemplate, Spacer
from reportlab.platypus import Table as FlowingTable

from pincite.report.fonts import FOLDERS, Fonts
from pincite.report.layout import Block, Heading, Look, Paragraph, Table, Words
from pincite.report.right_to_left import (
    END_OF_ISOLATE,
    LEFT_TO_RIGHT_ISOLATE,
    has_right_to_left,
    joined,
    reads_right_to_left,
    visual,
)

_MARGIN = 20 * mm
_WIDTH = A4[0] - 2 * _MARGIN - 12
"""In points; the frame has a padding of six on each side."""
_LINK = "#0b5394"
_INDENT, _CELL_PADDING = 14.0, 4.0
_NARROW, _WIDE, _WIDEST = 0.14, 0.3, 0.42
_DIGEST_CHARS = 64
_OUTLINED_LEVELS = 2
"""The title and the sections."""


def pdf_file(
    blocks: Sequence[Block], *, fonts: Sequence[Path] = (), folders: Sequence[str] = FOLDERS
) -> tuple[bytes, list[str]]:
    """The bytes of the file, and notices about characters that it cannot show."""
    drawing = _Drawing(Fonts(fonts, folders))
    story = [flowing for block in blocks for flowing in drawing.flowing(block)]
    notices = drawing.fonts.notices()
    for notice in reversed(notices):
        story[2:2] = drawing.flowing(
            Paragraph(words=(Words(text=f"About this PDF: {notice}."),), look=Look.NOTE)
        )
    title = next((block.text for block in blocks if isinstance(block, Heading)), "Report")
    file = io.BytesIO()
    document = _Outlined(
        file,
        pagesize=A4,
        leftMargin=_MARGIN,
        rightMargin=_MARGIN,
        topMargin=_MARGIN,
        bottomMargin=_MARGIN,
        title=title,
        author="Pincite",
        invariant=1,
    )
    footer = _footer(drawing.fonts.regular)
    document.build(story, onFirstPage=footer, onLaterPages=footer)
    return file.getvalue(), notices


class _Outlined(SimpleDocTemplate):  # type: ignore[misc]
    """A document whose headings form the outline in PDF viewers."""

    def afterFlowable(self, flowable: Any) -> None:  # noqa: N802  (reportlab's name)
        """Called by reportlab after each flowable."""
        heading = getattr(flowable, "pincite_heading", None)
        if heading is None or heading.level > _OUTLINED_LEVELS:
            return
        key = f"heading-{self.canv.getPageNumber()}-{heading.text}"
        self.canv.bookmarkPage(key)
        self.canv.addOutlineEntry(heading.text, key, level=heading.level - 1, closed=False)


def _footer(font: str) -> Callable[[Any, Any], None]:
    def draw(canvas: Any, document: Any) -> None:
        canvas.setFont(font, 8)
        canvas.setFillColor(colors.grey)
        canvas.drawRightString(A4[0] - _MARGIN, 10 * mm, str(document.page))

    return draw


class _Drawing:
    """Turns blocks into reportlab's flowables."""

    def __init__(self, fonts: Fonts) -> None:
        self.fonts = fonts
        text = ParagraphStyle("text", fontName=fonts.regular, fontSize=10, leading=14, spaceAfter=5)
        small = ParagraphStyle(
            "small", parent=text, fontSize=8.5, leading=11.5, textColor=colors.HexColor("#555555")
        )
        self._styles = {
            Look.TEXT: text,
            Look.SMALL: small,
            Look.NEAR: ParagraphStyle("near", parent=small, leftIndent=_INDENT),
            Look.ITEM: ParagraphStyle("item", parent=text, leftIndent=_INDENT, bulletIndent=3),
            Look.REFERENCE: ParagraphStyle("reference", parent=text, fontSize=8.5, leading=11.5),
            Look.NOTE: ParagraphStyle(
                "note", parent=text, backColor=colors.HexColor("#fdf3dc"), borderPadding=4,
                spaceBefore=6, spaceAfter=9,
            ),
        }  # fmt: skip
        self._headings = {
            level: ParagraphStyle(
                f"h{level}", parent=text, fontName=fonts.bold, fontSize=size, leading=size * 1.3,
                spaceBefore=before, spaceAfter=5, keepWithNext=True,
            )
            for level, size, before in ((1, 18, 0), (2, 13, 14), (3, 10.5, 8))
        }  # fmt: skip
        self._cell = ParagraphStyle("cell", parent=text, fontSize=8, leading=10, spaceAfter=0)

    def flowing(self, block: Block) -> list[Any]:
        """The flowables for a block."""
        if isinstance(block, Table):
            return [self._table(block), Spacer(1, 8)]
        if isinstance(block, Heading):
            style = self._headings[block.level]
            made = self._paragraph((Words(text=block.text),), style, _WIDTH, bold=True)
            made.pincite_heading = block
            return [made]
        style = self._styles[block.look]
        room = _WIDTH - style.leftIndent
        bullet = "•" if block.look is Look.ITEM else None
        anchor = f'<a name="quote-{block.reference}"/>' if block.reference else ""
        return [self._paragraph(block.words, style, room, anchor=anchor, bullet=bullet)]

    def _paragraph(
        self,
        words: Sequence[Words],
        style: ParagraphStyle,
        room: float,
        *,
        bold: bool = False,
        anchor: str = "",
        bullet: str | None = None,
    ) -> Any:
        if has_right_to_left("".join(one.text for one in words)):
            return self._turned(words, style, room, bold=bold, anchor=anchor, bullet=bullet)
        marked = "".join(self._marked(one, bold=bold) for one in words)
        return Flowing(anchor + marked, style, bulletText=bullet)

    def _marked(self, words: Words, *, bold: bool) -> str:
        text = self._in_fonts(words.text, bold=bold)
        if not words.quotes:
            return text
        return f'<a href="#quote-{words.quotes[0]}" color="{_LINK}">{text}</a>'

    def _in_fonts(self, text: str, *, bold: bool) -> str:
        return "".join(
            f'<font name="{font}">{escape(run)}</font>'
            for font, run in self.fonts.runs(text, bold=bold)
        )

    def _turned(
        self,
        words: Sequence[Words],
        style: ParagraphStyle,
        room: float,
        *,
        bold: bool,
        anchor: str,
        bullet: str | None,
    ) -> Any:
        """A right-to-left paragraph: broken into lines here, since each is then put in visual order."""
        text = "".join(
            f"{LEFT_TO_RIGHT_ISOLATE}{one.text}{END_OF_ISOLATE}" if one.quotes else one.text
            for one in words
        )
        from_the_right = reads_right_to_left(text)
        lines = [
            self._in_fonts(visual(line, from_the_right=from_the_right), bold=bold)
            for line in self._lines(joined(text), style, room, bold=bold)
        ]
        if from_the_right:
            style = ParagraphStyle(f"{style.name}-right", parent=style, alignment=TA_RIGHT)
            bullet = None
        return Flowing(anchor + "<br/>".join(lines), style, bulletText=bullet)

    def _lines(self, text: str, style: ParagraphStyle, room: float, *, bold: bool) -> Iterator[str]:
        """Text broken at spaces into lines that fit."""
        line, width = "", 0.0
        for word in text.split(" "):
            more = self._width(f" {word}" if line else word, style.fontSize, bold=bold)
            if line and width + more > room - 1:
                yield line
                line, width = word, self._width(word, style.fontSize, bold=bold)
            else:
                line, width = f"{line} {word}" if line else word, width + more
        if line:
            yield line

    def _width(self, text: str, size: float, *, bold: bool) -> float:
        return sum(
            float(stringWidth(run, font, size)) for font, run in self.fonts.runs(text, bold=bold)
        )

    def _table(self, block: Table) -> Any:
        widths = _widths(block)
        rows = [
            [
                self._paragraph(
                    (Words(text=cell),), self._cell, width - 2 * _CELL_PADDING, bold=number == 0
                )
                for cell, width in zip(row, widths, strict=True)
            ]
            for number, row in enumerate((block.names, *block.rows))
        ]
        return FlowingTable(
            rows,
            colWidths=widths,
            repeatRows=1,
            hAlign="LEFT",
            style=[
                ("GRID", (0, 0), (-1, -1), 0.5, colors.HexColor("#bbbbbb")),
                ("VALIGN", (0, 0), (-1, -1), "TOP"),
                ("LEFTPADDING", (0, 0), (-1, -1), _CELL_PADDING),
                ("RIGHTPADDING", (0, 0), (-1, -1), _CELL_PADDING),
            ],
        )


def _widths(block: Table) -> list[float]:
    """Widths of the columns in points: wide for names and checksums, narrow for numbers."""
    columns = list(zip(*block.rows, strict=True)) or [()] * len(block.names)
    shares = [
        _WIDEST
        if any(len(cell) >= _DIGEST_CHARS for cell in column)
        else (_NARROW if place else _WIDE)
        for place, column in enumerate(columns)
    ]
    return [_WIDTH * share / sum(shares) for share in shares]
