"""Do these words stand side by side in this text?"""

from __future__ import annotations

import re

from pincite.text.search_text import LINE_HYPHEN
from pincite.text.terms import UNSPACED, composed, fold

_APOSTROPHES = str.maketrans("", "", "'’")
_SIGNS = r"(?:\+\+|\#(?!\w))"
_WORD = re.compile(rf"[{UNSPACED}]|(?:[^\W_{UNSPACED}]|[\u0900-\u0963\u0966-\u0dff])+{_SIGNS}?")
# Begun only where a word begins, so that a long run of letters is looked through once.
_SIGNED = re.compile(rf"(?<!\w)\w+{_SIGNS}")


def holds(text: str, phrase: str) -> bool:
    """Whether the words of `phrase` stand in `text` in this order with nothing but signs between.

    Case, accents and line breaks make no difference; endings do, and `C++` is not `C`. A phrase
    without words stands nowhere.
    """
    wanted = _words(phrase)
    if not wanted.strip():
        return False
    # A hyphen at the end of a line may belong to the word or not.
    readings = {text.replace(LINE_HYPHEN, ""), text.replace(LINE_HYPHEN, "-")}
    return any(wanted in _words(reading) for reading in readings)


def without_signed(text: str, word: str) -> str:
    """The text without names such as `C++` and `C#`, unless the word is one itself."""
    return text if _SIGNED.search(word) else _SIGNED.sub(" ", text)


def _words(text: str) -> str:
    found = _WORD.findall(fold(composed(text)).translate(_APOSTROPHES))
    return f" {' '.join(found)} "
