"""The default encoder: all-MiniLM-L6-v2 (Wang et al. 2020, arXiv:2002.10957; Reimers 2019)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pincite.embed.runtimes import Runtime, open_runtime
from pincite.embed.tokenizer import open_tokenizer
from pincite.embed.weights import MODEL_NAME, find_encoder_files
from pincite.stages import TokenStates
from pincite.vectors import normalised

WINDOW_TOKENS = 256
"""What the model was trained to read at once, [CLS] and [SEP] included."""

_ENCODED_TOGETHER = 64
"""Texts whose token states are in memory at once: about 30 MB at full length."""

_QUESTIONS_KEPT = 16

_LONGEST_CHARS = 200_000
"""Encoded at most of one text: a passage of 200 pages means that something went wrong before."""


class MiniLmEncoder:
    """Token states and pooled vectors of texts of any length.

    A text of more than 256 tokens is read in consecutive windows whose states are put end to end,
    so that nothing is cut off; the vector is the mean over all tokens, with length 1.
    """

    # The digit counts up when a text is prepared in another way, which changes its vectors.
    name = f"{MODEL_NAME}/2"
    dimensions = 384

    def __init__(self, cache: Path, *, runtime: str = "auto", threads: int = 0) -> None:
        files = find_encoder_files()
        self._tokenizer = open_tokenizer(files.tokenizer)
        self._first = self._tokenizer.token_to_id("[CLS]")
        self._last = self._tokenizer.token_to_id("[SEP]")
        self._runtime: Runtime = open_runtime(runtime, files.model, cache, threads=threads)
        self.runtime = self._runtime.name
        self.encode_question = lru_cache(maxsize=_QUESTIONS_KEPT)(self._encode_question)

    def encode(self, texts: Sequence[str]) -> Iterator[TokenStates]:
        """Token states of each text, in order; no text has an influence on another's."""
        for start in range(0, len(texts), _ENCODED_TOGETHER):
            yield from self._encode_group(texts[start : start + _ENCODED_TOGETHER])

    def _encode_group(self, texts: Sequence[str]) -> Iterator[TokenStates]:
        encodings = self._tokenizer.encode_batch(
            [text[:_LONGEST_CHARS] for text in texts], add_special_tokens=False
        )
        windows = [self._windows(encoding.ids) for encoding in encodings]
        states = self._runtime.run([window for text in windows for window in text])
        for encoding, text_windows in zip(encodings, windows, strict=True):
            yield _join([next(states) for _ in text_windows], encoding.offsets)

    def _encode_question(self, text: str) -> TokenStates:
        return next(self.encode([text]))

    def _windows(self, ids: list[int]) -> list[NDArray[np.int64]]:
        size = WINDOW_TOKENS - 2
        pieces = [ids[start : start + size] for start in range(0, len(ids), size)] or [[]]
        return [np.array([self._first, *piece, self._last], dtype=np.int64) for piece in pieces]


def _join(windows: Sequence[NDArray[np.float32]], offsets: list[tuple[int, int]]) -> TokenStates:
    # The model was trained with [CLS] and [SEP] in the mean, so they count in the vector.
    vector = normalised(np.concatenate(windows).mean(axis=0))
    states = np.concatenate([window[1:-1] for window in windows])
    return TokenStates(
        vector=vector,
        states=states,
        offsets=np.array(offsets, dtype=np.int64).reshape(-1, 2),
    )
