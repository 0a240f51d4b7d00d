"""Words that decide whether a full stop ends a sentence."""

from __future__ import annotations

from functools import cache

from pincite.toml_files import shipped


@cache
def sentence_words(name: str) -> frozenset[str]:
    """Those of a list in `text/data/sentence_words.toml`, which says what each is for."""
    return frozenset(shipped("text/data", "sentence_words")[name].split())
