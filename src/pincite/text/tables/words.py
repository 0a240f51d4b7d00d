"""The words with which people ask tables, from `text/data/table_words.toml`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from pincite.settings.toml_files import shipped
from pincite.text.terms import fold


@cache
def words_of(kind: str) -> frozenset[str]:
    """A list of words or phrases."""
    return frozenset(map(fold, _file()[kind]))


@cache
def ways_of(kind: str) -> Mapping[str, str]:
    """What each word or phrase of a group means: `cheapest` is `lowest price`."""
    return {fold(word): meaning for meaning, words in _file()[kind].items() for word in words}


def singular(word: str) -> str:
    """One of what an English word names several of; itself if it has no such end."""
    found = (
        word.removesuffix(several) + one
        for several, one in _file()["plurals"].items()
        if word.endswith(several) and len(word) > len(several) + 2
    )
    return word if word.endswith("ss") else next(found, word)


def agents(word: str) -> frozenset[str]:
    """English nouns for who does what a verb says: `owner` for `owns`, `supplier` for `supplied`."""
    bases = {word, singular(word), word.removesuffix("ing"), word.removesuffix("ed")}
    ends = {base.removesuffix("e") + end for base in bases for end in ("er", "or")}
    return frozenset(ends | {base[:-1] + "ier" for base in bases if base.endswith(("y", "i"))})


def calendar_names(phrase: str) -> tuple[str, ...]:
    """All ways to write the day of the week, month or quarter that a phrase names."""
    kind, number = calendar_place(phrase)
    return tuple(map(fold, _file()["calendar"][kind][number])) if kind else ()


def calendar_place(phrase: str) -> tuple[str, int]:
    """Which day, month or quarter a phrase names, as ("months", 0) for January; ("", -1) for none."""
    return _calendar().get(phrase, ("", -1))


@cache
def _calendar() -> Mapping[str, tuple[str, int]]:
    return {
        fold(written): (kind, number)
        for kind, names in _file()["calendar"].items()
        for number, ways in enumerate(names)
        for written in ways
    }


def difference_asked(words: Sequence[str]) -> str:
    """The words that ask by how much one is above another: "how much more ... than"; else empty."""
    for how, much, more in zip(words, words[1:], words[2:], strict=False):
        if how in words_of("how") and more in ways_of("comparatives") and "than" in words:
            return f"{how} {much} {more}"
    return ""


def words_for_label(label: str) -> frozenset[str]:
    """Other words by which a label is asked for: `author` by `wrote`."""
    return frozenset(_file()["labels"].get(label, ()))


@cache
def _file() -> Mapping[str, Any]:
    return shipped("text/data", "table_words")
