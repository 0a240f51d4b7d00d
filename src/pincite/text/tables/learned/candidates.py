"""Everything that a question may ask of a table, as candidates among which a model chooses.

A candidate has up to two conditions, then perhaps a choice among the rows that meet them (the highest,
the first, the one behind), and asks for the cells of a column, for the number of rows, or for what is
computed from a column. Some are listed though no answer is made of them (`UNANSWERED`): where one of
these is meant, the others must not be taken for it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, islice

from pincite.text.numbers import figures
from pincite.text.tables.learned.indexed import IndexedTable, Rows, places_in
from pincite.text.tables.naming import is_year, relation_beside
from pincite.text.tables.phrases import Phrases, Run, as_words, words_in
from pincite.text.tables.reading import Condition, derived_value, is_related
from pincite.text.tables.tables import Quantity, period
from pincite.text.tables.words import words_of

SMALL_WORDS = frozenset(
    "the a an of in on at to for by with from and or is are was were be been did do does has have "
    "had how many much what which who whom whose when where why that this these those there it "
    "its their his her he she they as than then all any each every not no most least more less".split()
)
"""English words that name no row, however often they stand in cells."""
UNANSWERED = frozenset({"distinct", "count-apart", "count-more", "count-less"})

_LONGEST_WHOLE, _LONGEST_PART = 10, 4
_MOST_VALUES, _MOST_NUMBERS, _MOST_PAIRS = 8, 20, 24
_MOST_CELLS, _MOST_EQUAL = 12, 4
_MOST_CANDIDATES = 3000


class Asked:
    """A question's words, folded and as stems."""

    def __init__(self, question: str, language: str = "en") -> None:
        self.phrases = Phrases(question, language)
        self.words = [word.folded for word in self.phrases.words]
        self.stems = [word.stem for word in self.phrases.words]

    @cached_property
    def telling(self) -> list[int]:
        """The places of the words that are not small."""
        return [place for place, word in enumerate(self.words) if word not in SMALL_WORDS]

    def around(self, run: Run, before: int, behind: int) -> list[str]:
        """The stems of so many words before and behind some."""
        start = max(0, run[0] - before)
        return self.stems[start : run[0]] + self.stems[run[1] : run[1] + behind]


@dataclass(frozen=True, slots=True)
class Named:
    """Rows that some words of the question name: by a whole cell, a part of one, or a number."""

    kind: str
    run: Run
    rows: Rows
    condition: Condition

    @property
    def column(self) -> int:
        """The column in which they are found."""
        return self.condition.column


@dataclass(frozen=True, slots=True)
class Filter:
    """The rows that meet up to two conditions, or one or the other ("or")."""

    named: tuple[Named, ...]
    join: str
    rows: Rows

    @property
    def used(self) -> frozenset[int]:
        """The places of the words that name them."""
        return frozenset(place for one in self.named for place in range(*one.run))

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """As the reading of a question has them."""
        if self.join == "or":
            first, second = (one.condition for one in self.named)
            values = tuple(dict.fromkeys((*first.values, *second.values)))
            return (replace(first, values=values, part=""),)
        return tuple(one.condition for one in self.named)


@dataclass(frozen=True, slots=True)
class Candidate:
    """What may be asked. `places` are those of the rows; `answer` is what would be said."""

    kind: str
    filter: Filter
    places: tuple[int, ...]
    answer: tuple[str, ...]
    column: int | None = None
    ranked: int | None = None


def candidates(named: Sequence[Named], indexed: IndexedTable) -> Iterator[Candidate]:
    """The candidates with the rows that a question names (`named_rows`), at most 3,000."""
    count = 0
    for some in _filters(named, indexed):
        for candidate in _of_filter(some, indexed):
            yield candidate
            count += 1
            if count == _MOST_CANDIDATES:
                return


# Conditions.


