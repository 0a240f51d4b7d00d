"""The little vector arithmetic that encoders, rerankers and selectors share."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pincite.stages import TokenStates


def normalised(vectors: NDArray[Any]) -> NDArray[Any]:
    """The same vector(s), rows scaled to length 1; zero rows stay zero."""
    length = np.linalg.norm(vectors, axis=-1, keepdims=True)
    scaled: NDArray[Any] = vectors / np.where(length == 0, 1, length)
    return scaled


def pool_spans(encoded: TokenStates, spans: Sequence[tuple[int, int]]) -> NDArray[np.float32]:
    """Mean of the token states inside each character range, scaled to length 1.

    Returns (spans, dimensions); a range without tokens gets the whole text's vector.
    """
    pooled = np.tile(encoded.vector.astype(np.float32), (len(spans), 1))
    for row, (start, end) in enumerate(spans):
        inside = tokens_inside(encoded, start, end)
        if inside.stop > inside.start:
            pooled[row] = encoded.states[inside].mean(axis=0)
    return normalised(pooled)


def tokens_inside(encoded: TokenStates, start: int, end: int) -> slice:
    """The tokens that begin in a character range, as a slice of the rows of `states`."""
    first, last = np.searchsorted(encoded.offsets[:, 0], (start, end), side="left")
    return slice(int(first), int(last))


def sigmoid(logit: float) -> float:
    """1 / (1 + exp(-logit)), without overflow."""
    return (1 + math.tanh(logit / 2)) / 2
