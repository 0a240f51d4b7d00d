"""Which words of a statement have a counterpart in the quotes, by what they mean there?"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pincite.stages import Encoder
from pincite.text.terms import composed
from pincite.vectors import normalised
from pincite.verify.wording import Word

_TEXTS_KEPT = 512
"""Statements and quotes whose token states stay in memory: 16 MB for sentences of 40 tokens."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tokens:
    """`states` (tokens, dimensions) with rows of length 1; `offsets` (tokens, 2) in characters."""

    states: NDArray[np.float16]
    offsets: NDArray[Any]


class TokenAligner:
    """Compares the token states of a statement with those of its quotes (MaxSim, word by word).

    A quote is encoded on its own: states from within its passage tell right statements from wrong
    ones less well. May be used from several threads.
    """

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self._kept: OrderedDict[str, _Tokens] = OrderedDict()
        self._one_at_a_time = threading.Lock()
        self.name = encoder.name

    def prepare(self, texts: Iterable[str]) -> None:
        """Encode together what will be compared, so that every core is at work."""
        with self._one_at_a_time:
            self._read([composed(text) for text in texts])

    def align(self, statement: str, words: Sequence[Word], quotes: Sequence[str]) -> NDArray[Any]:
        """How like each word of the statement its best counterpart in the quotes is, as cosines.

        Words are looked up by their places; one in which no token of the encoder begins has 0.
        """
        said, *read = self._tokens([statement, *quotes])
        best = np.stack([_maxima(said.states, quote.states) for quote in read]).max(axis=0)
        return np.array([_mean(best[_tokens_of(said.offsets, word)]) for word in words])

    def likeness(self, statement: str, word: Word, quote: str, other: Word) -> float:
        """How like a word of the statement is to one of the quote, as a cosine."""
        said, read = self._tokens([statement, quote])
        own = said.states[_tokens_of(said.offsets, word)]
        return _mean(_maxima(own, read.states[_tokens_of(read.offsets, other)]))

    def _tokens(self, texts: Sequence[str]) -> list[_Tokens]:
        with self._one_at_a_time:
            return self._read([composed(text) for text in texts])

    def _read(self, texts: Sequence[str]) -> list[_Tokens]:
        missing = [text for text in dict.fromkeys(texts) if text not in self._kept]
        for text, encoded in zip(missing, self._encoder.encode(missing), strict=True):
            states = normalised(encoded.states).astype(np.float16)
            self._kept[text] = _Tokens(states=states, offsets=encoded.offsets)
        found = [self._kept[text] for text in texts]
        for text in texts:
            self._kept.move_to_end(text)
        while len(self._kept) > _TEXTS_KEPT:
            self._kept.popitem(last=False)
        return found


def _maxima(said: NDArray[Any], read: NDArray[Any]) -> NDArray[Any]:
    """For each token of the statement, the cosine with the most similar one of a quote, in 0..1."""
    if not len(read):
        return np.zeros(len(said))
    likeness = said.astype(np.float32) @ read.astype(np.float32).T
    best: NDArray[Any] = np.clip(likeness.max(axis=1), 0.0, 1.0)
    return best


def _tokens_of(offsets: NDArray[Any], word: Word) -> NDArray[Any]:
    """Rows of the tokens that share characters with a word."""
    rows: NDArray[Any] = np.flatnonzero((offsets[:, 0] < word.end) & (offsets[:, 1] > word.start))
    return rows


def _mean(values: NDArray[Any]) -> float:
    return float(values.mean()) if len(values) else 0.0
