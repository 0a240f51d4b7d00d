"""A document made of the web page that a file in another markup describes.

The HTML reader then keeps what every format keeps: raised, lowered and struck-out text, tables with
their heads, lists, notes and places.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

from pincite.ingest.assembly import TextAssembly, choose_title
from pincite.ingest.html.reader import add_page
from pincite.ingest.reading import content_remarks, counted
from pincite.records.document import BlockKind, Document, document_id
from pincite.records.formats import media_type_of


@dataclass(slots=True)
class MadePage:
    """A page that a converter made: its body, its title if the file names one, and what is missing.

    `left_out` counts things by name; `comments` are notes of the author that are not part of the text.
    """

    parts: list[str] = field(default_factory=list)
    title: str = ""
    left_out: dict[str, int] = field(default_factory=dict)
    comments: list[str] = field(default_factory=list)
    pictures: int = 0

    def leave_out(self, thing: str) -> None:
        """Count something that is not read."""
        self.left_out[thing] = self.left_out.get(thing, 0) + 1


def page_document(
    path: Path, content: bytes, page: MadePage, *, thing: str, warnings: Sequence[str] = ()
) -> Document:
    """The document of a page; `thing` is what the file is, for remarks."""
    assembly = TextAssembly()
    add_page("".join(page.parts), assembly, whole=True)
    for comment in page.comments:
        assembly.add_hidden(comment, "a comment that is not shown")
    remarks = content_remarks(thing, has_text=bool(assembly.blocks), pictures=page.pictures)
    text = assembly.text()
    first = next((one for one in assembly.blocks if one.kind is BlockKind.HEADING), None)
    identifier, sha256 = document_id(content)
    return Document(
        id=identifier,
        sha256=sha256,
        title=choose_title(path, page.title, text[first.start : first.end] if first else ""),
        media_type=media_type_of(path.name),
        text=text,
        blocks=tuple(assembly.blocks),
        gaps=(*_not_read(page), *remarks.gaps),
        warnings=(*warnings, *remarks.warnings),
        flags=tuple(assembly.flags),
    )


def _not_read(page: MadePage) -> Iterator[str]:
    for thing, number in page.left_out.items():
        yield f"{counted(number, thing)} not read"


# Marks within a paragraph.


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A mark within a paragraph; `html` makes the page's form of a match."""

    pattern: re.Pattern[str]
    html: Callable[[re.Match[str]], str]


def element(name: str, group: int | str = 1) -> Callable[[re.Match[str]], str]:
    """The text of a group within an HTML element."""
    return lambda match: f"<{name}>{match[group]}</{name}>"


_HELD = re.compile("\ue000(\\d+)\ue001")


def marked(text: str, literal: re.Pattern[str], marks: Sequence[Mark]) -> str:
    """A paragraph as HTML. `literal` finds code, whose `text` group is not looked at for marks."""
    held: list[str] = []

    def hold(match: re.Match[str]) -> str:
        held.append(f"<code>{escape(match['text'])}</code>")
        return f"{match.groupdict().get('before') or ''}\ue000{len(held) - 1}\ue001"

    clean = text.replace("\ue000", "").replace("\ue001", "")
    shown = escape(literal.sub(hold, clean), quote=False)
    for mark in marks:
        shown = mark.pattern.sub(mark.html, shown)
    return _HELD.sub(lambda match: held[int(match[1])], shown)


class PageWriter:
    """Writes blocks of a page; paragraphs of several lines are collected until they end."""

    def __init__(self, inline: Callable[[str], str]) -> None:
        self.page = MadePage()
        self._inline = inline
        self._lines: list[str] = []
        self._tag = "p"
        self._rows: list[Sequence[str]] = []
        self._heads = 0

    def open(self, tag: str, first: str) -> None:
        """Begin a block with its first line."""
        self.end()
        self._tag = tag
        self._lines = [first]

    def line(self, text: str) -> None:
        """Another line of the current block, or the first of a paragraph."""
        if self._rows:
            self.end()
        self._lines.append(text)

    def row(self, cells: Sequence[str]) -> None:
        """A row of a table."""
        if self._lines:
            self.end()
        self._rows.append(cells)

    def head_ends(self) -> None:
        """The rows so far are the head of their table."""
        self._heads = self._heads or len(self._rows)

    def whole(self, tag: str, text: str) -> None:
        """A block whose text is complete."""
        self.end()
        self.page.parts.append(f"<{tag}>{self._inline(text)}</{tag}>\n")

    def code(self, text: str) -> None:
        """A block of code."""
        self.end()
        self.page.parts.append(f"<pre>{escape(text)}</pre>\n")

    def end(self) -> None:
        """End the current block, if there is one."""
        if self._lines:
            text = self._inline("\n".join(self._lines))
            self.page.parts.append(f"<{self._tag}>{text}</{self._tag}>\n")
        if self._rows:
            self.page.parts.append("<table>\n")
            for number, cells in enumerate(self._rows):
                tag = "th" if number < self._heads else "td"
                inside = "".join(f"<{tag}>{self._inline(cell)}</{tag}>" for cell in cells)
                self.page.parts.append(f"<tr>{inside}</tr>\n")
            self.page.parts.append("</table>\n")
        self._lines, self._rows, self._heads, self._tag = [], [], 0, "p"
