"""Tells what role a Word paragraph has, from its style and numbering."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from docx.document import Document as WordDocument
from docx.opc.constants import RELATIONSHIP_TYPE
from lxml import etree

from pincite.document import BlockKind
from pincite.ingest.docx_text import W, parse_part

# Style ids are translated in other languages, the names Word stores for built-in styles are not.
_HEADING_NAME = re.compile(r"heading ([1-9])$", re.IGNORECASE)
_LONGEST_STYLE_CHAIN = 20
_BODY_TEXT_LEVEL = 9


@dataclass(frozen=True, slots=True, kw_only=True)
class Role:
    """What a paragraph is; `level` is set for headings only (the title has level 0)."""

    kind: BlockKind
    level: int | None = None


class ParagraphRoles:
    """Looks up the roles of one document's paragraphs."""

    def __init__(self, word: WordDocument) -> None:
        self._styles = {
            style.get(f"{W}styleId"): style
            for part in word.part.rels.values()
            if part.reltype == RELATIONSHIP_TYPE.STYLES and not part.is_external
            for style in _parsed(part.target_part.blob)
            if style.tag == f"{W}style"
        }
        self._of_style: dict[str | None, Role] = {}

    def of(self, paragraph: etree._Element) -> Role:
        """The role of one paragraph."""
        properties = paragraph.find(f"{W}pPr")
        if properties is None:
            return Role(kind=BlockKind.PARAGRAPH)
        own = _own_role(properties)
        if own is not None and own.level is not None:
            return own
        style = properties.find(f"{W}pStyle")
        styled = self._style_role(style.get(f"{W}val")) if style is not None else None
        if styled is not None and styled.kind is not BlockKind.PARAGRAPH:
            return styled
        return own or Role(kind=BlockKind.PARAGRAPH)

    def _style_role(self, style_id: str | None) -> Role:
        if style_id not in self._of_style:
            self._of_style[style_id] = self._find_style_role(style_id)
        return self._of_style[style_id]

    def _find_style_role(self, style_id: str | None) -> Role:
        """The role of a style or of the nearest style it is based on."""
        for _ in range(_LONGEST_STYLE_CHAIN):  # a damaged file may base styles on each other
            style = self._styles.get(style_id)
            if style is None:
                break
            role = _named_role(_value(style, "name") or "")
            properties = style.find(f"{W}pPr")
            if role is None and properties is not None:
                role = _own_role(properties)
            if role is not None:
                return role
            style_id = _value(style, "basedOn")
        return Role(kind=BlockKind.PARAGRAPH)


def _parsed(part: bytes) -> Iterable[etree._Element]:
    try:
        return list(parse_part(part))
    except etree.XMLSyntaxError:
        return ()  # without styles every paragraph is a plain one; the text is what counts


def _named_role(name: str) -> Role | None:
    heading = _HEADING_NAME.match(name)
    if heading:
        return Role(kind=BlockKind.HEADING, level=int(heading[1]))
    if name.lower() == "title":
        return Role(kind=BlockKind.HEADING, level=0)
    if re.match(r"(html preformatted|source code|code|plain text$)", name, re.IGNORECASE):
        return Role(kind=BlockKind.CODE)
    if name.lower().startswith("list") and not name.lower().startswith("list paragraph"):
        return Role(kind=BlockKind.LIST_ITEM)
    return None


def _own_role(properties: etree._Element) -> Role | None:
    """What a paragraph's or a style's own properties say: an outline level or a list number."""
    level = _value(properties, "outlineLvl")
    if level is not None and level.isdigit() and int(level) < _BODY_TEXT_LEVEL:
        return Role(kind=BlockKind.HEADING, level=int(level) + 1)
    number = properties.find(f"{W}numPr")
    # List number 0 takes a paragraph out of the list its style is in.
    if number is not None and _value(number, "numId") not in (None, "0"):
        return Role(kind=BlockKind.LIST_ITEM)
    return None


def _value(node: etree._Element, name: str) -> str | None:
    child = node.find(f"{W}{name}")
    return child.get(f"{W}val") if child is not None else None
