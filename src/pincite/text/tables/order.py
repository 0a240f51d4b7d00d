"""Questions about the order of a table's rows: the first, the last, the one behind another."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from pincite.text.numbers import figures
from pincite.text.tables.phrases import Phrases
from pincite.text.tables.reading import Placed
from pincite.text.tables.tables import Table
from pincite.text.tables.words import ways_of, words_of

_MOST_AT_END = 50


def beside_named(
    phrases: Phrases, values: Sequence[tuple[int, str]], table: Table
) -> Placed | None:
    """The row behind or before the one that is named: "the pump listed after PU-2"."""
    if [column for column, _ in values] != [table.key]:
        return None
    place = next(n for n, word in enumerate(phrases.words) if word.use == "value")
    while place and _is_between(phrases, place - 1, table):
        place -= 1
    found = phrases.before(place, ways_of("positions"))
    if found is None or not phrases.is_free(found[1]):
        return None
    written, run = found
    phrases.take(run, "place")
    for word in phrases.words[: run[0]]:
        if not word.use and word.folded in words_of("beside"):
            word.use = "place"
    return Placed(beside=1 if ways_of("positions")[written] == "behind" else -1)


def _is_between(phrases: Phrases, place: int, table: Table) -> bool:
    """Whether a word may stand between "after" and a name: "after the pump PU-2"."""
    word = phrases.words[place]
    is_position = word.folded in ways_of("positions")
    is_name = word.use == "column" and word.column == table.key
    return not is_position and (is_name or (not word.use and word.is_quiet))


def at_an_end(
    phrases: Phrases, table: Table, nouns: Collection[str]
) -> tuple[Placed, range] | None:
    """The first or last rows, where their order is that of their dates or of nothing else.

    With the places of the words that say so. A column that is named behind them may be what the order
    is by ("the first treaty to be signed").
    """
    for place in range(len(phrases.words)):
        found = phrases.at(place, ways_of("ends"))
        if found is None:
            continue
        written, run = found
        behind, count = _count_behind(phrases, run[1])
        if " " not in written and not _names_rows(phrases, behind, table, nouns):
            return None  # "The last name", "the first half"
        end = behind if " " in written else behind + 1
        is_ordered_by = any(word.use == "column" for word in phrases.words[end:])
        if is_ordered_by or not _is_in_order(table):
            return None
        phrases.take((run[0], behind), "place")
        placed = Placed(count=count, is_last=ways_of("ends")[written] == "last")
        return placed, range(run[0], end)
    return None


def _count_behind(phrases: Phrases, place: int) -> tuple[int, int]:
    """The place behind a number at `place`, and the number; 1 if there is none."""
    if place < len(phrases.words) and not phrases.words[place].use:
        numbers = figures(phrases.words[place].text).numbers
        if len(numbers) == 1 and 1 <= numbers[0].value <= _MOST_AT_END:
            return place + 1, int(numbers[0].value)
    return place, 1


def _names_rows(phrases: Phrases, place: int, table: Table, nouns: Collection[str]) -> bool:
    if place >= len(phrases.words):
        return False
    word = phrases.words[place]
    is_order = word.folded in words_of("orders") or word.folded in words_of("rows_of_places")
    is_key = word.use == "column" and word.column == table.key and not is_order
    return is_key or (not word.use and (word.folded in nouns or word.stem in nouns))


def _is_in_order(table: Table) -> bool:
    """Whether no column of dates or years says another order than that of the rows."""
    for column in table.numeric():
        head = {word.lower() for word in table.columns[column].name.split()}
        if not table.is_dated(column) and not head & (words_of("years") | words_of("orders")):
            continue
        held = [one.value for row in table.rows if (one := table.quantity(row, column))]
        if held != sorted(held):
            return False
    return True
