"""Token states of passages: from the library, from memory, or else encoded."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pincite.models.vectors import TokenCodes, pool_spans
from pincite.records.flow import Passage
from pincite.stages import Encoder, TokenStates

Ranges = tuple[tuple[int, int], ...]
"""Character ranges of the sentences of a text."""

StoredStates = Callable[[Sequence[Passage]], Mapping[int, tuple[TokenCodes, NDArray[Any]]]]
"""Token codes and sentence vectors stored in the library, by passage key."""

_BATCH_PASSAGES = 4
"""Passages encoded between two checks of the deadline: enough to keep every core busy."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kept:
    codes: TokenCodes
    sentence_vectors: NDArray[np.float16]

    @property
    def bytes_in_memory(self) -> int:
        own = self.codes
        return own.codes.nbytes + own.parts.nbytes + self.sentence_vectors.nbytes


class HotPassages:
    """Provides the token states of passages, with a cache of encoded ones up to `limit_bytes`.

    The states are the same, bit for bit, wherever they come from. Thread-safe.
    """

    def __init__(
        self, encoder: Encoder, *, limit_bytes: int, stored: StoredStates = lambda _: {}
    ) -> None:
        self.encoder = encoder
        self._stored = stored
        self._limit_bytes = limit_bytes
        self._bytes = 0
        self._kept: OrderedDict[tuple[str, Ranges], _Kept] = OrderedDict()
        self._lock = threading.Lock()
        self._seconds_each = 0.0

    def states_of(
        self, passages: Sequence[Passage], texts: Sequence[str], *, deadline: float | None = None
    ) -> dict[int, PassageStates]:
        """States by the index of the passage; `texts` are the texts to encode for each.

        All of them or, with a `deadline` (in seconds of `time.perf_counter`), those that are stored
        or cached and, in order, as many of the others as there is time for; at least one in all.
        """
        found = self._from_library(passages)
        keys = {
            row: (text, tuple(passage.sentence_ranges()))
            for row, (passage, text) in enumerate(zip(passages, texts, strict=True))
            if row not in found
        }
        found |= {row: kept for row, key in keys.items() if (kept := self._known(key))}
        missing = [row for row in keys if row not in found]
        step = len(missing) if deadline is None else _BATCH_PASSAGES
        while missing and (not found or self._has_time_for(min(step, len(missing)), deadline)):
            group, missing = missing[:step], missing[step:]
            found |= self._encoded({row: keys[row] for row in group})
        return {row: self._states(kept) for row, kept in found.items()}

    def _from_library(self, passages: Sequence[Passage]) -> dict[int, _Kept]:
        stored = self._stored(passages)
        return {
            row: _Kept(codes=stored[passage.key][0], sentence_vectors=stored[passage.key][1])
            for row, passage in enumerate(passages)
            if passage.key in stored
        }

    def _states(self, kept: _Kept) -> PassageStates:
        return PassageStates(
            states=kept.codes.states(self.encoder.dimensions),
            parts=kept.codes.parts,
            sentence_vectors=kept.sentence_vectors,
        )

    def forget(self) -> None:
        """Empty the cache."""
        with self._lock:
            self._kept.clear()
            self._bytes = 0

    def _has_time_for(self, passages: int, deadline: float | None) -> bool:
        return deadline is None or (time.perf_counter() + passages * self._seconds_each <= deadline)

    def _encoded(self, group: dict[int, tuple[str, Ranges]]) -> dict[int, _Kept]:
        started = time.perf_counter()
        encoded = self.encoder.encode([text for text, _ in group.values()])
        made = {
            row: _kept(states, key[1])
            for (row, key), states in zip(group.items(), encoded, strict=True)
        }
        self._seconds_each = (time.perf_counter() - started) / len(group)
        for row, states in made.items():
            self._keep(group[row], states)
        return made

    def _known(self, key: tuple[str, Ranges]) -> _Kept | None:
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)

    def _keep(self, key: tuple[str, Ranges], states: _Kept) -> None:
        with self._lock:
            if key not in self._kept:
                self._bytes += states.bytes_in_memory
            self._kept[key] = states
            while self._bytes > self._limit_bytes:
                _, oldest = self._kept.popitem(last=False)
                self._bytes -= oldest.bytes_in_memory


def _kept(encoded: TokenStates, sentences: Ranges) -> _Kept:
    return _Kept(
        codes=TokenCodes.from_states(encoded, sentences),
        sentence_vectors=pool_spans(encoded, sentences).astype(np.float16),
    )


