"""Lines of a text file with their ranges, and the document made of ranges of an unchanged text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pincite.ingest.assembly import choose_title
from pincite.ingest.encoding.decode import Decoded
from pincite.ingest.markdown.reader import comment_flags
from pincite.records.document import Block, Document, document_id

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r|\Z)")


@dataclass(frozen=True, slots=True)
class Line:
    """One line without surrounding white space; `indent` counts the characters before it."""

    start: int
    end: int
    text: str
    indent: int


def lines_of(text: str) -> Iterator[Line]:
    """The lines of a text in order."""
    for match in _LINE.finditer(text):
        bare = match[0].strip()
        indent = len(match[0]) - len(match[0].lstrip()) if bare else 0
        start = match.start() + indent
        yield Line(start, start + len(bare), bare, indent)


def unchanged_document(
    path: Path,
    content: bytes,
    decoded: Decoded,
    *,
    media_type: str,
    blocks: Sequence[Block],
    title: str | None = None,
    warnings: Sequence[str] = (),
) -> Document:
    """The document whose text is the decoded file; hidden blocks are flagged as comments."""
    identifier, sha256 = document_id(content)
    none = () if blocks else ("it contains no words, so it cannot be found",)
    return Document(
        id=identifier,
        sha256=sha256,
        title=choose_title(path, title),
        media_type=media_type,
        text=decoded.text,
        encoding=decoded.encoding,
        first_byte=decoded.first_byte,
        blocks=tuple(blocks),
        warnings=(*decoded.warnings, *warnings, *none),
        flags=comment_flags(blocks),
    )
