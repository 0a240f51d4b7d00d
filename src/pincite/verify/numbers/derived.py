"""Derives a claimed number from numbers in the quotes: as a sum, difference, share or mean.

Among many numbers, some sum or share is near any value by chance. So a derivation counts only if the
claim names the operation, the operands are in one row, one column or one text and belong to the
years of the claim, and a hit by chance is unlikely. Numbers whose row and column the claim names are
tried first, by themselves.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal

from pincite.text.languages import language_of
from pincite.text.numbers import Number
from pincite.verify.numbers.operands import OUTGOING, groups, may_be_operand, named, rows
from pincite.verify.numbers.results import Operations, Result, Results, is_of_unit
from pincite.verify.numbers.stated import Stated, StatedFigures, claimed_values

_LIKELY_BY_CHANCE = 0.1
"""Most results expected to match the claimed value by chance."""

_MOST_OPERANDS = 40

_LONGEST_ROW = 12
"""Rows with more cells are not summed in parts."""

_FEW = 6
"""With at most this many results, a zero is not taken for chance."""

_IS_AMOUNT = re.compile(r"(?:\b(?:is|are|was|were|by|equals?|totals?|totall?ed)|:)\s*$")


class Derivation:
    """The operations that a claim names, for one of its numbers."""

    def __init__(self, text: str, number: Number, years: frozenset[int]) -> None:
        self._text = text
        self._number = number
        self._operations = Operations(text)
        self._years = spanned = years
        if len(years) == 1 and self._operations.any_of(("difference", "mean")):
            # "The increase in 2019" is from 2018; "the average of 2019" is that of its two ends.
            self._years = years | {min(years) - 1}
        elif years and self._operations.any_of(("sum", "mean")) and self._operations.spans_years:
            self._years = spanned = frozenset(range(min(years), max(years) + 1))
        self._results = Results(self._operations, number, years, spanned)

    def follows(self, stated: StatedFigures) -> bool:
        """Whether the number is the result of an operation that the claim names."""
        if self._number.is_ordinal or self._is_year():
            return False
        if not self._operations.is_named:
            return False
        usable = [item for item in stated.numbers if may_be_operand(item, self._years)]
        named_first = named(usable, self._text, language_of(self._text), self._years)
        tried = (named_first, usable)
        return any(self._is_among(self._of(items[:_MOST_OPERANDS])) for items in tried)

    def _is_year(self) -> bool:
        return self._number.looks_like_year and not _IS_AMOUNT.search(
            self._text, 0, self._number.start
        )

    def _of(self, items: Sequence[Stated]) -> Iterator[Result]:
        for group in groups(items):
            yield from self._results.of_group(group)
            if any(len(item.values) > 1 for item in group):
                others = [replace(item, values=item.values[-1:]) for item in group]
                yield from self._results.of_group(others)
        if "sum" in self._operations:
            yield from map(Result, _sums_of_neighbours(items, self._number.unit))

    def _is_among(self, found: Iterator[Result]) -> bool:
        results = list(found)
        tolerance = self._number.step / 2
        return any(
            any(self._fits(result, value, tolerance) for result in results)
            and _by_chance(results, value, tolerance) < _LIKELY_BY_CHANCE
            for value in claimed_values(self._text, self._number)
        )

    def _fits(self, result: Result, value: Decimal, tolerance: Decimal) -> bool:
        if abs(abs(result.value) - abs(value)) > tolerance:
            return False
        up, down = self._operations.direction(result.labels)
        if not result.has_sign or result.value == 0:
            return value >= 0 or down or (not up and self._operations.has_two_signs)
        if not result.is_directed:
            same = (result.value < 0) == (value < 0)
            return same or (value > 0 and bool(OUTGOING.search(self._text)))
        fell = result.value < 0
        if value < 0:
            return fell
        if up != down:
            return fell == down
        return not fell or not (up or self._operations.says_change)


def _sums_of_neighbours(items: Sequence[Stated], unit: str) -> Iterator[Decimal]:
    """Sums of three or more adjacent cells of a row, but not of all.

    "Due within five years" adds up the amounts due in the first year, in the second, and so on.
    """
    for line in rows(items):
        values = [item.values[0] for item in line if is_of_unit(item, unit)]
        for start in range(len(values)):
            for end in range(start + 3, len(values) + 1):
                if end - start < len(values) <= _LONGEST_ROW:
                    yield sum(values[start:end], Decimal(0))


def _by_chance(results: Sequence[Result], value: Decimal, tolerance: Decimal) -> float:
    """Expected chance hits for a value log-uniform between half and double of this one."""
    size = abs(value)
    if size == 0:
        return 0.0 if len(results) <= _FEW else 1.0
    near = {
        round(abs(result.value), 6)
        for result in results
        if size / 2 <= abs(result.value) <= 2 * size and abs(abs(result.value) - size) > tolerance
    }
    return float(len(near) * 2 * tolerance / (Decimal("1.5") * size))
