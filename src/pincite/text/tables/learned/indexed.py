"""A table, indexed for questions: which rows hold which words and numbers, as sets of bits."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property
from typing import Literal

from pincite.text.tables.phrases import as_words, forms, stems
from pincite.text.tables.tables import Quantity, Table

Kind = Literal["text", "mixed", "number", "date"]
Rows = int
"""A set of rows: bit n is the row at place n."""

_LONGEST_CELL_CHARS = 200


class IndexedTable:
    """A table whose rows are found by what stands in them."""

    def __init__(self, table: Table, language: str = "en") -> None:
        self.table = table
        columns = range(len(table.columns))
        # Rows that add up others are no rows of their own.
        self.rows = [row for row in table.rows if row.start not in table.sums]
        self.texts = [[table.text(row, column) for row in self.rows] for column in columns]
        self.heads = [stems(column.bare or column.name, language) for column in table.columns]
        self.values: list[list[Quantity | None] | None] = [
            [table.quantity(row, column) for row in self.rows]
            if table.quantities(column) is not None
            else None
            for column in columns
        ]
        self.marks = [table.mark(column) or "." for column in columns]
        self.kinds = [self._kind(column) for column in columns]

    def _kind(self, column: int) -> Kind:
        if self.values[column] is not None:
            return "date" if self.table.is_dated(column) else "number"
        texts = self.texts[column]
        in_digits = sum(text[:1].isdigit() for text in texts)
        return "text" if in_digits * 2 < len(texts) else "mixed"

    @property
    def all(self) -> Rows:
        """All rows."""
        return (1 << len(self.rows)) - 1

    @cached_property
    def _written(self) -> list[list[str]]:
        """The words of each cell, with a blank before and behind each."""
        return [
            [f" {as_words(text[:_LONGEST_CELL_CHARS])} " for text in texts] for texts in self.texts
        ]

    @cached_property
    def _held(self) -> tuple[dict[str, dict[int, Rows]], dict[str, dict[int, Rows]]]:
        """By form of a whole cell, and by word: the columns, and the rows that have it there."""
        wholes: defaultdict[str, defaultdict[int, Rows]] = defaultdict(lambda: defaultdict(int))
        words: defaultdict[str, defaultdict[int, Rows]] = defaultdict(lambda: defaultdict(int))
        for column, texts in enumerate(self.texts):
            for place, text in enumerate(texts):
                if not text or len(text) > _LONGEST_CELL_CHARS:
                    continue
                for form in forms(text):
                    wholes[form][column] |= 1 << place
                written = self._written[column][place]
                for word in {*written.split()}:
                    words[word][column] |= 1 << place
        return (
            {form: dict(held) for form, held in wholes.items()},
            {word: dict(held) for word, held in words.items()},
        )

    def with_whole(self, phrase: str) -> dict[int, Rows]:
        """By column: the rows whose cell there is a phrase, or has it as one of its forms."""
        return self._held[0].get(phrase, {})

    def with_part(self, phrase: str) -> dict[int, Rows]:
        """By column: the rows whose cell there has the words of a phrase in a row."""
        found = [self._held[1].get(word, {}) for word in phrase.split()]
        columns = set(found[0]).intersection(*found[1:])
        held: dict[int, Rows] = {}
        for column in sorted(columns):
            rows = self.all
            for one in found:
                rows &= one[column]
            for place in places_in(rows):
                if f" {phrase} " in self._written[column][place]:
                    held[column] = held.get(column, 0) | 1 << place
        return held

    @cached_property
    def ranked(self) -> list[list[tuple[Quantity, int]]]:
        """For each column its values in order, with the places of their rows; none of other columns."""
        return [
            sorted(
                ((value, place) for place, value in enumerate(values or ()) if value is not None),
                key=lambda one: one[0].value,
            )
            for values in self.values
        ]


def places_in(rows: Rows) -> Iterator[int]:
    """The places of the rows of a set, in order."""
    place = 0
    while rows:
        if rows & 1:
            yield place
        rows >>= 1
        place += 1
