"""Which sentences carry a statement that a model wrote?

This only looks for the best candidates; whether they do carry it is for the verifier to say.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pincite.records import Evidence
from pincite.stages import TermWeights
from pincite.text.terms import terms

_MOST = 3
"""A statement that needs more sentences than this is not one statement."""

_WORTH_ADDING = 0.1
"""Share of a statement that a further sentence must add."""

_NAMED_SOURCES_LEAD = 0.15
"""How much more of the statement others must hold before the sources that the model named are left."""


class Carriers:
    """Finds the sentences that hold most of a statement's words, counted by how telling they are."""

    def __init__(self, weights: TermWeights) -> None:
        self._weights = weights

    def of(
        self, statement: str, named: Sequence[Evidence], context: Sequence[Evidence]
    ) -> tuple[Evidence, ...]:
        """Up to three sentences, from the sources the model `named` unless others hold clearly more.

        None when no sentence shares a word with the statement.
        """
        language = self._weights.language(statement)
        wanted = {term: self._weights.weight(term) for term in terms(statement, language)}
        from_named = self._greedy(wanted, named, language)
        if named and len(named) == len(context):
            return from_named[0]
        from_all = self._greedy(wanted, context, language)
        lead = from_all[1] - from_named[1]
        return from_all[0] if lead > _NAMED_SOURCES_LEAD or not from_named[0] else from_named[0]

    def _greedy(
        self, wanted: Mapping[str, float], evidence: Sequence[Evidence], language: str
    ) -> tuple[tuple[Evidence, ...], float]:
        """Sentences that together hold as much as possible of the wanted terms, and which share."""
        total = sum(wanted.values()) or 1.0
        held = {item.id: set(terms(item.quote, language)) & wanted.keys() for item in evidence}
        chosen: list[Evidence] = []
        covered: set[str] = set()
        while len(chosen) < _MOST:
            best = max(
                evidence,
                key=lambda item: (sum(wanted[t] for t in held[item.id] - covered), item.score),
                default=None,
            )
            gain = sum(wanted[t] for t in held[best.id] - covered) / total if best else 0.0
            if best is None or gain <= (_WORTH_ADDING if chosen else 0.0):
                break
            chosen.append(best)
            covered |= held[best.id]
        return tuple(chosen), sum(wanted[t] for t in covered) / total
