"""Which operations does a claim name, and in which direction does it say that something went?"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property

_OPERATIONS = {
    "sum": (
        r"total\w*|sum|combined|together|altogether|aggregate\w*|in all|plus|overall|insgesamt|Summe"
    ),
    "difference": (
        r"difference|increas\w*|decreas\w*|rise|rose|risen|fell|fall\w*|drop\w*|declin\w*|grew|grow\w*|"
        r"change\w*|more|less|higher|lower|gain\w*|reduc\w*|up|down|minus|Differenz|gestiegen"
    ),
    "share": (
        r"share|percent\w*|proportion|ratio|fraction|times|rate|margin|represent\w*|account\w*|"
        r"increas\w*|decreas\w*|rise|rose|fell|declin\w*|drop\w*|grew|grow\w*|change\w*|per|Anteil"
    ),
    "mean": r"average\w*|mean|Durchschnitt\w*",
    "addition": r"and|plus|sowie|und|et",
}
_NAMED = {
    name: re.compile(rf"\b(?:{words})\b", re.IGNORECASE) for name, words in _OPERATIONS.items()
}
_OF_RATES = re.compile(
    r"percent\w* (?:change|increase|decrease|difference)|ratio|proportion", re.IGNORECASE
)
_RATIO = re.compile(
    r"\b(?:ratio|share|proportion|fraction|times|per|percent\w*\s+of|Anteil)\b|%\s+of\b",
    re.IGNORECASE,
)
_UP = re.compile(r"\b(?:increas\w*|rise|rose|risen|grew|grow\w*|up|higher|more)\b", re.IGNORECASE)
_DOWN = re.compile(
    r"\b(?:decreas\w*|fell|fall\w*|drop\w*|declin\w*|reduc\w*|down|lower|less|shrank|shrunk)\b",
    re.IGNORECASE,
)
# What a difference is called, what it is taken of, and what is taken away.
_BALANCES = tuple(
    tuple(re.compile(rf"\b(?:{words})\b", re.IGNORECASE) for words in line)
    for line in (
        ("expenses?|costs?", "revenues?|sales|turnover", "income|profits?|earnings"),
        ("income|profits?|earnings|margin", "revenues?|sales|turnover", "costs?|expenses?"),
        ("equity|net assets", "assets", "liabilities"),
        ("working capital", "current assets", "current liabilities"),
        ("net debt", "debt|borrowings", "cash"),
        ("net", "gross", "depreciation|amorti[sz]ation|allowance|impairment"),
    )
)
_SPAN_OF_YEARS = re.compile(r"\b(?:to|through|between|from)\b|\d\s?[-–]\s?\d")
# "The difference between the sums of A and B": this "and" adds nothing up, this "of" is no share.
_COMPARES = re.compile(r"\b(?:between|difference|compared|versus)\b", re.IGNORECASE)
_OF = re.compile(r"\bof\b", re.IGNORECASE)
_EITHER_WAY = re.compile(r"\b(?:difference|change\w*|minus|Differenz)\b", re.IGNORECASE)
_CHANGE = re.compile(r"\bchange\w*\b", re.IGNORECASE)


class Operations:
    """The operations that a text names: `sum`, `difference`, `share`, `mean`, `addition` ("and")."""

    def __init__(self, text: str, *, besides: str = "") -> None:
        self._text = text
        named = {name for name, pattern in _NAMED.items() if pattern.search(text)}
        if _COMPARES.search(text):
            named.discard("addition")
        elif _OF.search(text):
            named.add("share")
        self._named = named - {besides}

    def without(self, name: str) -> Operations:
        """The others, to do after this one."""
        return Operations(self._text, besides=name)

    def __contains__(self, name: str) -> bool:
        return name in self._named

    def any_of(self, names: Iterable[str]) -> bool:
        """Whether one of these is named."""
        return not self._named.isdisjoint(names)

    @cached_property
    def is_ratio(self) -> bool:
        """Whether a number without a unit may be a share."""
        return bool(_RATIO.search(self._text))

    @cached_property
    def is_of_rates(self) -> bool:
        """Whether shares may be compared by a share, as in "a percentage change of the margin"."""
        return bool(_OF_RATES.search(self._text))

    @cached_property
    def spans_years(self) -> bool:
        """Whether the years between those that are named are meant too."""
        return bool(_SPAN_OF_YEARS.search(self._text))

    @cached_property
    def says_change(self) -> bool:
        """Whether the result is a change, which has a sign."""
        return bool(_CHANGE.search(self._text))

    @cached_property
    def _balances(self) -> list[list[re.Pattern[str]]]:
        return [parts for name, *parts in _BALANCES if name.search(self._text)]

    @property
    def is_named(self) -> bool:
        """Whether there is anything to reckon."""
        return bool(self._balances or self._named - {"addition"})

    def is_balance(self, whole: str, less: str) -> bool:
        """Whether the text names the difference of what has these two labels."""
        return any(
            of.search(whole) and away.search(less) and not away.search(whole)
            for of, away in self._balances
        )

    @cached_property
    def has_two_signs(self) -> bool:
        """Whether the result may be negative where the order of its operands is not known."""
        return bool(_EITHER_WAY.search(self._text))

    def direction(self, labels: str) -> tuple[bool, bool]:
        """Whether it went up, and whether down; words of the labels only name what changed."""
        held = labels.lower()
        return (_is_said(_UP, self._text, held), _is_said(_DOWN, self._text, held))


def _is_said(pattern: re.Pattern[str], text: str, held: str) -> bool:
    return any(found[0].lower() not in held for found in pattern.finditer(text))
