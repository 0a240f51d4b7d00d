"""Reads the YAML lines at the top of a Markdown file: its title, and what else they say."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pincite.document import Block, BlockKind, Cell

_FRONT_MATTER = re.compile(
    r"\A---[ \t]*\r?\n(.*?)^(?:---|\.\.\.)[ \t]*(?=[\r\n]|\Z)", re.DOTALL | re.MULTILINE
)
_ENTRY = re.compile(
    r"^([A-Za-z_](?:[\w .-]*[\w.-])?)[ \t]*+:[ \t]++(\S(?:[^\r\n]*\S)?)[ \t]*+(?=\r|\n|\Z)",
    re.MULTILINE,
)
_TITLE = re.compile(r"^title:[ \t]*+(\S(?:.*\S)?)[ \t]*+\r?$", re.MULTILINE)
_DATE_OR_NUMBER = re.compile(r"[\"']?\d[\d.:/T+-]*[\"']?$")


class FrontMatter:
    """The front matter of one file; one without it has length 0."""

    def __init__(self, text: str) -> None:
        self._text = text
        match = _FRONT_MATTER.match(text)
        self.end = match.end() if match else 0
        self._body = match.span(1) if match else (0, 0)

    @property
    def title(self) -> str | None:
        """What the front matter calls the file."""
        match = _TITLE.search(self._text[slice(*self._body)])
        return match[1].strip("\"'") if match else None

    def blocks(self) -> Iterator[Block]:
        """Entries that say something to a reader: sentences, dates and numbers, not settings."""
        for match in _ENTRY.finditer(self._text, *self._body):
            tells = " " in match[2] or _DATE_OR_NUMBER.match(match[2])
            if match[1] == "title" or not tells:
                continue
            key, value = match.span(1), match.span(2)
            yield Block(
                start=match.start(),
                end=value[1],
                kind=BlockKind.TABLE_ROW,
                place="front matter",
                cells=(
                    Cell(start=key[0], end=key[1]),
                    Cell(start=value[0], end=value[1], row_headers=(key,)),
                ),
            )
