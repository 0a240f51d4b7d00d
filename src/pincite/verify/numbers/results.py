"""Computes the results of the operations that a claim names, on numbers of the quotes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from itertools import combinations

from pincite.text.numbers import Number
from pincite.verify.numbers.operands import OUTGOING, parts
from pincite.verify.numbers.stated import Stated


@dataclass(frozen=True, slots=True)
class Result:
    """A computed value.

    `is_directed` if it is later minus earlier. Without `has_sign` it is a difference in either
    direction. `labels` are those of its operands.
    """

    value: Decimal
    is_directed: bool = False
    has_sign: bool = True
    labels: str = ""


class Results:
    """Applies the operations that a claim names, for one of its numbers.

    `asked` are the years that the claim names, and `spanned` the years that may be added up.
    """

    def __init__(
        self, operations: Operations, number: Number, asked: frozenset[int], spanned: Set[int]
    ) -> None:
        self._operations = operations
        self._number = number
        self._unit = number.unit
        self._asked = asked
        self._spanned = spanned

    def of_group(self, group: Sequence[Stated]) -> Iterator[Result]:
        """All results from the numbers of one group."""
        alike = [item for item in group if is_of_unit(item, self._unit)]
        yield from self._of_all(parts(self._in_years(alike)))
        for first, second in self._pairs(alike):
            yield from self._of_pair(first, second)
            yield from self._of_accounts(first, second)
        is_bare = self._unit == "" and not self._number.has_scale
        is_ratio = is_bare and self._operations.is_ratio
        if "share" in self._operations and (self._unit in ("%", "x") or is_ratio):
            for first, second in self._pairs(group):
                if _are_comparable(first, second, self._operations):
                    yield from self._shares(first, second)

    def _pairs(self, items: Sequence[Stated]) -> Iterator[tuple[Stated, Stated]]:
        """All pairs except within the year before, which only serves for comparison."""
        for first, second in combinations(items, 2):
            if first.years != second.years or self._in_years([first]):
                yield first, second

    def _in_years(self, items: Sequence[Stated]) -> list[Stated]:
        years = self._spanned
        return [item for item in items if not (years and item.years) or item.years & years]

    def _of_all(self, items: Sequence[Stated]) -> Iterator[Result]:
        if len(items) < 3:
            return
        total = sum((item.values[0] for item in items), Decimal(0))
        if "sum" in self._operations:
            yield Result(total)
        if "mean" in self._operations:
            yield Result(total / len(items))

    def _covers(self, first: Stated, second: Stated) -> bool:
        """Whether the years of two operands are those that the claim compares."""
        both = first.years | second.years
        if not (self._asked and both) or len(self._asked) != 2:
            return True
        if first.years and second.years:
            # A year that ends in January has two names; both operands must use the same one.
            named = [{choose(first.years), choose(second.years)} for choose in (min, max)]
            return self._asked in named
        # "was 5 (2018: 4)": the number without a year is for the year after.
        return both == {min(self._asked)} and max(self._asked) == min(self._asked) + 1

    def _of_pair(self, first: Stated, second: Stated) -> Iterator[Result]:
        a, b = first.values[0], second.values[0]
        covers = self._covers(first, second)
        if "sum" in self._operations and len(self._in_years([first, second])) == 2:
            yield Result(a + b)
        if "mean" in self._operations and covers:
            yield Result((a + b) / 2)
        if "difference" in self._operations and covers:
            yield _directed(first, second, a - b)
            labels = f"{first.labels} {second.labels}"
            if a < 0 and b < 0 and OUTGOING.search(labels):
                # Accounts write expenses in brackets; people say that they grew.
                yield _directed(first, second, b - a)

    def _of_accounts(self, first: Stated, second: Stated) -> Iterator[Result]:
        """Differences with a name of their own: revenues less costs are the gross profit."""
        if is_later(first, second) or is_later(second, first):
            return
        for a, b in ((first, second), (second, first)):
            if self._operations.is_balance(a.labels, b.labels):
                yield Result(a.values[0] - b.values[0])

    def _shares(self, first: Stated, second: Stated) -> Iterator[Result]:
        factor = Decimal(100) if self._unit == "%" else Decimal(1)
        in_time = is_later(first, second) or is_later(second, first)
        labels = f"{first.labels} {second.labels}"
        for a, b in ((first, second), (second, first)):
            above, below = a.values[0], b.values[0]
            if below == 0:
                continue
            changed = (above - below) / below * factor
            compared = "difference" in self._operations and self._covers(a, b)
            if compared and not is_later(b, a):
                yield Result(changed, is_directed=in_time, has_sign=in_time, labels=labels)
            if not in_time or self._operations.is_ratio:
                yield Result(above / below * factor)


def is_of_unit(item: Stated, unit: str) -> bool:
    """Whether adding it to others can give a result in this unit."""
    if unit == "":
        return "%" not in item.units or item.number.unit == ""
    return unit in item.units or (unit == "pp" and "%" in item.units)


def is_later(first: Stated, second: Stated) -> bool:
    """Whether the first is known to belong to a later time."""
    if first.when and second.when:
        return first.when > second.when
    known = bool(first.years and second.years)
    return known and max(first.years) > max(second.years)


def _are_comparable(first: Stated, second: Stated, operations: Operations) -> bool:
    alike = first.units == second.units or not (first.units and second.units)
    return alike and ("%" not in first.units or operations.is_of_rates)


def _directed(first: Stated, second: Stated, difference: Decimal) -> Result:
    """Later minus earlier if the years are known."""
    labels = f"{first.labels} {second.labels}"
    if is_later(first, second):
        return Result(difference, is_directed=True, labels=labels)
    if is_later(second, first):
        return Result(-difference, is_directed=True, labels=labels)
    return Result(difference, has_sign=False, labels=labels)


# The operations that a claim names, and the direction of change that it states.

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
# Names of differences, with the names of minuend and subtrahend.
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
# "The difference between the sums of A and B": this "and" is no sum, this "of" is no share.
_COMPARES = re.compile(r"\b(?:between|difference|compared|versus)\b", re.IGNORECASE)
_OF = re.compile(r"\bof\b", re.IGNORECASE)
_EITHER_WAY = re.compile(r"\b(?:difference|change\w*|minus|Differenz)\b", re.IGNORECASE)
_CHANGE = re.compile(r"\bchange\w*\b", re.IGNORECASE)


class Operations:
    """The operations that a text names: `sum`, `difference`, `share`, `mean`, `addition` ("and")."""

    def __init__(self, text: str) -> None:
        self._text = text
        named = {name for name, pattern in _NAMED.items() if pattern.search(text)}
        if _COMPARES.search(text):
            named.discard("addition")
        elif _OF.search(text):
            named.add("share")
        self._named = named

    def __contains__(self, name: str) -> bool:
        return name in self._named

    def any_of(self, names: Iterable[str]) -> bool:
        """Whether the text names one of these."""
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
        """Whether the years between the named ones are included."""
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
        """Whether the text names any operation."""
        return bool(self._balances or self._named - {"addition"})

    def is_balance(self, whole: str, less: str) -> bool:
        """Whether the text names the difference of two amounts with these labels."""
        return any(
            of.search(whole) and away.search(less) and not away.search(whole)
            for of, away in self._balances
        )

    @cached_property
    def has_two_signs(self) -> bool:
        """Whether the result may be negative if the order of its operands is unknown."""
        return bool(_EITHER_WAY.search(self._text))

    def direction(self, labels: str) -> tuple[bool, bool]:
        """Whether the text says up, and whether down; words of the labels do not count."""
        held = labels.lower()
        return (_is_said(_UP, self._text, held), _is_said(_DOWN, self._text, held))


def _is_said(pattern: re.Pattern[str], text: str, held: str) -> bool:
    return any(found[0].lower() not in held for found in pattern.finditer(text))
