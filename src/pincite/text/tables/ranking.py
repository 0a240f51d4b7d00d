"""Reads superlatives in a question about rows: what they rank, by which column, and how many."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pincite.text.numbers import figures
from pincite.text.tables.comparing import Comparing
from pincite.text.tables.naming import NoReadingError, measures
from pincite.text.tables.phrases import Run
from pincite.text.tables.reading import Operation, Ranked
from pincite.text.tables.words import ways_of, words_of
from pincite.text.units import currency

_MOST_RANKED = 50


class Ranking(Comparing):
    """Gives superlatives, and the numbers and columns beside them, their parts."""

    def _counts_of_rows(self) -> Iterator[int]:
        """The places of numbers that say how many rows a superlative asks for."""
        for place in range(len(self._words)):
            phrase = self._superlative(place)
            if phrase is not None:
                number = self._count_beside(phrase[1])
                if number is not None:
                    yield number

    def _superlative(self, place: int) -> tuple[str, Run] | None:
        return self._phrases.rank_at(place, self._ranks())

    def _ranks(self) -> Mapping[str, str]:
        """Superlatives and, where one of several named rows is asked for, comparatives."""
        comparatives = ways_of("comparatives") if self._is_choice() else {}
        return {**ways_of("superlatives"), **comparatives}

    def _is_choice(self) -> bool:
        """Whether one of several named rows is asked for."""
        names = [column for column, _ in self._values if column in self._table.names]
        written = {word.folded for word in self._words}
        return len(names) > 1 and bool(written & words_of("joins")) and "than" not in written

    def _count_beside(self, run: Run) -> int | None:
        """The place of a number before or behind a superlative."""
        for place in (run[0] - 1, run[1]):
            if 0 <= place < len(self._words) and not self._words[place].use:
                numbers = figures(self._words[place].text).numbers
                if len(numbers) == 1 and 1 <= numbers[0].value <= _MOST_RANKED:
                    return place
        return None

    def _rank(self) -> None:
        for place in range(len(self._words)):
            phrase = self._superlative(place)
            if phrase is None:
                continue
            written, run = phrase
            counting = self._count_beside(run)
            if self._ranked or (counting is None and written in words_of("with_number")):
                raise NoReadingError  # "The top winner"
            count = 1
            if counting is not None:
                count = int(figures(self._words[counting].text).numbers[0].value)
                run = min(run[0], counting), max(run[1], counting + 1)
            self._phrases.take(run, "rank")
            if counting is None and self._rank_groups(run[1], written):
                continue
            sign, _, measure = self._ranks()[written].partition(" ")
            if self._is_measured_by(self._phrases.column_behind(run[1]), measure):
                measure = ""  # "The longest battery life"
            column = (
                self._ranked_by(measure, place) if measure else self._ranked_column(run, written)
            )
            is_highest = sign == "highest"
            if written in words_of("of_age") and measures()["age"] & self._head(column):
                is_highest = not is_highest  # The oldest has the earliest date and the highest age.
            self._ranked = Ranked(column=column, is_highest=is_highest, count=count)

    def _is_measured_by(self, column: int | None, measure: str) -> bool:
        """Whether a column of numbers says what a superlative compares, under another name."""
        if column is None or measure not in ("length", "height", "weight", "speed"):
            return False
        return column not in self._table.names and self._adds_up(column)

    def _rank_by_date(self) -> None:
        """Takes "first" or "last" behind the only dates that are named: "whose contract ends first"."""
        dated = [one for one in self._named if self._table.is_dated(one)]
        last = len(self._words) - 1
        word = self._words[last].folded if self._words and not self._words[last].use else ""
        way = ways_of("ends").get(word)
        if (
            way is None
            or len(dated) != 1
            or self._ranked
            or self._placed
            or dated[0] in self._compared
        ):
            return
        self._phrases.take((last, last + 1), "rank")
        self._ranked = Ranked(column=dated[0], is_highest=way == "last")

    def _ranked_by(self, measure: str, place: int) -> int:
        if self._words[place].folded in words_of("of_age"):
            for kind in ("birth", "age"):
                told = [one for one in self._table.numeric() if measures()[kind] & self._head(one)]
                if len(told) == 1:
                    return told[0]
            origins = [one for one in self._table.numeric() if words_of("years") & self._head(one)]
            if len(origins) == 1:
                return origins[0]
            if any(map(self._are_years, self._table.numeric())):
                raise NoReadingError  # These, or other dates?
        named = [one for one in self._named if self._table.is_dated(one)]
        if measure == "date" and len(named) == 1:
            return named[0]
        self._measures = {measure: place}
        column = self._measured(self._table.numeric())
        if column is None:
            raise NoReadingError
        return column

    def _ranked_column(self, run: Run, written: str) -> int:
        """The column named behind a superlative, before it, or after "by". Raises without one."""
        orders = words_of("orders")
        ranks = [
            one
            for one in self._table.numeric()
            if not orders & self._head(one)
            and not (one == self._table.key and self._table.is_numbered)
        ]
        behind = self._phrases.column_behind(run[1])
        if behind in ranks:
            return behind
        if behind is not None and behind not in self._table.names:
            raise NoReadingError
        before = self._phrases.column_before(run[0])
        if before in ranks and all(word.use or word.is_quiet for word in self._words[run[1] :]):
            return before
        measured = self._measured(ranks)
        if measured is not None:
            return measured
        by = [
            column
            for column, place in self._named.items()
            if column in ranks and place and self._words[place - 1].folded in words_of("by")
        ]
        if (
            not by
            and not (self._named.keys() - self._table.names)
            and written in ("highest", "lowest")
        ):
            return self._ranked_by("height", run[0])  # "Which hut is the highest?"
        if not by and written in words_of("of_amount") and (paid := self._payments()) is not None:
            return paid
        if len(by) != 1:
            raise NoReadingError
        return by[0]

    def _rank_groups(self, place: int, written: str) -> bool:
        """Takes a sum or an average behind a superlative: "Which customer has the highest total?"."""
        ways = {way: one for way, one in ways_of("aggregates").items() if one in ("sum", "average")}
        phrase = self._phrases.at(place, ways)
        if phrase is None:
            return False
        over = self._phrases.column_behind(phrase[1][1])
        amounts = [one for one in self._table.numeric() if self._adds_up(one)]
        if over is None and self._is_amount(*amounts):
            over = amounts[0]
        apart = {self._table.key, over, *self._compared}
        groups = [one for one in self._named if one not in apart and self._has_repeats(one)]
        if over is None or not self._adds_up(over) or len(groups) != 1:
            raise NoReadingError  # Of which numbers, for each of what?
        self._phrases.take(phrase[1], "aggregate")
        self._operation, self._over, self._group = Operation(ways[phrase[0]]), over, groups[0]
        self._by_size = "highest" if ways_of("superlatives")[written] == "highest" else "lowest"
        return True

    def _has_repeats(self, column: int) -> bool:
        texts = list(self._table.texts(column))
        return len(set(texts)) < len(texts)

    def _payments(self) -> int | None:
        """The only column of amounts, where the rows are named as what has one: invoices."""
        written = {form for word in self._words for form in (word.folded, word.stem)}
        amounts = [one for one in self._table.numeric() if self._adds_up(one)]
        is_paid = bool(written & words_of("of_payments")) and self._is_amount(*amounts)
        return amounts[0] if is_paid else None

    def _is_amount(self, *columns: int) -> bool:
        """Whether that is one column, of money or of how many there are."""
        if len(columns) != 1:
            return False
        counted = words_of("amounts") | words_of("quantities")
        return bool(currency(self._table.unit(columns[0])) or self._head(columns[0]) & counted)
