"""Chooses sentences by maximal marginal relevance (Carbonell and Goldstein, SIGIR 1998)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pincite.document import Span
from pincite.records import Dropped, Evidence, Hit, Passage, Question, Selection
from pincite.stages import Sources
from pincite.text.remarks import is_remark
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

    def select(self, question: Question, hits: Sequence[Hit]) -> Selection:  # noqa: ARG002
        """Sentences in the order they were chosen, best first; none without candidates."""
        chosen: list[_Candidate] = []
        pool, dropped = self._candidates(hits)
        while pool and len(chosen) < self._max_sentences:
            nearest = {item.span: _nearest(item, chosen) for item in pool}
            near = [item for item in pool if nearest[item.span][0] > self._max_similarity]
            dropped += [self._repeats(item, *nearest[item.span]) for item in near]
            pool = [item for item in pool if nearest[item.span][0] <= self._max_similarity]
            if not pool:
                break
            best = max(pool, key=lambda item: self._marginal(item, nearest[item.span][0]))
            chosen.append(best)
            pool.remove(best)
        full = f"better ones were chosen, at most {self._max_sentences}"
        return Selection(
            evidence=tuple(
                Evidence(
                    id=f"e{number}",
                    span=item.span,
                    quote=item.quote,
                    passage=item.passage,
                    score=item.score,
                )
                for number, item in enumerate(chosen, start=1)
            ),
            dropped=(
                *dropped,
                *(_dropped(item.passage, item.span, item.score, full) for item in pool),
            ),
        )

    def _marginal(self, item: _Candidate, nearest: float) -> float:
        return self._lambda * item.score - (1 - self._lambda) * nearest

    def _repeats(self, item: _Candidate, similarity: float, number: int) -> Dropped:
        reason = f"repeats e{number}: similarity {similarity:.3f} > {self._max_similarity:.3f}"
        return _dropped(item.passage, item.span, item.score, reason)

    def _candidates(self, hits: Sequence[Hit]) -> tuple[list[_Candidate], list[Dropped]]:
        """Sentences near the best, best first, each once even if two passages share it.

        Of a passage without any, the best sentence is among the dropped.
        """
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
        dropped: list[Dropped] = []
        seen: set[str] = set()
        for score, span, row, hit in scored:
            top, lead, _, leading_hit = scored[0]
            leads_in = hit.passage.id == leading_hit.passage.id and span.start < lead.start
            margin = self._lead_margin if leads_in else self._margin
            if score < top - margin:
                if leads_in or hit.passage.id not in seen:
                    dropped.append(_dropped(hit.passage, span, score, _far(score, top, margin)))
            elif span in unique:
                same = f"the same sentence counts as one of {unique[span].passage.id}"
                dropped.append(_dropped(hit.passage, span, score, same))
            elif is_remark(self._sources.text_of(span)):
                dropped.append(_dropped(hit.passage, span, score, "a remark and no sentence"))
            else:
                unique[span] = self._candidate(span, hit, row, score)
            seen.add(hit.passage.id)
        return list(unique.values()), dropped

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


def _dropped(passage: Passage, span: Span, score: float, reason: str) -> Dropped:
    return Dropped(passage=passage, span=span, score=score, reason=reason)


def _far(score: float, top: float, margin: float) -> str:
    return f"score {score:.3f} is outside the margin: {top - margin:.3f} needed, best {top:.3f}"


def _nearest(item: _Candidate, chosen: Sequence[_Candidate]) -> tuple[float, int]:
    """The greatest similarity to a chosen one, and the number (from 1) of that one."""
    similarities = [(_similarity(item, other), n) for n, other in enumerate(chosen, start=1)]
    return max(similarities, key=lambda pair: pair[0], default=(0.0, 0))


def _similarity(one: _Candidate, other: _Candidate) -> float:
    """Cosine of the sentence vectors; without vectors, the share of words in common (Jaccard)."""
    if one.vector is not None and other.vector is not None:
        return float(one.vector @ other.vector)
    union = one.terms | other.terms
    return len(one.terms & other.terms) / len(union) if union else 1.0
