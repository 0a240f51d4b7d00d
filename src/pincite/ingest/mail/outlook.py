"""Reads messages that Outlook saved ([MS-OXMSG]): as the e-mail messages that they were sent as."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import replace
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from pathlib import Path
from typing import Any

from compressed_rtf import decompress
from oxmsg import Message
from oxmsg.properties import Properties

from pincite.errors import ReadError
from pincite.ingest.mail.reader import EmlReader, ReadAttachment
from pincite.ingest.office.rtf import plain_text
from pincite.records.document import Document, document_id
from pincite.records.formats import MSG

_BROKEN = (
    *(ValueError, LookupError, TypeError, AttributeError, AssertionError, OSError),
    *(RecursionError, OverflowError, struct.error, UnicodeError),
)
_HEADERS = ("From", "To", "Cc", "Date", "Subject")
_RTF_BODY, _CONTENT_ID = 0x1009, 0x3712
_EMBEDDED = "__substg1.0_3701000D"
_DEEPEST = 3
_UNREAD = "it is a link, an object of another program or nested too deep; save it as a file"
_LONGEST_HEADER_CHARS = 10_000
_NEVER_FOLDED = 1 << 30


class MsgReader:
    """Reads `.msg` files; links are not followed and nothing in them is run."""

    def __init__(self, read_attachment: ReadAttachment) -> None:
        self._reader = EmlReader(read_attachment)

    def read(self, path: Path, content: bytes) -> Document:
        """Read one file's bytes. Raises ReadError if they are not a message."""
        try:
            unread: list[str] = []
            sent = _as_sent(Message.load(content), unread, depth=0).as_bytes()
        except _BROKEN as error:
            raise ReadError(
                f"the Outlook message is damaged ({type(error).__name__}); open it in Outlook and "
                "save it again, or as .eml"
            ) from error
        identifier, sha256 = document_id(content)
        found = self._reader.read(path, sent)
        kind = MSG.media_types[".msg"]
        gaps = (*found.gaps, *(f"attachment {name} is not read: {_UNREAD}" for name in unread))
        return replace(found, id=identifier, sha256=sha256, media_type=kind, gaps=gaps)


def _as_sent(message: Message, unread: list[str], *, depth: int) -> EmailMessage:
    made = EmailMessage(policy=SMTP.clone(max_line_length=_NEVER_FOLDED, utf8=True))
    for name, value in _headers(message):
        made[name] = " ".join(value[:_LONGEST_HEADER_CHARS].split())
    body, page = message.body, _page(message)
    if not body and not page:
        body = _rich_body(message)
    made.set_content(_clean(body or ""))
    if page:
        made.add_alternative(_clean(page), subtype="html")
    for attachment in message.attachments:
        _attach(made, attachment, unread, depth)
    return made


def _headers(message: Message) -> Iterator[tuple[str, str]]:
    """Those that were sent; for a message that was not, those that Outlook shows."""
    sent = {name.lower(): value for name, value in message.message_headers.items()}
    date = message.sent_date
    recipients = [f"{one.name} <{one.email_address}>" for one in message.recipients]
    shown = {
        "From": message.sender,
        "To": ", ".join(recipients),
        "Date": format_datetime(date) if date is not None else "",
        "Subject": message.subject,
    }
    for name in _HEADERS:
        value = sent.get(name.lower()) or shown.get(name)
        if value and str(value).strip():
            yield name, str(value)


def _page(message: Message) -> str:
    try:
        return message.html_body or ""
    except _BROKEN:
        return ""


def _rich_body(message: Message) -> str:
    packed = message.properties.binary_prop_value(_RTF_BODY)
    return plain_text(decompress(packed)) if packed else ""


def _attach(made: EmailMessage, attachment: Any, unread: list[str], depth: int) -> None:
    """Add an attachment to a message, or its name to `unread`."""
    name = attachment.file_name or ""
    content = attachment.file_bytes
    if content is not None:
        main, _, sub = (attachment.mime_type or "").partition("/")
        is_known = bool(sub) and main not in ("message", "multipart")
        kind = (main, sub) if is_known else ("application", "octet-stream")
        shown_in = attachment.properties.str_prop_value(_CONTENT_ID)
        cid = f"<{_clean(shown_in)}>" if shown_in else None
        made.add_attachment(content, *kind, filename=_clean(name) or "unnamed", cid=cid)
        return
    inner = next((one for one in attachment._storage.storages if one.name == _EMBEDDED), None)
    if inner is None or depth >= _DEEPEST:
        unread.append(_clean(name) or "unnamed")
        return
    sent = _as_sent(_Embedded(inner), unread, depth=depth + 1).as_bytes()
    label = f"{_clean(name) or 'message'}.eml"
    made.add_attachment(sent, "application", "octet-stream", filename=label)


class _Embedded(Message):
    """A message within another one; the header of its properties is shorter ([MS-OXMSG] 2.4.1.2)."""

    @property
    def _properties(self) -> Properties:
        return Properties(self._storage, properties_header_offset=24)


def _clean(text: str) -> str:
    return text.replace("\x00", "").encode("utf-8", "replace").decode("utf-8")
