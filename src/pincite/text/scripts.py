"""Which script is a text written in?"""

from __future__ import annotations


def is_latin(text: str) -> bool:
    """Whether at least half of the letters are Latin ones; so for a text without letters, too."""
    letters = [sign for sign in text if sign.isalpha()]
    latin = sum(sign <= "\u024f" or "\u1e00" <= sign <= "\u1eff" for sign in letters)
    return 2 * latin >= len(letters)
