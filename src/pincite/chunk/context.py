"""What is put before a passage when it is embedded or shown to a model, never into a quote (P6)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePath

from pincite.document import Block, Document, Range

_PARTS = re.compile(r"[\s_.\-]+")
_LONGEST_WORD_WITH_DIGITS = 12
_SAY_NOTHING = frozenset(
    "copy doc document draft file final image index new page readme report scan text untitled".split()
)
_VERSION = re.compile(r"(?:v|ver|rev|version|edition)\d{1,3}|(?:19|20)\d\d", re.IGNORECASE)
_LONGEST_HEADER_CHARS = 200


def context_lines(
    document: Document, section: tuple[str, ...], blocks: Sequence[Block], start: int
) -> str:
    """File name, title and headings on one line; then the table header a passage lacks, if any.

    `blocks` are those the passage is made of, and `start` is where its own text begins: a header
    that stands later is part of it.
    """
    headings = section[1:] if section[:1] == (document.title,) else section
    first = " > ".join((*_file_words(document), document.title, *headings))
    header = _table_header(document.text, blocks, start)
    return f"{first}\n{header}" if header else first


def _file_words(document: Document) -> Iterator[str]:
    """The words of the file's name, if they tell more than the title does.

    A name that is only a number or an id (`d0123`, a hash) tells nothing; a year or a version behind
    words of the title does.
    """
    words = [word for word in _PARTS.split(PurePath(document.name).stem) if not _is_hash(word)]
    title = document.title.casefold()
    telling = [word.casefold() for word in words if len(word) > 2 and word.isalpha()]
    is_version = telling and any(_VERSION.fullmatch(word) for word in words)
    if is_version or any(word not in title and word not in _SAY_NOTHING for word in telling):
        yield " ".join(words)


def _is_hash(part: str) -> bool:
    has_digit = any(sign.isdigit() for sign in part)
    return not part or (has_digit and len(part) >= _LONGEST_WORD_WITH_DIGITS)


def _table_header(text: str, blocks: Sequence[Block], start: int) -> str:
    """The column headers of the first table row, when they stand before the passage."""
    for block in blocks:
        names: list[str] = []
        for cell in block.cells:
            outside = [header for header in cell.column_headers if header[1] <= start]
            if outside:
                names.append(" ".join(_words(text, header) for header in outside))
        if names:
            return " | ".join(dict.fromkeys(names))[:_LONGEST_HEADER_CHARS]
    return ""


def _words(text: str, header: Range) -> str:
    return " ".join(text[header[0] : header[1]].split())
