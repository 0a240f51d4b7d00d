"""Does a question ask for a number, a measure or a date, and does a sentence have one?"""

from __future__ import annotations

import re

from pincite.text.number_words import worded_numbers

_ASKED = re.compile(
    r"\bhow (?:many|much|long|often|far|old|tall|big|large|wide|high|deep|fast|late|soon)\b|\bwhen\b|"
    r"\b(?:what|which) (?:percentage|percent|number|amount|year|date|day|month)\b|"
    r"\bwie ?viele?\b|\bwie (?:lange?|oft|weit|alt|hoch|groß|gross|breit|tief|schnell)\b|\bwann\b|"
    r"\b(?:combien|quand|quanto|quanta|quanti|quante|quando|quantos|quantas|hoeveel|wanneer)\b|"
    r"\bcu[áa]nt[oa]s?\b|\bcu[áa]ndo\b|\bhoe (?:lang|vaak|ver|oud|hoog|groot)\b",
    re.IGNORECASE,
)
_DIGIT = re.compile(r"\d")


def asks_for_figure(question: str) -> bool:
    """Whether it begins as "how many" or "when", in one of seven languages."""
    return _ASKED.search(question) is not None


def has_figure(text: str) -> bool:
    """Whether a number stands in it, in digits or in words."""
    return bool(_DIGIT.search(text)) or next(worded_numbers(text), None) is not None
