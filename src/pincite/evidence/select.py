"""Chooses sentences by maximal marginal relevance (Carbonell and Goldstein, SIGIR 1998)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pincite.records import Evidence, Hit, Passage, Question, Span
from pincite.stages import Sources
from pincite.text.terms import terms

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, kw_only=True)
class _Candidate:
    span: Span
    passage: Passage
    score: float
    quote: str
    vector: NDArray[Any] | None
    terms: frozenset[str]


class MmrSelector:
    """Up to `max_sentences` sentences that are near the best one and do not repeat each other.

    Only sentences that score at most `margin` below the best are considered, so that an answer
    which one sentence gives is one sentence. Among those, the next sentence is the one with the
    highest `mmr_lambda` x score - (1 - `mmr_lambda`) x similarity to the chosen ones; a sentence
    with a similarity above `max_similarity` to a chosen one is never taken.
    """

    def __init__(
        self,
        sources: Sources,
        *,
        max_sentences: int,
        mmr_lambda: float,
        max_similarity: float,
        margin: float,
    ) -> None:
        self._sources = sources
        self._max_sentences = max_sentences
        self._lambda = mmr_lambda
        self._max_similarity = max_similarity
        self._margin = margin

    def select(self, question: Question, hits: Sequence[Hit]) -> tuple[Evidence, ...]:  # noqa: ARG002
        """Sentences in the order they were chosen, best first; none when there are no candidates."""
        chosen: list[_Candidate] = []
        pool = self._candidates(hits)
        while pool and len(chosen) < self._max_sentences:
            nearest = {item.span: _nearest(item, chosen) for item in pool}
            pool = [item for item in pool if nearest[item.span] <= self._max_similarity]
            if not pool:
                break
            best = max(pool, key=lambda item: self._marginal(item, nearest[item.span]))
            chosen.append(best)
            pool.remove(best)
        return tuple(
            Evidence(
                id=f"e{number}",
                span=item.span,
                quote=item.quote,
                passage=item.passage,
                score=item.score,
            )
            for number, item in enumerate(chosen, start=1)
        )

    def _marginal(self, item: _Candidate, nearest: float) -> float:
        return self._lambda * item.score - (1 - self._lambda) * nearest

    def _candidates(self, hits: Sequence[Hit]) -> list[_Candidate]:
        """Sentences near the best, best first, each once even if two passages share it."""
        scored = [
            (score, hit, row)
            for hit in hits
            for row, score in enumerate(hit.sentence_scores)
        ]
        if not scored:
            return []
        floor = max(score for score, _, _ in scored) - self._margin
        near = sorted(
            (entry for entry in scored if entry[0] >= floor),
            key=lambda entry: (-entry[0], entry[1].passage.sentences[entry[2]]),
        )
        unique: dict[Span, _Candidate] = {}
        for score, hit, row in near:
            span = hit.passage.sentences[row]
            if span not in unique:
                unique[span] = self._candidate(span, hit, row, score)
        return list(unique.values())

    def _candidate(self, span: Span, hit: Hit, row: int, score: float) -> _Candidate:
        quote = self._sources.text_of(span)
        vectors = hit.sentence_vectors
        return _Candidate(
            span=span,
            passage=hit.passage,
            score=score,
            quote=quote,
            vector=None if vectors is None else vectors[row],
            terms=frozenset(terms(quote)),
        )


def _nearest(item: _Candidate, chosen: Sequence[_Candidate]) -> float:
    return max((_similarity(item, other) for other in chosen), default=0.0)


def _similarity(one: _Candidate, other: _Candidate) -> float:
    """Cosine of the sentence vectors; without vectors, the share of words in common (Jaccard)."""
    if one.vector is not None and other.vector is not None:
        return float(one.vector @ other.vector)
    union = one.terms | other.terms
    return len(one.terms & other.terms) / len(union) if union else 1.0
