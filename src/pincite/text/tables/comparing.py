"""The parts of a question that compare numbers and dates with the cells of a column."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

from pincite.text.tables.naming import (
    BETWEEN,
    Naming,
    NoReadingError,
    is_year,
    measures,
    relation_beside,
)
from pincite.text.tables.phrases import Run
from pincite.text.tables.reading import Condition
from pincite.text.tables.tables import CLOCK, Quantity, period
from pincite.text.tables.words import ways_of, words_of

_NEAR_WORDS = 3
_RANGES = (*BETWEEN.items(), ("from", "to"), ("von", "bis"))


class Comparing(Naming):
    """Conditions on columns of numbers: those of a question that names columns and values already."""

    def _find_measures(self) -> None:
        for place, word in enumerate(self._words):
            for measure, written in measures().items():
                if not word.use and word.folded in written:
                    self._measures.setdefault(measure, place)

    def _compare(self, counts: Collection[int]) -> None:
        """Takes the numbers that cells are compared with; `counts` say how many rows are asked for."""
        self._compare_columns()
        for place, word in enumerate(self._words):
            if word.use or place in counts or not any(map(str.isdigit, word.text)):
                continue
            found = self._phrases.quantity(place)
            if found is not None and not self._compare_between(*found):
                self._compare_with(self._in_money(found[0]), found[1])

    def _in_money(self, number: Quantity) -> Quantity:
        """Pounds are money in a table that weighs nothing in them."""
        units = set(map(self._table.unit, self._table.numeric()))
        is_money = number.unit == "lb" and "£" in units and "lb" not in units
        return replace(number, unit="£") if is_money else number

    def _compare_columns(self) -> None:
        """Takes comparisons of two numbers of each row: "below their reorder level"."""
        for place in range(len(self._words)):
            found = self._phrases.at(place, ways_of("comparisons"))
            other = self._phrases.column_behind(found[1][1]) if found else None
            if found is None or other is None or self._table.quantities(other) is None:
                continue
            self._phrases.take(found[1], "comparison")
            relation = ways_of("comparisons")[found[0]]
            column = self._column_beside(other, place)
            self._conditions.append(Condition(column=column, relation=relation, other=other))

    def _column_beside(self, other: int, place: int) -> int:
        """The column that is compared with another: that named before, or the only one of its kind."""
        table = self._table
        alike = [
            one
            for one in table.numeric()
            if one != other
            and (table.unit(one), table.is_dated(one)) == (table.unit(other), table.is_dated(other))
        ]
        named = [one for one in alike if self._named.get(one, place) < place]
        counted = [one for one in alike if self._head(one) & words_of("quantities")]
        for found in (named, alike, counted):
            if len(found) == 1:
                return found[0]
        raise NoReadingError

    def _compare_with(self, number: Quantity, run: Run) -> None:
        found = relation_beside(self._phrases, run, is_date=number.is_date)
        if found is not None:
            written, relation, run = found
        elif self._is_bound(run, number):
            written, relation = "", "="
        else:
            return
        column = self._column_for(number, run)
        if written in self._head(column):
            relation = "="  # "Who has been here since 2015?" of a column "Since"
        self._phrases.take(run, "comparison")
        self._add(column, relation, number)

    def _compare_between(self, number: Quantity, run: Run) -> bool:
        """Whether a number is the first of `between 5 and 10`."""
        words = self._words
        if run[0] == 0 or run[1] + 1 >= len(words):
            return False
        if (words[run[0] - 1].folded, words[run[1]].folded) not in _RANGES:
            return False
        second = self._phrases.quantity(run[1] + 1)
        if second is None or second[0].is_date != number.is_date:
            return False
        whole = run[0] - 1, second[1][1]
        column = self._column_for(second[0], whole)
        self._phrases.take(whole, "comparison")
        self._add(column, ">=", number)
        self._add(column, "<=", second[0])
        return True

    def _add(self, column: int, relation: str, number: Quantity) -> None:
        unit = self._table.unit(column)
        if self._table.is_dated(column) and not number.is_date:
            year = period(int(number.value))
            assert year is not None  # `_fitting` lets years pass only.
            number = year
        if number.unit and unit and number.unit != unit:
            raise NoReadingError
        self._conditions.append(Condition(column=column, relation=relation, number=number))

    def _is_bound(self, run: Run, number: Quantity) -> bool:
        """Whether a number without a relation is said of a column: beside its name, or "in 2012"."""
        before = self._words[max(0, run[0] - 1) : run[0]]
        is_time = number.is_date or (is_year(number.value) and not number.unit)
        # "In 2012"; "at 7:34", "the 7:34", but not "by 7:34".
        joins = (
            words_of("articles") | words_of("at") if number.unit == CLOCK else words_of("in_time")
        )
        if is_time and before and before[0].folded in joins:
            return True
        return any(word.use == "column" for word in (*before, *self._words[run[1] : run[1] + 1]))

    def _column_for(self, number: Quantity, run: Run) -> int:
        """The column that a number is compared with. Raises if it is not certain."""
        fitting = self._fitting(number)
        distances = {
            column: min(abs(place - run[0]), abs(place - run[1]))
            for column, place in self._named.items()
        }
        beside = self._words[run[0] - 1].column if run[0] else None
        if beside is not None and beside not in fitting:
            raise NoReadingError  # "Part 128" is no number of another column.
        if (dates := self._dates_of_year(number, run)) is not None:
            return dates
        named = [column for column in fitting if column in distances]
        if named:
            return min(named, key=distances.__getitem__)
        apart = {*self._table.names, *self._compared}
        others = [distances[one] for one in distances if one not in apart]
        if number.is_date and len(fitting) == 1:
            return fitting[0]
        if others and min(others) <= _NEAR_WORDS and number.unit != CLOCK:
            raise NoReadingError  # What is compared cannot be read as numbers.
        measured = self._measured(fitting)
        if measured is None and len(fitting) == 1:
            return fitting[0]
        if measured is None:
            raise NoReadingError
        return measured

    def _dates_of_year(self, number: Quantity, run: Run) -> int | None:
        """The only column of dates, for a bare year behind "in", where no column has years."""
        before = self._words[run[0] - 1].folded if run[0] else ""
        is_year_alone = not number.is_date and not number.unit and is_year(number.value)
        if not is_year_alone or before not in words_of("in_time"):
            return None
        numeric = self._table.numeric()
        dated = [one for one in numeric if self._table.is_dated(one)]
        days = [one for one in dated if self._table.unit(one) != CLOCK]
        has_years = any(self._has_years(one) for one in numeric)
        return days[0] if len(days) == 1 and not has_years else None

    def _fitting(self, number: Quantity) -> list[int]:
        """The columns of such numbers or dates, and with the same unit."""
        is_bare_year = not number.is_date and not number.unit and is_year(number.value)
        dated = [one for one in self._table.numeric() if self._table.is_dated(one)]
        if number.is_date:
            return [one for one in dated if self._table.unit(one) == number.unit]
        dated = [one for one in dated if self._table.unit(one) != CLOCK]
        fitting = [
            column
            for column in self._table.numeric()
            if column not in dated
            and (is_bare_year or column in self._named or self._adds_up(column))
        ]
        if number.unit:
            same = [column for column in fitting if self._table.unit(column) == number.unit]
            return same or [
                column
                for column in fitting
                if not self._table.unit(column) and column in self._named
            ]
        return [*fitting, *dated] if is_bare_year else fitting

    def _has_years(self, column: int) -> bool:
        return self._are_years(column) and bool(self._head(column) & words_of("years"))

    def _are_years(self, column: int) -> bool:
        values = [one for one in self._table.quantities(column) or () if one is not None]
        return bool(values) and all(is_year(one.value) and not one.unit for one in values)

    def _measured(self, columns: Iterable[int]) -> int | None:
        """The one of some columns that a word for its measure names. Raises if there are several."""
        columns = list(columns)
        for measure, place in self._measures.items():
            found = [
                column
                for column in columns
                if measures()[measure].intersection(self._head(column))
                or (measure == "date" and (self._table.is_dated(column) or self._has_years(column)))
            ]
            if len(found) > 1:
                raise NoReadingError
            if found:
                self._phrases.take((place, place + 1), self._words[place].use or "measure")
                self._is_inferred = self._is_inferred or self._words[place].use == "measure"
                return found[0]
        return None