# MaxSim between the token states of a question and of passages (Khattab and Zaharia, SIGIR 2020).

_SENTENCE_BEFORE = 0.8
_HEADINGS = 0.9
"""Weights of a match in the previous sentence, or in the headings above, relative to one in the
sentence. "It closes within three seconds" says little without them. For a table row, its header rows
count as headings, and the row before it does not count."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageStates:
    """The states of one passage for the comparison.

    `states` (tokens, dimensions) has a row of about length 1 for each token. `parts` (1 + sentences,
    2) are ranges of its rows: first the name and headings above the sentences, then each sentence.
    `sentence_vectors` (sentences, dimensions) have length 1.
    """

    states: NDArray[Any]
    parts: NDArray[np.int32]
    sentence_vectors: NDArray[np.float16]


@dataclass(frozen=True, slots=True, kw_only=True)
class Likeness:
    """How well a passage as a whole, and each of its sentences, matches; all in 0..1.

    `whole` (weightings,) and `sentences` (weightings, sentences) have a row for each weighting of
    the question's tokens.
    """

    whole: NDArray[Any]
    sentences: NDArray[Any]


def compare(
    asked: NDArray[Any],
    importance: NDArray[Any],
    passages: Sequence[PassageStates],
    headers: Sequence[Sequence[Sequence[int]]],
) -> list[Likeness]:
    """The weighted mean, over question tokens, of the similarity to the most similar passage token.

    `asked` (question tokens, dimensions) has rows of length 1 in the axes of the passages' states,
    `importance` (weightings, question tokens) rows with the sum 1. A sentence is compared with its
    context; `headers` has the `Passage.headers` of each passage. All passages are compared in one
    matrix product, since they have hundreds of sentences.
    """
    if not passages:
        return []
    states = np.concatenate([passage.states for passage in passages])
    similarity = asked.astype(np.float32) @ states.T
    ends = np.cumsum([len(passage.states) for passage in passages])
    starts = ends - [len(passage.states) for passage in passages]
    whole = importance @ _maxima(similarity, np.stack([starts, ends], axis=1))
    parts = np.concatenate(
        [passage.parts + start for passage, start in zip(passages, starts, strict=True)]
    )
    counts = [len(passage.parts) for passage in passages]
    firsts = np.cumsum(counts) - counts
    rows_under = _rows_under(headers, firsts)
    sentences = importance @ _in_surroundings(
        _maxima(similarity, parts), firsts, counts, rows_under
    )
    return [
        Likeness(whole=whole[:, row], sentences=sentences[:, first + 1 : first + count])
        for row, (first, count) in enumerate(zip(firsts, counts, strict=True))
    ]


def _maxima(similarity: NDArray[Any], ranges: NDArray[Any]) -> NDArray[Any]:
    """The maximum of each range of columns for each question token (rows), in 0..1; 0 if empty."""
    # A column of zeros at the end lets a range end with the last token.
    padded = np.pad(similarity, ((0, 0), (0, 1)))
    best = np.maximum.reduceat(padded, ranges.ravel(), axis=1)[:, ::2]
    best[:, ranges[:, 0] >= ranges[:, 1]] = 0.0
    clipped: NDArray[Any] = np.clip(best, 0.0, 1.0)
    return clipped


def _rows_under(headers: Sequence[Sequence[Sequence[int]]], firsts: NDArray[Any]) -> NDArray[Any]:
    """Columns of table rows (first line) paired with those of their header rows: (2, pairs)."""
    pairs = [
        (first + 1 + row, first + 1 + header)
        for numbers, first in zip(headers, firsts, strict=True)
        for row, above in enumerate(numbers)
        for header in above
    ]
    return np.array(pairs, dtype=np.intp).reshape(-1, 2).T


def _in_surroundings(
    best: NDArray[Any], firsts: NDArray[Any], counts: Sequence[int], rows_under: NDArray[Any]
) -> NDArray[Any]:
    """Each part's maxima, or the discounted maxima of its context if they are higher."""
    headings = np.repeat(best[:, firsts], counts, axis=1)
    before = np.pad(best, ((0, 0), (1, 0)))[:, :-1]
    first_sentences = np.concatenate([firsts, firsts + 1])
    before[:, first_sentences[first_sentences < best.shape[1]]] = 0.0
    rows, header_rows = rows_under
    before[:, rows] = 0.0
    np.maximum.at(headings.T, rows, best.T[header_rows])
    around = np.maximum(_SENTENCE_BEFORE * before, _HEADINGS * headings)
    surrounded: NDArray[Any] = np.maximum(best, around)
    return surrounded
