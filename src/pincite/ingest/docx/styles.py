"""Determines a paragraph's role from its style and numbering."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from lxml import etree

from pincite.ingest.docx.text import RunStyles, W, is_off, value_of
from pincite.ingest.office.package import whole_number
from pincite.records.document import BlockKind

# Computes the automatic numbers of headings and list items ("3.2", "a)", "IV.").

_PLACEHOLDER = re.compile(r"%([1-9])")
_ROMAN = (
    *((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l")),
    *((40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i")),
)
_LEVELS = 9
_LARGEST_ROMAN = 4000


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberRef:
    """The list a paragraph belongs to, and its depth in it (0 is outermost)."""

    list_id: str
    level: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Level:
    format: str = "decimal"
    text: str = ""
    start: int = 1
    style: str | None = None
    legal: bool = False


@dataclass(slots=True)
class _List:
    """A list and its counters; lists based on the same pattern may share them."""

    levels: dict[int, _Level]
    counters: list[int | None] = field(default_factory=lambda: [None] * _LEVELS)


class Numbering:
    """The lists of one document; call `label` once per paragraph, in order."""

    def __init__(self, root: etree._Element | None) -> None:
        self._lists: dict[str, _List] = {}
        if root is None:
            return
        patterns = {
            node.get(f"{W}abstractNumId"): _levels(node) for node in root.iter(f"{W}abstractNum")
        }
        shared = {number: _List(levels) for number, levels in patterns.items()}
        for node in root.iterchildren(f"{W}num"):
            pattern = value_of(node, "abstractNumId")
            if pattern in shared:
                overrides = _overrides(node, patterns[pattern])
                # A list with its own starting numbers has its own counters.
                own = _List({**patterns[pattern], **overrides}) if overrides else shared[pattern]
                self._lists[node.get(f"{W}numId") or ""] = own

    def level_of_style(self, list_id: str, style_id: str | None) -> int:
        """The list level assigned to paragraphs of a style."""
        found = self._lists.get(list_id)
        levels = found.levels if found else {}
        return next((n for n, level in levels.items() if style_id and level.style == style_id), 0)

    def label(self, reference: NumberRef) -> str:
        """Count the next paragraph of a list and return its label; empty for bullets."""
        found = self._lists.get(reference.list_id)
        if found is None or not 0 <= reference.level < _LEVELS:
            return ""
        depth, counters = reference.level, found.counters
        level = found.levels.get(depth, _Level())
        count = counters[depth]
        counters[depth] = level.start if count is None else count + 1
        counters[depth + 1 :] = [None] * (_LEVELS - depth - 1)
        if level.format in ("bullet", "none"):
            return ""
        return _PLACEHOLDER.sub(lambda m: self._number(found, int(m[1]) - 1, level), level.text)

    def _number(self, found: _List, depth: int, shown_in: _Level) -> str:
        level = found.levels.get(depth, _Level())
        count = found.counters[depth]
        if count is None:
            count = found.counters[depth] = level.start
        return number_label(count, "decimal" if shown_in.legal else level.format)


def _levels(pattern: etree._Element) -> dict[int, _Level]:
    found = {}
    for node in pattern.iterchildren(f"{W}lvl"):
        found[whole_number(node.get(f"{W}ilvl"), 0)] = _Level(
            format=value_of(node, "numFmt") or "decimal",
            text=value_of(node, "lvlText") or "",
            start=whole_number(value_of(node, "start"), 1),
            style=value_of(node, "pStyle"),
            legal=node.find(f"{W}isLgl") is not None,
        )
    return found


def _overrides(number: etree._Element, levels: dict[int, _Level]) -> dict[int, _Level]:
    found = {}
    for node in number.iterchildren(f"{W}lvlOverride"):
        depth = whole_number(node.get(f"{W}ilvl"), 0)
        own = _levels(node).get(depth, levels.get(depth, _Level()))
        start = whole_number(value_of(node, "startOverride"), own.start)
        found[depth] = _Level(
            format=own.format, text=own.text, start=start, style=own.style, legal=own.legal
        )
    return found


def number_label(count: int, kind: str) -> str:
    """A number as Word writes it in a format such as `lowerRoman`."""
    if kind in ("lowerLetter", "upperLetter") and count > 0:
        # After z, Word continues with aa, bb.
        letters = chr(97 + (count - 1) % 26) * min((count - 1) // 26 + 1, 20)
        return letters.upper() if kind == "upperLetter" else letters
    if kind in ("lowerRoman", "upperRoman") and 0 < count < _LARGEST_ROMAN:
        roman = _roman(count)
        return roman.upper() if kind == "upperRoman" else roman
    if kind == "decimalZero":
        return f"{count:02d}"
    if kind == "ordinal":
        return f"{count}{_ordinal_ending(count)}"
    return str(count)


def _roman(count: int) -> str:
    written = ""
    for worth, letters in _ROMAN:
        times, count = divmod(count, worth)
        written += letters * times
    return written


def _ordinal_ending(count: int) -> str:
    if 10 <= count % 100 <= 20:
        return "th"
    return {1: "st", 2: "nd", 3: "rd"}.get(count % 10, "th")


# Word localises style ids, but not the stored names of built-in styles.
_HEADING_NAME = re.compile(r"heading ([1-9])$", re.IGNORECASE)
_LONGEST_STYLE_CHAIN = 20
_BODY_TEXT_LEVEL = 9


@dataclass(frozen=True, slots=True, kw_only=True)
class Role:
    """The role of a paragraph.

    `level` is set only for headings (the title has level 0); `number` is the list that numbers it.
    """

    kind: BlockKind
    level: int | None = None
    number: NumberRef | None = None


_PLAIN = Role(kind=BlockKind.PARAGRAPH)
_OWN_ROLE = frozenset((f"{W}numPr", f"{W}outlineLvl"))


class ParagraphRoles:
    """Looks up the roles of one document's paragraphs."""

    def __init__(self, styles: etree._Element | None, numbering: Numbering) -> None:
        nodes = styles.iterchildren(f"{W}style") if styles is not None else ()
        self._styles = {style.get(f"{W}styleId"): style for style in nodes}
        self._numbering = numbering
        self._of_style: dict[str | None, Role] = {}
        self.run_styles = RunStyles(
            hidden=self._with("vanish", _is_on),
            raised=self._with("vertAlign", lambda mark: mark.get(f"{W}val") == "superscript"),
            lowered=self._with("vertAlign", lambda mark: mark.get(f"{W}val") == "subscript"),
            struck=self._with("strike", _is_on) | self._with("dstrike", _is_on),
        )

    def of(self, paragraph: etree._Element) -> Role:
        """The role of one paragraph: its own properties override those of its style."""
        properties = paragraph.find(f"{W}pPr")
        if properties is None:
            return _PLAIN
        # One pass over the properties: a long file has tens of thousands of paragraphs.
        named = {child.tag: child for child in properties}
        style = named.get(f"{W}pStyle")
        style_id = style.get(f"{W}val") if style is not None else None
        styled = self._style_role(style_id) if style_id is not None else _PLAIN
        if named.keys().isdisjoint(_OWN_ROLE):
            return styled
        own = self._own_role(properties, style_id)
        if own is None:
            return replace(styled, number=None) if _leaves_list(properties) else styled
        if own.level is not None or styled.kind is BlockKind.PARAGRAPH:
            return replace(own, number=own.number or styled.number)
        # Its own number moves a heading to another list, but it remains a heading.
        return replace(styled, number=own.number or styled.number)

    def _style_role(self, style_id: str | None) -> Role:
        if style_id not in self._of_style:
            self._of_style[style_id] = self._find_style_role(style_id)
        return self._of_style[style_id]

    def _find_style_role(self, style_id: str | None) -> Role:
        """The role of a style: kind and number each come from the nearest ancestor that sets them."""
        found: Role | None = None
        number: NumberRef | None = None
        for _ in range(_LONGEST_STYLE_CHAIN):  # a damaged file may contain a cycle of styles
            style = self._styles.get(style_id)
            if style is None:
                break
            properties = style.find(f"{W}pPr")
            own = self._own_role(properties, style_id) if properties is not None else None
            number = number or (own.number if own else None)
            named = _named_role(value_of(style, "name") or "")
            if found is None or (found.kind is BlockKind.LIST_ITEM and named is not None):
                found = named or own or found
            style_id = value_of(style, "basedOn")
        return replace(found or _PLAIN, number=number)

    def _own_role(self, properties: etree._Element, style_id: str | None) -> Role | None:
        """The role set by the properties of a paragraph or style: an outline level or a list."""
        number = self._number(properties, style_id)
        level = value_of(properties, "outlineLvl")
        if level is not None and whole_number(level, _BODY_TEXT_LEVEL) < _BODY_TEXT_LEVEL:
            return Role(kind=BlockKind.HEADING, level=int(level) + 1, number=number)
        return Role(kind=BlockKind.LIST_ITEM, number=number) if number is not None else None

    def _number(self, properties: etree._Element, style_id: str | None) -> NumberRef | None:
        node = properties.find(f"{W}numPr")
        list_id = value_of(node, "numId") if node is not None else None
        # List number 0 removes a paragraph from the list of its style.
        if node is None or list_id in (None, "0"):
            return None
        assert list_id is not None
        depth = value_of(node, "ilvl")
        if depth is None:
            return NumberRef(
                list_id=list_id, level=self._numbering.level_of_style(list_id, style_id)
            )
        return NumberRef(list_id=list_id, level=whole_number(depth, 0))

    def _with(self, name: str, holds: Callable[[etree._Element], bool]) -> frozenset[str]:
        """The ids of the styles whose nearest property of this name holds."""
        found = set()
        for first in filter(None, self._styles):
            style_id: str | None = first
            for _ in range(_LONGEST_STYLE_CHAIN):
                style = self._styles.get(style_id)
                if style is None:
                    break
                mark = style.find(f"{W}rPr/{W}{name}")
                if mark is not None:
                    found |= {first} if holds(mark) else set()
                    break
                style_id = value_of(style, "basedOn")
        return frozenset(found)


def _is_on(switch: etree._Element) -> bool:
    return not is_off(switch)


def _leaves_list(properties: etree._Element) -> bool:
    """Whether a paragraph removes itself from the list of its style."""
    number = properties.find(f"{W}numPr")
    return number is not None and value_of(number, "numId") == "0"


def _named_role(name: str) -> Role | None:
    heading = _HEADING_NAME.match(name)
    if heading:
        return Role(kind=BlockKind.HEADING, level=int(heading[1]))
    if name.lower() == "title":
        return Role(kind=BlockKind.HEADING, level=0)
    if name.lower() == "caption":
        return Role(kind=BlockKind.CAPTION)
    if re.match(r"(html preformatted|source code|code|plain text$)", name, re.IGNORECASE):
        return Role(kind=BlockKind.CODE)
    if name.lower().startswith("list") and not name.lower().startswith("list paragraph"):
        return Role(kind=BlockKind.LIST_ITEM)
    return None
