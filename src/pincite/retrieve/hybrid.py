"""Dense and lexical search side by side."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

from pincite.records import Hit, Passage, Question
from pincite.stages import DenseIndex, Encoder, LexicalIndex, Scored
from pincite.text.terms import question_terms

PassageLookup = Callable[[Sequence[int]], Mapping[int, Passage]]
MemberLookup = Callable[[str | None, frozenset[str] | None], Sequence[int]]
"""Passage keys of a collection (None: any) and of documents (None: all)."""

Fuse = Callable[[str, Sequence[Scored], Sequence[Scored]], dict[int, float]]
"""From the question's text, the lexical and the dense list: the fused score of each key, in 0..1."""

_FURTHER = 10
"""How many times more are looked through when only some documents may be found by their words."""


class HybridRetriever:
    """Takes the best of both searches and fuses their scores.

    Without an encoder only the lexical search runs, and so it is with `alpha` 1; with 0 only the
    dense one does. With a collection, both searches look at its passages alone, so the filter loses
    nothing. With documents, the lexical search keeps what it finds of them among ten times as many.
    """

    def __init__(
        self,
        *,
        lexical: LexicalIndex,
        passages: PassageLookup,
        members: MemberLookup,
        fuse: Fuse,
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
        self._fuse = fuse
        self._dense = dense
        self._encoder = encoder
        self._lexical_limit = lexical_limit
        self._dense_limit = dense_limit
        self._alpha = alpha
        self._keep = keep
        self._side = ThreadPoolExecutor(1, thread_name_prefix="lexical")

    def retrieve(self, question: Question) -> tuple[Hit, ...]:
        """The best `keep` candidates of both searches, best fused score first."""
        members = self._allowed(question)
        by_words = self._side.submit(self._search_words, question, members)
        dense = self._search_meaning(question, members)
        lexical = by_words.result()
        fused = self._fuse(question.text, lexical, dense)
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

    def _allowed(self, question: Question) -> Sequence[int] | None:
        """The passages that may be found; None for all."""
        if question.collection is None and question.documents is None:
            return None
        return self._members(question.collection, question.documents)

    def _search_words(self, question: Question, members: Sequence[int] | None) -> list[Scored]:
        if self._alpha == 0 and self._dense is not None and self._encoder is not None:
            return []
        is_narrow = question.documents is not None and members is not None
        found = self._lexical.search(
            list(question_terms(question.text)),
            limit=_FURTHER * self._lexical_limit if is_narrow else self._lexical_limit,
            collection=question.collection,
        )
        if not is_narrow:
            return found
        allowed = set(members or ())
        return [item for item in found if item.key in allowed][: self._lexical_limit]

    def _search_meaning(self, question: Question, members: Sequence[int] | None) -> list[Scored]:
        if self._dense is None or self._encoder is None or self._alpha == 1:
            return []
        vector = self._encoder.encode_question(question.text).vector
        return self._dense.search(vector, limit=self._dense_limit, allowed=members)
