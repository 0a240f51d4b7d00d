"""Does a statement use the opposite of a word of its quotes?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from pincite.text.terms import fold, stem
from pincite.toml_files import shipped
from pincite.verify.wording import Word

_SWITCHED = frozenset(
    "turn turns turned turning switch switches switched switching power powered".split()
)
_BACK = 3
_AROUND_CLAIM = 4
_AROUND_QUOTE = 6


def opposite_fault(claim: Sequence[Word], quotes: Sequence[Sequence[Word]], language: str) -> str:
    """The word of the claim whose opposite its quotes use in its place; empty when there is none.

    Where the quotes use both, the one counts that stands with more of the same words.
    """
    pairs = _pairs(language)
    for place, word in enumerate(claim):
        for pair, side in _sides(claim, place, pairs):
            near = _neighbours(claim, place, _AROUND_CLAIM)
            found = [
                (len(near & _neighbours(quote, at, _AROUND_QUOTE)), other_side)
                for quote in quotes
                for at in range(len(quote))
                for other, other_side in _sides(quote, at, pairs)
                if other == pair
            ]
            best = max(found, default=(0, side))[0]
            if found and side not in {own for score, own in found if score == best}:
                return word.text
    return ""


def _sides(
    words: Sequence[Word], place: int, pairs: dict[str, tuple[tuple[int, int], ...]]
) -> tuple[tuple[int, int], ...]:
    word = words[place]
    if word.folded in ("on", "off"):
        before = words[max(0, place - _BACK) : place]
        if not any(other.folded in _SWITCHED for other in before):
            return ()
    return pairs.get(word.folded) or pairs.get(word.key, ())


def _neighbours(words: Sequence[Word], place: int, around: int) -> set[str]:
    near = [*words[max(0, place - around) : place], *words[place + 1 : place + 1 + around]]
    return {word.key for word in near if word.is_content and word.clause == words[place].clause}


@cache
def _pairs(language: str) -> dict[str, tuple[tuple[int, int], ...]]:
    """Pairs, and the side in each, of every listed word and of its stem."""
    found: dict[str, set[tuple[int, int]]] = {}
    lines = _listed().get(language, {}).get("pairs", ())
    for number, line in enumerate(lines):
        for side, words in enumerate(line.split("/")):
            for word in words.split():
                for form in (fold(word), stem(fold(word), language)):
                    found.setdefault(form, set()).add((number, side))
    # What stands on both sides of a pair says nothing about it.
    return {
        form: tuple(sorted(own for own in sides if (own[0], 1 - own[1]) not in sides))
        for form, sides in found.items()
    }


@cache
def _listed() -> Mapping[str, Mapping[str, Sequence[str]]]:
    return shipped("verify", "opposites")
