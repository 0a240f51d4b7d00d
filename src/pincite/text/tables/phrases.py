"""The words of a question, and the forms in which a question may write what a table says."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from pincite.text.keys import key_terms, keys
from pincite.text.tables.tables import Quantity, quantity
from pincite.text.tables.words import ways_of, words_of
from pincite.text.terms import fold, terms

_WORD = re.compile(r"\d{1,2}:\d\d(?::\d\d)?(?!\w)|[^\s?!,;:()\"“”„]+")
_EDGES = ".'’`*"
_POSSESSIVE = re.compile(r"['’]s$")
_BEHIND_NAME = re.compile(r"[,(\[]")
_BETWEEN_ITEMS = re.compile(r" ?[,;&] ?| and ")
_ITEM = re.compile(r"[^\W\d_]+(?:[ -][^\W\d_]+)?")
_FISCAL_YEAR = re.compile(r"FY['’]?(?:20)?(?P<year>\d\d)", re.IGNORECASE)
_LONGEST_CELL_CHARS = 120
_MOST_QUANTITY_WORDS = 4

Run = tuple[int, int]
"""Places of the first word of a phrase and of the word behind it."""


@dataclass(slots=True)
class Word:
    """A word of a question. `use` says what it is understood as, `column` the column that it names."""

    text: str
    folded: str
    stem: str
    start: int
    end: int
    use: str = ""
    column: int | None = None
    is_sign: bool = False
    """Whether it alone is in capitals: IT, US."""

    @property
    def is_quiet(self) -> bool:
        """Whether it says nothing about rows and columns."""
        return self.folded in words_of("quiet") and not self.is_sign


class Phrases:
    """The words of a question, each of which is given one use."""

    def __init__(self, question: str, language: str) -> None:
        self._question = question
        self.words = [*words_in(question, language)]
        for word in self.words if not question.isupper() else ():
            word.is_sign = len(word.text) > 1 and word.text.isupper()

    def text(self, run: Run) -> str:
        """The words as written."""
        words = self.words[run[0] : run[1]]
        return self._question[words[0].start : words[-1].end]

    def is_free(self, run: Run) -> bool:
        """Whether none of the words has a use yet."""
        return not any(word.use for word in self.words[run[0] : run[1]])

    def take(self, run: Run, use: str, column: int | None = None) -> None:
        """Give words a use."""
        for word in self.words[run[0] : run[1]]:
            word.use, word.column = use, column

    def at(self, place: int, phrases: Iterable[str]) -> tuple[str, Run] | None:
        """The longest of some phrases that begins at a place, in words without a use."""
        found: tuple[str, Run] | None = None
        first = self.words[place].folded if place < len(self.words) else ""
        for phrase in phrases if first else ():
            if not phrase.startswith(first):
                continue  # Most of hundreds, for every word of a question.
            run = place, place + phrase.count(" ") + 1
            is_here = [word.folded for word in self.words[slice(*run)]] == phrase.split()
            if is_here and self.is_free(run) and (found is None or run > found[1]):
                found = phrase, run
        return found

    def rank_at(self, place: int, superlatives: Iterable[str]) -> tuple[str, Run] | None:
        """The longest of some superlatives that begins at a place, unless it is a bound: "at least"."""
        is_bound = place > 0 and self.words[place - 1].folded == "at"
        return None if is_bound else self.at(place, superlatives)

    def before(self, place: int, phrases: Iterable[str]) -> tuple[str, Run] | None:
        """The longest of some phrases that ends at a place."""
        found = [
            (phrase, (place - size, place))
            for phrase in phrases
            if (size := phrase.count(" ") + 1) <= place
            and [word.folded for word in self.words[place - size : place]] == phrase.split()
        ]
        return min(found, key=lambda one: one[1], default=None)

    def quantity(self, place: int) -> tuple[Quantity, Run] | None:
        """The number or date that begins at a place, with its unit."""
        most = min(len(self.words), place + _MOST_QUANTITY_WORDS)
        for end in range(most, place, -1):
            if self.is_free((place, end)):
                found = quantity(self.text((place, end)).strip(".,'\""))
                if found is not None:
                    return found, (place, end)
        return None

    def column_behind(self, place: int) -> int | None:
        """The column that the next words name, with only quiet ones before."""
        while place < len(self.words) and self._is_between(self.words[place]):
            place += 1
        return self.words[place].column if self._names(place) else None

    def column_before(self, place: int) -> int | None:
        """The column that the words before name, with only quiet ones between."""
        while place > 0 and self._is_between(self.words[place - 1]):
            place -= 1
        return self.words[place - 1].column if place > 0 and self._names(place - 1) else None

    def _names(self, place: int) -> bool:
        return place < len(self.words) and self.words[place].use == "column"

    def _is_between(self, word: Word) -> bool:
        return not word.use and (word.is_quiet or word.folded in words_of("amounts"))


def words_in(text: str, language: str) -> Iterator[Word]:
    """The words of a text, in order."""
    for match in _WORD.finditer(text):
        word = match[0].strip(_EDGES)
        if word:
            start = match.start() + match[0].index(word)
            bare = _POSSESSIVE.sub("", word)
            folded = fold(bare).replace("’", "'")
            yield Word(word, folded, _stem(bare, language), start, start + len(bare))


def stems(text: str, language: str) -> list[str]:
    """The stems of all words, stop words included."""
    return [word.stem for word in words_in(text, language)]


@lru_cache(maxsize=20_000)
def _stem(word: str, language: str) -> str:
    if fiscal := _FISCAL_YEAR.fullmatch(word):
        return f"20{fiscal['year']}"
    if language == "en":
        word = ways_of("irregular").get(fold(word), word)
    found = terms(word, language)
    return found[0] if len(found) == 1 else fold(word)


def as_words(text: str) -> str:
    """A text as a question may write it: folded words with single spaces."""
    return " ".join(word.folded for word in words_in(text, "en"))


@lru_cache(maxsize=100_000)
def forms(cell: str) -> frozenset[str]:
    """The forms in which a question may write a cell.

    Whole, up to a comma or bracket, as a key, and each of several things that it lists.
    """
    if len(cell) > _LONGEST_CELL_CHARS:
        return frozenset()
    name = _BEHIND_NAME.split(cell, maxsplit=1)[0]
    items = _BETWEEN_ITEMS.split(cell)
    listed = items if all(_ITEM.fullmatch(item) for item in items) else []
    listed += [" ".join(reversed(listed))] if len(listed) == 2 else []  # "Adler, Tom"
    return frozenset({*map(as_words, (cell, name, *listed)), *key_terms(cell)} - {""})


def whole_keys(text: str) -> set[str]:
    """The form of a text that is one date, number or version; of a day, without its month."""
    found = {key.term for key in keys(text) if (key.start, key.end) == (0, len(text))}
    return {term for term in found if not any(other.startswith(f"{term}-") for other in found)}


def contains(texts: Iterable[str], phrase: str) -> bool:
    """Whether one of some texts has a phrase among its words."""
    return any(f" {phrase} " in f" {as_words(text)} " for text in texts)
