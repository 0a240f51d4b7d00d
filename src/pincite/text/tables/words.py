"""The words with which people ask tables, from `text/data/table_words.toml`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from pincite.settings.toml_files import shipped


@cache
def words_of(kind: str) -> frozenset[str]:
    """A list of words or phrases."""
    return frozenset(_file()[kind])


@cache
def ways_of(kind: str) -> Mapping[str, str]:
    """What each word or phrase of a group means: `cheapest` is `lowest price`."""
    return {word: meaning for meaning, words in _file()[kind].items() for word in words}


def singular(word: str) -> str:
    """One of what an English word names several of; itself if it has no such end."""
    found = (
        word.removesuffix(several) + one
        for several, one in _file()["plurals"].items()
        if word.endswith(several) and len(word) > len(several) + 2
    )
    return word if word.endswith("ss") else next(found, word)


def words_for_label(label: str) -> frozenset[str]:
    """Other words by which a label is asked for: `author` by `wrote`."""
    return frozenset(_file()["labels"].get(label, ()))


@cache
def _file() -> Mapping[str, Any]:
    return shipped("text/data", "table_words")
