"""Words that say nothing about a text but its language, by language (ISO 639-1)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from pincite.toml_files import shipped


@cache
def stop_words() -> Mapping[str, frozenset[str]]:
    """In lower case, with their accents (`text/data/stop_words.toml`)."""
    listed = shipped("text/data", "stop_words")
    return {language: frozenset(words.split()) for language, words in listed.items()}
