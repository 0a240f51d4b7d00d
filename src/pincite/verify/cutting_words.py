"""The small words at which a sentence can be cut, in each language.

They are kept apart by language since they look alike: "die" is an article in German, "war" a verb.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from pincite.toml_files import shipped


@dataclass(frozen=True, slots=True, kw_only=True)
class CuttingWords:
    """Folded words of one language.

    `articles`, and `light` words such as "that" and "also", may be left out or put in anywhere.
    `joining` words begin or end what they join; `leading` ones may be left out in front of a
    statement, with the pronouns of which it names the subject. What `paired` words lead to is not
    whole before the "and". An event, told in the `past`, may lose what `place_or_time` words begin,
    but not where a `selecting` word, or one that ends as `superlatives` do, says that it holds of a
    part ("was the only town in Ohio"). Words `within` may stand for each other.
    """

    articles: frozenset[str] = frozenset()
    light: frozenset[str] = frozenset()
    joining: frozenset[str] = frozenset()
    leading: frozenset[str] = frozenset()
    pronouns: frozenset[str] = frozenset()
    paired: frozenset[str] = frozenset()
    past: frozenset[str] = frozenset()
    place_or_time: frozenset[str] = frozenset()
    selecting: frozenset[str] = frozenset()
    superlatives: tuple[str, ...] = ()
    within: frozenset[str] = frozenset()


def cutting_words(language: str) -> CuttingWords:
    """Those of a language (ISO 639-1); none for one that is not known here."""
    return _known().get(language, _NONE)


_NONE = CuttingWords()


@cache
def _known() -> Mapping[str, CuttingWords]:
    listed = shipped("verify", "cutting_words")
    return {language: _of(lists) for language, lists in listed.items()}


def _of(lists: Mapping[str, str]) -> CuttingWords:
    words = {name: frozenset(listed.split()) for name, listed in lists.items()}
    endings = tuple(sorted(words.pop("superlatives", ())))
    return CuttingWords(superlatives=endings, **words)
