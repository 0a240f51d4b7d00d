"""How a text is changed for searching only; what is quoted stays as it stands in the file."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

LINE_HYPHEN = "-\n"
"""How readers leave a word that is broken at the end of a line."""

INVISIBLE = "\u00ad\u200b\u2060\ufeff"
"""Soft hyphen, zero-width space, word joiner, byte order mark: inside a word they hide it."""

LIGATURES = {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"}

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_VISIBLE_ONLY = str.maketrans("", "", INVISIBLE)
_SIGNS_OF_MOJIBAKE = ("Ã", "â€", "Â", "ð", "Ð", "Ñ", "Ø", "Ù", "æ", "å", "ç", "ã", "œ", "˜")


def without_invisible(text: str) -> str:
    """The text without characters that nobody sees and that would hide a word from the search."""
    return text if text.isascii() else text.translate(_VISIBLE_ONLY)


def whole_characters(text: str) -> str:
    """The text without halves of characters, which no tokenizer takes and nobody can send."""
    return text if text.isascii() else _LONE_SURROGATE.sub("\ufffd", text)


def repaired(text: str) -> str:
    """The text with wrongly decoded stretches set right (`cafÃ©` is `café`), for the search.

    Text that reads as it should comes back as it is.
    """
    return _ftfy()[1](text) if looks_wrong(text) else text


def looks_wrong(text: str) -> bool:
    """Whether some of a text may be wrongly decoded."""
    if text.isascii() or not any(sign in text for sign in _SIGNS_OF_MOJIBAKE):
        return False
    return _ftfy()[0](text)


@cache
def _ftfy() -> tuple[Callable[[str], bool], Callable[[str], str]]:
    # Loaded when a text looks wrong, which few do.
    from ftfy import fix_encoding
    from ftfy.badness import is_bad

    return is_bad, fix_encoding
