"""A question as an operation on the rows of a table, and the rows that it chooses."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import ROUND_HALF_EVEN, Decimal, localcontext
from difflib import get_close_matches
from enum import StrEnum
from itertools import islice

from pincite.text.numbers import DecimalMark
from pincite.text.tables.tables import CLOCK, NO_VALUE, Quantity, Row, Table, quantity

MOST_GROUPS = 24
_FEWEST_ADDED = 2


class Operation(StrEnum):
    """What is asked of the chosen rows."""

    ROWS = "rows"
    COUNT = "count"
    DISTINCT = "distinct"
    """How many rows, and how many different cells of a column."""
    SUM = "sum"
    AVERAGE = "average"
    DIFFERENCE = "difference"
    SHARE = "share"
    PROPORTION = "proportion"
    """A share of an amount, and of the number of rows."""
    CHANGE = "change"
    PERCENT_CHANGE = "percent_change"
    """From the second of two cells to the first, which is newer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """A cell is one of `values`, or its number is compared with `number` or with that in `other`.

    With the relation "≠" the cell says something, and none of the `values`. `part` are the words that
    are in all `values`.
    """

    column: int
    relation: str = "="
    values: tuple[str, ...] = ()
    number: Quantity | None = None
    other: int | None = None
    part: str = ""

    @property
    def is_compared(self) -> bool:
        """Whether numbers are compared, and not texts."""
        return self.number is not None or self.other is not None

    def said(self, table: Table) -> str:
        """`Price < 300`."""
        joint = ", " if self.relation == "≠" else " or "
        asked = joint.join(self.values) if self.number is None else number_text(self.number)
        asked = asked if self.other is None else table.columns[self.other].name
        name = table.columns[self.column].name
        if self.values and NO_VALUE.issuperset(map(str.lower, self.values)):
            return f"{name} is empty"
        if self.part:
            return f"{name} has '{self.part}'"
        return f"{name} {self.relation} {asked}" if name else f"it says {asked}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """Only the `count` rows with the highest or lowest value in a column."""

    column: int
    is_highest: bool
    count: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """Only rows at a place in the table's order: the first or last `count`, or `beside` the one found.

    `beside` is 1 for the row behind it, -1 for the one before it, and 0 for none of these.
    """

    count: int = 1
    is_last: bool = False
    beside: int = 0

    @property
    def said(self) -> str:
        """`the last 2 in its order`."""
        if self.beside:
            return f"the row {'behind' if self.beside > 0 else 'before'} it"
        end = "last" if self.is_last else "first"
        return f"the {end}{f' {self.count}' if self.count > 1 else ''} in its order"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A question as an operation on rows.

    `name` is what the answer calls the table, `over` is the column that is added up, and `asked` are
    the columns whose cells are asked for. `lacking` is a name that is asked for and that no row has.
    Numbers are computed for each value of the column `group`, if there is one, the largest group first
    if `is_by_size`, by the number of rows or what is computed of them, or the smallest. Of a share,
    `rows` are all rows of the table, the `part` first. `is_inferred` says that a column is meant whose
    head the question does not have, `newest` which, as the last period.
    """

    table: Table
    name: str
    operation: Operation
    rows: tuple[Row, ...]
    conditions: tuple[Condition, ...] = ()
    ranked: Ranked | None = None
    placed: Placed | None = None
    over: int | None = None
    asked: tuple[int, ...] = ()
    lacking: str = ""
    group: int | None = None
    is_by_size: bool = False
    is_smallest_first: bool = False
    part: int = 0
    is_inferred: bool = False
    newest: str = ""
    is_line: bool = False
    """A line of a statement, whose whole label is named; computed is over its `asked` cells."""
    probability: float = 1.0
    """How likely this is what is asked; 1 if every word of the question has its part in it."""
    otherwise: str = ""
    """Another reading that is nearly as likely."""

    @property
    def grouped(self) -> Mapping[str, Sequence[Row]]:
        """The rows of each group, in the order of their first ones or by what is computed of them."""
        found: defaultdict[str, list[Row]] = defaultdict(list)
        if self.group is not None:
            for row in self.rows:
                found[self.table.text(row, self.group)].append(row)
        if self.is_by_size:
            sign = 1 if self.is_smallest_first else -1
            return dict(sorted(found.items(), key=lambda one: sign * self._size(one[1])))
        return found

    def _size(self, rows: Sequence[Row]) -> Decimal:
        if self.over is None:
            return Decimal(len(rows))
        held = [one.value for row in rows if (one := self.table.quantity(row, self.over))]
        added = sum(held, Decimal(0))
        return added / max(1, len(held)) if self.operation is Operation.AVERAGE else added

    @property
    def left_out(self) -> tuple[str, ...]:
        """What of the table takes no part: "1 total row", "2 empty cells"."""
        table = self.table
        columns = {one.column for one in self.conditions if one.is_compared}
        columns |= {self.ranked.column} if self.ranked else set()
        is_distinct = self.operation is Operation.DISTINCT
        columns |= {self.over} if self.over is not None and not is_distinct else set()
        empty = sum(table.quantity(row, one) is None for row in table.rows for one in columns)
        if is_distinct and self.over is not None:
            empty += sum(not table.text(row, self.over) for row in table.rows)
        is_of_rows = self.operation in (Operation.COUNT, Operation.PROPORTION)
        is_over_rows = bool(columns) or self.placed or is_of_rows
        counts = {
            "total row": len(table.totals) + self._unnamed_sums if is_over_rows else 0,
            "row of one cell": len(table.notes) if is_over_rows else 0,
            "empty cell": empty,
        }
        return tuple(_counted(number, what) for what, number in counts.items() if number)

    @property
    def _unnamed_sums(self) -> int:
        return len(self.table.sums - {row.start for row in self.rows})

    @property
    def is_lookup(self) -> bool:
        """Whether rows are found by what stands in them, without comparing them."""
        is_compared = any(one.relation != "=" for one in self.conditions)
        is_compared = is_compared or bool(self.ranked or self.placed)
        return self.operation is Operation.ROWS and bool(self.conditions) and not is_compared

    @property
    def said(self) -> str:
        """How the question was read: `rows of Pumps where Price < 300`."""
        table = self.table
        if table.is_form:
            labels = {text for one in self.conditions if not one.column for text in one.values}
            if labels:
                return f"label {' and '.join(map(repr, sorted(labels)))} of {self.name}"
        told = f"rows of {self.name}"
        if self.conditions:
            told += f" where {' and '.join(one.said(table) for one in self.conditions)}"
        if self.ranked:
            most = "highest" if self.ranked.is_highest else "lowest"
            told += f", {most} {table.columns[self.ranked.column].name}"
        told += f", {self.placed.said}" if self.placed else ""
        told += f", the newest: {self.newest}" if self.newest else ""
        if self.group is not None:
            first = "lowest" if self.is_smallest_first else "highest"
            told += f", by {table.columns[self.group].name}"
            told += f", {first} first" if self.is_by_size and self.over is not None else ""
        of_rows = {Operation.COUNT: "number of", Operation.PROPORTION: "share of"}
        if self.operation in of_rows:
            return f"{of_rows[self.operation]} {told}"
        if self.is_line and self.operation is not Operation.ROWS:
            periods = " and ".join(table.columns[one].name for one in self.asked)
            return f"{str(self.operation).replace('_', ' ')} of {periods}, {told}"
        if self.over is not None and self.operation is not Operation.ROWS:
            what = (
                "number of different"
                if self.operation is Operation.DISTINCT
                else f"{self.operation} of"
            )
            return f"{what} {table.columns[self.over].name}, {told}"
        return told


