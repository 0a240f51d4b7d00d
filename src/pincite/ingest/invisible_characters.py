"""Finds characters that nobody sees and that writing does not need: they may carry a message.

Joiners between Persian or Indic letters and in emoji, marks of direction beside right-to-left
writing, soft hyphens and a byte order mark are what they are made for, and not counted.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from pincite.document import Range

_ZERO_WIDTH = "\u200b-\u200d\u2060-\u2064\ufeff\u180e\u115f\u1160\u3164\uffa0"
_SUSPECT = re.compile(
    f"[{_ZERO_WIDTH}]+|[\u202d\u202e]+|[\u200e\u200f\u202a\u202b\u2066-\u2069]+"
    "|[\ufe00-\ufe0f\U000e0100-\U000e01ef]{2,}|[\U000e0000-\U000e007f]+"
    "|[\ue000-\uf8ff\U000f0000-\U0010fffd]{24,}"
)
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\U00010800-\U00010fff]")
_LONGEST_ORDINARY_RUN = 2
_TAG_SHIFT = 0xE0000
_SHOWN_CHARS = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class Invisible:
    """Characters of one sort: how many, where the first ones are, and what they spell."""

    what: str
    count: int
    first: Range


def find_invisible(text: str) -> list[Invisible]:
    """One entry for each sort of suspicious characters, in the order of their first places."""
    if text.isascii():
        return []
    counts: dict[str, int] = {}
    firsts: dict[str, Range] = {}
    spelled = ""
    directions_are_needed = _RIGHT_TO_LEFT.search(text) is not None
    for match in _SUSPECT.finditer(text):
        sort = _sort(text, *match.span(), directions_are_needed=directions_are_needed)
        if sort:
            counts[sort] = counts.get(sort, 0) + len(match[0])
            firsts.setdefault(sort, match.span())
            if sort == _TAGS and len(spelled) < _SHOWN_CHARS:
                spelled += "".join(_spelled(match[0]))
    return [
        Invisible(
            what=f"{sort} that spell {spelled[:_SHOWN_CHARS]!r}" if sort == _TAGS else sort,
            count=count,
            first=firsts[sort],
        )
        for sort, count in counts.items()
    ]


_TAGS = "tag characters"
_ZERO = "zero-width characters"


def _sort(text: str, start: int, end: int, *, directions_are_needed: bool) -> str:
    """What the characters are called, or an empty string where they do what they are made for."""
    first = text[start]
    before, after = text[max(0, start - 1) : start], text[end : end + 1]
    if first in "\u202d\u202e":
        return "characters that turn the direction of writing"
    if first in "\u200e\u200f\u202a\u202b" or "\u2066" <= first <= "\u2069":
        return "" if directions_are_needed else "marks of direction in a text that needs none"
    if _TAG_SHIFT <= ord(first) <= _TAG_SHIFT + 0x7F:
        return "" if before == "\U0001f3f4" else _TAGS
    if "\ufe00" <= first <= "\ufe0f" or (ord(first) >= 0xE0100 and ord(first) <= 0xE01EF):
        return "variation selectors in a row"
    if unicodedata.category(first) == "Co":
        return "characters of private use in a row"
    if end - start > _LONGEST_ORDINARY_RUN:
        return _ZERO
    # One alone is harmless beside a space; within a word it hides the word from a search.
    return _ZERO if _is_plain(before) and _is_plain(after) else ""


def _is_plain(sign: str) -> bool:
    """A letter of Latin, Greek or Cyrillic writing, which is never joined or parted unseen."""
    return sign.isalpha() and (sign < "\u0530" or "\u1e00" <= sign <= "\u1fff")


def _spelled(tags: str) -> Iterator[str]:
    return (chr(ord(tag) - _TAG_SHIFT) for tag in tags if 0x20 <= ord(tag) - _TAG_SHIFT < 0x7F)
