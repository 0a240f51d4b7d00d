"""Decodes web pages; a declared encoding is used only if it fits the bytes.

Encoding names are interpreted as browsers and mail programs interpret them.
"""

from __future__ import annotations

import codecs
import re

from pincite.ingest.encoding.decode import Decoded, decode

_META = re.compile(
    rb"""<(?:meta|\?xml)[^>]*?(?:charset|encoding)\s*+=\s*+["']?\s*+([A-Za-z0-9_.:-]{2,40})""",
    re.IGNORECASE,
)
_HEAD_BYTES = 4096
# Text labelled with these names is really in the larger encodings, which add quotation marks, the
# euro, and rarer Chinese and Japanese characters.
_WRITTEN_AS = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
}
# Names that occur in files and that Python does not know.
_UNKNOWN = {
    "windows-874": "cp874",
    "iso-8859-8-i": "iso8859_8",
    "iso-8859-8-e": "iso8859_8",
    "x-sjis": "cp932",
    "x-gbk": "gb18030",
}


def decode_page(content: bytes) -> Decoded:
    """The text of a page: by byte order mark, valid UTF-8, declared encoding, then a guess."""
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
        return general  # nearly any bytes decode as Windows-1252, so declaring it proves nothing
    return Decoded(text=text, encoding=declared)


def _declared_codec(content: bytes) -> str | None:
    """The codec declared in the page's head, if Python supports it."""
    match = _META.search(content[:_HEAD_BYTES])
    name = codec_named(match[1].decode("ascii")) if match else None
    # A declaration readable as single bytes cannot be in UTF-16.
    return None if name is None or name.startswith(("utf-16", "utf-32", "utf-7")) else name


def codec_named(charset: str) -> str | None:
    """The Python codec for a declared encoding name; None if there is none."""
    try:
        name = codecs.lookup(_UNKNOWN.get(charset.lower(), charset)).name
    except (LookupError, ValueError):
        return None
    return _WRITTEN_AS.get(name, name) if _is_text_codec(name) else None


def _is_text_codec(name: str) -> bool:
    """Whether a codec decodes text; Python also has bytes-to-bytes codecs (`hex`, `zip`)."""
    try:
        return isinstance(b"".decode(name), str)
    except (LookupError, ValueError):
        return False
