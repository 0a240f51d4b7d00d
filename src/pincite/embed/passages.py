"""Passage and sentence vectors from the encoder, or from the cache."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pincite.records import Embedding, Passage
from pincite.stages import Encoder, TokenStates, VectorEncoder
from pincite.vectors import TokenCodes, pool_spans

CacheLookup = Callable[[Sequence[str]], Mapping[str, Embedding]]
Vectors = tuple[NDArray[Any], NDArray[Any], bytes]
"""A passage's vector (dimensions,), those of its sentences (sentences, dimensions), and its token
codes where they are kept."""


class TokenPoolingEmbedder:
    """Encodes passages once and pools the token states of each sentence.

    The token states themselves are kept, packed, up to `room_bytes` of them; what the cache holds
    without them is then encoded once more.
    """

    def __init__(self, encoder: Encoder, cached: CacheLookup, *, room_bytes: int = 0) -> None:
        self._encoder = encoder
        self._cached = cached
        self._room_bytes = room_bytes

    def embed(self, passages: Sequence[Passage], texts: Sequence[str]) -> tuple[Embedding, ...]:
        """One embedding for each passage, in order; only texts not seen before are encoded."""
        return _embed(passages, texts, self._encoder.name, self._complete, self._encoded)

    def _complete(self, keys: Sequence[str]) -> Mapping[str, Embedding]:
        found = self._cached(keys)
        if self._room_bytes <= 0:
            return found
        return {key: one for key, one in found.items() if one.token_codes}

    def _encoded(self, passages: Sequence[Passage], texts: Sequence[str]) -> Iterator[Vectors]:
        for passage, states in zip(passages, self._encoder.encode(texts), strict=True):
            ranges = passage.sentence_ranges()
            yield states.vector, pool_spans(states, ranges), self._packed(states, ranges)

    def _packed(self, states: TokenStates, ranges: Sequence[tuple[int, int]]) -> bytes:
        if self._room_bytes <= 0:
            return b""
        codes = TokenCodes.of(states, ranges).to_bytes()
        self._room_bytes -= len(codes)
        return codes


class SentenceEmbedder:
    """Encodes passages, and each sentence as a text of its own: for encoders that tell no tokens.

    A sentence's vector then knows nothing of its surroundings, and the encoder reads all twice.
    """

    def __init__(self, encoder: VectorEncoder, cached: CacheLookup) -> None:
        self._encoder = encoder
        self._cached = cached

    def embed(self, passages: Sequence[Passage], texts: Sequence[str]) -> tuple[Embedding, ...]:
        """One embedding for each passage, in order; only texts not seen before are encoded."""
        return _embed(passages, texts, self._encoder.name, self._cached, self._encoded)

    def _encoded(self, passages: Sequence[Passage], texts: Sequence[str]) -> Iterator[Vectors]:
        sentences = [
            [text[start:end] for start, end in passage.sentence_ranges()]
            for passage, text in zip(passages, texts, strict=True)
        ]
        # Neighbouring passages share sentences.
        unique = list(dict.fromkeys([*texts, *chain.from_iterable(sentences)]))
        encoded = (found.vector for found in self._encoder.encode(unique))
        vectors = dict(zip(unique, encoded, strict=True))
        for text, own in zip(texts, sentences, strict=True):
            rows = np.array([vectors[sentence] for sentence in own])
            yield vectors[text], rows.reshape(len(own), self._encoder.dimensions), b""


def _embed(
    passages: Sequence[Passage],
    texts: Sequence[str],
    model: str,
    cached: CacheLookup,
    encoded: Callable[[Sequence[Passage], Sequence[str]], Iterator[Vectors]],
) -> tuple[Embedding, ...]:
    inputs = [passage.with_context(text) for passage, text in zip(passages, texts, strict=True)]
    keys = [
        embedding_key(model, text, passage.sentence_ranges())
        for text, passage in zip(inputs, passages, strict=True)
    ]
    known = dict(cached(keys))
    new = {key: row for row, key in reversed(list(enumerate(keys))) if key not in known}
    rows = list(new.values())
    vectors = encoded([passages[row] for row in rows], [inputs[row] for row in rows])
    for key, (vector, sentence_vectors, codes) in zip(new, vectors, strict=True):
        known[key] = Embedding(
            key=key,
            model=model,
            vector=vector.astype(np.float32),
            # 16 bits: a cosine changes in the fourth digit, the size is halved.
            sentence_vectors=sentence_vectors.astype(np.float16),
            token_codes=codes,
        )
    return tuple(known[key] for key in keys)


def embedding_key(model: str, text: str, ranges: Sequence[tuple[int, int]]) -> str:
    """The address of an embedding: what was encoded, by what, and where its sentences lie."""
    layout = ",".join(f"{start}-{end}" for start, end in ranges)
    content = f"{model}\0{layout}\0{text}".encode("utf-8", "surrogatepass")
    return hashlib.sha256(content).hexdigest()
