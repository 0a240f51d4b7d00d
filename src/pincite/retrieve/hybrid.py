"""Dense and lexical search side by side."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

from pincite.records import Hit, Passage, Question
from pincite.retrieve.fusion import weighted_min_max
from pincite.stages import DenseIndex, LexicalIndex, Scored, VectorEncoder
from pincite.text.terms import question_terms

PassageLookup = Callable[[Sequence[int]], Mapping[int, Passage]]
MemberLookup = Callable[[str], Sequence[int]]


class HybridRetriever:
    """Takes the best of both searches and fuses their scores.

    Without an encoder only the lexical search runs, and so it is with `alpha` 1; with 0 only the
    dense one does. With a collection, both searches look at its
    passages alone, so the filter loses nothing.
    """

    def __init__(
        self,
        *,
        lexical: LexicalIndex,
        passages: PassageLookup,
        members: MemberLookup,
        dense: DenseIndex | None = None,
        encoder: VectorEncoder | None = None,
        lexical_limit: int,
        dense_limit: int,
        alpha: float,
        keep: int,
    ) -> None:
        self._lexical = lexical
        self._passages = passages
        self._members = members
        self._dense = dense
        self._encoder = encoder
        self._lexical_limit = lexical_limit
        self._dense_limit = dense_limit
        self._alpha = alpha
        self._keep = keep
        self._side = ThreadPoolExecutor(1, thread_name_prefix="lexical")

    def retrieve(self, question: Question) -> tuple[Hit, ...]:
        """The best `keep` candidates of both searches, best fused score first."""
        by_words = self._side.submit(self._search_words, question)
        dense = self._search_meaning(question)
        lexical = by_words.result()
        fused = weighted_min_max(lexical, dense, alpha=self._alpha)
        scores = {
            "lexical": {item.key: item.score for item in lexical},
            "dense": {item.key: item.score for item in dense},
            "fused": fused,
        }
        best = heapq.nlargest(self._keep, fused, key=lambda key: (fused[key], -key))
        passages = self._passages(best)
        hits = [
            Hit(
                passage=passages[key],
                score=fused[key],
                scores={name: found[key] for name, found in scores.items() if key in found},
            )
            for key in best
            if key in passages
        ]
        # Ties go by passage id, which depends on content; keys depend on the order of ingest.
        return tuple(sorted(hits, key=lambda hit: (-hit.score, hit.passage.id)))

    def _search_words(self, question: Question) -> list[Scored]:
        if self._alpha == 0 and self._dense is not None and self._encoder is not None:
            return []
        return self._lexical.search(
            list(question_terms(question.text)),
            limit=self._lexical_limit,
            collection=question.collection,
        )

    def _search_meaning(self, question: Question) -> list[Scored]:
        if self._dense is None or self._encoder is None or self._alpha == 1:
            return []
        members = None if question.collection is None else self._members(question.collection)
        vector = self._encoder.encode_question(question.text).vector
        return self._dense.search(vector, limit=self._dense_limit, allowed=members)
