"""Decodes a web page: what the page says about its encoding counts only when it fits the bytes."""

from __future__ import annotations

import codecs
import re

from pincite.ingest.decode import Decoded, decode

_META = re.compile(
    rb"""<(?:meta|\?xml)[^>]*?(?:charset|encoding)\s*=\s*["']?\s*([A-Za-z0-9_.:-]{2,40})""",
    re.IGNORECASE,
)
_HEAD_BYTES = 4096
# What pages call latin-1 or ASCII is Windows-1252 in fact; browsers read it so too.
_SAME_AS_WINDOWS_1252 = ("iso8859-1", "ascii", "cp1252")


def decode_page(content: bytes) -> Decoded:
    """The text of a page: by byte order mark, valid UTF-8, the page's own word, then a guess."""
    general = decode(content)
    declared = _declared_codec(content)
    if declared is None or general.first_byte or (general.encoding or "").startswith("utf"):
        return general
    if general.is_damaged:
        return general
    try:
        text = content.decode(declared)
    except (UnicodeDecodeError, LookupError):
        return general
    if declared == "cp1252" and general.encoding not in (None, "cp1252", "latin-1"):
        return general  # nearly any bytes decode as Windows-1252, so its name proves nothing
    return Decoded(text=text, encoding=declared)


def _declared_codec(content: bytes) -> str | None:
    """The codec named in the page's head, if Python has it."""
    match = _META.search(content[:_HEAD_BYTES])
    if not match:
        return None
    try:
        name = codecs.lookup(match[1].decode("ascii")).name
    except LookupError:
        return None
    # A name that can be read in single bytes cannot be of UTF-16.
    if name.startswith(("utf-16", "utf-32", "utf-7")) or not _is_text_codec(name):
        return None
    return "cp1252" if name in _SAME_AS_WINDOWS_1252 else name


def _is_text_codec(name: str) -> bool:
    """Python also has codecs from bytes to bytes (`hex`, `zip`); a page must not choose those."""
    try:
        return isinstance(b"".decode(name), str)
    except (LookupError, ValueError):
        return False
