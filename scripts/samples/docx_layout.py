"""Lay out a sample as a DOCX with heading styles, list styles and tables (needs python-docx)."""

import zipfile
from datetime import datetime
from io import BytesIO
from typing import Any

from docx import Document
from docx.enum.text import WD_ALIGN_PARAGRAPH
from docx.shared import Mm, Pt
from sample_text import Block, SampleText

DOCUMENT_DATE = datetime(2024, 9, 30, 12, 0, 0)
ARCHIVE_DATE = (1980, 1, 1, 0, 0, 0)
NOTE_SIZE = Pt(8.5)
FIGURE_TABLE_COLUMNS = 4
STYLES = {
    "title": "Title",
    "subtitle": "Subtitle",
    "h1": "Heading 1",
    "h2": "Heading 2",
    "h3": "Heading 3",
    "p": "Normal",
    "note": "Normal",
    "bullet": "List Bullet",
    "number": "List Number",
}


def build_docx(sample: SampleText) -> bytes:
    """Return the DOCX; equal content gives equal bytes."""
    document = Document()
    _set_properties(document, sample.meta)
    for block in sample.blocks:
        if block.kind == "table":
            _add_table(document, block)
        else:
            _add_paragraph(document, block)
    buffer = BytesIO()
    document.save(buffer)
    return _with_fixed_dates(buffer.getvalue())


def _set_properties(document: Any, meta: dict[str, str]) -> None:
    """Fill the core properties, with constant dates."""
    properties = document.core_properties
    properties.title = meta["title"]
    properties.subject = meta["subject"]
    properties.author = properties.last_modified_by = meta["author"]
    properties.comments = ""
    properties.created = properties.modified = DOCUMENT_DATE


def _add_paragraph(document: Any, block: Block) -> None:
    """Add a heading, a paragraph or a list item."""
    paragraph = document.add_paragraph(block.text, style=STYLES[block.kind])
    if block.kind == "note":
        paragraph.runs[0].font.size = NOTE_SIZE


def _add_table(document: Any, block: Block) -> None:
    """Add the caption and a ruled table whose first row is bold."""
    document.add_paragraph(block.text, style="Caption").paragraph_format.keep_with_next = True
    table = document.add_table(rows=0, cols=len(block.widths), style="Table Grid")
    table.autofit = False
    figures = len(block.widths) == FIGURE_TABLE_COLUMNS
    for row_index, row in enumerate(block.rows):
        for column, (cell, text) in enumerate(zip(table.add_row().cells, row, strict=True)):
            cell.width = Mm(block.widths[column])
            _fill_cell(cell, text, bold=row_index == 0, numeric=figures and column > 0)
    document.add_paragraph()


def _fill_cell(cell: Any, text: str, *, bold: bool, numeric: bool) -> None:
    """Write the text of one cell; figures stand at the right."""
    paragraph = cell.paragraphs[0]
    paragraph.add_run(text).bold = bold or None
    if numeric:
        paragraph.alignment = WD_ALIGN_PARAGRAPH.RIGHT


def _with_fixed_dates(archive: bytes) -> bytes:
    """Write the archive again with one constant date for all members."""
    target = BytesIO()
    with (
        zipfile.ZipFile(BytesIO(archive)) as old,
        zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for name in old.namelist():
            member = zipfile.ZipInfo(name, ARCHIVE_DATE)
            member.compress_type = zipfile.ZIP_DEFLATED
            member.create_system = 0
            new.writestr(member, old.read(name))
    return target.getvalue()
