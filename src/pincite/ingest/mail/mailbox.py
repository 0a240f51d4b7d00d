"""Reads mailboxes (RFC 4155): every message in order, each with its number and subject as its place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from pincite.errors import ReadError
from pincite.ingest.assembly import Place, TextAssembly, choose_title
from pincite.ingest.mail.reader import EmlReader, ReadAttachment
from pincite.ingest.reading import counted
from pincite.records.document import Document, document_id
from pincite.records.formats import MBOX

# A line that begins with "From " begins a message between an empty line and a header.
_BEGINS = re.compile(rb"(?:\A|(?<=\n\n)|(?<=\n\r\n))From [^\r\n]*\r?\n(?=[!-9;-~]+:)")
_ESCAPED = re.compile(rb"^>(>*From )", re.MULTILINE)
_MOST_MESSAGES = 20_000
_MOST_REMARKS = 50


class MboxReader:
    """Reads `.mbox` files; attachments are read as those of a message."""

    def __init__(self, read_attachment: ReadAttachment) -> None:
        self._reader = EmlReader(read_attachment)

    def read(self, path: Path, content: bytes) -> Document:
        """Read one file's bytes. Raises ReadError if they hold no message."""
        assembly = TextAssembly()
        gaps: list[str] = []
        warnings: list[str] = []
        number = 0
        for number, message in enumerate(_messages(content), start=1):
            if number > _MOST_MESSAGES:
                continue
            place = f"message {number}"
            try:
                found = self._reader.read(Path(f"{place}.eml"), message)
            except ReadError as error:
                gaps.append(f"{place} is not read: {error}")
                continue
            assembly.outline.enter(1, found.title)
            assembly.place = Place(words=place)
            assembly.add_document(found)
            gaps += [f"{place}: {gap}" for gap in found.gaps]
            warnings += [f"{place}: {warning}" for warning in found.warnings]
        if not number:
            raise ReadError(
                "no message begins in it (a line 'From ' above the headers); save the messages as "
                ".eml, or name it .txt to read it as text"
            )
        if number > _MOST_MESSAGES:
            left = counted(number - _MOST_MESSAGES, "message")
            gaps.insert(0, f"{left} not read; the limit is {_MOST_MESSAGES:,}")
        first = _BEGINS.search(content)
        if first is not None and content[: first.start()].strip():
            gaps.insert(0, "the text above its first message is not read")
        identifier, sha256 = document_id(content)
        return Document(
            id=identifier,
            sha256=sha256,
            title=choose_title(path),
            media_type=MBOX.media_types[".mbox"],
            text=assembly.text(),
            blocks=tuple(assembly.blocks),
            recognised=tuple(assembly.recognised),
            gaps=tuple(_shortened(gaps)),
            warnings=tuple(_shortened(warnings)),
            flags=tuple(assembly.flags),
        )


def _messages(content: bytes) -> Iterator[bytes]:
    starts = list(_BEGINS.finditer(content))
    for match, following in pairwise((*starts, None)):
        assert match is not None
        end = len(content) if following is None else following.start()
        yield _ESCAPED.sub(rb"\1", content[match.end() : end])


def _shortened(remarks: list[str]) -> list[str]:
    if len(remarks) <= _MOST_REMARKS:
        return remarks
    return [
        *remarks[:_MOST_REMARKS],
        f"and {len(remarks) - _MOST_REMARKS:,} more remarks like these",
    ]
