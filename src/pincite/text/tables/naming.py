"""The parts of a question that name columns and rows of a table."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from difflib import get_close_matches
from functools import cache
from itertools import islice, pairwise

from pincite.text.numbers import figures
from pincite.text.tables.labels import label_forms, subjects
from pincite.text.tables.phrases import (
    Phrases,
    Run,
    Word,
    as_words,
    contains,
    forms,
    stems,
    whole_keys,
)
from pincite.text.tables.reading import Condition, Operation, Placed, Ranked
from pincite.text.tables.tables import Quantity, Table, parts_of
from pincite.text.tables.words import (
    agents,
    calendar_names,
    calendar_place,
    singular,
    ways_of,
    words_for_label,
    words_of,
)
from pincite.text.terms import fold

_MOST_BETWEEN = 2
"""Words between a denial and the value that is denied."""
_LONGEST_VALUE_WORDS = 12
_MOST_OF_A_NAME = 5
_MOST_NEAR = 20_000
"""Cells, each of which is compared letter by letter."""
_MOST_WORDS_OF_A_HEAD = 3


BETWEEN = {"between": "and", "zwischen": "und"}
"""The words before a range of numbers, and between its ends."""


class NoReadingError(Exception):
    """A word has no part, or may have several."""


class Naming:
    """What a question is understood as so far, and the columns and values that it names."""

    def __init__(self, phrases: Phrases, table: Table, language: str, file: str) -> None:
        self._phrases = phrases
        self._words = phrases.words
        self._table = table
        self._language = language
        self._file = file
        self._named: dict[int, int] = {}
        """The columns that are named, with the place of the word that does."""
        self._measures: dict[str, int] = {}
        """Words that name a column by its measure ("cost"), with their places."""
        self._conditions: list[Condition] = []
        self._values: list[tuple[int, str]] = []
        """The words that are values of a column."""
        self._ranked: Ranked | None = None
        self._placed: Placed | None = None
        self._operation = Operation.ROWS
        self._over: int | None = None
        self._group: int | None = None
        self._by_size = ""
        """`highest` or `lowest`, if the groups are in this order."""
        self._counted: int | None = None
        """A column of numbers that "how many" asks for."""
        self._is_every = False
        self._is_inferred = False
        """Whether a column is meant whose head the question does not have."""
        self._lacking = ""
        """A name that no row has."""

    @property
    def _compared(self) -> set[int]:
        return {one.column for one in self._conditions}

    # --- Columns and values ---------------------------------------------------------------------

    def _name_columns(self, held: Iterable[Run]) -> None:
        longer = [run for run in held if run[1] - run[0] > 1]
        heads = {
            place: stems(column.bare, self._language)
            for place, column in enumerate(self._table.columns)
        }
        if words_of("when").intersection(word.folded for word in self._words):
            for column in filter(self._table.is_dated, heads):
                heads[column] = self._without_end(heads[column])
        for column in sorted(heads, key=lambda one: -len(heads[one])):
            size = len(heads[column])
            for first in range(len(self._words) - size + 1 if size else 0):
                run = first, first + size
                written = [word.stem for word in self._words[slice(*run)]]
                # "Blue Room" in a column "Room" is no name of that column.
                is_inside = any(
                    one[0] <= run[0] and run[1] <= one[1] and one != run for one in longer
                )
                if written == heads[column] and self._phrases.is_free(run) and not is_inside:
                    self._phrases.take(run, "column", column)
                    self._named.setdefault(column, first)

    def _without_end(self, head: list[str]) -> list[str]:
        """The words of a head of dates as "when" asks for them: "shipped" for "Shipped on"."""
        ends = {stem for end in words_of("label_ends") for stem in stems(end, self._language)}
        return head[:-1] if len(head) > 1 and head[-1] in ends else head

    def _find_values(self, held: Mapping[Run, Mapping[int, set[str]]]) -> None:
        compared = set(self._behind_comparisons())
        taken: dict[int, set[str]] = defaultdict(set)
        runs: dict[int, list[Run]] = defaultdict(list)
        for run in sorted(held, key=lambda one: (one[0] - one[1], one[0])):
            words = self._words[slice(*run)]
            is_quiet = all(word.is_quiet for word in words) and not self._asks_for_label(run, held)
            if not self._phrases.is_free(run) or is_quiet:
                continue
            is_compared = not compared.isdisjoint(range(*run))
            column = self._column_of(held[run], run)
            if column is not None and not (is_compared and self._table.quantities(column)):
                self._phrases.take(run, "value")
                self._values.append((column, as_words(self._phrases.text(run))))
                taken[column] |= held[run][column]
                runs[column].append(run)
        named = sorted((run, column) for column, own in runs.items() for run in own)
        for run, column in self._leave_out(named, held):
            runs[column].remove(run)
            if not runs[column]:
                del taken[column], runs[column]
            else:
                taken[column] = set().union(*(held[one][column] for one in runs[column]))
        for column, values in taken.items():
            values |= self._between(column, sorted(runs[column]))
            self._conditions.append(Condition(column=column, values=tuple(sorted(values))))

    def _asks_for_label(self, run: Run, held: Mapping[Run, Mapping[int, set[str]]]) -> bool:
        """Whether words ask for a label of a form without being it: "live" for `Address`."""
        labels = held[run].get(0, ()) if self._table.is_form else ()
        asking = as_words(self._phrases.text(run))
        return any(asking in words_for_label(as_words(label)) for label in labels)

    def _leave_out(
        self, named: Sequence[tuple[Run, int]], held: Mapping[Run, Mapping[int, set[str]]]
    ) -> list[tuple[Run, int]]:
        """The values behind "other than" or "not", whose rows are left out by a condition.

        Values side by side are of one row ("Ann" and "Lee"), others with "and" between are too. Raises
        NoReadingError where it is not clear which rows are meant.
        """
        first = next((n for n, (run, _) in enumerate(named) if self._take_exception(run[0])), None)
        if first is None:
            return []
        group = [[named[first]]]
        for (before, _), (run, column) in pairwise(named[first:]):
            between = self._words[before[1] : run[0]]
            if not all(word.folded in words_of("joins") for word in between) or len(between) > 1:
                break
            if between:
                group.append([(run, column)])
            else:
                group[-1].append((run, column))
        out = [one for several in group for one in several]
        columns = {column for _, column in out}
        table = self._table
        if len(columns) == 1:
            (column,) = columns
            values = set().union(*(held[run][column] for run, _ in out))
        else:
            column = table.key
            rows = [
                row
                for row in table.rows
                if any(all(table.text(row, c) in held[r][c] for r, c in one) for one in group)
            ]
            values = {table.text(row, column) for row in rows}
            if len(values) != len(group) or len(rows) != len(group):
                raise NoReadingError
        condition = Condition(column=column, relation="≠", values=tuple(sorted(values)))
        self._conditions.append(condition)
        return out

    def _take_exception(self, place: int) -> bool:
        """Takes "other than", or a denial, before a value."""
        if self._take_denial(place):
            return True
        while place and self._words[place - 1].folded in words_of("articles"):
            place -= 1
        found = self._phrases.before(place, words_of("excepting"))
        if found is not None:
            self._phrases.take(found[1], "comparison")
        return found is not None

    def _take_denial(self, place: int) -> bool:
        """Takes "not" before a value, with a verb and a preposition between: "do not live in Bern"."""
        for before in range(place - 1, max(-1, place - 2 - _MOST_BETWEEN), -1):
            word = self._words[before]
            if word.use:
                return False
            if word.folded in words_of("denials"):
                self._phrases.take((before, before + 1), "comparison")
                return True
        return False

    def _between(self, column: int, runs: Sequence[Run]) -> set[str]:
        """The cells of the days or months between two that are the ends of a range.

        Raises NoReadingError for a range of other things: "from Oslo to Bergen" names no rows between.
        """
        if len(runs) != 2 or runs[0][1] + 1 != runs[1][0]:
            return set()
        (first, joined), (behind, end) = runs
        before = self._words[first - 1].folded if first else ""
        word = self._words[joined].folded
        is_between = before == "between" and not any(
            one.folded == Operation.DIFFERENCE for one in self._words
        )
        if word not in words_of("range") and not (is_between and word in words_of("and")):
            return set()
        ends = [
            calendar_place(as_words(self._phrases.text(run)))
            for run in ((first, joined), (behind, end))
        ]
        (kind, low), (other, high) = ends
        if not kind or kind != other or low > high:
            raise NoReadingError
        self._phrases.take((joined, behind), "value")
        places = {text: calendar_place(as_words(text)) for text in set(self._table.texts(column))}
        return {text for text, (held, at) in places.items() if held == kind and low <= at <= high}

    def _behind_comparisons(self) -> Iterator[int]:
        """The places of words that are a number or date behind "more than", "since" or "between"."""
        for place in range(len(self._words)):
            is_between = place > 0 and self._words[place - 1].folded in BETWEEN
            found = self._phrases.quantity(place)
            relations = comparisons(is_date=found is not None and found[0].is_date)
            if not is_between and not self._phrases.before(place, relations):
                continue
            yield from range(*found[1]) if found else ()
            if found and is_between and self._is_and(found[1][1], self._words[place - 1].folded):
                second = self._phrases.quantity(found[1][1] + 1)
                yield from range(*second[1]) if second else ()

    def _is_and(self, place: int, before: str) -> bool:
        """Whether the word at a place stands between the ends of a range that begins with another."""
        return self._words[place].folded == BETWEEN[before] if place < len(self._words) else False

    def _held(self) -> Mapping[Run, Mapping[int, set[str]]]:
        """The runs of words that are cells: for each column, the cells' texts."""
        wanted = self._written()
        held: dict[Run, dict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
        table, parts = self._table, [*map(parts_of, wanted)]
        near = frozenset().union(*parts, parts_of(self._phrases.text((0, len(self._words)))))
        # Whom a form is about is no row of it: "When was Hanna Berg born?"
        about = subjects(table)
        for column in range(len(table.columns)):
            for cell in table.texts_with(column, near):
                if column and cell in about:
                    continue
                named = label_forms(cell, self._table, self._language) if not column else ()
                for form in wanted.keys() & forms(cell).union(named):
                    for run in wanted[form]:
                        held[run][column].add(cell)
        return held

    def _written(self) -> Mapping[str, list[Run]]:
        """Every form in which runs of words may be written in cells, with the runs."""
        count = len(self._words)
        found: dict[str, list[Run]] = defaultdict(list)
        for first in range(count):
            for last in range(first + 1, min(count, first + _LONGEST_VALUE_WORDS) + 1):
                text = self._phrases.text((first, last))
                *before, end = as_words(text).split(" ")
                several = " ".join([*before, singular(end)])
                written = {as_words(text), several, *whole_keys(text)}
                written.update(calendar_names(as_words(text)))
                if last - first == 1 and text.endswith("ing"):
                    written.add(self._words[first].stem)  # "sailing boats" for "sail"
                if self._table.is_form:
                    written.add(" ".join(word.stem for word in self._words[first:last]))
                for form in written:
                    found[form].append((first, last))
        return found

    def _column_of(self, columns: Mapping[int, set[str]], run: Run) -> int | None:
        """The column of which some words are a value. Raises if it may be one of several."""
        near = (*self._words[max(0, run[0] - 2) : run[0]], *self._words[run[1] : run[1] + 1])
        beside = {word.column for word in near if word.use == "column"} & columns.keys()
        if beside:
            return beside.pop() if len(beside) == 1 else None
        word = self._words[run[0]].text
        is_number = run[1] - run[0] == 1 and word[0].isdigit() and bool(figures(word).numbers)
        # A number alone is no name of a row, unless it is a year, or rows are named by such numbers.
        if is_number and not (word.isdigit() and is_year(Decimal(word))):
            is_name = self._table.is_numbered and not any(word.use == "column" for word in near)
            return self._table.key if is_name and self._table.key in columns else None
        if self._table.key in columns:
            return self._table.key
        if len(columns) > 1:
            raise NoReadingError
        return next(iter(columns))

    def _ask_flags(self) -> None:
        """Conditions on columns of yes and no: "rooms with a projector"."""
        asked: dict[int, str] = {}
        self._name_flags()
        for column, place in sorted(self._named.items(), key=lambda one: one[1]):
            if self._is_without(column, place):
                continue
            answers = {fold(text): text for text in self._table.texts(column)}
            signs = {sign: answers.keys() & words_of(sign) for sign in ("yes", "no")}
            if (
                column in self._compared
                or not signs["yes"]
                or answers.keys() - signs["yes"] - signs["no"]
            ):
                continue
            if len(signs["no"]) > 1:
                signs["no"] -= {""}  # Nothing is said in an empty cell, where others say no.
            sign = self._flag_before(place, asked)
            if sign:
                asked[column] = sign
                wanted = {text for text in self._table.texts(column) if fold(text) in signs[sign]}
                self._conditions.append(Condition(column=column, values=tuple(sorted(wanted))))

    def _name_flags(self) -> None:
        """Names columns by a word of their heads: of yes and no, and dates of what was not done yet.

        "Who has paid" for "Fee paid", "not paid yet" for "Paid on".
        """
        signs = words_of("yes") | words_of("no")
        for place, word in enumerate(self._words):
            if word.use or word.is_quiet:
                continue
            column = self._named_in_part(word)
            if column is None:
                continue
            are_signs = {fold(text) for text in self._table.texts(column)} <= signs
            if are_signs or (self._table.is_dated(column) and self._is_denied(place)):
                self._phrases.take((place, place + 1), "column", column)
                self._named.setdefault(column, place)

    def _is_denied(self, place: int) -> bool:
        """Whether "no" or "not" stands before a place, with nothing but "been" between."""
        while place and self._words[place - 1].folded in words_of("auxiliaries"):
            place -= 1
        before = self._words[place - 1] if place else None
        return before is not None and not before.use and before.folded in words_of("lacks")

    def _is_without(self, column: int, place: int) -> bool:
        """Takes a question for rows with nothing in a column: "no complaints", "not returned"."""
        held = self._table.quantities(column)
        is_counted = held is not None and (self._adds_up(column) or None in held)
        if held is None or not is_counted or not self._is_denied(place):
            return False
        while self._words[place - 1].folded in words_of("auxiliaries"):
            place -= 1
        self._phrases.take((place - 1, place), "comparison")
        is_empty = None in held and all(one is None or one.value for one in held)
        cells = zip(self._table.texts(column), held, strict=True)
        empty = tuple(sorted({text for text, value in cells if value is None}))
        zero = Condition(column=column, number=Quantity(Decimal(0)))
        self._conditions.append(Condition(column=column, values=empty) if is_empty else zero)
        return True

    def _flag_before(self, place: int, asked: Mapping[int, str]) -> str:
        """Whether the words before the name of a column say that it is there: "yes", "no" or "".

        `asked` is what they say of the columns named earlier. Raises for one or the other of two.
        """
        if self._words[0].folded in words_of("yes_or_no"):
            return ""
        between = words_of("articles") | words_of("auxiliaries")
        while place and self._words[place - 1].folded in between:
            place -= 1
        before = self._words[place - 1] if place else None
        if before is None or before.folded in words_of("has"):
            return "yes" if before else ""
        if before.folded in words_of("lacks"):
            self._phrases.take((place - 1, place), "comparison")
            return "no"
        other = self._words[place - 2].column if place > 1 else None
        if other is None or other not in asked or before.folded not in words_of("joins"):
            return ""
        if before.folded not in words_of("and"):
            raise NoReadingError
        return asked[other]

    def _name_row(self, run: Run) -> None:
        """Takes a name that is no cell for that of a row: in part, or of a row that is lacking."""
        table, key = self._table, self._table.key
        is_name = all(word.text[0].isupper() and not word.use for word in self._words[slice(*run)])
        is_of_row = self._operation is Operation.ROWS and bool(self._named.keys() - {key})
        is_of_row = is_of_row or self._operation is Operation.COUNT
        is_free = not (self._ranked or self._placed or self._conditions or table.is_form)
        is_sure = run[0] > 0 or run[1] - run[0] > 1  # The first word has a capital anyway.
        if not (is_name and is_of_row and is_free and is_sure and _are_names(table.texts(key))):
            raise NoReadingError
        written = self._phrases.text(run)
        parts = {
            column: {text for text in table.texts(column) if contains([text], as_words(written))}
            for column in sorted(table.names, key=lambda one: one != key)
        }
        found = [column for column, held in parts.items() if held]
        if len(found) > 1 or any(len(held) > _MOST_OF_A_NAME for held in parts.values()):
            raise NoReadingError
        self._phrases.take(run, "value")
        self._lacking = "" if found else written
        column = found[0] if found else self._nearest_names(written)
        values = tuple(sorted(parts[column])) or (written,)
        self._conditions.append(Condition(column=column, values=values))

    def _nearest_names(self, written: str) -> int:
        """The column of names of which one is written nearly so; the key if there is none."""
        near = (
            column
            for column in self._table.names
            if get_close_matches(written, [*islice(self._table.texts(column), _MOST_NEAR)], 1)
        )
        return min(near, default=self._table.key)

    def _named_in_part(self, word: Word) -> int | None:
        """The only column whose head has a word: "due" for "Due date". None if there are several.

        Nor for a number, which is one of several things in a head ("Three months ended June 30, 2023"),
        nor behind "first" or "most", where it may be what the rows have done: "the last game released".
        """
        if self._placed or self._ranked or not word.text.isalpha():
            return None
        heads = [stems(column.bare, self._language) for column in self._table.columns]
        found = [
            place
            for place, head in enumerate(heads)
            if word.stem in head and len(head) <= _MOST_WORDS_OF_A_HEAD
        ]
        is_called_so = bool(found)
        is_of_person = any(one.folded in words_of("who") for one in self._words)
        if self._language == "en" and (is_of_person or not found):
            nouns = agents(word.folded)
            doing = [
                one
                for one, column in enumerate(self._table.columns)
                if nouns.intersection(fold(column.bare).split()[-1:])
            ]
            found = doing or found
        if not found:
            found = [*self._of_measure(word, self._table.numeric())]
            found = found or [*self._of_measure(word, range(len(self._table.columns)))]
        if len(found) != 1:
            return None
        self._is_inferred = self._is_inferred or not is_called_so
        return found[0]

    def _of_measure(self, word: Word, columns: Iterable[int]) -> Iterator[int]:
        """The columns whose head has the measure that a word names: "weigh" for "Weight"."""
        for names in measures().values():
            if word.folded in names:
                yield from (one for one in columns if names & self._head(one))

    def _head(self, column: int) -> set[str]:
        return set(fold(self._table.columns[column].name).split())

    def _adds_up(self, column: int) -> bool:
        return adds_up(self._table, column)


def adds_up(table: Table, column: int) -> bool:
    """Whether a column has amounts: no dates, years or numbers of an order."""
    values = [one for one in table.quantities(column) or () if one is not None]
    head = set(fold(table.columns[column].name).split())
    if not values or values[0].is_date or head & words_of("orders"):
        return False
    are_years = all(is_year(one.value) and not one.unit for one in values)
    return not (are_years and (head & words_of("years") or len(values) < 2 or column == 0))


def comparisons(*, is_date: bool) -> Mapping[str, str]:
    """The words before a number, or before a date, and the relation that each says."""
    found = ways_of("comparisons")
    return {**found, **ways_of("comparisons_of_dates")} if is_date else found


def relation_beside(phrases: Phrases, run: Run, *, is_date: bool) -> tuple[str, str, Run] | None:
    """The words beside a number that compare with it, their relation, and the places of both."""
    relations, behind = comparisons(is_date=is_date), ways_of("comparisons_behind")
    if found := phrases.before(run[0], relations):
        return found[0], relations[found[0]], (found[1][0], run[1])
    if found := phrases.at(run[1], behind):
        return found[0], behind[found[0]], (run[0], found[1][1])
    return None


def _are_names(texts: Iterable[str]) -> bool:
    """Whether all begin as names do, and none is a number."""
    return all(not text or text[0].isupper() for text in texts)


def is_year(value: Decimal) -> bool:
    """Whether a number may be a year."""
    return value == value.to_integral_value() and 1500 <= value < 2100


@cache
def measures() -> Mapping[str, frozenset[str]]:
    """The words for each measure."""
    found: dict[str, list[str]] = defaultdict(list)
    for word, measure in ways_of("measures").items():
        found[measure].append(word)
    return {measure: frozenset(words) for measure, words in found.items()}
