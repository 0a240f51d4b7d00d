"""Do these words stand side by side in this text?"""

from __future__ import annotations

import re

from pincite.text.search_text import LINE_HYPHEN
from pincite.text.terms import UNSPACED, composed, fold

_APOSTROPHES = str.maketrans("", "", "'’")
_WORD = re.compile(rf"[{UNSPACED}]|(?:[^\W_{UNSPACED}]|[\u0900-\u0963\u0966-\u0dff])+")


def holds(text: str, phrase: str) -> bool:
    """Whether the words of `phrase` stand in `text` in this order with nothing but signs between.

    Case, accents and line breaks make no difference; endings do. A phrase without words stands
    nowhere.
    """
    wanted = _words(phrase)
    if not wanted.strip():
        return False
    # A hyphen at the end of a line may belong to the word or not.
    readings = {text.replace(LINE_HYPHEN, ""), text.replace(LINE_HYPHEN, "-")}
    return any(wanted in _words(reading) for reading in readings)


def _words(text: str) -> str:
    found = _WORD.findall(fold(composed(text)).translate(_APOSTROPHES))
    return f" {' '.join(found)} "
