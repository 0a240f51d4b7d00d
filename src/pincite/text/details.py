"""The details that distinguish sentences of the same wording: numbers, codes and names."""

from __future__ import annotations

import re
from functools import cache

from pincite.text.dates import MONTH_NAMES
from pincite.text.keys import days
from pincite.text.languages import stop_words
from pincite.text.numbers import worded_numbers
from pincite.text.terms import parts_at_commas, terms

_CAPITALISED = re.compile(r"(?<![^\W_])[^\W\d_a-zß-öø-ÿ][^\W_]+")
_SIGNS = r"[^\s;()\[\]{}|\"“”\d]"
# Anchored where a run of signs begins, so that a long run without a digit is scanned once.
_WITH_DIGITS = re.compile(rf"(?<!{_SIGNS}){_SIGNS}*\d[^\s;()\[\]{{}}|\"“”]*")
_DIGIT = re.compile(r"\d")
_AROUND = ".,:!?'’-–—/%°"

_CODE = re.compile(r"(?P<series>[^\W\d_]+[-_./#]?)\d[\w.-]*")
_PLAIN_NUMBER = re.compile(r"(?!(?:19|20)\d\d$)\d{4,}")


def names(text: str) -> frozenset[str]:
    """Capitalised words other than the first word of the sentence, as written."""
    found = _CAPITALISED.findall(text)
    return frozenset(found[1:] if text[:1].isupper() else found)


def details(text: str) -> frozenset[str]:
    """Numbers in digits and in English words, codes ("gx-200") and names, in lower case."""
    digits = (
        part.strip(_AROUND)
        for found in _WITH_DIGITS.finditer(text)
        for part in parts_at_commas(found.group())
        if _DIGIT.search(part)
    )
    worded = (text[number.start : number.end] for number in worded_numbers(text))
    named = names(_WITH_DIGITS.sub(" ", text))
    return frozenset(found.casefold() for found in (*digits, *worded, *named))


_NUMBERED = re.compile(
    r"(?<![^\W_])(?P<series>[^\W\d_]{2,})[ .:#]{1,3}(?P<number>\d{1,6})(?![\w%]|[.,:]\d)"
)


@cache
def _no_series() -> frozenset[str]:
    """Words before a number that name no series: "in 84", "July 84"."""
    return stop_words()["en"].union(*(names.split() for names in MONTH_NAMES))


def _numbered(text: str) -> dict[str, str]:
    """Things that a word and a number name, each with its series: `part` for "Part 84"."""
    found = {}
    for match in _NUMBERED.finditer(text):
        series = match["series"].casefold()
        if series not in _no_series():
            found[f"{series} {match['number']}"] = series
    return found


def identifiers(text: str) -> dict[str, str]:
    """What identifies one of many things, with its series: `TCK-` for TCK-1044, `part` for Part 84.

    Long numbers with the same count of digits form a series, as do days; years and short numbers alone
    do not.
    """
    series = _numbered(text) | dict.fromkeys(days(text), "day")
    for detail in details(text):
        if code := _CODE.fullmatch(detail):
            series[detail] = code["series"]
        elif _PLAIN_NUMBER.fullmatch(detail):
            series[detail] = f"{len(detail)} digits"
    return series


def words_beside_details(text: str) -> frozenset[str]:
    """The terms of a text without those that are part of its details ("200" of "gx-200")."""
    return frozenset(terms(text)).difference(terms(" ".join(details(text))))


def details_asked(question: str) -> frozenset[str]:
    """All words of a question: people write names in lower case."""
    words = (word.strip(_AROUND).casefold() for word in question.split())
    return details(question) | {word for word in words if word}
