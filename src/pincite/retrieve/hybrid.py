"""Dense and lexical search side by side."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from pincite.records import Hit, Passage, Question, Understood
from pincite.retrieve.exact import ExactWords
from pincite.retrieve.fusion import weighted_min_max
from pincite.retrieve.understand import understood_plainly
from pincite.stages import DenseIndex, Encoder, LexicalIndex, Scored
from pincite.text.terms import question_terms

PassageLookup = Callable[[Sequence[int]], Mapping[int, Passage]]
MemberLookup = Callable[[str], Sequence[int]]

_FURTHER = 5
"""How many times more candidates are fetched when only some of them may be found."""

_MOST_OF_PHRASE = 10
"""Passages with the phrases of the question that no stage may drop."""


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
        exact: ExactWords,
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
        self._exact = exact
        self._side = ThreadPoolExecutor(1, thread_name_prefix="lexical")

    def retrieve(self, question: Question) -> tuple[Hit, ...]:
        """The best `keep` candidates of both searches, best fused score first."""
        understood = question.understood or understood_plainly(question.text)
        scores = self._scores(understood, question.collection)
        fused = scores["fused"]
        must_keep = self._must_keep(understood, question.collection, fused)
        best = self._best(fused, must_keep, understood)
        passages = self._passages(best)
        hits = [
            Hit(
                passage=passages[key],
                score=fused[key],
                scores={name: found[key] for name, found in scores.items() if key in found},
                must_keep=key in must_keep,
            )
            for key in best
            if key in passages
        ]
        # Ties go by passage id, which depends on content; keys depend on the order of ingest.
        return tuple(sorted(hits, key=lambda hit: (-hit.score, hit.passage.id)))

    def _scores(
        self, understood: Understood, collection: str | None
    ) -> dict[str, dict[int, float]]:
        """Scores by search and fused, each by passage key."""
        by_words = self._side.submit(self._search_words, understood, collection)
        dense = self._search_meaning(understood, collection)
        lexical = by_words.result()
        return {
            "lexical": {item.key: item.score for item in lexical},
            "dense": {item.key: item.score for item in dense},
            "fused": weighted_min_max(lexical, dense, alpha=self._alpha),
        }

    def _must_keep(
        self, understood: Understood, collection: str | None, fused: dict[int, float]
    ) -> set[int]:
        """Keys that stay however low they score; those that neither search found get a score."""
        order = sorted(fused, key=lambda key: (-fused[key], key))
        exact = order[:_MOST_OF_PHRASE] if understood.within else []
        rare = understood.keep if self._alpha > 0 else ()
        kept = {*exact, *(key for key in rare if _is_within(key, understood))}
        for part in understood.parts:
            wanted = question_terms(part, understood.language)
            weights = {term: understood.terms.get(term, 1.0) for term in wanted}
            found = self._scores(replace(understood, asked=part, terms=weights), collection)
            best = max(found["fused"].items(), key=lambda item: (item[1], -item[0]), default=None)
            if best is not None:
                kept.add(best[0])
                fused[best[0]] = max(best[1], fused.get(best[0], 0.0))
        for key in kept:
            fused.setdefault(key, 0.0)
        return kept

    def _best(
        self, fused: Mapping[int, float], must_keep: Set[int], understood: Understood
    ) -> list[int]:
        """The best `keep` keys, those that must be kept among them, without what is excluded."""
        order = sorted(fused, key=lambda key: (key not in must_keep, -fused[key], key))
        most = max(self._keep, len(must_keep))
        if not understood.excluded:
            return order[:most]
        return self._exact.without(order, understood.excluded, most=most)

    def _search_words(self, understood: Understood, collection: str | None) -> list[Scored]:
        if self._alpha == 0 and self._dense is not None and self._encoder is not None:
            return []
        is_narrow = bool(understood.excluded or understood.within)
        found = self._lexical.search(
            list(understood.terms),
            limit=_FURTHER * self._lexical_limit if is_narrow else self._lexical_limit,
            collection=collection,
            boosts=understood.terms,
        )
        if understood.within is None:
            return found
        scores = {item.key: item.score for item in found}
        return [Scored(key=key, score=scores.get(key, 0.0)) for key in understood.within]

    def _search_meaning(self, understood: Understood, collection: str | None) -> list[Scored]:
        if self._dense is None or self._encoder is None or self._alpha == 1:
            return []
        allowed: Sequence[int] | None = understood.within
        if allowed is None and collection is not None:
            allowed = self._members(collection)
        return self._dense.search(
            self._encoder.encode_question(understood.asked).vector,
            limit=self._dense_limit * (_FURTHER if understood.excluded else 1),
            allowed=allowed,
        )


def _is_within(key: int, understood: Understood) -> bool:
    return understood.within is None or key in understood.within
