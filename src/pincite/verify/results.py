"""What comes out when an operation is done with numbers of the quotes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from decimal import Decimal
from itertools import combinations

from pincite.text.numbers import Number
from pincite.verify.operands import parts
from pincite.verify.operations import Operations
from pincite.verify.sign_words import OUTGOING
from pincite.verify.stated import Stated


@dataclass(frozen=True, slots=True)
class Result:
    """A computed value. `is_directed`: later minus earlier. Not `has_sign`: a difference either way.

    `labels` are those of its operands.
    """

    value: Decimal
    is_directed: bool = False
    has_sign: bool = True
    labels: str = ""


class Results:
    """Does with numbers what a claim names, for one of its numbers.

    `asked` are the years that the claim names, and `spanned` those in which something may be added
    up.
    """

    def __init__(
        self, operations: Operations, number: Number, asked: frozenset[int], spanned: Set[int]
    ) -> None:
        self._operations = operations
        self._number = number
        self._unit = number.unit
        self._asked = asked
        self._spanned = spanned

    def without(self, operation: str) -> Results:
        """The same without one operation, which has been done."""
        others = self._operations.without(operation)
        return Results(others, self._number, self._asked, self._spanned)

    def of_group(self, group: Sequence[Stated]) -> Iterator[Result]:
        """All results of numbers that stand together."""
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
        """All pairs but those of the year before alone, which is there to be compared with."""
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
            # A year that ends in January goes by two names, and all go by the same of them.
            named = [{choose(first.years), choose(second.years)} for choose in (min, max)]
            return self._asked in named
        # "was 5 (2018: 4)": what has no year is of the year after.
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
                # Accounts write expenses in brackets; people speak of how they grew.
                yield _directed(first, second, b - a)

    def _of_accounts(self, first: Stated, second: Stated) -> Iterator[Result]:
        """A difference that has a name of its own: what remains of revenues is the gross profit."""
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
    """Whether results with this unit can be made of it by adding."""
    if unit == "":
        return "%" not in item.units or item.number.unit == ""
    return unit in item.units or (unit == "pp" and "%" in item.units)


def is_later(first: Stated, second: Stated) -> bool:
    """Whether it is known that the first belongs to a later time."""
    if first.when and second.when:
        return first.when > second.when
    known = bool(first.years and second.years)
    return known and max(first.years) > max(second.years)


def _are_comparable(first: Stated, second: Stated, operations: Operations) -> bool:
    alike = first.units == second.units or not (first.units and second.units)
    return alike and ("%" not in first.units or operations.is_of_rates)


def _directed(first: Stated, second: Stated, difference: Decimal) -> Result:
    """Later minus earlier, where the years are known."""
    labels = f"{first.labels} {second.labels}"
    if is_later(first, second):
        return Result(difference, is_directed=True, labels=labels)
    if is_later(second, first):
        return Result(-difference, is_directed=True, labels=labels)
    return Result(difference, has_sign=False, labels=labels)