def _counted(number: int, what: str) -> str:
    first, *rest = what.split(" of ")
    return " of ".join([f"{number:,} {first}{'' if number == 1 else 's'}", *rest])


def chosen_rows(
    table: Table,
    conditions: Sequence[Condition],
    ranked: Ranked | None = None,
    placed: Placed | None = None,
) -> tuple[Row, ...]:
    """The rows that meet all conditions, in order or by rank, or those at a place in their order.

    Rows that add up others are among them only where rows are named.
    """
    are_named = any(
        one.values and one.relation == "=" and one.column in table.names for one in conditions
    )
    rows = [
        row
        for row in table.rows
        if (are_named or row.start not in table.sums)
        and all(_meets(table, row, one) for one in conditions)
    ]
    if ranked:
        return tuple(_by_rank(table, rows, ranked))
    if placed and placed.beside:
        place = table.rows.index(rows[0]) + placed.beside if len(rows) == 1 else -1
        return tuple(table.rows[place : place + 1]) if place >= 0 else ()
    if placed:
        return tuple(rows[-placed.count :] if placed.is_last else rows[: placed.count])
    return tuple(rows)


def may_add_up_twice(table: Table, over: int, rows: Iterable[Row]) -> bool:
    """Whether a row may be the sum of others without saying so: unnamed, or equal to their sum."""
    if any(not table.text(row, table.key) for row in table.rows):
        return True
    if len({row.start in table.sums for row in rows}) > 1:
        return True
    values = [held.value for row in table.rows if (held := table.quantity(row, over))]
    return len(values) > _FEWEST_ADDED and values[-1] == sum(values[:-1])


def _meets(table: Table, row: Row, condition: Condition) -> bool:
    """Whether a row meets a condition; an empty cell does not."""
    asked = condition.number
    if not condition.is_compared:
        text = table.text(row, condition.column)
        if condition.relation == "≠":
            return text not in (*condition.values, "")
        return text in condition.values
    if condition.other is not None:
        asked = table.quantity(row, condition.other)
    held = table.quantity(row, condition.column)
    if held is None or asked is None:
        return False
    return is_related(held, condition.relation, asked)


def is_related(held: Quantity, relation: str, asked: Quantity) -> bool:
    """Whether a number or date is `=`, `>`, `<`, `>=` or `<=` another, which may be a whole period."""
    last = asked.value if asked.end is None else asked.end - 1
    return {
        "=": asked.value <= held.value <= last,
        ">": held.value > last,
        "<": held.value < asked.value,
        ">=": held.value >= asked.value,
        "<=": held.value <= last,
    }[relation]


