"""Chooses sentences by maximal marginal relevance (Carbonell and Goldstein, SIGIR 1998)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pincite.document import Span
from pincite.records import Evidence, Hit, Passage, Question
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
    which one sentence gives is one sentence. A sentence that stands in the same passage before the
    best one would be read first, so it must be as good but for `lead_margin`. Among those, the
    next sentence is the one with the highest `mmr_lambda` x score - (1 - `mmr_lambda`) x similarity
    to the chosen ones; one more similar than `max_similarity` to a chosen one is never taken.
    """

    def __init__(
        self,
        sources: Sources,
        *,
        max_sentences: int,
        mmr_lambda: float,
        max_similarity: float,
        margin: float,
        lead_margin: float,
    ) -> None:
        self._sources = sources
        self._max_sentences = max_sentences
        self._lambda = mmr_lambda
        self._max_similarity = max_similarity
        self._margin = margin
        self._lead_margin = lead_margin

    def select(self, question: Question, hits: Sequence[Hit]) -> tuple[Evidence, ...]:  # noqa: ARG002
        """Sentences in the order they were chosen, best first; none without candidates."""
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
        scored = sorted(
            (
                (score, span, row, hit)
                for hit in hits
                for row, (score, span) in enumerate(
                    zip(hit.sentence_scores, hit.passage.sentences, strict=False)
                )
            ),
            key=lambda entry: (-entry[0], entry[1]),
        )
        unique: dict[Span, _Candidate] = {}
        for score, span, row, hit in scored:
            top, lead, _, leading_hit = scored[0]
            leads_in = hit.passage.id == leading_hit.passage.id and span.start < lead.start
            if score >= top - (self._lead_margin if leads_in else self._margin):
                unique.setdefault(span, self._candidate(span, hit, row, score))
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
