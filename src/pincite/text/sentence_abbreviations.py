"""Does the full stop behind this abbreviation end the sentence? By lists for many languages."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from pincite.text.stop_words import stop_words
from pincite.toml_files import shipped

LONGEST_CHARS = 24
"""No abbreviation is longer, with what stands before it."""

# "Dipl.-Ing.", "z.B.", "dott.ssa": dots and hyphens stand within some.
_LAST_WORD = re.compile(r"(?<![^\s(\[\"'’„“«‘])((?:[^\W\d_]+(?:\.-?|-))*[^\W\d_]+)\.\s*$")
_INITIALS = re.compile(r"[^\W\d_]\.-[^\W\d_]")
_STREET = re.compile(r"[^\W\d_]{3,}(?:str|stra)")
_NUMBER = re.compile(r"[\d§№#]|[IVXLC]{2,}\b|[A-Z]\.[ \d-]")
_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Abbreviations:
    """Abbreviations without their last stop; what each list means stands in the file."""

    inside: frozenset[str]
    number: frozenset[str]
    name: frozenset[str]


@cache
def _abbreviations() -> _Abbreviations:
    languages = shipped("text/data", "abbreviations").values()

    def listed(kind: str) -> frozenset[str]:
        words = [word for lists in languages for word in lists.get(kind, "").split()]
        return frozenset((*words, *(word[0].upper() + word[1:] for word in words)))

    return _Abbreviations(inside=listed("inside"), number=listed("number"), name=listed("name"))


@cache
def _openers() -> frozenset[str]:
    return frozenset(word.capitalize() for words in stop_words().values() for word in words)


def goes_on_behind(text: str, begin: int, end: int, start: int) -> bool:
    """Whether `text[begin:end]` ends with an abbreviation that what begins at `start` belongs to."""
    last = _LAST_WORD.search(text, max(begin, end - LONGEST_CHARS), end)
    if last is None:
        return False
    # Of "Dipl.-Ing" the end tells as much as the whole.
    words = {last[1], last[1].rpartition("-")[2]}
    known = _abbreviations()
    if words & known.inside or _INITIALS.fullmatch(last[1]):
        return True
    if _NUMBER.match(text, start):
        return bool(words & known.number or _STREET.fullmatch(last[1]))
    following = _WORD.match(text, start)
    return bool(words & known.name and following and following[0] not in _openers())
