"""Do these words stand side by side in this text?"""

from __future__ import annotations

import re
from functools import lru_cache

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
    return WrittenWords(text).hold(phrase)


class WrittenWords:
    """The words of a text as they are written, to look for many phrases as `holds` does."""

    def __init__(self, text: str) -> None:
        # A hyphen at the end of a line may belong to the word or not.
        readings = {text.replace(LINE_HYPHEN, ""), text.replace(LINE_HYPHEN, "-")}
        self._readings = [_words(reading) for reading in readings]

    def hold(self, phrase: str) -> bool:
        """Whether the words of the phrase stand side by side."""
        wanted = _words_of_phrase(phrase)
        return bool(wanted.strip()) and any(wanted in reading for reading in self._readings)


def is_signed(word: str) -> bool:
    """Whether a word is a name such as `C++` and `C#`."""
    return bool(_SIGNED.search(word))


def without_signed(text: str) -> str:
    """The text without such names."""
    return _SIGNED.sub(" ", text)


@lru_cache(maxsize=4096)
def _words_of_phrase(phrase: str) -> str:
    return _words(phrase)


def _words(text: str) -> str:
    found = _WORD.findall(fold(composed(text)).translate(_APOSTROPHES))
    return f" {' '.join(found)} "
