"""Dense and lexical search side by side."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

from pincite.records import Dropped, Hit, Passage, Question, Ranking
from pincite.retrieve.fusion import weighted_min_max
from pincite.stages import DenseIndex, Encoder, LexicalIndex, Scored
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
        encoder: Encoder | None = None,
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

    def retrieve(self, question: Question) -> Ranking:
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
        order = sorted(fused, key=lambda key: (-fused[key], key))
        passages = self._passages(order if question.explain else order[: self._keep])
        hits = {
            key: Hit(
                passage=passages[key],
                score=fused[key],
                scores={name: found[key] for name, found in scores.items() if key in found},
            )
            for key in order
            if key in passages
        }
        kept = [hits[key] for key in order[: self._keep] if key in hits]
        return Ranking(
            # Ties go by passage id, which depends on content; keys on the order of ingest.
            hits=tuple(sorted(kept, key=lambda hit: (-hit.score, hit.passage.id))),
            dropped=tuple(
                self._cut(hits[key], rank)
                for rank, key in enumerate(order[self._keep :], start=self._keep + 1)
                if key in hits
            ),
            notes=self._notes(lexical, dense, fused),
            understood={"terms": list(question_terms(question.text))},
        )

    def _cut(self, hit: Hit, rank: int) -> Dropped:
        return Dropped(
            passage=hit.passage,
            reason=f"rank {rank} after fusion; the first {self._keep} are kept",
            score=hit.score,
            scores=hit.scores,
        )

    def _notes(
        self, lexical: Sequence[Scored], dense: Sequence[Scored], fused: Mapping[int, float]
    ) -> tuple[str, ...]:
        found = f"{len(lexical)} found by words, {len(dense)} by meaning"
        cut = len(fused) - self._keep
        return (found, f"{cut} cut after fusion") if cut > 0 else (found,)

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
