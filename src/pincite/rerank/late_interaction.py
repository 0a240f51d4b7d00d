"""MaxSim between the token states of question and passage (Khattab and Zaharia, SIGIR 2020)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pincite.records import Hit, Question
from pincite.rerank.order import reorder
from pincite.stages import Encoder, Sources, TermWeights, TokenStates
from pincite.text.terms import terms
from pincite.vectors import normalised, pool_spans, tokens_inside

_LEAST_WEIGHT = 0.1
"""What a stop word counts beside the rarest word, which counts 1.1."""


class LateInteractionReranker:
    """Compares each question token with its most similar passage token.

    A passage's score is the mean of two values: MaxSim over the whole passage, and over its best
    sentence (benchmarks/retrieval.py has what each contributes). Question tokens count by how rare
    their word is in this library. The states come from the encoder that made the index; no second
    model is needed. Values are in 0..1 for real text.
    """

    def __init__(
        self,
        encoder: Encoder,
        sources: Sources,
        weights: TermWeights,
        *,
        candidates: int,
        weight: float,
        threshold: float,
    ) -> None:
        self._encoder = encoder
        self._sources = sources
        self._weights = weights
        self._candidates = candidates
        self._weight = weight
        self._threshold = threshold

    def rerank(self, question: Question, hits: Sequence[Hit]) -> tuple[Hit, ...]:
        """The first `candidates` hits with new scores in a new order, then the rest as they were."""
        first = hits[: self._candidates]
        asked = self._encoder.encode_question(question.text)
        importance = self._token_weights(question.text, asked)
        texts = [
            hit.passage.with_context(self._sources.text_of(hit.passage.span)) for hit in first
        ]
        scored = [
            self._score(hit, asked, importance, states)
            for hit, states in zip(first, self._encoder.encode(texts), strict=True)
        ]
        return reorder(
            scored,
            hits[self._candidates :],
            stage="late_interaction",
            weight=self._weight,
            threshold=self._threshold,
        )

    def _token_weights(self, text: str, asked: TokenStates) -> NDArray[Any]:
        """One weight for each question token, with sum 1."""
        words = [_word_around(text, int(start), int(end)) for start, end in asked.offsets]
        rarity = [max(map(self._weights.weight, terms(word)), default=0.0) for word in words]
        importance = np.array(rarity) + _LEAST_WEIGHT
        scaled: NDArray[Any] = importance / importance.sum()
        return scaled

    def _score(
        self, hit: Hit, asked: TokenStates, importance: NDArray[Any], states: TokenStates
    ) -> Hit:
        similarity = normalised(asked.states) @ normalised(states.states).T
        ranges = hit.passage.sentence_ranges()
        sentences = [
            _max_sim(similarity[:, tokens_inside(states, start, end)], importance)
            for start, end in ranges
        ]
        score = (_max_sim(similarity, importance) + max(sentences, default=0.0)) / 2
        return replace(
            hit,
            scores={**hit.scores, "late_interaction": score},
            sentence_scores=tuple(sentences),
            sentence_vectors=pool_spans(states, ranges),
        )


def _max_sim(similarity: NDArray[Any], importance: NDArray[Any]) -> float:
    """Weighted mean over question tokens (rows) of the best passage token (columns)."""
    if similarity.size == 0:
        return 0.0
    return float(np.clip(similarity.max(axis=1) @ importance, 0.0, 1.0))


def _word_around(text: str, start: int, end: int) -> str:
    while start > 0 and text[start - 1].isalnum():
        start -= 1
    while end < len(text) and text[end].isalnum():
        end += 1
    return text[start:end]
