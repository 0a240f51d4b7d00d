"""Checks the candidates of a plugin's retriever: looked up again, limited to the question's filters."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from pincite.records.flow import Hit, Passage, Question, Ranking
from pincite.stages import KeysIn, Retriever


class AddedRetriever:
    """The candidates of another retriever, without those that the question's filters exclude.

    Passages are the library's own, looked up by key; collection and filters always apply.
    """

    def __init__(
        self,
        added: Retriever,
        passages: Callable[[Sequence[int]], Mapping[int, Passage]],
        keys_in: KeysIn,
    ) -> None:
        self._added = added
        self._passages = passages
        self._keys_in = keys_in

    def retrieve(self, question: Question) -> Ranking:
        """The candidates, best first, each once."""
        found = self._added.retrieve(question)
        by_key = {int(hit.passage.key): hit for hit in reversed(found.hits)}
        kept = self._keys_in(question.scope.only(by_key))
        keys = list(by_key) if kept is None else [int(key) for key in kept]
        passages = self._passages(keys)
        hits = [_kept(by_key[key], passages[key]) for key in keys if key in passages]
        left = len(by_key) - len(hits)
        note = f"{left} candidates of the plugin are outside the question's collection or filters"
        return replace(
            found,
            hits=tuple(sorted(hits, key=lambda hit: (-hit.score, hit.passage.id))),
            notes=(*found.notes, *([note] if left else [])),
        )


def _kept(hit: Hit, passage: Passage) -> Hit:
    score = min(max(float(hit.score), 0.0), 1.0)
    return Hit(passage=passage, score=score, scores=dict(hit.scores), must_keep=hit.must_keep)
