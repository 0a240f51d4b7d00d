"""Compares the question with each stored sentence vector: no model runs at query time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pincite.records import Hit, Question, Ranking
from pincite.rerank.order import Cut, reorder
from pincite.stages import VectorEncoder

VectorLookup = Callable[[Sequence[int]], Mapping[int, NDArray[Any]]]


class SentenceCosineReranker:
    """A passage is as good as its best sentence."""

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
        # A passage that was ingested without the encoder cannot be compared, nor be dropped for it.
        strange = [hit for hit in first if hit.passage.key not in stored]
        return reorder(
            scored,
            [*strange, *rest],
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