def named_rows(asked: Asked, indexed: IndexedTable) -> list[Named]:
    """What the question's words name, longest first, then by its numbers."""
    found: dict[tuple[int, Run], tuple[str, Rows]] = {}
    count = len(asked.words)
    for first in range(count):
        for behind in range(first + 1, min(count, first + _LONGEST_WHOLE) + 1):
            run = first, behind
            edges = {asked.words[first], asked.words[behind - 1]}
            phrase = as_words(asked.phrases.text(run))
            if not phrase or (behind - first == 1 and edges & SMALL_WORDS):
                continue
            kind, held = "whole", indexed.with_whole(phrase)
            if not held and behind - first <= _LONGEST_PART and not edges & SMALL_WORDS:
                kind, held = "part", indexed.with_part(phrase)
            found.update({(column, run): (kind, rows) for column, rows in held.items()})
    bounds = [*_bounds(asked)]
    named = [
        Named(kind, run, rows, _of_texts(indexed, column, rows, kind, asked.phrases.text(run)))
        for (column, run), (kind, rows) in found.items()
        if not any(_is_inside(run, other) for one, other in found if one == column)
        and not any(_is_inside(run, bound) for bound in bounds)  # "Over 990" is not 990.
    ]
    named.sort(key=lambda one: (one.run[0] - one.run[1], one.kind != "whole", one.column))
    del named[_MOST_VALUES:]
    wholes = {(one.column, one.run) for one in named if one.kind == "whole"}
    compared = (one for one in _compared(asked, indexed) if (one.column, one.run) not in wholes)
    return [*named, *islice(compared, _MOST_NUMBERS)]


def _bounds(asked: Asked) -> Iterator[Run]:
    """The numbers and dates that cells are compared with, with the words that say how."""
    for place, word in enumerate(asked.words):
        read = asked.phrases.quantity(place) if any(map(str.isdigit, word)) else None
        if read is not None:
            relation, run = _relation(asked, read[1], is_date=read[0].is_date)
            if relation != "=":
                yield run


def _is_inside(run: Run, other: Run) -> bool:
    return run != other and other[0] <= run[0] and run[1] <= other[1]


def _of_texts(indexed: IndexedTable, column: int, rows: Rows, kind: str, written: str) -> Condition:
    texts = tuple(sorted({indexed.texts[column][place] for place in places_in(rows)}))
    return Condition(column=column, values=texts, part=written if kind == "part" else "")


def _compared(asked: Asked, indexed: IndexedTable) -> Iterator[Named]:
    """Conditions on numbers and dates: equal to one, or as the words beside it say."""
    for place, word in enumerate(asked.words):
        read = asked.phrases.quantity(place) if any(map(str.isdigit, word)) else None
        for column, values in enumerate(indexed.values):
            number = _as_in(column, read[0], indexed) if read and values is not None else None
            if read is None or number is None or values is None:
                continue
            relation, run = _relation(asked, read[1], is_date=indexed.table.is_dated(column))
            rows = _that_meet(values, relation, number)
            if rows:
                condition = Condition(column=column, relation=relation, number=number)
                yield Named(f"number{relation}", run, rows, condition)
        yield from _in_order(place, word, indexed)


def _in_order(place: int, word: str, indexed: IndexedTable) -> Iterator[Named]:
    """Conditions on columns of places or ranks: "third", "3rd"."""
    read = figures(word).numbers
    if len(read) != 1 or not read[0].is_ordinal:
        return
    number = Quantity(read[0].value)
    for column, values in enumerate(indexed.values):
        head = {part.folded for part in words_in(indexed.table.columns[column].name, "en")}
        rows = _that_meet(values, "=", number) if values and head & words_of("orders") else 0
        if rows:
            condition = Condition(column=column, number=number)
            yield Named("ordinal", (place, place + 1), rows, condition)


def _relation(asked: Asked, run: Run, *, is_date: bool) -> tuple[str, Run]:
    """The relation that words before or behind a number say, and the run with these words."""
    found = relation_beside(asked.phrases, run, is_date=is_date)
    return found[1:] if found else ("=", run)


def _as_in(column: int, number: Quantity, indexed: IndexedTable) -> Quantity | None:
    """A number as one of those of a column; None if it is of another kind or unit."""
    table, unit = indexed.table, indexed.table.unit(column)
    if not table.is_dated(column):
        is_other = number.is_date or (number.unit and unit and number.unit != unit)
        return None if is_other else number
    if number.is_date:
        return number if number.unit == unit else None
    is_bare_year = not number.unit and is_year(number.value)
    return period(int(number.value)) if is_bare_year and not unit else None


