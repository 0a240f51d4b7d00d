"""Orders sentences by the question's words they hold: what is left when there is no encoder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pincite.records import Hit, Question, Ranking
from pincite.rerank.order import Cut, reorder
from pincite.stages import Sources, TermWeights
from pincite.text.terms import question_terms, terms

_FROM_HEADINGS = 0.5
"""What a word counts that stands in the headings above a sentence instead of in it."""


class TermCoverageReranker:
    """A sentence's score is the weighted share of the question's words that it holds."""

    def __init__(
        self,
        sources: Sources,
        weights: TermWeights,
        cut: Cut,
    ) -> None:
        self._sources = sources
        self._weights = weights
        self._cut = cut

    def rerank(self, question: Question, hits: Sequence[Hit]) -> Ranking:
        """The first candidates with new scores in a new order, then the rest as they were."""
        language = self._weights.language(question.asked)
        wanted = question_terms(question.asked, language)
        first, rest = self._cut.split(hits)
        asked = {term: self._weights.weight(term) for term in wanted}
        return reorder(
            [self._score(hit, asked, language) for hit in first],
            rest,
            stage="term_coverage",
            cut=self._cut,
        )

    def _score(self, hit: Hit, asked: dict[str, float], language: str) -> Hit:
        total = sum(asked.values()) or 1.0
        above = set(terms(hit.passage.context, language))
        scores = []
        for span in hit.passage.sentences:
            held = set(terms(self._sources.text_of(span), language))
            headers = map(self._sources.text_of, hit.passage.headers_of(span))
            around = above.union(*(terms(header, language) for header in headers))
            share = sum(
                weight * (1.0 if term in held else _FROM_HEADINGS)
                for term, weight in asked.items()
                if term in held or term in around
            )
            scores.append(share / total)
        return replace(
            hit,
            scores={**hit.scores, "term_coverage": max(scores, default=0.0)},
            sentence_scores=tuple(scores),
        )
