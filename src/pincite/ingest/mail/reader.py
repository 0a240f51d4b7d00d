"""Reads e-mail messages: headers, text and attachments."""

from __future__ import annotations

import email
import email.policy
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from email.header import decode_header, make_header
from email.message import Message
from itertools import groupby, pairwise
from pathlib import Path, PurePosixPath

from pincite.errors import ReadError
from pincite.ingest.assembly import Place, TextAssembly, choose_title
from pincite.ingest.html.reader import add_page
from pincite.ingest.mail.parts import BROKEN, content_of, decoded_part, readable_parts
from pincite.ingest.plain.text import text_blocks
from pincite.ingest.reading import content_remarks
from pincite.records.document import Block, BlockKind, Document, Flag, FlagKind, document_id
from pincite.text.remarks import HEADERS, is_remark

ReadAttachment = Callable[[Path, bytes], Document]
_SHOWN_HEADERS = ("From", "To", "Cc", "Date", "Subject")
_MOST_ATTACHMENTS = 200
_SIGNATURES = (
    "application/pgp-signature",
    "application/pkcs7-signature",
    "application/x-pkcs7-signature",
)
_SEALED = ("application/pkcs7-mime", "application/x-pkcs7-mime", "application/pgp-encrypted")


class EmlReader:
    """Reads `.eml` files; never follows links or fetches remote images."""

    def __init__(self, read_attachment: ReadAttachment) -> None:
        self._read_attachment = read_attachment

    def read(self, path: Path, content: bytes) -> Document:
        """Read one file's bytes. Raises ReadError if they are not a message."""
        message = _parsed(content)
        writer = _MessageWriter(message, self._read_attachment)
        writer.write()
        assembly = writer.assembly
        identifier, sha256 = document_id(content)
        remarks = content_remarks(
            "message", has_text=bool(assembly.blocks), pictures=writer.pictures
        )
        return Document(
            id=identifier,
            sha256=sha256,
            title=choose_title(path, _header(message, "Subject")),
            media_type="message/rfc822",
            text=assembly.text(),
            blocks=tuple(assembly.blocks),
            recognised=tuple(assembly.recognised),
            gaps=(*writer.gaps, *remarks.gaps),
            warnings=(*writer.warnings, *remarks.warnings),
            flags=tuple(assembly.flags),
        )


def _parsed(content: bytes) -> Message:
    """The message; malformed headers are read by the older, more lenient parser."""
    try:
        return email.message_from_bytes(content, policy=email.policy.default)
    except BROKEN:
        pass
    try:
        return email.message_from_bytes(content, policy=email.policy.compat32)
    except BROKEN as error:
        raise ReadError(
            f"the message is malformed ({type(error).__name__}); "
            "open it in a mail program and save it again as .eml or .txt"
        ) from error


class _MessageWriter:
    """Writes the headers, the text and the attachments of one message into one text."""

    def __init__(self, message: Message, read_attachment: ReadAttachment) -> None:
        self.assembly = TextAssembly()
        self.gaps: list[str] = []
        self.warnings: list[str] = []
        self.pictures = 0
        self._message = message
        self._read_attachment = read_attachment
        self._attachments = 0
        self._calendars: list[bytes] = []

    def write(self) -> None:
        """Add everything that can be read; the rest is recorded as gaps."""
        lines = [(name, _header(self._message, name)) for name in _SHOWN_HEADERS]
        block = "\n".join(f"{name}: {value}" for name, value in lines if value)
        if not block:
            self.warnings.append("it has no sender, date or subject; is it really a message?")
        self.assembly.place = Place(words=HEADERS)
        self.assembly.add(block, BlockKind.PARAGRAPH)
        self.assembly.place = Place()
        for part in readable_parts(self._message):
            try:
                self._part(part)
            except BROKEN as error:
                self.gaps.append(f"a part of the message is damaged ({type(error).__name__})")
        if self._attachments > _MOST_ATTACHMENTS:
            self.gaps.append(
                f"{self._attachments - _MOST_ATTACHMENTS} of {self._attachments} attachments are "
                f"not read; the limit is {_MOST_ATTACHMENTS}"
            )

    def _part(self, part: Message) -> None:
        kind = part.get_content_type()
        name = _file_name(part)
        is_inline = not name and part.get_content_disposition() != "attachment"
        if kind in _SEALED:
            self.gaps.append("the message is encrypted; decrypt it in a mail program and save it")
        elif kind in _SIGNATURES:
            self.warnings.append("its signature was not checked")
        elif part.get_content_maintype() == "image" and ("Content-ID" in part or is_inline):
            self.pictures += 1
        elif kind.startswith("multipart/"):
            # Without its boundary, a multipart message is a single text.
            text = str(part.get_payload() or "")
            self.assembly.add_blocks(text, [*cut_at_replies(text, text_blocks(text))])
        elif kind == "text/plain" and is_inline:
            text = self._text(part)
            self.assembly.add_blocks(text, [*cut_at_replies(text, text_blocks(text))])
        elif kind == "text/html" and is_inline:
            add_page(self._text(part), self.assembly, whole=True)
        else:
            self._attachment(part, name or _default_name(kind))

    def _text(self, part: Message) -> str:
        decoded = decoded_part(part)
        if decoded.doubt and decoded.doubt not in self.warnings:
            self.warnings.append(decoded.doubt)
        return decoded.text.replace("\r\n", "\n")

    def _attachment(self, part: Message, name: str) -> None:
        self._attachments += 1
        if self._attachments > _MOST_ATTACHMENTS:
            return
        place = f"attachment {name}"
        try:
            content = content_of(part)
            if name.lower().endswith(".ics"):
                # Mail programs send an invitation as a part and as an attachment.
                if content in self._calendars:
                    return
                self._calendars.append(content)
            self.assembly.flags.append(Flag(kind=FlagKind.ATTACHMENT, detail=place))
            found = self._read_attachment(Path(name), content)
        except ReadError as error:
            self.gaps.append(f"{place} is not read: {error}")
            return
        self.assembly.outline.enter(1, place)
        self.assembly.place = Place(words=place)
        self.assembly.add_document(found)
        self.assembly.place = Place()
        self.assembly.outline.leave()
        self.gaps += [f"{place}: {gap}" for gap in found.gaps]
        self.warnings += [f"{place}: {warning}" for warning in found.warnings]