def _that_meet(values: Sequence[Quantity | None], relation: str, number: Quantity) -> Rows:
    return sum(
        1 << place
        for place, held in enumerate(values)
        if held is not None and is_related(held, relation, number)
    )


def _filters(named: Sequence[Named], indexed: IndexedTable) -> Iterator[Filter]:
    yield Filter((), "and", indexed.all)
    for one in named:
        yield Filter((one,), "and", one.rows)
    apart = [
        (one, other)
        for one, other in combinations(named, 2)
        if one.run[1] <= other.run[0] or other.run[1] <= one.run[0]
    ]
    for one, other in apart[:_MOST_PAIRS]:
        both = one.rows & other.rows
        is_of_texts = not (one.condition.is_compared or other.condition.is_compared)
        if one.column == other.column and is_of_texts:
            yield Filter((one, other), "or", one.rows | other.rows)
        if both:
            yield Filter((one, other), "and", both)


# What is asked of the rows that meet them.


def _of_filter(some: Filter, indexed: IndexedTable) -> Iterator[Candidate]:
    places = tuple(places_in(some.rows))
    for kind, ranked, chosen in _choices(some, places, indexed):
        for column, texts in enumerate(indexed.texts):
            answer = tuple(dict.fromkeys(filter(None, (texts[place] for place in chosen))))
            if 0 < len(answer) <= _MOST_CELLS:
                yield Candidate(kind, some, chosen, answer, column, ranked)
    yield from _counted(some, places, indexed)
    yield Candidate("count", some, places, (str(len(places)),))
    yield from _computed(some, places, indexed)


def _choices(
    some: Filter, places: tuple[int, ...], indexed: IndexedTable
) -> Iterator[tuple[str, int | None, tuple[int, ...]]]:
    """All of the rows, those with the highest or lowest value, and those at a place in their order."""
    if some.named:
        yield "rows", None, places
    if len(places) > 1:
        for column, ranked in enumerate(indexed.ranked):
            held = [(one.value, place) for one, place in ranked if some.rows >> place & 1]
            if len(held) < 2 or held[0][0] == held[-1][0]:
                continue
            for kind, best in (("highest", held[-1][0]), ("lowest", held[0][0])):
                yield kind, column, tuple(sorted(place for value, place in held if value == best))
        yield "first", None, places[:1]
        yield "last", None, places[-1:]
    elif some.named:
        place = places[0]
        if place + 1 < len(indexed.rows):
            yield "behind", None, (place + 1,)
        if place:
            yield "before", None, (place - 1,)


def _counted(some: Filter, places: tuple[int, ...], indexed: IndexedTable) -> Iterator[Candidate]:
    """What needs rows to be counted by their cells."""
    for column, texts in enumerate(indexed.texts):
        if indexed.kinds[column] == "number" or len(places) < 2:
            continue
        counts = Counter(filter(None, (texts[place] for place in places)))
        most = max(counts.values(), default=0)
        best = tuple(text for text, count in counts.items() if count == most)
        if len(counts) > 1 and most > 1 and len(best) < _MOST_EQUAL:
            yield Candidate("commonest", some, places, best, column)
        if 1 < len(counts) < len(places):
            yield Candidate("distinct", some, places, (str(len(counts)),), column)
    if some.join == "or" and len(some.named) == 2:
        first, second = some.named
        more = first.rows.bit_count() - second.rows.bit_count()
        if more and not first.rows & second.rows:
            yield Candidate("count-apart", some, places, (str(abs(more)),))
            ordered = (first, second) if more > 0 else (second, first)
            for kind, one in zip(("count-more", "count-less"), ordered, strict=True):
                yield Candidate(kind, some, places, (one.condition.values[0],))


def _computed(some: Filter, places: tuple[int, ...], indexed: IndexedTable) -> Iterator[Candidate]:
    for column, values in enumerate(indexed.values):
        if values is None or indexed.kinds[column] != "number":
            continue
        held = tuple(place for place in places if values[place] is not None)
        if len(held) < 2:
            continue
        cells = [indexed.texts[column][place] for place in held]
        for kind in ("sum", "average", *(("difference",) if len(held) == 2 else ())):
            value = derived_value(kind, cells, indexed.marks[column])
            if value is not None:
                yield Candidate(kind, some, places, (value,), column)
