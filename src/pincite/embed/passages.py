"""Passage and sentence vectors from one forward pass, or from the cache."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from pincite.records import Embedding, Passage
from pincite.stages import Encoder, TokenStates
from pincite.vectors import pool_spans

CacheLookup = Callable[[Sequence[str]], Mapping[str, Embedding]]


class TokenPoolingEmbedder:
    """Encodes passages once and pools the token states of each sentence."""

    def __init__(self, encoder: Encoder, cached: CacheLookup) -> None:
        self._encoder = encoder
        self._cached = cached

    def embed(self, passages: Sequence[Passage], texts: Sequence[str]) -> tuple[Embedding, ...]:
        """One embedding for each passage, in order; only texts not seen before are encoded."""
        inputs = [passage.with_context(text) for passage, text in zip(passages, texts, strict=True)]
        keys = [
            embedding_key(self._encoder.name, text, passage.sentence_ranges())
            for text, passage in zip(inputs, passages, strict=True)
        ]
        known = dict(self._cached(keys))
        new = {key: row for row, key in reversed(list(enumerate(keys))) if key not in known}
        encoded = self._encoder.encode([inputs[row] for row in new.values()])
        for (key, row), states in zip(new.items(), encoded, strict=True):
            known[key] = self._embedding(key, passages[row], states)
        return tuple(known[key] for key in keys)

    def _embedding(self, key: str, passage: Passage, states: TokenStates) -> Embedding:
        return Embedding(
            key=key,
            model=self._encoder.name,
            vector=states.vector.astype(np.float32),
            # 16 bits: the cosine of two sentences changes in the fourth digit, the size is halved.
            sentence_vectors=pool_spans(states, passage.sentence_ranges()).astype(np.float16),
        )


def embedding_key(model: str, text: str, ranges: Sequence[tuple[int, int]]) -> str:
    """The address of an embedding: what was encoded, by what, and where its sentences lie."""
    layout = ",".join(f"{start}-{end}" for start, end in ranges)
    content = f"{model}\0{layout}\0{text}".encode("utf-8", "surrogatepass")
    return hashlib.sha256(content).hexdigest()
