"""Prefers passages whose file name, title or headings hold the question's words."""

from __future__ import annotations

from collections.abc import Sequence

from pincite.records import Hit, Question
from pincite.stages import TermWeights
from pincite.text.terms import question_terms, terms


class HeadingBooster:
    """`weight` x the share of the question's words, by rarity, that stand above a passage."""

    name = "headings"

    def __init__(self, weights: TermWeights, *, weight: float) -> None:
        self._weights = weights
        self._weight = weight

    def boosts(self, question: Question, hits: Sequence[Hit]) -> Sequence[float]:
        """What each candidate gains by the words above it."""
        asked = {term: self._weights.weight(term) for term in question_terms(question.plain)}
        total = sum(asked.values()) or 1.0
        held: dict[str, float] = {}
        for context in {hit.passage.context for hit in hits}:
            above = set(terms(context))
            held[context] = sum(w for term, w in asked.items() if term in above) / total
        return [self._weight * held[hit.passage.context] for hit in hits]

    def seen(self, question: Question) -> None:
        """Nothing: it looks at passages."""
        del question
