"""Words that selectors look for in questions and labels: see `words.toml` beside this."""

from __future__ import annotations

from functools import cache

from pincite.toml_files import shipped


@cache
def word_list(name: str) -> frozenset[str]:
    """The words of a list, of every language."""
    languages = shipped("evidence", "words")[name]
    return frozenset(word for words in languages.values() for word in words.split())
