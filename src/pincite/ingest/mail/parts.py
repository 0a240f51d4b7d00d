"""Selects the parts of a message to read, including one of several alternatives."""

from __future__ import annotations

import email.policy
import re
from collections.abc import Callable, Iterator
from email.errors import HeaderParseError
from email.message import Message
from functools import cache
from typing import cast

from pincite.errors import ReadError
from pincite.ingest.assembly import TextAssembly
from pincite.ingest.encoding.decode import Decoded, decode
from pincite.ingest.html.charset import codec_named
from pincite.ingest.html.reader import add_page
from pincite.records.document import BlockKind

# Exceptions of the standard parser on malformed headers and parts.
BROKEN = (ValueError, LookupError, TypeError, AttributeError, HeaderParseError, RecursionError)
_MOST_PARTS = 5_000
_TEXTS = ("text/plain", "text/html")
# Alternative forms of the same text, for certain programs.
_OTHER_FORMS = ("text/enriched", "text/richtext", "text/x-amp-html", "text/watch-html")
# A plain text with less than this share of the HTML's words is a stub ("Please enable HTML").
_LEAST_PLAIN = 0.7
_ADDRESS = re.compile(r"https?://\S+")
# Charsets that UTF-8 mail is mislabelled with; they accept any bytes.
_DOUBTFUL = ("cp1252", "utf-16", "utf-32")
_WORD = re.compile(r"\w+")


def readable_parts(message: Message) -> Iterator[Message]:
    """The parts in order; of alternatives, the best one and the attachments of the others."""
    stack: list[Message] = [message]
    # Cached: each part is counted once, however deep alternatives are nested.
    count = cache(_count_words)
    for _ in range(_MOST_PARTS):
        if not stack:
            return
        part = stack.pop()
        children = _children(part)
        if not children:
            yield part
        elif part.get_content_subtype() == "alternative":
            stack += reversed(_best_of(children, count))
        else:
            stack += reversed(children)


def _children(part: Message) -> list[Message]:
    """The subparts of a part; an embedded message is one part."""
    payload = part.get_payload()
    if part.get_content_maintype() != "multipart" or not isinstance(payload, list):
        return []
    return cast("list[Message]", payload)


def _best_of(alternatives: list[Message], count: Callable[[Message], int]) -> list[Message]:
    """The plain text unless it is a stub, else the form with the most words; all attachments."""
    words = [sum(map(count, _leaves(part))) for part in alternatives]
    best = max(range(len(alternatives)), key=lambda place: (words[place], place))
    for place, part in enumerate(alternatives):
        is_plain = part.get_content_type() == "text/plain"
        if is_plain and words[place] and words[place] >= _LEAST_PLAIN * words[best]:
            best = place
            break
    others = [part for place, part in enumerate(alternatives) if place != best]
    attached = [leaf for part in others for leaf in _leaves(part) if _is_attached(leaf)]
    return [alternatives[best], *attached]


def _leaves(part: Message) -> list[Message]:
    leaves: list[Message] = []
    stack = [part]
    while stack and len(leaves) < _MOST_PARTS:
        current = stack.pop()
        children = _children(current)
        stack += reversed(children)
        if not children:
            leaves.append(current)
    return leaves


def _is_text(part: Message) -> bool:
    """Whether a part belongs to the message's own text."""
    try:
        is_named = part.get_content_disposition() == "attachment" or part.get_filename()
    except BROKEN:
        return False
    return part.get_content_type() in (*_TEXTS, *_OTHER_FORMS) and not is_named


def _is_attached(part: Message) -> bool:
    """Whether a part of an alternative that is not chosen is more than its text or pictures."""
    return not _is_text(part) and not (
        part.get_content_maintype() == "image" and "Content-ID" in part
    )


def _count_words(part: Message) -> int:
    """The number of visible words in a part, not counting URLs."""
    try:
        if not _is_text(part) or part.get_content_type() not in _TEXTS:
            return 0
        text = decoded_part(part).text
        if part.get_content_type() == "text/html":
            text = _visible_text(text)
    except (ReadError, *BROKEN):
        return 0
    return len(_WORD.findall(_ADDRESS.sub(" ", text)))


def _visible_text(page: str) -> str:
    assembly = TextAssembly()
    add_page(page, assembly, whole=True)
    text = assembly.text()
    seen = [block for block in assembly.blocks if block.kind is not BlockKind.HIDDEN]
    return " ".join(text[block.start : block.end] for block in seen)


def content_of(part: Message) -> bytes:
    """The decoded bytes of a part. Raises ReadError if its transfer encoding is damaged."""
    inner = part.get_payload()
    if isinstance(inner, list) and inner and part.get_content_maintype() == "message":
        return _message_bytes(cast("Message", inner[0]))
    try:
        payload = part.get_payload(decode=True)
    except BROKEN as error:
        raise ReadError(f"its transfer encoding is damaged ({error})") from error
    return payload if isinstance(payload, bytes) else b""


def _message_bytes(message: Message) -> bytes:
    try:
        return message.as_bytes(policy=email.policy.compat32)
    except BROKEN as error:
        raise ReadError(
            f"the message in it is damaged or nested too deep ({type(error).__name__})"
        ) from error


def decoded_part(part: Message) -> Decoded:
    """The text of a part, in its declared charset or, if that does not fit, the likeliest one."""
    content = content_of(part)
    try:
        codec = codec_named(part.get_content_charset() or "utf-8") or "utf-8"
        name = "utf-8" if codec.startswith(_DOUBTFUL) and _is_utf8(content) else codec
        return Decoded(text=content.decode(name), encoding=None)
    except (UnicodeDecodeError, LookupError, ValueError):
        return decode(content)


def _is_utf8(content: bytes) -> bool:
    try:
        return "\0" not in content.decode()
    except UnicodeDecodeError:
        return False
