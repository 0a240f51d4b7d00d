"""Decodes text files and records the codec that maps the text back to the bytes.

Newlines and characters are kept exactly as in the file, because citations are offsets into the
text.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from charset_normalizer import from_bytes

from pincite.errors import ReadError
from pincite.ingest.encoding.code_pages import is_western, latin_code_page, short_text_codec
from pincite.ingest.reading import counted

# UTF-32 comes first: its little-endian mark starts with that of UTF-16.
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
# Latin guesses, which `code_pages` distinguishes better.
_LATIN_GUESS = re.compile(
    r"^(cp1252|cp1250|cp1254|cp1257|cp125[78]|cp037|cp273|cp43[7]|cp500|cp7\d\d|cp8[5-6]\d|cp1026"
    r"|cp1140|latin_?1|iso8859_(1|2|3|4|9|10|13|14|15|16)|mac_.*|hp_roman8|tis_620"
    r"|ascii)$"
)
_LATIN_EXCEPTIONS = re.compile(r"^(cp855|cp866|cp737|cp869|cp862|cp864|mac_(cyrillic|greek))$")
_BEYOND_ASCII = re.compile(rb"[\x80-\xff]+")
# Words of other scripts are runs of such bytes; Latin words rarely have two in a row.
_SHORTEST_RUN = 3
_FEWEST_IN_RUNS = 8
_LEAST_DENSE = 0.4
_FEWEST_KINDS = 4
_FEWEST_ALONE = 20
# A sentence of Hebrew has been mistaken for Russian.
_FEWEST_SURE = 60
_KATAKANA = re.compile(rb"(?:\x83[\x40-\x96]){3}")
_PAIR_WITH_ASCII = re.compile(rb"[\x80-\xff][\x40-\x7e]")
# Encodings that EUC-JP has been mistaken for; no text in them has this much kana.
_TAKEN_FOR_EUC_JP = ("big5", "big5hkscs", "cp949", "euc_kr", "gb18030", "johab")
_KANA = re.compile(r"[\u3041-\u30fe]")
_LEAST_KANA = 0.3
# A damaged UTF-8 file has few invalid sequences; other code pages rarely yield a valid one.
_VALID_FOR_EACH_BAD = 4
_NO_POSITIONS = "byte positions are not available: it contains invalid bytes"


@dataclass(frozen=True, slots=True, kw_only=True)
class Decoded:
    """The text of a file and the codec that maps it back to the file's bytes.

    `encoding` is None if ranges of text cannot be mapped to ranges of bytes (a codec with shift
    states, invalid bytes); `warning` then says so. `doubt` says which characters may be wrong.
    """

    text: str
    encoding: str | None
    first_byte: int = 0
    warning: str | None = None
    doubt: str | None = None
    is_damaged: bool = False
    """Whether it is UTF-8 with some invalid bytes."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """The warnings that a reader of this text must report."""
        return tuple(words for words in (self.doubt, self.warning) if words)


def decode(content: bytes) -> Decoded:
    """Decode a text file of unknown encoding. Raises ReadError if it is not text."""
    for mark, encoding in _BYTE_ORDER_MARKS:
        if content.startswith(mark):
            marked = _try_codec(content[len(mark) :], encoding)
            if marked is not None:
                return _checked(marked, encoding, content, first_byte=len(mark))
    for encoding in _candidates(content):
        text = _try_codec(content, encoding)
        if text is not None:
            return _checked(text, encoding, content, first_byte=0)
    return _damaged_utf8(content) or _other_script(content) or _latin(content)


def _candidates(content: bytes) -> Iterator[str]:
    """Codecs that are certain if the content is valid in them."""
    wide = _wide_codec(content)
    if wide is not None:
        yield wide
    if _JAPANESE_ESCAPE.search(content):
        yield "iso2022_jp"  # seven-bit, so UTF-8 would decode it as plain ASCII
    yield "utf-8"


def _damaged_utf8(content: bytes) -> Decoded | None:
    """The text of a UTF-8 file with a few invalid bytes, or truncated within a character."""
    mark = len(codecs.BOM_UTF8) if content.startswith(codecs.BOM_UTF8) else 0
    text = content[mark:].decode("utf-8", "replace")
    bad = text.count("\ufffd")
    valid = sum(map(len, re.findall(r"[^\x00-\x7f\ufffd]+", text)))
    is_cut = bad == 1 and text.endswith("\ufffd")
    if not mark and bad > max(valid // _VALID_FOR_EACH_BAD, int(valid > 1 or (is_cut and valid))):
        return None
    where = "at its end " if is_cut else ""
    checked = _checked(text, "utf-8", content, first_byte=mark)
    return replace(
        checked,
        encoding=None,
        is_damaged=True,
        warning=_NO_POSITIONS,
        doubt=f"damaged {where}(not valid UTF-8): {counted(bad, 'character')} could not be read and "
        "are shown as \ufffd; get a complete copy of the file",
    )


def _other_script(content: bytes) -> Decoded | None:
    """The text in a non-Latin code page, if its bytes look like one."""
    if not _looks_foreign(content):
        return None
    guess = short_text_codec(content, _guess(content))
    text = _try_codec(content, guess) if guess else None
    if guess is None or text is None:
        return None
    checked = _checked(text, guess, content, first_byte=0)
    # A word repeated on every line is no more evidence than a single one.
    distinct = b"\n".join(set(content.splitlines()))
    beyond = sum(map(len, _BEYOND_ASCII.findall(distinct)))
    return checked if beyond >= _FEWEST_SURE else replace(checked, doubt=_doubt(guess))


def _looks_foreign(content: bytes) -> bool:
    """Whether the non-ASCII bytes form whole words, not single letters and symbols in words."""
    if _KATAKANA.search(content):
        return True
    runs = _BEYOND_ASCII.findall(content)
    if len(set(b"".join(runs))) < _FEWEST_KINDS:
        return False
    total = sum(map(len, runs))
    in_runs = sum(len(run) for run in runs if len(run) >= _SHORTEST_RUN)
    letters = len(re.findall(rb"[A-Za-z]", content))
    # The second byte of a Japanese character is often an ASCII letter.
    is_dense = total >= _LEAST_DENSE * (total + letters)
    if total < _FEWEST_ALONE and is_western(content):
        return False  # `äöüß`
    if 2 * in_runs < total:
        return is_dense and len(_PAIR_WITH_ASCII.findall(content)) >= _FEWEST_ALONE
    return is_dense or in_runs >= _FEWEST_IN_RUNS


def _latin(content: bytes) -> Decoded:
    """The text in a Latin code page; any content can be decoded this way.

    Undefined bytes become `\ufffd`. Falling back to latin-1, which defines every byte, because of one
    such byte would turn quotation marks into control characters.
    """
    page = latin_code_page(content)
    checked = _checked(content.decode(page.name, "replace"), page.name, content, first_byte=0)
    if bad := checked.text.count("\ufffd"):
        doubt = f"{_doubt(page.name)}; {counted(bad, 'invalid byte')} shown as \ufffd"
        return replace(checked, encoding=None, warning=_NO_POSITIONS, doubt=doubt)
    if not page.is_doubtful and not _looks_foreign(content):
        return checked
    return replace(checked, doubt=_doubt(page.name))


def _doubt(encoding: str) -> str:
    return (
        f"its encoding is uncertain; it was read as {encoding}, and letters beyond A to Z may be "
        "wrong; save it as UTF-8"
    )


def _wide_codec(content: bytes) -> str | None:
    """UTF-16 without a byte order mark, detected from zero bytes on one side of most pairs."""
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
    """The most likely codec according to charset-normalizer; None if it has no guess."""
    first = _BEYOND_ASCII.search(content)
    start = content.rfind(b"\n", 0, first.start()) + 1 if first else 0
    best = from_bytes(content[start : start + _SAMPLE_BYTES]).best()
    if best is None:
        return None
    name = best.encoding
    if _LATIN_GUESS.match(name) and not _LATIN_EXCEPTIONS.match(name):
        return None
    # GBK and GB2312 are subsets of GB18030; rarer characters may follow after the sample.
    name = "gb18030" if name in ("gbk", "gb2312") else name
    return "euc_jp" if name in _TAKEN_FOR_EUC_JP and _is_euc_jp(content) else name


def _is_euc_jp(content: bytes) -> bool:
    """Whether EUC-JP decodes to a text with as much kana as Japanese has."""
    text = _try_codec(content, "euc_jp") or ""
    beyond = sum(not sign.isascii() for sign in text)
    return bool(beyond) and len(_KANA.findall(text)) >= _LEAST_KANA * beyond


def _try_codec(content: bytes, encoding: str) -> str | None:
    """The text if the whole content decodes, else None."""
    try:
        return content.decode(encoding)
    except (UnicodeDecodeError, LookupError):
        return None


def _checked(text: str, encoding: str, content: bytes, *, first_byte: int) -> Decoded:
    """Reject binary content, and drop the codec if it cannot map the text back to the bytes."""
    controls = len(_CONTROL_CHARACTERS.findall(text))
    if "\x00" in text or controls > _CONTROL_SHARE_OF_BINARY * len(text):
        raise ReadError(
            "it looks like a binary file, not text; a text file has no zero bytes and few "
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
    """Whether each slice of the text encodes to the corresponding slice of the bytes.

    A codec with shift states writes escape sequences around each slice, so two encoded halves are
    longer than the whole.
    """
    try:
        middle = len(text) // 2
        halves = text[:middle].encode(encoding) + text[middle:].encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return halves == content and not encoding.startswith(("iso2022", "hz", "utf_7"))