def _header(message: Message, name: str) -> str:
    try:
        return " ".join(str(make_header(decode_header(str(message[name] or "")))).split())
    except BROKEN:
        return ""  # the header is so malformed that the parser fails on it


def _file_name(part: Message) -> str:
    try:
        name = part.get_filename() or ""
    except BROKEN:
        return "unnamed"
    # Used only as a label: no file is written under this name.
    return PurePosixPath(name.replace("\\", "/")).name[:200].replace("\0", "")


def _default_name(kind: str) -> str:
    endings = {
        "message/rfc822": "message.eml",
        "text/plain": "text.txt",
        "text/html": "page.html",
        "text/calendar": "invitation.ics",
    }
    return endings.get(kind, f"unnamed ({kind})")


# Splits the text of a message at quoted messages, greetings and closings.

QUOTED = "quoted message"
"""The place of text quoted from an earlier message."""

_LINE = re.compile(r"[^\n]*\n?")
_QUOTED_LINE = re.compile(r"\s*>")
_LEAD_LINE_END = re.compile(r"[:：]\s*$")
_LEADS = re.compile(r"(?<![\w.+-])[\w.+-]++@[\w-]+|\d{1,2}[./:-]\d{1,2}|(?:19|20)\d\d")
"""An address, a time or a date in the line above a quoted message."""
_MOST_LEAD_LINES = 3


def cut_at_replies(text: str, blocks: Sequence[Block]) -> Iterator[Block]:
    """Splits the blocks of a message so that each is entirely quoted text or not quoted at all.

    The attribution line above a quoted message ("On Friday Bo wrote:") belongs to it; a greeting or
    closing is a block of its own. Quoted blocks have `QUOTED` as their place.
    """
    pieces = [piece for block in blocks for piece in _pieces(text, block)]
    for piece, following in pairwise([*pieces, None]):
        if piece is None:
            return
        leads = following is not None and following.place == QUOTED and not piece.place
        yield replace(piece, place=QUOTED) if leads and _is_lead(text, piece) else piece


def _is_lead(text: str, block: Block) -> bool:
    said = text[block.start : block.end]
    is_short = said.count("\n") < _MOST_LEAD_LINES
    return is_short and bool(_LEAD_LINE_END.search(said) and _LEADS.search(said))


def _pieces(text: str, block: Block) -> Iterator[Block]:
    """Splits a block into quoted lines, attribution lines, greetings or closings, and the rest."""
    lines = [*_lines(text, block)]
    kinds = [_kind(text[start:end]) for start, end in lines]
    for row in range(len(lines) - 1):
        if kinds[row + 1] == "quoted" and not kinds[row]:
            _mark_lead(text, lines, kinds, row)
    if not any(kinds):
        yield block
        return
    place = 0
    for kind, group in groupby(kinds):
        rows = lines[place : (place := place + len([*group]))]
        start, end = rows[0][0], rows[-1][0] + len(text[slice(*rows[-1])].rstrip())
        if any(sign.isalnum() for sign in text[start:end]):
            is_quoted = kind in ("quoted", "lead")
            told = QUOTED if is_quoted else block.place
            form = BlockKind.PARAGRAPH if kind else block.kind
            yield replace(block, start=start, end=end, kind=form, place=told)


def _mark_lead(text: str, lines: Sequence[tuple[int, int]], kinds: list[str], row: int) -> None:
    """Mark the shortest run of lines up to `row` that forms the attribution of the quote below."""
    for first in range(row, max(-1, row - _MOST_LEAD_LINES), -1):
        said = text[lines[first][0] : lines[row][1]]
        if kinds[first] or not _LEAD_LINE_END.search(said):
            return
        is_cut = said.lstrip()[:1] == "<" or said.lstrip()[:1].islower()
        if _LEADS.search(said) and not is_cut:
            kinds[first : row + 1] = ["lead"] * (row + 1 - first)
            return


def _kind(line: str) -> str:
    if _QUOTED_LINE.match(line):
        return "quoted"
    return "remark" if is_remark(line) else ""


def _lines(text: str, block: Block) -> Iterator[tuple[int, int]]:
    for found in _LINE.finditer(text, block.start, block.end):
        if found[0]:
            yield found.span()
