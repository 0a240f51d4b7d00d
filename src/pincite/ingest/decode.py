"""Turns the bytes of a text file into text, and says how to get back to the bytes.

Newlines and characters stay exactly as they are in the file: offsets into the text are what
citations are made of.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass

from charset_normalizer import from_bytes

from pincite.errors import ReadError

# UTF-32 comes first: its little-endian mark begins with the UTF-16 one.
_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_CONTROL_CHARACTERS = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_CONTROL_SHARE_OF_BINARY = 0.02
_SAMPLE_BYTES = 1 << 16
_JAPANESE_ESCAPE = re.compile(rb"\x1b\$[@B]")
# Guesses that are better answered with Windows-1252: on a few accented words all single-byte Latin
# code pages look alike, and only this one is common.
_LATIN_GUESS = re.compile(
    r"^(cp1252|cp1250|cp1254|cp1257|cp125[78]|cp037|cp273|cp43[7]|cp500|cp7\d\d|cp8[5-6]\d|cp1026"
    r"|cp1140|latin_?1|iso8859_(1|2|3|4|9|10|13|14|15|16)|mac_.*|hp_roman8|ptcp154|kz1048|tis_620"
    r"|ascii)$"
)
_LATIN_EXCEPTIONS = re.compile(r"^(cp855|cp866|cp737|cp869|cp862|cp864|mac_(cyrillic|greek))$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Decoded:
    """The text of a file and the codec that leads back to its bytes.

    `encoding` is None when a stretch of text cannot be mapped to a stretch of bytes (a codec with
    shift states); `warning` then says so.
    """

    text: str
    encoding: str | None
    first_byte: int = 0
    warning: str | None = None


def decode(content: bytes) -> Decoded:
    """Decode a text file of unknown encoding. Raises ReadError when it is not text at all."""
    for mark, encoding in _BYTE_ORDER_MARKS:
        if content.startswith(mark):
            marked = _try_codec(content[len(mark) :], encoding)
            if marked is not None:
                return _checked(marked, encoding, content, first_byte=len(mark))
    for encoding in _candidates(content):
        text = _try_codec(content, encoding)
        if text is not None:
            return _checked(text, encoding, content, first_byte=0)
    # Every byte is a character of latin-1, so this cannot fail.
    return _checked(content.decode("latin-1"), "latin-1", content, first_byte=0)


def _candidates(content: bytes) -> Iterator[str]:
    """Codecs to try in order; a generator, so that the slow guess is made only when needed."""
    wide = _wide_codec(content)
    if wide is not None:
        yield wide
    if _JAPANESE_ESCAPE.search(content):
        yield "iso2022_jp"  # seven-bit, so that UTF-8 would take it for plain letters
    yield "utf-8"
    guess = _guess(content)
    if guess is not None:
        yield guess
    yield "cp1252"


def _wide_codec(content: bytes) -> str | None:
    """UTF-16 without a byte order mark, seen by zero bytes on one side of most pairs."""
    sample = content[:_SAMPLE_BYTES]
    pairs = len(sample) // 2
    if pairs < 2 or len(content) % 2 or 0 not in sample:
        return None
    even_zeros = sample[0::2].count(0) / pairs
    odd_zeros = sample[1::2].count(0) / pairs
    if odd_zeros > 0.1 and even_zeros < odd_zeros / 10:
        return "utf-16-le"
    if even_zeros > 0.1 and odd_zeros < even_zeros / 10:
        return "utf-16-be"
    return None


def _guess(content: bytes) -> str | None:
    """The codec charset-normalizer finds most likely; None when it has no better idea."""
    best = from_bytes(content[:_SAMPLE_BYTES]).best()
    if best is None:
        return None
    name = best.encoding
    if _LATIN_GUESS.match(name) and not _LATIN_EXCEPTIONS.match(name):
        return None
    # GBK and GB2312 are subsets of GB18030; a file may hold the rarer signs past the sample.
    return "gb18030" if name in ("gbk", "gb2312") else name


def _try_codec(content: bytes, encoding: str) -> str | None:
    """The text if the whole content decodes, else None."""
    try:
        return content.decode(encoding)
    except (UnicodeDecodeError, LookupError):
        return None


def _checked(text: str, encoding: str, content: bytes, *, first_byte: int) -> Decoded:
    """Refuse binary content, and drop the codec when it cannot lead back to the bytes."""
    controls = len(_CONTROL_CHARACTERS.findall(text))
    if "\x00" in text or controls > _CONTROL_SHARE_OF_BINARY * len(text):
        raise ReadError(
            "it looks like a binary file, not text; a text file has no zero bytes and hardly any "
            "control characters; save it as text, PDF or DOCX"
        )
    if _leads_back(text, encoding, content[first_byte:]):
        return Decoded(text=text, encoding=encoding, first_byte=first_byte)
    return Decoded(
        text=text,
        encoding=None,
        warning=f"byte positions are not available: its encoding ({encoding}) has no fixed ones",
    )


def _leads_back(text: str, encoding: str, content: bytes) -> bool:
    """Whether every slice of the text encodes to its slice of the bytes.

    A codec with shift states writes escape sequences around each slice; two halves that together
    are longer than the whole show that.
    """
    try:
        middle = len(text) // 2
        halves = text[:middle].encode(encoding) + text[middle:].encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return halves == content and not encoding.startswith(("iso2022", "hz", "utf_7"))
