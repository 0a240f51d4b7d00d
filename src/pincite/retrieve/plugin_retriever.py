"""Candidates of a plugin's retriever: looked up again, and kept to what was asked of."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from pincite.records.filters import Filters
from pincite.records.flow import Hit, Passage, Question, Ranking
from pincite.stages import Keys, Retriever


class AddedRetriever:
    """What the other retriever finds, without what the question may not look at.

    Passages are the library's own, by their keys; collection and filters hold whatever was found.
    """

    def __init__(
        self,
        added: Retriever,
        passages: Callable[[Sequence[int]], Mapping[int, Passage]],
        allowed: Callable[[str | None, Filters], Keys | None],
    ) -> None:
        self._added = added
        self._passages = passages
        self._allowed = allowed

    def retrieve(self, question: Question) -> Ranking:
        """Its candidates, best first, each once."""
        found = self._added.retrieve(question)
        allowed = self._allowed(question.collection, question.filters)
        may_be = None if allowed is None else {int(key) for key in allowed}
        by_key = {int(hit.passage.key): hit for hit in reversed(found.hits)}
        keys = [key for key in by_key if may_be is None or key in may_be]
        passages = self._passages(keys)
        hits = [_kept(by_key[key], passages[key]) for key in keys if key in passages]
        left = len(by_key) - len(hits)
        told = f"{left} candidates of the plugin are not among what was asked of"
        return replace(
            found,
            hits=tuple(sorted(hits, key=lambda hit: (-hit.score, hit.passage.id))),
            notes=(*found.notes, *([told] if left else [])),
        )


def _kept(hit: Hit, passage: Passage) -> Hit:
    score = min(max(float(hit.score), 0.0), 1.0)
    return Hit(passage=passage, score=score, scores=dict(hit.scores), must_keep=hit.must_keep)
