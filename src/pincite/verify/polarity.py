"""Does a statement deny what its quotes affirm, or affirm what they deny?

A negation is compared by the words it stands with: those after it in its clause (in German also
those before it).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pincite.text.negations import ALL_NEGATIONS
from pincite.verify.wording import Word

_NOT_ONLY = frozenset({"only", "just", "merely", "simply", "nur", "bloss", "seulement", "solo"})
_LOOKS_BACK = frozenset({"nicht", "niet", "pas", "jamais", "nie"})
_SCOPE = 4
_SCOPE_BACK = 2
_HEAD = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Negation:
    """A negating word and the keys of the words it stands with, nearest first."""

    word: Word
    scope: tuple[str, ...]


def negation_fault(claim: Sequence[Word], quotes: Sequence[Sequence[Word]]) -> str:
    """The word that is negated in one and not in the other; empty when they agree."""
    said = negations(claim)
    stated = [negation for quote in quotes for negation in negations(quote)]
    denied = {key for negation in stated for key in negation.scope}
    for negation in said:
        if not set(negation.scope) & denied:
            return negation.word.text
    said_denied = {key for negation in said for key in negation.scope}
    affirmed_in_claim = {word.key for word in claim if word.is_content} - said_denied
    affirmed = {word.key for quote in quotes for word in _outside(quote, negations(quote))}
    for negation in stated:
        for key in negation.scope[:_HEAD]:
            if key in affirmed_in_claim and key not in affirmed:
                return negation.word.text
    return ""


def negations(words: Sequence[Word]) -> list[Negation]:
    """The negations of a text."""
    return [
        Negation(word=word, scope=_scope(words, place))
        for place, word in enumerate(words)
        if word.folded in ALL_NEGATIONS
        and not (place + 1 < len(words) and words[place + 1].folded in _NOT_ONLY)
    ]


def _scope(words: Sequence[Word], place: int) -> tuple[str, ...]:
    here = words[place]
    after = _content(words[place + 1 :], here.clause)[:_SCOPE]
    before = _content(words[:place][::-1], here.clause)[:_SCOPE_BACK]
    if here.folded in _LOOKS_BACK:
        return (*before[:1], *after, *before[1:])
    return tuple(after or before)


def _content(words: Sequence[Word], clause: int) -> list[str]:
    return [word.key for word in words if word.is_content and word.clause == clause]


def _outside(words: Sequence[Word], found: Sequence[Negation]) -> list[Word]:
    """Content words of clauses without a negation."""
    denied = {negation.word.clause for negation in found}
    return [word for word in words if word.is_content and word.clause not in denied]
