"""A report as a Word document (DOCX)."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from docx import Document
from docx.enum.table import WD_TABLE_ALIGNMENT
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.shared import Pt, RGBColor

from pincite.report.layout import Block, Heading, Look, Paragraph, Table
from pincite.report.right_to_left import reads_right_to_left

_LATIN = "Calibri"
_GREY = RGBColor(0x55, 0x55, 0x55)
_AMBER = RGBColor(0x8A, 0x5A, 0x00)
_LONG_AGO = datetime(1980, 1, 1)
_AFTER_BIDI = ("w:adjustRightInd", "w:snapToGrid", "w:spacing", "w:ind", "w:jc", "w:rPr")
"""Properties of a paragraph that must come after `w:bidi`."""
_MARK = "\N{LEFT-TO-RIGHT MARK}"
_LINK = RGBColor(0x0B, 0x53, 0x94)


def word_file(blocks: Sequence[Block]) -> bytes:
    """The bytes of the file; the same blocks give the same bytes."""
    document = Document()
    style = document.styles["Normal"]
    style.font.name, style.font.size = _LATIN, Pt(11)
    for block in blocks:
        if isinstance(block, Heading):
            heading = document.add_heading(block.text, level=block.level - 1)
            _set_direction(heading, block.text)
        elif isinstance(block, Table):
            _add_table(document, block)
        else:
            _add_paragraph(document, block)
    title = next((block.text for block in blocks if isinstance(block, Heading)), "Report")
    properties = document.core_properties
    properties.title, properties.author, properties.comments = title[:255], "Pincite", ""
    properties.created = properties.modified = _LONG_AGO
    file = io.BytesIO()
    document.save(file)
    return _undated(file.getvalue())


def _add_paragraph(document: Any, block: Paragraph) -> None:
    paragraph = document.add_paragraph(style="List Bullet" if block.look is Look.ITEM else None)
    is_turned = reads_right_to_left("".join(words.text for words in block.words))
    for number, words in enumerate(block.words):
        if words.quotes and not block.reference:
            mark = f"{words.text[0]}{_MARK}{words.text[1:-1]}{_MARK}{words.text[-1]}"
            _add_link(paragraph, mark if is_turned else words.text, f"quote_{words.quotes[0]}")
            continue
        run = paragraph.add_run(words.text)
        _style(run, block.look)
        if block.reference and number == 0:
            _add_bookmark(paragraph, run, f"quote_{block.reference}", block.reference)
    if block.look is not Look.TEXT:
        paragraph.paragraph_format.space_after = Pt(3)
    if block.look is Look.NEAR:
        paragraph.paragraph_format.left_indent = Pt(14)
    _set_direction(paragraph, "".join(words.text for words in block.words))


def _style(run: Any, look: Look) -> None:
    if look in (Look.SMALL, Look.NEAR, Look.REFERENCE):
        run.font.size = Pt(9)
    if look in (Look.SMALL, Look.NEAR):
        run.font.color.rgb = _GREY
    run.italic = look is Look.NEAR or None
    if look is Look.NOTE:
        run.bold, run.font.color.rgb = True, _AMBER


def _set_direction(paragraph: Any, text: str) -> None:
    """Set the direction of paragraphs in Hebrew or Arabic."""
    if not reads_right_to_left(text):
        return
    paragraph._p.get_or_add_pPr().insert_element_before(OxmlElement("w:bidi"), *_AFTER_BIDI)
    for run in paragraph.runs:
        run.font.rtl = True


def _add_link(paragraph: Any, text: str, bookmark: str) -> None:
    link = OxmlElement("w:hyperlink")
    link.set(qn("w:anchor"), bookmark)
    run = paragraph.add_run(text)
    run.font.color.rgb = _LINK
    link.append(run._r)
    paragraph._p.append(link)


def _add_bookmark(paragraph: Any, run: Any, name: str, number: int) -> None:
    start, end = OxmlElement("w:bookmarkStart"), OxmlElement("w:bookmarkEnd")
    for mark in (start, end):
        mark.set(qn("w:id"), str(number))
    start.set(qn("w:name"), name)
    run._r.addprevious(start)
    paragraph._p.append(end)


def _add_table(document: Any, block: Table) -> None:
    table = document.add_table(rows=1, cols=len(block.names), style="Table Grid")
    table.alignment = WD_TABLE_ALIGNMENT.LEFT
    for cell, name in zip(table.rows[0].cells, block.names, strict=True):
        _fill(cell, name, is_bold=True)
    for row in block.rows:
        for cell, text in zip(table.add_row().cells, row, strict=True):
            _fill(cell, text)
    document.add_paragraph()


def _fill(cell: Any, text: str, *, is_bold: bool = False) -> None:
    run = cell.paragraphs[0].add_run(text)
    run.font.size, run.bold = Pt(8.5), is_bold
    _set_direction(cell.paragraphs[0], text)


def _undated(content: bytes) -> bytes:
    """The archive with a fixed date for all parts, so that it is reproducible."""
    made = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(content)) as old,
        zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for name in old.namelist():
            part = zipfile.ZipInfo(name, date_time=_LONG_AGO.timetuple()[:6])
            part.compress_type = zipfile.ZIP_DEFLATED
            new.writestr(part, old.read(name))
    return made.getvalue()
