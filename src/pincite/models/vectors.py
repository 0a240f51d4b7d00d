"""Vector arithmetic shared by encoders, rerankers and selectors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from pincite.stages import TokenStates

_STEP = 0.9957
"""Width of a level, in standard deviations: optimal for four levels of a normal distribution (Max
1960, "Quantizing for minimum distortion")."""
_LEVELS = _STEP / 0.881 * (np.arange(4) - 1.5)
"""The values of the levels. With this step, a rounded row of a normal distribution keeps .881 of its
product with itself; dividing by that makes similarities right on average."""
_SHIFTS = np.array([0, 2, 4, 6], dtype=np.uint8)


def normalised(vectors: NDArray[Any]) -> NDArray[Any]:
    """The vector(s) with rows scaled to length 1; zero rows stay zero."""
    length = np.linalg.norm(vectors, axis=-1, keepdims=True)
    scaled: NDArray[Any] = vectors / np.where(length == 0, 1, length)
    return scaled


def pool_spans(encoded: TokenStates, spans: Sequence[tuple[int, int]]) -> NDArray[np.float32]:
    """Mean of the token states in each character range, scaled to length 1.

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


@dataclass(frozen=True, slots=True, eq=False)
class TokenCodes:
    """A passage's token states, quantized to two bits per dimension for storage.

    `codes` (tokens, dimensions / 4) are bytes of four levels each. `parts` (1 + sentences, 2) are
    ranges of tokens: first the context above the sentences (name and headings), then each sentence.
    Similarities change by .0075 (standard deviation), and retrieval results by less than the confidence
    intervals show (docs/decisions/0005-token-states-at-rest.md).
    """

    codes: NDArray[np.uint8]
    parts: NDArray[np.int32]

    @classmethod
    def from_states(cls, encoded: TokenStates, sentences: Sequence[tuple[int, int]]) -> Self:
        """The codes of a text with sentences at these character ranges."""
        above = (
            sentences[0][0] if sentences else len(encoded.offsets) and int(encoded.offsets.max())
        )
        rows = [tokens_inside(encoded, start, end) for start, end in ((0, above), *sentences)]
        return cls(
            _packed(turned(normalised(encoded.states))),
            np.array([(part.start, part.stop) for part in rows], dtype=np.int32),
        )

    @classmethod
    def from_bytes(cls, content: bytes, *, sentences: int, dimensions: int) -> Self:
        """The codes from `to_bytes`. Raises ValueError if they are damaged."""
        split = (1 + sentences) * 2 * np.dtype(np.int32).itemsize
        parts = np.frombuffer(content[:split], dtype=np.int32).reshape(1 + sentences, 2)
        codes = np.frombuffer(content[split:], dtype=np.uint8).reshape(-1, -(-dimensions // 4))
        if parts.min() < 0 or parts.max() > len(codes):
            raise ValueError("token ranges are out of bounds")
        return cls(codes, parts)

    def to_bytes(self) -> bytes:
        """The form stored in the catalog."""
        return self.parts.tobytes() + self.codes.tobytes()

    def states(self, dimensions: int) -> NDArray[np.float32]:
        """(tokens, dimensions): comparable with other states after `turned`."""
        found = _levels_of_bytes(dimensions).take(self.codes, axis=0)
        return found.reshape(len(self.codes), -1)[:, :dimensions]


def turned(states: NDArray[Any]) -> NDArray[np.float32]:
    """The rows in rotated axes, over which they spread evenly; dot products are unchanged."""
    return states.astype(np.float32) @ _axes(states.shape[-1])


@lru_cache(maxsize=4)
def _axes(dimensions: int) -> NDArray[np.float32]:
    # RandomState gives the same numbers in every version of numpy; stored codes rely on that.
    random = np.random.RandomState(20).standard_normal((dimensions, dimensions))
    axes: NDArray[np.float32] = np.linalg.qr(random)[0].astype(np.float32)
    return axes


@lru_cache(maxsize=4)
def _levels_of_bytes(dimensions: int) -> NDArray[np.float32]:
    """(256, 4): the four values that each byte encodes."""
    levels = np.arange(256, dtype=np.uint8)[:, None] >> _SHIFTS & 3
    found: NDArray[np.float32] = (_LEVELS[levels] / math.sqrt(dimensions)).astype(np.float32)
    return found


def _packed(states: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Rows of length 1, quantized to levels, four per byte."""
    dimensions = states.shape[1]
    levels = states * (math.sqrt(dimensions) / _STEP) + 2
    whole = np.clip(levels, 0, 3, out=levels).astype(np.uint8)
    padded = np.pad(whole, ((0, 0), (0, -dimensions % 4))) if dimensions % 4 else whole
    packed: NDArray[np.uint8] = padded[:, 0::4].copy()
    for place in (1, 2, 3):
        packed |= padded[:, place::4] << _SHIFTS[place]
    return packed
