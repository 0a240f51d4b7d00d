"""Counts the numbers that Word writes before headings and list items ("3.2", "a)", "IV.")."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from lxml import etree

from pincite.ingest.docx_text import W, value_of
from pincite.ingest.package import whole_number

_PLACEHOLDER = re.compile(r"%([1-9])")
_ROMAN = (
    *((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l")),
    *((40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i")),
)
_LEVELS = 9
_LARGEST_ROMAN = 4000


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberRef:
    """Which list a paragraph belongs to, and how deep in it (0 is outermost)."""

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
    """One list as it is counted; lists made from one pattern may share their counters."""

    levels: dict[int, _Level]
    counters: list[int | None] = field(default_factory=lambda: [None] * _LEVELS)


class Numbering:
    """The lists of one document; `label` must be asked once per paragraph, in order."""

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
                # A list with starting numbers of its own counts for itself.
                own = _List({**patterns[pattern], **overrides}) if overrides else shared[pattern]
                self._lists[node.get(f"{W}numId") or ""] = own

    def level_of_style(self, list_id: str, style_id: str | None) -> int:
        """The level that a list keeps for the paragraphs of a style."""
        found = self._lists.get(list_id)
        levels = found.levels if found else {}
        return next((n for n, level in levels.items() if style_id and level.style == style_id), 0)

    def label(self, reference: NumberRef) -> str:
        """Count one more paragraph of a list and return its number; empty for bullets."""
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
        return _written(count, "decimal" if shown_in.legal else level.format)


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


def _written(count: int, kind: str) -> str:
    if kind in ("lowerLetter", "upperLetter") and count > 0:
        # Word goes on with aa, bb after z.
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
