"""Reads what the sheets of a workbook share: its list of sheets, its strings and its formats."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lxml import etree

from pincite.errors import ReadError
from pincite.ingest.number_format import BUILT_IN
from pincite.ingest.package import Package, Relation, elements, whole_number

S = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetPart:
    """One sheet of a workbook: its name, its part, and whether its tab is shown."""

    name: str
    part: str
    hidden: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CellStyle:
    """How the cells of one style show numbers, and whether they are set in bold."""

    format: str = "General"
    bold: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Workbook:
    """What all sheets need."""

    sheets: tuple[SheetPart, ...]
    strings: tuple[str, ...]
    styles: tuple[CellStyle, ...]
    epoch_1904: bool


def read_workbook(package: Package) -> Workbook:
    """The workbook's own parts. Raises ReadError when it has no list of sheets."""
    main = package.main_part()
    root = package.xml(main)
    relations = {relation.id: relation for relation in package.relations(main)}
    kinds = {relation.kind: relation.target for relation in relations.values()}
    properties = root.find(f"{S}workbookPr")
    sheets = tuple(_sheets(root, relations))
    if not sheets:
        raise ReadError("the workbook has no sheets of cells; open it in Excel and save it anew")
    return Workbook(
        sheets=sheets,
        strings=tuple(_strings(package, kinds.get("sharedStrings"))),
        styles=tuple(_styles(package, kinds.get("styles"))),
        epoch_1904=properties is not None and properties.get("date1904") in ("1", "true"),
    )


def string_of(node: etree._Element) -> str:
    """The text of a string with its formatted runs; reading aids (furigana) left out."""
    return "".join(
        child.text or ""
        for part in elements(node)
        for child in ([part] if part.tag == f"{S}t" else elements(part))
        if child.tag == f"{S}t" and part.tag != f"{S}rPh"
    )


def _sheets(root: etree._Element, relations: dict[str, Relation]) -> Iterator[SheetPart]:
    for node in root.iter(f"{S}sheet"):
        relation = relations.get(node.get(f"{R}id") or "")
        if relation is not None and relation.kind == "worksheet":
            hidden = node.get("state") in ("hidden", "veryHidden")
            yield SheetPart(name=node.get("name") or "Sheet", part=relation.target, hidden=hidden)


def _strings(package: Package, part: str | None) -> Iterator[str]:
    if part in package.names and part is not None:
        for node in package.xml(part).iterchildren(f"{S}si"):
            yield string_of(node)


def _styles(package: Package, part: str | None) -> Iterator[CellStyle]:
    if part is None or part not in package.names:
        return
    root = package.xml(part)
    formats = dict(BUILT_IN)
    for node in root.iterfind(f"{S}numFmts/{S}numFmt"):
        number = node.get("numFmtId") or ""
        if number.isdigit():
            formats[int(number)] = node.get("formatCode") or "General"
    bold = [_is_bold(font) for font in root.iterfind(f"{S}fonts/{S}font")]
    for node in root.iterfind(f"{S}cellXfs/{S}xf"):
        number, font = whole_number(node.get("numFmtId"), 0), whole_number(node.get("fontId"), 0)
        yield CellStyle(format=formats.get(number, "General"), bold=font < len(bold) and bold[font])


def _is_bold(font: etree._Element) -> bool:
    node = font.find(f"{S}b")
    return node is not None and node.get("val") not in ("0", "false")
