"""Token states of the passages that were compared last, so that comparing them again is cheap."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Sequence

import numpy as np

from pincite.rerank.maxsim import PassageStates
from pincite.stages import Encoder, TokenStates
from pincite.vectors import normalised, pool_spans, tokens_inside

Ranges = tuple[tuple[int, int], ...]
"""Character ranges of the sentences of a text."""

_ENCODED_BEFORE_A_LOOK = 4
"""Passages encoded between two looks at the clock: enough to keep every core at work."""


class HotPassages:
    """Encodes passages, and keeps what was used last within a limit of memory.

    What comes from memory equals what is encoded anew, bit for bit. May be used from several
    threads.
    """

    def __init__(self, encoder: Encoder, *, limit_bytes: int) -> None:
        self.encoder = encoder
        self._limit_bytes = limit_bytes
        self._bytes = 0
        self._kept: OrderedDict[tuple[str, Ranges], PassageStates] = OrderedDict()
        self._one_at_a_time = threading.Lock()
        self._seconds_each = 0.0

    def states_of(
        self, texts: Sequence[str], sentences: Sequence[Ranges], *, deadline: float | None = None
    ) -> dict[int, PassageStates]:
        """States by the place of the text in `texts`.

        All of them; or, with a `deadline` (seconds of `time.perf_counter`), those that are in
        memory and as many of the others as time is left for, from the first on, at least one.
        """
        keys = list(zip(texts, sentences, strict=True))
        found = {row: kept for row, key in enumerate(keys) if (kept := self._known(key))}
        missing = [row for row in range(len(keys)) if row not in found]
        step = len(missing) if deadline is None else _ENCODED_BEFORE_A_LOOK
        while missing and (not found or self._has_time_for(min(step, len(missing)), deadline)):
            group, missing = missing[:step], missing[step:]
            found |= self._encoded({row: keys[row] for row in group})
        return found

    def forget(self) -> None:
        """Encode everything anew from here on."""
        with self._one_at_a_time:
            self._kept.clear()
            self._bytes = 0

    def _has_time_for(self, passages: int, deadline: float | None) -> bool:
        return deadline is None or (time.perf_counter() + passages * self._seconds_each <= deadline)

    def _encoded(self, group: dict[int, tuple[str, Ranges]]) -> dict[int, PassageStates]:
        started = time.perf_counter()
        encoded = self.encoder.encode([text for text, _ in group.values()])
        made = {
            row: _passage_states(states, key[1])
            for (row, key), states in zip(group.items(), encoded, strict=True)
        }
        self._seconds_each = (time.perf_counter() - started) / len(group)
        for row, states in made.items():
            self._keep(group[row], states)
        return made

    def _known(self, key: tuple[str, Ranges]) -> PassageStates | None:
        with self._one_at_a_time:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)

    def _keep(self, key: tuple[str, Ranges], states: PassageStates) -> None:
        with self._one_at_a_time:
            if key not in self._kept:
                self._bytes += states.bytes_in_memory
            self._kept[key] = states
            while self._bytes > self._limit_bytes:
                _, oldest = self._kept.popitem(last=False)
                self._bytes -= oldest.bytes_in_memory


def _passage_states(encoded: TokenStates, sentences: Ranges) -> PassageStates:
    above = sentences[0][0] if sentences else len(encoded.offsets) and int(encoded.offsets.max())
    ranges = [(0, above), *sentences]
    rows = [tokens_inside(encoded, start, end) for start, end in ranges]
    return PassageStates(
        states=normalised(encoded.states).astype(np.float16),
        parts=np.array([(part.start, part.stop) for part in rows], dtype=np.int32),
        sentence_vectors=pool_spans(encoded, sentences).astype(np.float16),
    )
