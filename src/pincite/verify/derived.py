"""Does a number follow from numbers in the quotes: as a sum, a difference, a share or a mean?

Among many numbers some sum or share comes near any value by chance. So a derivation counts only
where the claim names the operation, where the operands stand in one row, one column or one text and
belong to the years of the claim, and where hitting the claimed value by chance is unlikely.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import combinations

from pincite.text.numbers import Number
from pincite.verify.sign_words import OUTGOING
from pincite.verify.stated import Stated, StatedFigures, claimed_values

_LIKELY_BY_CHANCE = 0.1
"""Expected number of other results as near to the claimed value as the right one would be."""

_MOST_OPERANDS = 40

_FEW = 6
"""Results among which a zero is no chance."""

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
        r"increas\w*|decreas\w*|rise|rose|fell|declin\w*|drop\w*|grew|grow\w*|change\w*|Anteil|of"
    ),
    "mean": r"average\w*|mean|Durchschnitt\w*",
}
_NAMED = {
    name: re.compile(rf"\b(?:{words})\b", re.IGNORECASE) for name, words in _OPERATIONS.items()
}
_CHANGES = re.compile(r"\b(?:change|variance|increase|decrease|difference)\b", re.IGNORECASE)
_OF_RATES = re.compile(
    r"percent\w* (?:change|increase|decrease|difference)|ratio|proportion", re.IGNORECASE
)
_WHOLE = re.compile(r"\b(?:total|change|variance|difference)\b", re.IGNORECASE)
_RATIO = re.compile(r"\b(?:ratio|share|proportion|fraction|times|Anteil)\b", re.IGNORECASE)
_UP = re.compile(r"\b(?:increas\w*|rise|rose|risen|grew|grow\w*|up|higher|more)\b", re.IGNORECASE)
_DOWN = re.compile(
    r"\b(?:decreas\w*|fell|fall\w*|drop\w*|declin\w*|reduc\w*|down|lower|less|shrank|shrunk)\b",
    re.IGNORECASE,
)
_SPAN_OF_YEARS = re.compile(r"\b(?:to|through|between|from)\b|\d\s?[-–]\s?\d")
_CHANGE = re.compile(r"\bchange\w*\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Result:
    """A computed value. `is_directed`: later minus earlier. Not `has_sign`: a difference either way."""

    value: Decimal
    is_directed: bool = False
    has_sign: bool = True


class Derivation:
    """The operations that a claim names, for one of its numbers."""

    def __init__(self, text: str, number: Number, years: frozenset[int]) -> None:
        self._text = text
        self._number = number
        self._asked = years
        self._years = years
        self._named = {name for name, pattern in _NAMED.items() if pattern.search(text)}
        if years and self._named & {"sum", "mean"} and _SPAN_OF_YEARS.search(text):
            self._years = frozenset(range(min(years), max(years) + 1))
        elif len(years) == 1 and "difference" in self._named:
            # "The increase in 2019" is one from 2018.
            self._years = years | {min(years) - 1}

    def follows(self, stated: StatedFigures) -> bool:
        """Whether the number is the result of an operation that the claim names."""
        number = self._number
        if number.is_ordinal or number.looks_like_year or not self._named:
            return False
        results = list(self._results(stated))
        tolerance = number.step / 2
        return any(
            any(self._fits(result, value, tolerance) for result in results)
            and self._by_chance(results, value, tolerance) < _LIKELY_BY_CHANCE
            for value in claimed_values(self._text, number)
        )

    def _fits(self, result: _Result, value: Decimal, tolerance: Decimal) -> bool:
        if abs(abs(result.value) - abs(value)) > tolerance:
            return False
        up, down = bool(_UP.search(self._text)), bool(_DOWN.search(self._text))
        if not result.has_sign or result.value == 0:
            return value >= 0 or down or not up
        if not result.is_directed:
            same = (result.value < 0) == (value < 0)
            return same or (value > 0 and bool(OUTGOING.search(self._text)))
        fell = result.value < 0
        if value < 0:
            return fell
        if up != down:
            return fell == down
        return not fell or not (up or _CHANGE.search(self._text))

    def _by_chance(self, results: Sequence[_Result], value: Decimal, tolerance: Decimal) -> float:
        """How many results a value like this one would hit: log-uniform between half and double."""
        size = abs(value)
        if size == 0:
            return 0.0 if len(results) <= _FEW else 1.0
        near = {
            round(abs(result.value), 6)
            for result in results
            if size / 2 <= abs(result.value) <= 2 * size
            and abs(abs(result.value) - size) > tolerance
        }
        return float(len(near) * 2 * tolerance / (Decimal("1.5") * size))

    def _results(self, stated: StatedFigures) -> Iterator[_Result]:
        usable = [item for item in stated.numbers if self._is_operand(item)]
        for group in _groups(usable[:_MOST_OPERANDS]):
            yield from self._of_group(group)
            if any(len(item.values) > 1 for item in group):
                others = [replace(item, values=item.values[-1:]) for item in group]
                yield from self._of_group(others)

    def _is_operand(self, item: Stated) -> bool:
        if item.number.is_ordinal or item.number.looks_like_year or item.is_header:
            return False
        if _CHANGES.search(item.column) and not item.years:
            return False
        return not (self._years and item.years) or bool(item.years & self._years)

    def _of_group(self, group: Sequence[Stated]) -> Iterator[_Result]:
        unit = self._number.unit
        alike = [item for item in group if _is_of_unit(item, unit)]
        parts = [item for item in alike if not _WHOLE.search(item.labels)]
        if len(parts) > 2:
            total = sum((item.values[0] for item in parts), Decimal(0))
            if "sum" in self._named:
                yield _Result(total)
            if "mean" in self._named:
                yield _Result(total / len(parts))
        for first, second in combinations(alike, 2):
            yield from self._of_pair(first, second)
        is_ratio = unit == "" and _RATIO.search(self._text)
        if "share" in self._named and (unit in ("%", "x") or is_ratio):
            for first, second in combinations(group, 2):
                alike_units = first.units == second.units or not (first.units and second.units)
                if alike_units and ("%" not in first.units or _OF_RATES.search(self._text)):
                    yield from self._shares(first, second)

    def _covers(self, first: Stated, second: Stated) -> bool:
        """Whether the years of two operands are those that the claim compares."""
        both = first.years | second.years
        return not (self._asked and both) or len(self._asked) != 2 or self._asked <= both

    def _of_pair(self, first: Stated, second: Stated) -> Iterator[_Result]:
        a, b = first.values[0], second.values[0]
        if "sum" in self._named:
            yield _Result(a + b)
        if "mean" in self._named:
            yield _Result((a + b) / 2)
        if "difference" in self._named and self._covers(first, second):
            yield _directed(first, second, a - b)

    def _shares(self, first: Stated, second: Stated) -> Iterator[_Result]:
        factor = Decimal(100) if self._number.unit == "%" else Decimal(1)
        in_time = _is_later(first, second) or _is_later(second, first)
        for a, b in ((first, second), (second, first)):
            above, below = a.values[0], b.values[0]
            if below == 0:
                continue
            changed = (above - below) / below * factor
            compared = "difference" in self._named and self._covers(a, b)
            if compared and not _is_later(b, a):
                yield _Result(changed, is_directed=in_time, has_sign=in_time)
            if not in_time or _RATIO.search(self._text):
                yield _Result(above / below * factor)


def _is_of_unit(item: Stated, unit: str) -> bool:
    if unit == "":
        return "%" not in item.units or item.number.unit == ""
    return unit in item.units or (unit == "pp" and "%" in item.units)


def _directed(first: Stated, second: Stated, difference: Decimal) -> _Result:
    """Later minus earlier, where the years are known."""
    if _is_later(first, second):
        return _Result(difference, is_directed=True)
    if _is_later(second, first):
        return _Result(-difference, is_directed=True)
    return _Result(difference, has_sign=False)


def _is_later(first: Stated, second: Stated) -> bool:
    if first.when and second.when:
        return first.when > second.when
    known = bool(first.years and second.years)
    return known and max(first.years) > max(second.years)


def _groups(items: Sequence[Stated]) -> Iterator[list[Stated]]:
    """Numbers of one row, of one column, and those of prose."""
    rows: dict[int, list[Stated]] = {}
    columns: dict[str, list[Stated]] = {}
    prose: list[Stated] = []
    for item in items:
        if not item.labels:
            prose.append(item)
            continue
        rows.setdefault(item.row, []).append(item)
        columns.setdefault(item.column, []).append(item)
    yield from (group for group in rows.values() if len(group) > 1)
    yield from (group for group in columns.values() if len(group) > 1)
    if len(prose) > 1:
        yield prose
