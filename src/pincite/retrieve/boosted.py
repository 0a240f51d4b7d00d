"""Adds to the scores of candidates what else speaks for them than the two searches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from pincite.records import Hit, Question, Ranking
from pincite.stages import Booster, Retriever


class BoostedRetriever:
    """A retriever whose candidates are put in order again by boosters.

    Only candidates are looked at, so a boost moves what was found and finds nothing new.
    """

    def __init__(self, retriever: Retriever, boosters: Sequence[Booster]) -> None:
        self._retriever = retriever
        self._boosters = boosters

    def retrieve(self, question: Question) -> Ranking:
        """The same candidates, best boosted score first."""
        found = self._retriever.retrieve(question)
        return replace(found, hits=boosted(question, found.hits, self._boosters))

    def seen(self, question: Question) -> Mapping[str, Any]:
        """What each booster saw in the question, by its name; nothing for those that saw nothing."""
        return {b.name: seen for b in self._boosters if (seen := b.seen(question))}


def boosted(
    question: Question, hits: Sequence[Hit], boosters: Sequence[Booster]
) -> tuple[Hit, ...]:
    """Hits with all boosts added to their scores, in the order of the sums.

    Each boost stands in `Hit.scores` under its booster's name. Where a sum exceeds 1, all are
    divided by the highest, so that the order is that of the sums and scores stay in 0..1.
    """
    gained = [(booster.name, booster.boosts(question, hits)) for booster in boosters]
    if not any(any(boosts) for _, boosts in gained):
        return tuple(hits)
    sums = [hit.score + sum(boosts[n] for _, boosts in gained) for n, hit in enumerate(hits)]
    highest = max(1.0, *sums)
    moved = [
        hit.moved(sums[n] / highest, **{name: boosts[n] for name, boosts in gained if boosts[n]})
        for n, hit in enumerate(hits)
    ]
    return tuple(sorted(moved, key=lambda hit: (-hit.score, hit.passage.id)))
