"""Tells East Asian and Russian code pages of short texts by their commonest signs."""

from __future__ import annotations

import re

_MOST_BYTES = 400
_FEWEST_BYTES = 8
_GUESSES = re.compile(
    r"cp932|cp949|euc_kr|johab|gb18030|shift_jis\w*|euc_ji\w*|mac_(?:cyrillic|greek)"
)
_BEYOND_ASCII = re.compile(rb"[\x80-\xff]+")
_LEAST_COMMON = 0.9
_LEAST_HANGUL = 0.95
"""Chinese in the Korean code page gives hangul for half of its characters only."""

# What of a double-byte code page texts are made of: signs, kana, the commoner half of Han, hangul.
_JAPANESE = re.compile(rb"[\x81-\x84\x87-\x97][\x40-\x7e\x80-\xfc]")
_CHINESE = re.compile(rb"[\xa1-\xa3\xb0-\xd7][\xa1-\xfe]")
_KOREAN = re.compile(rb"[\xa1-\xa3\xb0-\xc8][\xa1-\xfe]")
_HALF_WIDTH = re.compile("[\uff61-\uff9f]")
# In KOI8-R small letters lie where Windows-1251 has capitals, and the other way round.
_KOI8_WORD = re.compile(rb"[\xb3\xe0-\xff]?[\xa3\xc0-\xdf]*|[\xb3\xe0-\xff]+")
_KOI8_CAPITAL = re.compile(rb"[\xb3\xe0-\xff][\xa3\xc0-\xdf]{2}")


def short_text_codec(content: bytes, guess: str | None) -> str | None:
    """The codec of a short text that `guess` may have wrong; the guess itself where nothing shows."""
    runs = _BEYOND_ASCII.findall(content)
    beyond = sum(map(len, runs))
    if not _FEWEST_BYTES <= beyond <= _MOST_BYTES:
        return guess
    if all(map(_KOI8_WORD.fullmatch, runs)) and any(map(_KOI8_CAPITAL.match, runs)):
        return "koi8_r"
    if guess is not None and not _GUESSES.fullmatch(guess):
        return guess
    if _share(content, "cp932", _JAPANESE) >= _LEAST_COMMON:
        return "cp932"
    if guess is None or guess.startswith(("mac_", "cp932", "gb18030")):
        return guess
    if _share(content, "cp949", _KOREAN) >= _LEAST_HANGUL:
        return "cp949"
    return "gb18030" if _share(content, "gb18030", _CHINESE) >= _LEAST_COMMON else guess


def _share(content: bytes, encoding: str, common: re.Pattern[bytes]) -> float:
    """How many of the signs beyond ASCII are common ones; 0 if the bytes are no text in it."""
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError:
        return 0.0
    signs = [sign for sign in text if not sign.isascii()]
    if not signs or _HALF_WIDTH.search(text):
        return 0.0
    found = sum(bool(common.fullmatch(sign.encode(encoding))) for sign in signs)
    return found / len(signs)
