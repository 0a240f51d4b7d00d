"""Reads a question as one about the rows of a table: every word of it must have a part in that.

A reading is exact or there is none: a word that names no column, value, row or operation means that
the question asks for something else, and is left to the other stages.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePath

from pincite.text.tables.labels import words_beside
from pincite.text.tables.naming import NoReadingError, measures
from pincite.text.tables.order import at_an_end, beside_named
from pincite.text.tables.phrases import (
    Phrases,
    Run,
    Word,
    contains,
    stems,
)
from pincite.text.tables.ranking import Ranking
from pincite.text.tables.reading import (
    MOST_GROUPS,
    Operation,
    Reading,
    chosen_rows,
    may_add_up_twice,
)
from pincite.text.tables.tables import CLOCK, Row, Table, has_persons, names_of_persons
from pincite.text.tables.words import ways_of, words_of
from pincite.text.terms import fold
from pincite.text.units import currency

_MOST_WORDS = 40


def read_question(
    question: str, table: Table, language: str = "en", *, file: str = ""
) -> Reading | None:
    """The reading of a question by a table; None if there is none, or more than one.

    `file` is the name by which the user knows the table's file; without one, its document's title.
    """
    phrases = Phrases(question, language)
    if not 0 < len(phrases.words) <= _MOST_WORDS:
        return None
    try:
        return _Parse(phrases, table, language, file or table.document.title).reading()
    except NoReadingError:
        return None


def named_rows(question: str, table: Table, language: str = "en") -> tuple[Row, ...]:
    """The rows with the cells that a question names, whatever else it says; none without one."""
    phrases = Phrases(question, language)
    if not 0 < len(phrases.words) <= _MOST_WORDS or table.is_form:
        return ()
    try:
        return _Parse(phrases, table, language, "").named_rows()
    except NoReadingError:
        return ()


class _Parse(Ranking):
    """Gives each word of a question its part, the longest phrases first."""

    def named_rows(self) -> tuple[Row, ...]:
        """Those with all cells that are named. Raises NoReadingError where one may be of two."""
        held = self._held()
        self._name_columns(held)
        self._find_values(held)
        # A number, the best, others or only some of the rows are asked for, and not these.
        apart = {*words_of("count"), *words_of("lacks"), *words_of("others")}
        apart |= {*ways_of("aggregates"), *self._ranks()}
        is_apart = any(self._phrases.at(place, apart) for place in range(len(self._words)))
        is_apart = is_apart or any(one.relation != "=" for one in self._conditions)
        if is_apart or next(self._behind_comparisons(), None) is not None:
            return ()
        return chosen_rows(self._table, self._conditions) if self._conditions else ()

    def reading(self) -> Reading | None:
        """The reading. Raises NoReadingError where a word has no part."""
        held = self._held()
        self._name_columns(held)
        self._find_values(held)
        self._ask_flags()
        self._find_measures()
        self._placed = beside_named(self._phrases, self._values, self._table)
        self._compare(set(self._counts_of_rows()))
        if self._placed is None and (found := at_an_end(self._phrases, self._table, self._nouns())):
            self._placed, named = found
            self._named = {one: at for one, at in self._named.items() if at not in named}
        self._rank()
        self._rank_by_date()
        self._aggregate()
        self._group_by()
        self._settle()
        return self._result()

    # --- Numbers that are computed --------------------------------------------------------------

    def _aggregate(self) -> None:
        ways = {} if self._table.is_form else ways_of("aggregates")
        for place in range(len(self._words) if self._ranked is None else 0):
            phrase = self._phrases.at(place, ways)
            if phrase is None or self._is_told(ways[phrase[0]], phrase[1][1]):
                continue
            if self._operation is not Operation.ROWS:
                raise NoReadingError
            written, run = phrase
            of_count = self._phrases.at(run[1], words_of("count"))
            if of_count is not None:
                behind = self._phrases.column_behind(of_count[1][1])
                if behind is None or not self._adds_up(behind):
                    self._phrases.take(run, "count")  # "The total number of pumps"
                    continue
                run = run[0], of_count[1][1]
            self._phrases.take(run, "aggregate")
            self._operation = Operation(ways[written])
            if self._operation is Operation.SHARE:
                self._share(run[1])
            else:
                self._over = self._added_up(run[1], is_behind=self._is_behind(written, run))
        counts = [
            phrase
            for place in range(len(self._words))
            if (phrase := self._phrases.at(place, words_of("count")))
            and not self._is_in_head(phrase, place)
        ]
        if len({run[1] for _, run in counts}) > 1:
            raise NoReadingError  # Two questions in one.
        if counts and self._operation is Operation.ROWS:
            self._count(*counts[0])
        if self._over is not None and self._is_of_several_keys():
            raise NoReadingError

    def _is_told(self, operation: str, place: int) -> bool:
        """Whether a column has the shares that are asked for, and no other is named behind."""
        if operation != Operation.SHARE:
            return False
        ways = ways_of("aggregates").items()
        share = {phrase.split()[0] for phrase, way in ways if way == Operation.SHARE}
        columns = range(len(self._table.columns))
        told = {n for n in columns if self._table.unit(n) == "%" or self._head(n) & share}
        column = self._phrases.column_behind(place)
        return bool(told) and (column is None or column in told or not self._adds_up(column))

    def _share(self, place: int) -> None:
        """Of the column of amounts that is named, else of the rows, or of the only amounts.

        "Percentage of the students" in a table of ages is no share of their ages, and a file's name may
        mean its rows or its amounts: what is not named must be amounts by its head or unit.
        """
        column = self._phrases.column_behind(place)
        amounts = [one for one in self._table.numeric() if self._adds_up(one)]
        behind = next((word for word in self._words[place:] if not word.is_quiet), None)
        noun = {behind.folded, behind.stem} if behind and behind.use != "value" else set[str]()
        is_of_rows = bool(noun & words_of("rows")) or (not amounts and bool(noun & self._nouns()))
        if column in amounts:
            self._over = column
        elif column in self._table.names or (column is None and is_of_rows):
            self._operation = Operation.PROPORTION
        elif column is None and not noun & self._nouns() and self._is_amount(*amounts):
            self._over = amounts[0]
        else:
            raise NoReadingError

    def _group_by(self) -> None:
        """Takes the column behind "by" or "each" for that by which numbers are computed."""
        apart = {self._table.key, self._over, *self._compared}
        found = [
            column
            for column, place in self._named.items()
            if place and self._words[place - 1].folded in words_of("per") and column not in apart
        ]
        if not found or self._placed or self._group is not None:
            return
        sums = self._column_of_sums(self._named.keys() - {*found})
        if sums is not None:
            self._operation, self._over = Operation.SUM, sums  # "total by status"
        if self._operation not in (Operation.COUNT, Operation.SUM, Operation.AVERAGE):
            return
        if len(found) > 1:
            raise NoReadingError
        place = self._named[found[0]] - 1
        self._phrases.take((place, place + 1), "group")
        self._group = found[0]

    def _is_in_head(self, phrase: tuple[str, Run], place: int) -> bool:
        """Whether it goes on the name of a column: "the phone number of"."""
        before = self._words[place - 1] if place else None
        return (
            before is not None
            and before.use == "column"
            and phrase[0] in words_of("count_of_plural")
        )

    def _added_up(self, place: int, *, is_behind: bool) -> int:
        """The column that is added up. Raises if it is not certain."""
        column = self._phrases.column_behind(place)
        if column is not None and self._adds_up(column):
            return column
        if column is not None and column not in self._table.names:
            raise NoReadingError
        named = [one for one in self._named if one not in self._compared and self._adds_up(one)]
        if is_behind and len(named) == 1:
            return named[0]
        measured = self._measured(filter(self._adds_up, self._table.numeric()))
        if measured is None:
            measured = self._payments()
        if measured is None:
            raise NoReadingError
        return measured

    def _is_behind(self, written: str, run: Run) -> bool:
        """Whether what is added up stands before: "cost altogether", "the price difference"."""
        return written in words_of("behind") or self._phrases.column_before(run[0]) is not None

    def _is_of_several_keys(self) -> bool:
        """Whether single rows are named, of which one may be there more than once."""
        key = self._table.key
        named = next((set(one.values) for one in self._conditions if one.column == key), set())
        return 1 < len(named) < sum(text in named for text in self._table.texts(key))

    def _count(self, written: str, run: Run) -> None:
        column = self._phrases.column_behind(run[1])
        self._phrases.take(run, "count")
        if (of := self._phrases.at(run[1], words_of("different"))) is not None:
            counted = self._phrases.column_behind(of[1][1])
            if counted is None or counted == self._table.key:
                raise NoReadingError
            self._phrases.take(of[1], "count")
            self._operation, self._over = Operation.DISTINCT, counted
            return
        if written in words_of("count_of_plural"):
            behind = next((word for word in self._words[run[1] :] if not word.is_quiet), None)
            if behind is None or not behind.folded.endswith(("s", "n", "e")):
                raise NoReadingError  # "The number of the player" is in a row.
        if column is None:
            column = self._number_named_in_part(run[1])
        if column is not None and column not in self._table.names:
            if self._table.quantities(column) is None:
                raise NoReadingError
            self._counted = column  # "How many windows": the number is in the row.
        elif len(told := self._numbers_of_a_row()) == 1:
            (self._counted,) = told  # "How many of RM-12 are in stock"
        elif (amounts := self._amounts_of(run[1])) is not None:
            self._operation, self._over = Operation.SUM, amounts  # "How many lamps were ordered"
        else:
            self._operation = Operation.COUNT

    def _number_named_in_part(self, place: int) -> int | None:
        """The column of numbers whose head has the next word: "how many cores" for "CPU cores"."""
        while place < len(self._words) and self._words[place].is_quiet:
            place += 1
        word = self._words[place] if place < len(self._words) else None
        column = self._named_in_part(word) if word and not word.use else None
        if column is None or not self._adds_up(column):
            return None
        self._phrases.take((place, place + 1), "column", column)
        self._named.setdefault(column, place)
        return column

    def _amounts_of(self, place: int) -> int | None:
        """The column with the amounts of what is counted, if that is a value and not the rows.

        Raises if there are several.
        """
        behind = next((word for word in self._words[place:] if not word.is_quiet), None)
        if behind is None or behind.use != "value":
            return None
        found = [one for one in self._table.numeric() if self._head(one) & words_of("quantities")]
        if len(found) > 1:
            raise NoReadingError
        return found[0] if found else None

    def _numbers_of_a_row(self) -> list[int]:
        """The columns of numbers that are named, where a row is."""
        key = self._table.key
        if all(column != key for column, _ in self._values):
            return []
        apart = {key, *self._compared}
        return [one for one in self._named if one not in apart and self._table.quantities(one)]

    # --- The rest -------------------------------------------------------------------------------

    def _settle(self) -> None:
        """Every word that is left must name the rows, or nothing. Raises otherwise."""
        nouns = self._nouns() | words_beside(self._table, self._language)
        if self._operation is Operation.DIFFERENCE:
            nouns |= words_of("of_two")
        unknown: list[int] = []
        for place, word in enumerate(self._words):
            self._is_every = self._is_every or word.folded in words_of("every")
            if word.use or word.is_quiet or self._is_of_size(place):
                continue
            if word.folded in nouns or word.stem in nouns:
                word.use = "rows"
                self._is_inferred = self._is_inferred or word.folded in words_of("rows")
            elif (column := self._named_in_part(word)) is not None or (
                column := self._spans_that_begin(word)
            ) is not None:
                self._phrases.take((place, place + 1), "column", column)
                self._named.setdefault(column, place)
            elif not (word.folded in words_of("amounts") and self._named) and not (
                word.folded in measures()["price"] and self._has_price()
            ):
                unknown.append(place)
        if len(unknown) == 1 and (self._does_most(unknown[0]) or self._is_of_day(unknown[0])):
            unknown = []
        self._rank_by_date()
        periods = self._periods()
        unknown = [one for one in unknown if one not in periods and self._words[one].use != "rank"]
        if unknown:
            self._name_row((unknown[0], unknown[-1] + 1))

    def _spans_that_begin(self, word: Word) -> int | None:
        """The only column of times, if its cells are spans and a word says that they begin."""
        if not any(word.folded in measures()[measure] for measure in ("start", "departure")):
            return None
        found = [one for one in self._table.numeric() if self._table.unit(one) == CLOCK]
        return found[0] if len(found) == 1 and self._table.has_spans(found[0]) else None

    def _is_of_day(self, place: int) -> bool:
        """Whether a word only says what is done on a day that is compared: "issued in 2025"."""
        dated = [one for one in self._table.numeric() if self._table.is_dated(one)]
        is_done = self._words[place].folded in words_of("done_on_a_day")
        return is_done and len(dated) == 1 and dated[0] in self._compared

    def _does_most(self, place: int) -> bool:
        """Whether a word only says what is done with most of a named column: "won the most votes"."""
        behind = place + 1
        while behind < len(self._words) and self._words[behind].folded in words_of("articles"):
            behind += 1
        is_ranked = behind < len(self._words) and self._words[behind].use == "rank"
        is_ranked = is_ranked and self._words[place].folded in words_of("gets")
        return is_ranked and self._ranked is not None and self._ranked.column in self._named

    def _is_of_size(self, place: int) -> bool:
        """Whether a word asks only for the number in a named column: "how high was the flow"."""
        before = self._words[place - 1].folded if place else ""
        is_asked = before in words_of("how") and bool(self._named or self._over is not None)
        return is_asked and self._words[place].folded in words_of("sizes")

    def _periods(self) -> set[int]:
        """The places of words for a period that a used column has in its head: "a year"."""
        used = {*self._named, *self._compared, self._over}
        used |= {self._ranked.column} if self._ranked else set()
        heads: set[str] = set().union(*(self._head(one) for one in used if one is not None))
        found: set[int] = set()
        for place in range(len(self._words)):
            for phrase, (_, end) in filter(None, [self._phrases.at(place, ways_of("periods"))]):
                if heads & set(ways_of("periods")[phrase].split()):
                    found.update(range(place, end))
        return found

    def _nouns(self) -> frozenset[str]:
        """Words for the rows: those of any table, and those of its names."""
        stem = PurePath(self._file).stem.replace("_", " ")
        written = (*self._table.section, self._file, stem)
        persons = words_of("persons") if names_of_persons(self._table) else frozenset[str]()
        return words_of("rows").union(persons, *(stems(text, self._language) for text in written))

    def _has_price(self) -> bool:
        """Whether money is what is compared, ranked or added up."""
        if any(currency(one.number.unit) for one in self._conditions if one.number is not None):
            return True
        used = [one.column for one in self._conditions if one.number is not None]
        used += [self._ranked.column] if self._ranked else []
        used += [] if self._over is None else [self._over]
        return bool(used) and all(currency(self._table.unit(column)) for column in used)

    def _sum_totals(self) -> None:
        """Adds up a column called "Total" where several rows are named: "the total of open orders"."""
        sums = self._column_of_sums(self._asked())
        if sums is None or not self._conditions:
            return
        if len(chosen_rows(self._table, self._conditions, None, self._placed)) > 1:
            self._operation, self._over = Operation.SUM, sums

    def _result(self) -> Reading | None:
        self._sum_totals()
        if not self._is_complete():
            return None
        operation, asked = self._operation, self._asked()
        if self._placed and (self._ranked or operation is not Operation.ROWS):
            return None
        rows = chosen_rows(self._table, self._conditions, self._ranked, self._placed)
        if operation is Operation.DIFFERENCE and len(rows) != 2:
            return None
        if self._counted is not None and (len(rows) != 1 or self._ranked):
            return None
        part = 0
        if operation in (Operation.SHARE, Operation.PROPORTION):
            part, apart = len(rows), {row.start for row in rows}
            rows = (*rows, *(row for row in self._table.rows if row.start not in apart))
            if self._table.sums & {row.start for row in rows}:
                return None
            if not 0 < part < len(rows) or not self._conditions:
                return None
        is_added = operation is not Operation.DIFFERENCE
        if is_added and self._over is not None and may_add_up_twice(self._table, self._over, rows):
            return None
        if self._over is not None and len(rows) < 2:
            operation, asked = Operation.ROWS, [self._over]
        reading = Reading(
            table=self._table,
            name=self._table.section[-1] if self._table.section else self._file,
            operation=operation,
            rows=rows,
            conditions=tuple(self._conditions),
            ranked=self._ranked,
            placed=self._placed,
            over=self._over,
            asked=tuple(asked),
            lacking=self._lacking,
            group=None if operation is Operation.ROWS else self._group,
            is_by_size=bool(self._by_size),
            is_smallest_first=self._by_size == "lowest",
            part=part,
            is_inferred=self._is_inferred,
        )
        names = reading.grouped.keys()
        return None if "" in names or len(names) > MOST_GROUPS else reading

    def _column_of_sums(self, asked: Iterable[int]) -> int | None:
        """The only column that is asked for beside the key, if it is called "Total" or the like."""
        columns = [one for one in asked if one != self._table.key]
        if self._ranked or self._operation is not Operation.ROWS or len(columns) != 1:
            return None
        name = fold(self._table.columns[columns[0]].bare)
        is_sum = ways_of("aggregates").get(name) == Operation.SUM and self._adds_up(columns[0])
        return columns[0] if is_sum else None

    def _is_complete(self) -> bool:
        """Whether the parts make a question that rows answer."""
        if self._operation is not Operation.ROWS:
            unused = self._named.keys() - self._compared
            unused -= {*self._table.names, self._over, self._group}
            return not unused and not self._is_elsewhere()
        if self._ranked or self._placed or self._counted is not None:
            return True
        if not self._conditions:
            return self._is_every and self._names_rows()
        return bool(self._asked()) or self._asks_for_rows()

    def _asked(self) -> list[int]:
        """The columns whose cells are asked for."""
        if self._counted is not None:
            return [self._counted]
        asked = [one for one in self._named if one not in self._compared | {self._over}]
        is_of_row = any(word.folded in words_of("of_rows") for word in self._words)
        is_of_row = is_of_row or self._is_choice()
        if self._ranked and self._ranked.column in asked and (len(asked) > 1 or is_of_row):
            asked.remove(self._ranked.column)
        if asked and not self._may_be_told_by(asked):
            return self._asked_by_kind() or asked
        return asked or self._asked_by_kind() or self._asked_beside_key()

    def _may_be_told_by(self, columns: Iterable[int]) -> bool:
        """Whether they may tell who or when: not the numbers of "Order", for "Who ordered it?"."""
        written = {word.folded for word in self._words}
        if not written & (words_of("who") | words_of("when")):
            return True
        return not all(
            any(map(str.isdigit, text)) and not self._table.is_dated(one)
            for one in columns
            for text in self._table.texts(one)
        )

    def _asked_beside_key(self) -> list[int]:
        """The other column of a table of names and values, for one name.

        What a row says of permissions is not what "a correspondent" is.
        """
        table = self._table
        values = (place for place, word in enumerate(self._words) if word.use == "value")
        before = self._words[max(0, next(values, 0) - 1)].folded
        if before in words_of("indefinite") and not table.is_form:
            return []
        is_of_key = [one.column for one in self._conditions] == [table.key] and not self._ranked
        return [1 - table.key] if is_of_key and len(table.columns) == 2 else []

    def _asked_by_kind(self) -> list[int]:
        """The only column of dates, for "when"; of money, for "how much"; of persons, for "who"."""
        table, written = self._table, {word.folded for word in self._words}
        found: list[int] = []
        if written & words_of("when"):
            found = [one for one in table.numeric() if table.is_dated(one)]
        elif written & words_of("how_much"):
            found = [one for one in table.numeric() if currency(table.unit(one))]
        elif written & words_of("who") and (persons := names_of_persons(table)):
            return persons
        elif written & (words_of("who") | words_of("whose")):
            found = [one for one in range(len(table.columns)) if has_persons(table, one)]
        return found if len(found) == 1 and found[0] not in self._compared else []

    def _asks_for_rows(self) -> bool:
        """Whether rows themselves are asked for: "which pumps", "pumps under 300 euros", RM-136."""
        words = {word.folded for word in self._words if not word.use}
        if self._words[0].folded in words_of("yes_or_no") or words & words_of("of_cells"):
            return False
        if self._names_rows() or any(one.number is not None for one in self._conditions):
            return True
        # "What is a valve?" asks for no row.
        is_bare = all(word.use for word in self._words)
        is_code = any(map(str.isdigit, "".join(word.text for word in self._words)))
        is_name = len(self._words) > 1 and self._compared == {self._table.key}
        return is_bare and (is_code or is_name)

    def _names_rows(self) -> bool:
        return any(word.use in ("rows", "column") for word in self._words)

    def _is_elsewhere(self) -> bool:
        """Whether a value is only a part of cells: it is not certain which are meant."""
        chosen = {one.column: {*one.values} for one in self._conditions}
        for column, phrase in self._values:
            cells = [text for text in set(self._table.texts(column)) if text not in chosen[column]]
            if contains(cells, phrase):
                return True
        return False
