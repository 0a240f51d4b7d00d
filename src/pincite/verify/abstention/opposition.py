"""Detects quotes that say the opposite of the question: negations and antonyms.

Antonyms appear in the same contexts, so vectors hardly distinguish them: "maximum pressure" and
"minimum pressure" are near neighbours. English only; in other languages nothing is found.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from functools import cache

from pincite.settings.toml_files import shipped
from pincite.text.negations import FAILS, LACKS, NEGATIONS, REFUSES, without_number_signs
from pincite.text.terms import terms

_ENGLISH = "en"
_NEGATED_WORDS = 2
"""How many content words after a negation it applies to."""
_REACH = 5
"""Most words between a negation and a word that it may apply to, on either side."""
_WORD = re.compile(r"\w+n['’]t\b|[\w-]+")
_LONG_ENOUGH = 5
"""Words must be longer than this for un-, in-, dis- to negate them: "in" + "form" does not."""
_PREFIXES = ("un", "in", "im", "non", "dis", "ir", "il")


def is_negated_otherwise(question: str, quote: str, language: str) -> bool:
    """Whether the quote contains a word that the question negates, with no negation near it."""
    if language != _ENGLISH:
        return False
    return not all(_denied(question, quote))


def is_negated_alike(question: str, quote: str, language: str) -> bool:
    """Whether the quote negates a word that the question negates."""
    return language == _ENGLISH and any(_denied(question, quote))


def _denied(question: str, quote: str) -> list[bool]:
    """For each word that the question negates and the quote contains, whether it is negated there."""
    negated = _negated(_words(question))
    if not negated:
        return []
    said = _words(quote)
    negations = [
        place
        for place, word in enumerate(said)
        if _is_negation(said, place) or word in LACKS or _is_before_to(said, place, REFUSES)
    ]
    places: dict[str, list[int]] = {}
    for place, word in enumerate(said):
        for term in negated.intersection(terms(word, _ENGLISH)):
            places.setdefault(term, []).append(place)
    return [
        any(abs(place - negation) <= _REACH for place in found for negation in negations)
        for found in places.values()
    ]


def opposites(question: str, quote: str, language: str, *, above: str) -> dict[str, str]:
    """Words of the question that the quote lacks, each with its antonym in the quote.

    A word in the headings `above` the quote is not missing: "March" above "pay until April".
    """
    if language != _ENGLISH:
        return {}
    asked, said = set(_words(question)), set(_words(quote))
    only_said = said - asked
    # An option "--keep-daily" says "daily".
    parts = {part for word in said for part in word.split("-")}
    found = {}
    for word in sorted(asked - said - parts - set(_words(above))):
        opposite = sorted((_opposites_of(word) | _with_prefix(word)) & only_said)
        if opposite:
            found[word] = opposite[0]
    return found


def _words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(without_number_signs(text))]


def _is_negation(words: Sequence[str], place: int) -> bool:
    word = words[place]
    is_word = word in NEGATIONS or word.endswith(("n't", "n’t"))
    return is_word or _is_before_to(words, place, FAILS)


def _is_before_to(words: Sequence[str], place: int, known: Set[str]) -> bool:
    return words[place] in known and words[place + 1 : place + 2] == ["to"]


def _negated(words: list[str]) -> set[str]:
    """Terms that follow a negation."""
    found: set[str] = set()
    for place in range(len(words)):
        if _is_negation(words, place):
            content = [made for other in words[place + 1 :] if (made := terms(other, _ENGLISH))]
            found.update(term for made in content[:_NEGATED_WORDS] for term in made)
    return found


def _opposites_of(word: str) -> frozenset[str]:
    return _table().get(word, frozenset())


@cache
def _table() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for line in shipped("verify/abstention", "opposition")["groups"]:
        groups = [set(group.replace("|", " ").split()) for group in line.split("/")]
        for group in groups:
            for word in group:
                found.setdefault(word, set()).update(*(other for other in groups if other != group))
    return {word: frozenset(others) for word, others in found.items()}


def _with_prefix(word: str) -> set[str]:
    """`stable` for `unstable`, and `unstable` for `stable`."""
    found = {word[len(prefix) :] for prefix in _PREFIXES if word.startswith(prefix)}
    found |= {prefix + word for prefix in _PREFIXES}
    return {made for made in found if min(len(made), len(word)) > _LONG_ENOUGH}
