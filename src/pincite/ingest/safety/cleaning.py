"""Cleans documents of lone surrogates, control characters and overlong strings.

Readers pass on what is in a file, and a file can contain anything: a lone surrogate cannot be stored,
NUL terminates strings in other programs, and a heading of a megabyte would be in the context of every
passage. Each character is replaced by exactly one, so that offsets do not change.
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
"""Maximum length of a title, heading, place or warning; longer ones are truncated."""
DEEPEST_SECTION = 40
_MOST_MESSAGES = 1_000
"""Maximum number of warnings, gaps or flags of one file."""
_CUT = "…"
# Tabs, line ends and form feeds are part of a text.
_NO_CHARACTERS = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff]")


def cleaned(document: Document) -> Document:
    """The document with strings that can be stored, shown and searched, and warnings of any loss.

    A text that maps to the file's bytes is left unchanged, including control characters. Raises
    ReadError if it cannot be encoded to those bytes.
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
        gaps=strings.reported(document.gaps),
        warnings=strings.reported(document.warnings),
        flags=tuple(strings.flag(flag) for flag in document.flags[:_MOST_MESSAGES]),
    )
    return replace(clean, warnings=(*clean.warnings, *strings.losses()))


def cleaned_name(text: str) -> str:
    """A short text, such as a reason, cleaned and truncated."""
    return _Strings().name(text)


class _Strings:
    """Cleans strings, and records whether anything was replaced or truncated."""

    def __init__(self) -> None:
        self._replaced = self._cut = False
        # Many blocks share a section path.
        self._section = lru_cache(maxsize=None)(self._clean_section)

    def text(self, text: str) -> str:
        """A cleaned string of any length."""
        clean, count = _NO_CHARACTERS.subn(REPLACEMENT, text)
        self._replaced |= count > 0
        return clean

    def name(self, text: str) -> str:
        """A cleaned string, truncated if too long."""
        if len(text) > LONGEST_NAME_CHARS:
            self._cut = True
            text = text[: LONGEST_NAME_CHARS - len(_CUT)] + _CUT
        return self.text(text)

    def reported(self, lines: tuple[str, ...]) -> tuple[str, ...]:
        """A reader's messages; only the first if there are very many."""
        more = len(lines) - _MOST_MESSAGES
        rest = (f"... and {more} more",) if more > 0 else ()
        return (*map(self.name, lines[:_MOST_MESSAGES]), *rest)

    def block(self, block: Block) -> Block:
        """A cleaned block; a clean one is returned as is, since there may be a million."""
        section, place = self._section(block.section), self.name(block.place)
        cells = tuple(map(self._cell, block.cells))
        if section == block.section and place == block.place and cells == block.cells:
            return block
        return replace(block, section=section, place=place, cells=cells)

    def page(self, page: Page) -> Page:
        """A page with a cleaned label and gap."""
        return replace(page, label=self.name(page.label), gap=self.name(page.gap))

    def flag(self, flag: Flag) -> Flag:
        """A flag with a cleaned detail."""
        return replace(flag, detail=self.name(flag.detail))

    def losses(self) -> Iterator[str]:
        """Warnings about what was lost."""
        if self._replaced:
            yield (
                "invalid or control characters in its text, title or headings are shown as "
                f"{REPLACEMENT}"
            )
        if self._cut:
            yield (
                f"titles, headings or notes longer than {LONGEST_NAME_CHARS:,} characters, or "
                f"headings more than {DEEPEST_SECTION} deep, were truncated"
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
            f"its text cannot be encoded in {cleaned_name(encoding)!r}, the encoding that its reader "
            "reported; save it as UTF-8"
        ) from error
