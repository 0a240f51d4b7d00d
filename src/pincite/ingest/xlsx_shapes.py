"""Finds the text of boxes and shapes that are drawn over the cells of a sheet.

openpyxl reads neither, and drops them without a word.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lxml import etree

from pincite.ingest.drawing_text import A, paragraph_text
from pincite.ingest.package import Package, whole_number
from pincite.ingest.xlsx_cells import address

_S = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_DRAWN = "{http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing}"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"


@dataclass(frozen=True, slots=True, kw_only=True)
class ShapeText:
    """A paragraph in a shape, and the address of the cell where the shape begins."""

    text: str
    place: str
    is_hidden: bool


def sheet_parts(package: Package) -> dict[str, str]:
    """The part of each sheet, by the sheet's name."""
    main = package.main_part()
    targets = {relation.id: relation.target for relation in package.relations(main)}
    sheets = package.xml(main).iter(f"{_S}sheet")
    return {node.get("name") or "": targets.get(node.get(f"{_R}id") or "", "") for node in sheets}


def drawings_of(package: Package, part: str) -> list[str]:
    """The names of the parts that hold what is drawn over a sheet."""
    return [
        relation.target
        for relation in package.relations(part)
        if relation.kind == "drawing" and relation.target in package.names
    ]


def shape_texts(drawing: etree._Element) -> Iterator[ShapeText]:
    """The paragraphs of all shapes of a drawing, in the order in which they are drawn."""
    for anchor in drawing:
        for shape in anchor.iter(f"{_DRAWN}sp"):
            if any(shape.iterancestors(_FALLBACK)):
                continue  # the same shape once more, for old programs
            name = shape.find(f"{_DRAWN}nvSpPr/{_DRAWN}cNvPr")
            for paragraph in shape.iterfind(f"{_DRAWN}txBody/{A}p"):
                yield ShapeText(
                    text=paragraph_text(paragraph),
                    place=_begins_at(anchor),
                    is_hidden=name is not None and name.get("hidden") in ("1", "true"),
                )


def _begins_at(anchor: etree._Element) -> str:
    """The cell under the corner of a shape; empty where it stands free of the cells."""
    row = anchor.findtext(f"{_DRAWN}from/{_DRAWN}row")
    column = anchor.findtext(f"{_DRAWN}from/{_DRAWN}col")
    if row is None or column is None:
        return ""
    # Counted from 0 in the file; Excel has 16,384 columns.
    return address(whole_number(row, 0) + 1, min(whole_number(column, 0), 16_383) + 1)
