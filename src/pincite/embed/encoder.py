"""Encoders that show their token states: any tokenizer with any runtime, used as a spec says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from pincite.embed.centre import UNRELATED, Centre, centre_of, is_narrow
from pincite.embed.spec import EncoderSpec
from pincite.embed.weights import MODEL_NAME, find_encoder_files
from pincite.graphs.runtimes import Runtime, open_runtime
from pincite.graphs.tokenizer import open_tokenizer, special_tokens
from pincite.stages import TokenStates
from pincite.text.search_text import whole_characters
from pincite.vectors import normalised

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

WINDOW_TOKENS = 256
"""What the default model was trained to read at once, [CLS] and [SEP] included."""

_ENCODED_TOGETHER = 64
"""Texts whose token states are in memory at once: about 30 MB at full length."""

_QUESTIONS_KEPT = 16

_LONGEST_CHARS = 200_000
"""Encoded at most of one text: a passage of 200 pages means that something went wrong before."""


class WindowedEncoder:
    """Token states and pooled vectors of texts of any length.

    A text longer than the model's window is read in consecutive windows, each with the prefix,
    whose states are put end to end, so that nothing is cut off; the vector is pooled over all of
    them and has length 1. States and offsets are those of the text alone, without prefix. What all
    texts share is taken out where it is much.
    """

    has_token_states: Literal[True] = True

    def __init__(
        self,
        *,
        name: str,
        tokenizer: Tokenizer,
        runtime: Runtime,
        spec: EncoderSpec,
        is_spread: bool = False,
    ) -> None:
        """`is_spread` for an encoder that is known to keep unrelated texts apart."""
        self.name = name
        self.runtime = runtime.name
        self.dimensions = runtime.dimensions
        self._tokenizer = tokenizer
        self._before, self._after = special_tokens(tokenizer)
        self._runtime = runtime
        self._spec = spec
        self._centres: dict[str, Centre] = {}
        self._centres = {} if is_spread else self._measured_centres()
        self.encode_question = lru_cache(maxsize=_QUESTIONS_KEPT)(self._encode_question)

    def _measured_centres(self) -> dict[str, Centre]:
        """By prefix; none for an encoder that keeps unrelated texts apart."""
        prefixes = {self._spec.passage_prefix, self._spec.query_prefix}
        found = {prefix: list(self._encode_group(UNRELATED, prefix)) for prefix in prefixes}
        if not is_narrow(found[self._spec.passage_prefix]):
            return {}
        return {prefix: centre_of(each) for prefix, each in found.items()}

    def encode(self, texts: Sequence[str]) -> Iterator[TokenStates]:
        """Token states of each text, in order; no text has an influence on another's."""
        for start in range(0, len(texts), _ENCODED_TOGETHER):
            group = texts[start : start + _ENCODED_TOGETHER]
            yield from self._encode_group(group, self._spec.passage_prefix)

    def _encode_question(self, text: str) -> TokenStates:
        return next(self._encode_group([text], self._spec.query_prefix))

    def _encode_group(self, texts: Sequence[str], prefix: str) -> Iterator[TokenStates]:
        inputs = [prefix + whole_characters(text[:_LONGEST_CHARS]) for text in texts]
        encodings = self._tokenizer.encode_batch(inputs, add_special_tokens=False)
        tokens = [
            _tokens(encoding, text, prefix)
            for encoding, text in zip(encodings, inputs, strict=True)
        ]
        windows = [self._windows(each) for each in tokens]
        states = self._runtime.run([window for text in windows for window in text])
        centre = self._centres.get(prefix)
        for each, text_windows in zip(tokens, windows, strict=True):
            found = self._join([next(states) for _ in text_windows], each)
            yield centre.taken_out_of(found) if centre else found

    def _windows(self, tokens: _Tokens) -> list[NDArray[np.int64]]:
        before = [*self._before, *tokens.prefix]
        size = max(1, self._spec.window_tokens - len(before) - len(self._after))
        ids = tokens.ids
        pieces = [ids[start : start + size] for start in range(0, len(ids), size)] or [[]]
        return [np.array([*before, *piece, *self._after], dtype=np.int64) for piece in pieces]

    def _join(self, windows: Sequence[NDArray[np.float32]], tokens: _Tokens) -> TokenStates:
        first, last = len(self._before) + len(tokens.prefix), len(self._after)
        states = np.concatenate([window[first : len(window) - last] for window in windows])
        if not tokens.are_visible.all():
            states = states[tokens.are_visible]
        return TokenStates(
            vector=normalised(self._pooled(windows)),
            states=states,
            offsets=tokens.offsets[tokens.are_visible],
        )

    def _pooled(self, windows: Sequence[NDArray[np.float32]]) -> NDArray[Any]:
        # Models are trained with prefix and special tokens in the mean, so they count in it.
        if self._spec.pooling == "mean":
            pooled: NDArray[Any] = np.concatenate(windows).mean(axis=0)
            return pooled
        row = 0 if self._spec.pooling == "cls" else -1
        marks = normalised(np.stack([window[row] for window in windows]))
        mean: NDArray[Any] = marks.mean(axis=0)
        return mean


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tokens:
    """Tokens of one text; those of its prefix apart."""

    prefix: list[int]
    ids: list[int]
    offsets: NDArray[np.int64]
    """(tokens, 2): character ranges of the text without its prefix, blanks around it left out."""
    are_visible: NDArray[np.bool_]
    """Tokens that stand for characters; some tokenizers make others, for a blank or for nothing."""


def _tokens(encoding: Encoding, text: str, prefix: str) -> _Tokens:
    """`text` begins with `prefix`."""
    skipped = sum(1 for _, end in encoding.offsets if end <= len(prefix)) if prefix else 0
    own = encoding.offsets[skipped:]
    trimmed = [_without_blank(text, max(start, len(prefix)), end) for start, end in own]
    offsets = np.array(trimmed, dtype=np.int64).reshape(-1, 2) - len(prefix)
    return _Tokens(
        prefix=encoding.ids[:skipped],
        ids=encoding.ids[skipped:],
        offsets=offsets,
        are_visible=offsets[:, 0] < offsets[:, 1],
    )


def _without_blank(text: str, start: int, end: int) -> tuple[int, int]:
    """Some tokenizers count the blank before a word as part of it; sentences begin after it."""
    while start < end and text[start].isspace():
        start += 1
    return start, end


class MiniLmEncoder(WindowedEncoder):
    """The default encoder: all-MiniLM-L6-v2 (Wang et al. 2020, arXiv:2002.10957; Reimers 2019)."""

    def __init__(self, cache: Path, *, runtime: str = "auto", threads: int = 0) -> None:
        files = find_encoder_files()
        super().__init__(
            # The digit counts up when a text is prepared in another way, which changes its vectors.
            name=f"{MODEL_NAME}/2",
            tokenizer=open_tokenizer(files.tokenizer),
            runtime=open_runtime(runtime, files.graph, cache, threads=threads),
            spec=EncoderSpec(pooling="mean", window_tokens=WINDOW_TOKENS),
            is_spread=True,
        )
