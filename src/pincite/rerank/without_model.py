"""Rerankers that need no model at query time: by words, or by stored sentence vectors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pincite.records.flow import Hit, Question, Ranking
from pincite.rerank.order import Cut, reorder
from pincite.stages import Sources, TermWeights, VectorEncoder
from pincite.text.terms import question_terms, terms

_FROM_HEADINGS = 0.5
"""Weight of a word that is in the headings above a sentence, not in the sentence."""


class TermCoverageReranker:
    """Scores a sentence by the weighted share of the question's words that it contains."""

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


# Compares the question with each stored sentence vector.

VectorLookup = Callable[[Sequence[int]], Mapping[int, NDArray[Any]]]


class SentenceCosineReranker:
    """Scores a passage by the cosine similarity of its best sentence."""

    def __init__(
        self,
        encoder: VectorEncoder,
        vectors: VectorLookup,
        cut: Cut,
    ) -> None:
        self._encoder = encoder
        self._vectors = vectors
        self._cut = cut

    def rerank(self, question: Question, hits: Sequence[Hit]) -> Ranking:
        """The first candidates with new scores in a new order, then the rest as they were."""
        first, rest = self._cut.split(hits)
        asked = self._encoder.encode_question(question.asked).vector
        stored = self._vectors([hit.passage.key for hit in first])
        scored = [
            _score(hit, asked, stored[hit.passage.key])
            for hit in first
            if hit.passage.key in stored
        ]
        # A passage ingested without the encoder cannot be compared, but must not be dropped for it.
        without_vectors = [hit for hit in first if hit.passage.key not in stored]
        return reorder(
            scored,
            [*without_vectors, *rest],
            stage="sentence_cosine",
            cut=self._cut,
        )


def _score(hit: Hit, asked: NDArray[Any], stored: NDArray[Any]) -> Hit:
    vectors = stored.astype(np.float32)
    cosines = np.clip(vectors @ asked, 0.0, 1.0)
    return replace(
        hit,
        scores={**hit.scores, "sentence_cosine": float(cosines.max(initial=0.0))},
        sentence_scores=tuple(map(float, cosines)),
        sentence_vectors=vectors,
    )
