"""Does a number follow from numbers in the quotes: as a sum, a difference, a share or a mean?

Among many numbers some sum or share comes near any value by chance. So a derivation counts only
where the claim names the operation, where the operands stand in one row, one column or one text and
belong to the years of the claim, and where hitting the claimed value by chance is unlikely. Numbers
whose row and column the claim names are tried first, and alone; with these two steps may be taken.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import combinations

from pincite.text.languages import language_of
from pincite.text.numbers import Number
from pincite.verify.numbers.operands import OUTGOING, columns, groups, may_be_operand, named, rows
from pincite.verify.numbers.results import Operations, Result, Results, is_later, is_of_unit
from pincite.verify.numbers.stated import Stated, StatedFigures, claimed_values

# First steps of two: sums, differences, shares and means that a second operation is done with.

FIRST_OPERATIONS = ("sum", "mean", "difference", "share")
_LONGEST = 12
_MOST_LINES = 4
"""Rows or columns; of more than that too many results could be made."""


@dataclass(frozen=True, slots=True)
class FirstStep:
    """Numbers to go on with, and the operation by which they were made."""

    operation: str
    made: tuple[Stated, ...]


def first_steps(items: Sequence[Stated], operations: Operations, unit: str) -> Iterator[FirstStep]:
    """Groups of numbers of which some were computed, to do another operation with."""
    rates = [item for item in items if "%" in item.units]
    if 0 < len(rates) < len(items):
        yield from first_steps(rates, operations, unit)
        items = [item for item in items if "%" not in item.units]
    across, down = rows(items), columns(items)
    if max(len(across), len(down)) > _MOST_LINES:
        return
    for lines in (across, down):
        # The same operation on each line, and then another one between what came out.
        made = [list(_joined(line, operations, unit)) for line in lines]
        if len(lines) > 1 and len({len(line) for line in made}) == 1:
            for series in zip(*made, strict=True):
                names = {name for name, _ in series}
                if len(names) == 1:
                    yield FirstStep(names.pop(), tuple(item for _, item in series))
        if "share" in operations:
            for line in lines:
                yield from _with_third(line, operations)


def sums_of_neighbours(items: Sequence[Stated], unit: str) -> Iterator[Decimal]:
    """Sums of three or more cells that stand side by side in a row, but not of all.

    "Due within five years" adds up what is due in the first, in the second, and so on.
    """
    for line in rows(items):
        values = [item.values[0] for item in line if is_of_unit(item, unit)]
        for start in range(len(values)):
            for end in range(start + 3, len(values) + 1):
                if end - start < len(values) <= _LONGEST:
                    yield sum(values[start:end], Decimal(0))


def _joined(
    line: Sequence[Stated], operations: Operations, unit: str
) -> Iterator[tuple[str, Stated]]:
    """What the numbers of a row or column make together, in an order that is the same for all."""
    if len(line) < 2:
        return
    total = sum((item.values[0] for item in line), Decimal(0))
    if operations.any_of(("sum", "addition")):
        yield "sum", _made(line, total)
    if "mean" in operations:
        yield "mean", _made(line, total / len(line))
    for pair in combinations(line, 2):
        first, second = pair[::-1] if is_later(pair[1], pair[0]) else pair
        if "difference" in operations:
            yield "difference", _made(pair, first.values[0] - second.values[0])
        if "share" in operations:
            yield from (("share", share) for share in _shares(first, second, unit))


def _shares(first: Stated, second: Stated, unit: str) -> Iterator[Stated]:
    """The change from the earlier to the later; at one time, each as a share of the other."""
    a, b = first.values[0], second.values[0]
    above_below = [(a - b, b)] if is_later(first, second) else [(a, b), (b, a)]
    in_percent = unit in ("%", "pp")
    for above, below in above_below:
        value = above / below if below else Decimal(0)
        made = _made([first, second], value * 100 if in_percent else value)
        yield replace(made, units=frozenset({"%"} if in_percent else ()))


def _with_third(line: Sequence[Stated], operations: Operations) -> Iterator[FirstStep]:
    """A sum or difference of two, and a third to compare it with."""
    for first, second in combinations(line, 2):
        a, b = first.values[0], second.values[0]
        for third in line:
            if third is first or third is second:
                continue
            if operations.any_of(("sum", "addition")):
                yield FirstStep("sum", (_made([first, second], a + b), third))
            if "difference" in operations:
                yield FirstStep("difference", (_made([first, second], a - b), third))


def _made(operands: Sequence[Stated], value: Decimal) -> Stated:
    """A computed number with what its operands share."""
    first = operands[0]
    one_time = all(item.when == first.when for item in operands)
    return replace(
        first,
        values=(value,),
        units=frozenset.intersection(*(item.units for item in operands)),
        years=frozenset.union(*(item.years for item in operands)),
        when=first.when if one_time else 0.0,
        labels=" ".join(item.labels for item in operands),
    )


# Does a number follow from numbers in the quotes: as a sum, a difference, a share or a mean?

_LIKELY_BY_CHANCE = 0.1
"""Expected number of other results as near to the claimed value as the right one would be."""

_MOST_OPERANDS = 40

_FEW = 6
"""Results among which a zero is no chance."""

_IS_AMOUNT = re.compile(r"(?:\b(?:is|are|was|were|by|equals?|totals?|totall?ed)|:)\s*$")


class Derivation:
    """The operations that a claim names, for one of its numbers."""

    def __init__(self, text: str, number: Number, years: frozenset[int]) -> None:
        self._text = text
        self._number = number
        self._operations = Operations(text)
        self._years = spanned = years
        if len(years) == 1 and self._operations.any_of(("difference", "mean")):
            # "The increase in 2019" is one from 2018, "the average of 2019" that of its two ends.
            self._years = years | {min(years) - 1}
        elif years and self._operations.any_of(("sum", "mean")) and self._operations.spans_years:
            self._years = spanned = frozenset(range(min(years), max(years) + 1))
        self._results = Results(self._operations, number, years, spanned)
        self._after = {name: self._results.without(name) for name in FIRST_OPERATIONS}

    def follows(self, stated: StatedFigures) -> bool:
        """Whether the number is the result of an operation that the claim names."""
        if self._number.is_ordinal or self._is_year():
            return False
        if not self._operations.is_named:
            return False
        usable = [item for item in stated.numbers if may_be_operand(item, self._years)]
        spoken_of = named(usable, self._text, language_of(self._text), self._years)
        tried = [self._of_named(spoken_of[:_MOST_OPERANDS]), self._of_all(usable[:_MOST_OPERANDS])]
        if len(rows(usable)) == 2:
            tried.append(self._in_two_steps(usable))
        return any(map(self._is_among, tried))

    def _is_year(self) -> bool:
        return self._number.looks_like_year and not _IS_AMOUNT.search(
            self._text, 0, self._number.start
        )

    def _of_all(self, items: Sequence[Stated]) -> Iterator[Result]:
        for group in groups(items):
            yield from self._results.of_group(group)
            if any(len(item.values) > 1 for item in group):
                others = [replace(item, values=item.values[-1:]) for item in group]
                yield from self._results.of_group(others)
        if "sum" in self._operations:
            yield from map(Result, sums_of_neighbours(items, self._number.unit))

    def _of_named(self, items: Sequence[Stated]) -> Iterator[Result]:
        yield from self._of_all(items)
        yield from self._in_two_steps(items)

    def _in_two_steps(self, items: Sequence[Stated]) -> Iterator[Result]:
        for step in first_steps(items, self._operations, self._number.unit):
            yield from self._after[step.operation].of_group(step.made)

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


def _by_chance(results: Sequence[Result], value: Decimal, tolerance: Decimal) -> float:
    """How many results a value like this one would hit: log-uniform between half and double."""
    size = abs(value)
    if size == 0:
        return 0.0 if len(results) <= _FEW else 1.0
    near = {
        round(abs(result.value), 6)
        for result in results
        if size / 2 <= abs(result.value) <= 2 * size and abs(abs(result.value) - size) > tolerance
    }
    return float(len(near) * 2 * tolerance / (Decimal("1.5") * size))