def _by_rank(table: Table, rows: Sequence[Row], ranked: Ranked) -> Iterator[Row]:
    """The first rows, and those that are equal to the last of them."""
    found = [
        (held.value, row)
        for row in rows
        if (held := table.quantity(row, ranked.column)) is not None
    ]
    found.sort(key=lambda one: -one[0] if ranked.is_highest else one[0])
    for number, (value, row) in enumerate(found):
        if number < ranked.count or value == found[ranked.count - 1][0]:
            yield row


def number_text(number: Quantity) -> str:
    """A date as `2024-03-14`, `2024-03` or `2024`, a number with its unit."""
    if not number.is_date:
        return f"{number.value.normalize():f} {number.unit}".strip()
    if number.unit == CLOCK:
        written = str(timedelta(seconds=int(number.value))).rjust(8, "0")
        return written.removesuffix(":00")
    day = date.fromordinal(int(number.value)).isoformat()
    days = int(number.end - number.value) if number.end is not None else 1
    return day if days == 1 else day[:-3] if days <= 31 else day[:-6]


# What may be computed from the cells of a table: a short list of operations, in decimals.

OPERATIONS = tuple(str(one) for one in Operation if one is not Operation.ROWS)
_MORE_PLACES, _PERCENT_PLACES = 2, 1
"""An average is written with so many more decimal places than its cells."""


def derived_value(
    operation: str, cells: Sequence[str], mark: DecimalMark = ".", part: int = 0
) -> str | None:
    """The result as plain digits (`1234.5`); None if a cell has no number, or units differ.

    A share is that of the first `part` cells in all of them, in percent. A change is from the second
    cell to the first.
    """
    if not cells or operation not in OPERATIONS or not 0 <= part < len(cells):
        return None
    if operation == "count":
        return str(len(cells))
    if operation == "distinct":
        return str(len({" ".join(cell.split()) for cell in cells}))
    if operation == "proportion":
        return _percent(Decimal(part), Decimal(len(cells))) if part else None
    read = [quantity(cell.strip(), mark) for cell in cells]
    values = [one.value for one in read if one is not None and not one.is_date]
    if len(values) < len(cells) or len({one.unit for one in read if one is not None}) > 1:
        return None
    with localcontext() as context:
        context.prec = 60
        total = sum(values, Decimal(0))
        if operation == "sum":
            return f"{total:f}"
        if operation in (Operation.CHANGE, Operation.PERCENT_CHANGE):
            return _change(values, is_percent=operation == Operation.PERCENT_CHANGE)
        if operation == "difference":
            return f"{abs(values[0] - values[1]):f}" if len(values) == 2 else None
        if operation == "share":
            is_of_whole = part > 0 and min(values) >= 0 < total
            return _percent(sum(values[:part], Decimal(0)), total) if is_of_whole else None
        places = max(-int(value.as_tuple().exponent) for value in values) + _MORE_PLACES
        return _rounded(total, Decimal(len(values)), max(places, _MORE_PLACES))


def _change(values: Sequence[Decimal], *, is_percent: bool) -> str | None:
    """From the second value to the first; in percent only of what is above zero."""
    if len(values) != 2:
        return None
    after, before = values
    if not is_percent:
        return f"{after - before:f}"
    return _percent(after - before, before) if before > 0 else None


def _percent(part: Decimal, whole: Decimal) -> str:
    return _rounded(part * 100, whole, _PERCENT_PLACES)


def _rounded(dividend: Decimal, divisor: Decimal, places: int) -> str:
    """The quotient in plain digits, after `≈` if these are not all."""
    rounded = (dividend / divisor).quantize(Decimal(1).scaleb(-places), ROUND_HALF_EVEN)
    shown = f"{rounded:f}".rstrip("0").rstrip(".") if "." in f"{rounded:f}" else f"{rounded:f}"
    return shown if rounded * divisor == dividend else f"≈{shown}"


_NEAREST = 3
_MOST_COMPARED = 20_000
"""Cells, each of which is compared letter by letter."""


def nearest_names(reading: Reading) -> list[str]:
    """The cells nearest to the only one that is asked for, if no row has it."""
    asked = [one for one in reading.conditions if one.relation == "="]
    if len(reading.conditions) != 1 or not asked or asked[0].other is not None:
        return []
    table, wanted = reading.table, asked[0]
    if wanted.number is None:
        held = dict.fromkeys(islice(table.texts(wanted.column), _MOST_COMPARED))
        return get_close_matches(wanted.values[0], held, _NEAREST)
    number = wanted.number.value
    values = table.quantities(wanted.column) or ()
    apart = sorted(
        (abs(value.value - number), place) for place, value in enumerate(values) if value
    )
    rows = (table.rows[place] for _, place in apart[:_NEAREST])
    return list(dict.fromkeys(table.text(row, wanted.column) for row in rows))
