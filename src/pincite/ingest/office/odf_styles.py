"""Styles, names and numbers of OpenDocument files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import cast

from lxml import etree

from pincite.ingest.docx.styles import number_label
from pincite.ingest.office.package import whole_number

_NAMES = {
    "office": "urn:oasis:names:tc:opendocument:xmlns:office:1.0",
    "text": "urn:oasis:names:tc:opendocument:xmlns:text:1.0",
    "table": "urn:oasis:names:tc:opendocument:xmlns:table:1.0",
    "style": "urn:oasis:names:tc:opendocument:xmlns:style:1.0",
    "draw": "urn:oasis:names:tc:opendocument:xmlns:drawing:1.0",
    "presentation": "urn:oasis:names:tc:opendocument:xmlns:presentation:1.0",
    "fo": "urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0",
    "chart": "urn:oasis:names:tc:opendocument:xmlns:chart:1.0",
    "xlink": "http://www.w3.org/1999/xlink",
    "svg": "urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0",
    "manifest": "urn:oasis:names:tc:opendocument:xmlns:manifest:1.0",
    "dc": "http://purl.org/dc/elements/1.1/",
}


def named(short: str) -> str:
    """The full form of `text:p`."""
    prefix, _, local = short.partition(":")
    return f"{{{_NAMES[prefix]}}}{local}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What a style says of text; None where it says nothing."""

    script: int | None = None
    is_struck: bool | None = None
    is_hidden: bool | None = None
    is_bold: bool | None = None

    def under(self, other: Look) -> Look:
        """This look, with that of the text around it where it says nothing."""
        held = {one.name: getattr(self, one.name) for one in fields(self)}
        return replace(other, **{name: value for name, value in held.items() if value is not None})


PLAIN = Look(script=0, is_struck=False, is_hidden=False, is_bold=False)


class Styles:
    """The styles of a file by family and name."""

    def __init__(self, roots: Sequence[etree._Element]) -> None:
        self._nodes: dict[tuple[str, str], etree._Element] = {}
        for root in reversed(roots):
            for node in root.iter(named("style:style")):
                key = node.get(named("style:family")) or "", node.get(named("style:name")) or ""
                self._nodes[key] = node

    def chain(self, family: str, name: str | None) -> Iterator[etree._Element]:
        """A style and those that it is based on."""
        seen: set[str] = set()
        while name and name not in seen and (family, name) in self._nodes:
            seen.add(name)
            node = self._nodes[family, name]
            yield node
            name = node.get(named("style:parent-style-name"))

    def look(self, family: str, name: str | None) -> Look:
        """What a style and those that it is based on say of text."""
        found = Look()
        for node in self.chain(family, name):
            properties = node.find(named("style:text-properties"))
            if properties is not None:
                found = found.under(_look_of(properties))
        return found

    def is_named(self, family: str, name: str | None, wanted: frozenset[str]) -> bool:
        """Whether a style or one that it is based on has one of some names."""
        chain = [*self.chain(family, name)]
        shown = [name, *(one.get(named("style:parent-style-name")) for one in chain)]
        return bool({(one or "").replace("_20_", " ") for one in shown} & wanted)

    def property(self, family: str, name: str | None, kind: str, wanted: str) -> str:
        """A property of a style or of the nearest one that it is based on; empty if none has it."""
        for node in self.chain(family, name):
            properties = node.find(named(f"style:{kind}"))
            held = None if properties is None else properties.get(named(wanted))
            if held is not None:
                return cast("str", held)
        return ""


def _look_of(properties: etree._Element) -> Look:
    line = properties.get(named("style:text-line-through-style"))
    line = line or properties.get(named("style:text-line-through-type"))
    position = properties.get(named("style:text-position"))
    shown, weight = properties.get(named("text:display")), properties.get(named("fo:font-weight"))
    return Look(
        script=None if position is None else _script(position),
        is_struck=None if line is None else line != "none",
        is_hidden=None if shown is None else shown == "none",
        is_bold=None if weight is None else weight == "bold",
    )


def _script(position: str) -> int:
    """1 for raised text, -1 for lowered text: `super 58%`, `-33% 58%`."""
    first = position.split()[0] if position.split() else "0%"
    if first in ("super", "sub"):
        return 1 if first == "super" else -1
    return (first[:1] != "-") - (first[:1] == "-") if first.strip("-+0%. ") else 0


class Numbering:
    """The automatic numbers of list items and headings, which a file does not contain as text."""

    def __init__(self, roots: Sequence[etree._Element]) -> None:
        self._levels: dict[tuple[str, int], etree._Element] = {}
        self._counts: dict[str, dict[int, int]] = {}
        for root in reversed(roots):
            for style in (
                *root.iter(named("text:list-style")),
                *root.iter(named("text:outline-style")),
            ):
                name = (
                    "" if style.tag == named("text:outline-style") else style.get(_STYLE_NAME) or ""
                )
                for level in style:
                    if isinstance(level.tag, str):
                        depth = whole_number(level.get(named("text:level")), 1)
                        self._levels[name, depth] = level

    def begin(self, style: str, depth: int) -> None:
        """Begin the numbers of a list, and of those within it, anew."""
        counts = self._counts.setdefault(style, {})
        for deeper in [one for one in counts if one >= depth]:
            del counts[deeper]

    def label(self, style: str, depth: int, start: str | None = None) -> str:
        """The number of the next item, `2.1.`; empty if the list has none. Headings have no style."""
        level = self._levels.get((style, depth))
        counts = self._counts.setdefault(style, {})
        for deeper in [one for one in counts if one > depth]:
            del counts[deeper]
        first = 1 if level is None else whole_number(level.get(named("text:start-value")), 1)
        counts[depth] = whole_number(start, counts.get(depth, first - 1) + 1)
        kind = "" if level is None else level.get(named("style:num-format")) or ""
        if level is None or kind not in _KINDS:
            return ""
        shown = whole_number(level.get(named("text:display-levels")), 1)
        numbers = [self._number(style, one, counts) for one in range(depth - shown + 1, depth + 1)]
        before, behind = (
            level.get(named(f"style:num-{end}")) or "" for end in ("prefix", "suffix")
        )
        return f"{before}{'.'.join(filter(None, numbers))}{behind}".strip()

    def _number(self, style: str, depth: int, counts: dict[int, int]) -> str:
        level = self._levels.get((style, depth))
        kind = "" if level is None else level.get(named("style:num-format")) or ""
        return number_label(counts.get(depth, 1), _KINDS[kind]) if kind in _KINDS else ""


_STYLE_NAME = named("style:name")
_KINDS = {
    "1": "decimal",
    "a": "lowerLetter",
    "A": "upperLetter",
    "i": "lowerRoman",
    "I": "upperRoman",
}
