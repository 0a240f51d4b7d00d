"""First steps of two: sums, differences, shares and means that a second operation is done with.

"The change in the average", "the share of A and B in the total", "the difference between the
margins": one operation joins what stands in one column or row, the other compares what comes out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import combinations

from pincite.verify.operands import columns, rows
from pincite.verify.operations import Operations
from pincite.verify.results import is_later, is_of_unit
from pincite.verify.stated import Stated

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
