"""Takes out of a document what no text has: halves of characters, control characters, endless strings.

A reader passes on what is in a file, and a file can hold anything: a lone surrogate cannot be stored,
a NUL ends strings elsewhere, and a heading of a megabyte would stand in the context of every passage.
One character is replaced by one, so that every offset stays what it was.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from pincite.errors import ReadError
from pincite.records.document import Block, Cell, Document, Flag, Page

REPLACEMENT = "\ufffd"
LONGEST_NAME_CHARS = 1_000
"""Of a title, a heading, a place, a warning: longer ones are cut."""
DEEPEST_SECTION = 40
_MOST_TOLD = 1_000
"""Warnings, gaps or flags of one file."""
_CUT = "…"
# Tab and the ends of lines and pages are part of a text.
_NO_CHARACTERS = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff]")


def cleaned(document: Document) -> Document:
    """The same document in which every string can be stored, shown and searched; says what it lost.

    A text whose bytes are the file's is left as it is, control characters too. Raises ReadError where
    it cannot be those bytes.
    """
    strings = _Strings()
    if document.encoding is not None:
        _check_bytes(document.text, document.encoding)
    clean = replace(
        document,
        text=document.text if document.encoding is not None else strings.text(document.text),
        title=strings.name(document.title),
        media_type=strings.name(document.media_type),
        blocks=tuple(strings.block(block) for block in document.blocks),
        pages=tuple(strings.page(page) for page in document.pages),
        gaps=strings.told(document.gaps),
        warnings=strings.told(document.warnings),
        flags=tuple(strings.flag(flag) for flag in document.flags[:_MOST_TOLD]),
    )
    return replace(clean, warnings=(*clean.warnings, *strings.losses()))


def cleaned_name(text: str) -> str:
    """A line that tells something, such as a reason, clean and not too long."""
    return _Strings().name(text)


class _Strings:
    """Cleans strings, and remembers whether anything was replaced in them or cut."""

    def __init__(self) -> None:
        self._replaced = self._cut = False
        # Blocks share the paths of their sections.
        self._section = lru_cache(maxsize=None)(self._clean_section)

    def text(self, text: str) -> str:
        """Of any length."""
        clean, count = _NO_CHARACTERS.subn(REPLACEMENT, text)
        self._replaced |= count > 0
        return clean

    def name(self, text: str) -> str:
        """Cut where it is too long."""
        if len(text) > LONGEST_NAME_CHARS:
            self._cut = True
            text = text[: LONGEST_NAME_CHARS - len(_CUT)] + _CUT
        return self.text(text)

    def told(self, lines: tuple[str, ...]) -> tuple[str, ...]:
        """What a reader reports; of very many lines the first ones."""
        more = len(lines) - _MOST_TOLD
        rest = (f"... and {more} more",) if more > 0 else ()
        return (*map(self.name, lines[:_MOST_TOLD]), *rest)

    def block(self, block: Block) -> Block:
        """A block that is clean already stays the same object: there may be a million."""
        section, place = self._section(block.section), self.name(block.place)
        cells = tuple(map(self._cell, block.cells))
        if section == block.section and place == block.place and cells == block.cells:
            return block
        return replace(block, section=section, place=place, cells=cells)

    def page(self, page: Page) -> Page:
        """With a clean label, and a clean word about what is missing of it."""
        return replace(page, label=self.name(page.label), gap=self.name(page.gap))

    def flag(self, flag: Flag) -> Flag:
        """With a clean detail."""
        return replace(flag, detail=self.name(flag.detail))

    def losses(self) -> Iterator[str]:
        """What was lost, in plain words."""
        if self._replaced:
            yield (
                "halves of characters or control characters in its text, title or headings stand "
                f"as {REPLACEMENT}"
            )
        if self._cut:
            yield (
                f"titles, headings or notes of more than {LONGEST_NAME_CHARS:,} characters, or "
                f"headings more than {DEEPEST_SECTION} deep, were cut"
            )

    def _clean_section(self, section: tuple[str, ...]) -> tuple[str, ...]:
        self._cut |= len(section) > DEEPEST_SECTION
        return tuple(map(self.name, section[:DEEPEST_SECTION]))

    def _cell(self, cell: Cell) -> Cell:
        place = self.name(cell.place)
        return cell if place == cell.place else replace(cell, place=place)


def _check_bytes(text: str, encoding: str) -> None:
    try:
        text.encode(encoding)
    except (UnicodeError, LookupError) as error:
        raise ReadError(
            f"its text cannot be the bytes of a file in the encoding {cleaned_name(encoding)!r} that "
            "its reader named; save it as UTF-8"
        ) from error
