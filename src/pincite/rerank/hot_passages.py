"""Token states of passages: from the library, from memory, or encoded where neither has them."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pincite.records import Passage
from pincite.rerank.maxsim import PassageStates
from pincite.stages import Encoder, TokenStates
from pincite.vectors import TokenCodes, pool_spans

Ranges = tuple[tuple[int, int], ...]
"""Character ranges of the sentences of a text."""

StoredStates = Callable[[Sequence[Passage]], Mapping[int, tuple[TokenCodes, NDArray[Any]]]]
"""Token codes and sentence vectors that the library holds, by passage key."""

_ENCODED_BEFORE_A_LOOK = 4
"""Passages encoded between two looks at the clock: enough to keep every core at work."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kept:
    codes: TokenCodes
    sentence_vectors: NDArray[np.float16]

    @property
    def bytes_in_memory(self) -> int:
        own = self.codes
        return own.codes.nbytes + own.parts.nbytes + self.sentence_vectors.nbytes


class HotPassages:
    """Gives the token states of passages; what had to be encoded is kept within a limit of memory.

    The states are the same, bit for bit, wherever they come from. May be used from several threads.
    """

    def __init__(
        self, encoder: Encoder, *, limit_bytes: int, stored: StoredStates = lambda _: {}
    ) -> None:
        self.encoder = encoder
        self._stored = stored
        self._limit_bytes = limit_bytes
        self._bytes = 0
        self._kept: OrderedDict[tuple[str, Ranges], _Kept] = OrderedDict()
        self._one_at_a_time = threading.Lock()
        self._seconds_each = 0.0

    def states_of(
        self, passages: Sequence[Passage], texts: Sequence[str], *, deadline: float | None = None
    ) -> dict[int, PassageStates]:
        """States by the place of the passage; `texts` are what the encoder reads of each.

        All of them; or, with a `deadline` (seconds of `time.perf_counter`), those that are at hand
        and as many of the others as time is left for, from the first on, at least one.
        """
        found = self._at_hand(passages)
        keys = {
            row: (text, tuple(passage.sentence_ranges()))
            for row, (passage, text) in enumerate(zip(passages, texts, strict=True))
            if row not in found
        }
        found |= {row: kept for row, key in keys.items() if (kept := self._known(key))}
        missing = [row for row in keys if row not in found]
        step = len(missing) if deadline is None else _ENCODED_BEFORE_A_LOOK
        while missing and (not found or self._has_time_for(min(step, len(missing)), deadline)):
            group, missing = missing[:step], missing[step:]
            found |= self._encoded({row: keys[row] for row in group})
        return {row: self._states(kept) for row, kept in found.items()}

    def _at_hand(self, passages: Sequence[Passage]) -> dict[int, _Kept]:
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
        """Encode everything anew from here on."""
        with self._one_at_a_time:
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
        with self._one_at_a_time:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)

    def _keep(self, key: tuple[str, Ranges], states: _Kept) -> None:
        with self._one_at_a_time:
            if key not in self._kept:
                self._bytes += states.bytes_in_memory
            self._kept[key] = states
            while self._bytes > self._limit_bytes:
                _, oldest = self._kept.popitem(last=False)
                self._bytes -= oldest.bytes_in_memory


def _kept(encoded: TokenStates, sentences: Ranges) -> _Kept:
    return _Kept(
        codes=TokenCodes.of(encoded, sentences),
        sentence_vectors=pool_spans(encoded, sentences).astype(np.float16),
    )
