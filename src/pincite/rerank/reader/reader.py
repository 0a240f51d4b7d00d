"""The small reader: one transformer that reads question and passage together."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pincite.errors import ModelError
from pincite.models.inference.files import GraphFile
from pincite.models.inference.runtimes import Runtime, open_runtime
from pincite.models.inference.tokenizer import open_tokenizer
from pincite.models.vectors import sigmoid
from pincite.records.files import MEBIBYTE, read_regular
from pincite.stages import PassageReading, ShortAnswer, ToRead
from pincite.text.as_read import whole_characters

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer


# Packs a question, and the part of a passage around a quote, into input tokens.

CLS, SEP = 101, 102
QUESTION_TOKENS, HEADING_TOKENS, PASSAGE_TOKENS = 48, 24, 160
"""Most tokens of each; the last is the maximum that the reader was trained with."""

_LONGEST_CHARS = 200_000
"""Longer texts are cut before tokenizing; no regular passage has 200 pages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """The input for one passage: `ids` (2, tokens) has token ids, and segment ids (0 or 1) below them.

    `first` is the index of the passage's first token. `offsets` (passage tokens, 2) are the character
    ranges of the passage's tokens in its text.
    """

    ids: NDArray[np.int64]
    first: int
    offsets: NDArray[np.int64]

    def tokens_of(self, sentence: tuple[int, int]) -> NDArray[Any]:
        """A mask (passage tokens,) of the tokens that begin inside this character range."""
        starts = self.offsets[:, 0]
        inside: NDArray[Any] = (starts >= sentence[0]) & (starts < sentence[1])
        return inside


def windows(tokenizer: Tokenizer, question: str, passages: list[ToRead]) -> list[Window]:
    """One window for each passage, around its focus."""
    texts = [question]
    for passage in passages:
        texts += [passage.heading, passage.text]
    clean = [whole_characters(text[:_LONGEST_CHARS]) for text in texts]
    asked, *rest = tokenizer.encode_batch(clean, add_special_tokens=False)
    return [
        _window(asked, heading, text, passage.focus)
        for passage, heading, text in zip(passages, rest[::2], rest[1::2], strict=True)
    ]


def _window(
    question: Encoding, heading: Encoding, text: Encoding, focus: tuple[int, int]
) -> Window:
    head = [CLS, *question.ids[:QUESTION_TOKENS], SEP]
    if heading.ids:
        head += [*heading.ids[:HEADING_TOKENS], SEP]
    offsets = np.array(text.offsets, dtype=np.int64).reshape(-1, 2)
    begin = _begin(offsets, focus)
    tokens = text.ids[begin : begin + PASSAGE_TOKENS]
    ids = np.zeros((2, len(head) + len(tokens) + 1), dtype=np.int64)
    ids[0] = [*head, *tokens, SEP]
    ids[1, len(head) :] = 1
    return Window(ids=ids, first=len(head), offsets=offsets[begin : begin + PASSAGE_TOKENS])


def _begin(offsets: NDArray[np.int64], focus: tuple[int, int]) -> int:
    """The first token of a window centred on the focus, or starting with it if it is longer."""
    if len(offsets) <= PASSAGE_TOKENS:
        return 0
    first, end = np.searchsorted(offsets[:, 0], focus)
    spare = max(0, PASSAGE_TOKENS - int(end - first))
    return max(0, min(int(first) - spare // 2, len(offsets) - PASSAGE_TOKENS))


# The small reader: one transformer that reads question and passage together.

LANGUAGE = "en"
"""The only language that the reader was trained on."""

_START, _END, _SENTENCE, _ANSWERS = range(4)
_SCORES = 4
_LONGEST_ANSWER_TOKENS = 30
"""The reader was not trained on longer answers."""


class SmallReader:
    """Reads passages one at a time, each in one window around its focus.

    The reading of a passage therefore does not depend on the others in the call.
    """

    def __init__(self, *, name: str, tokenizer: Tokenizer, runtime: Runtime) -> None:
        """Raises ModelError for a graph that gives fewer than four scores for each token."""
        if runtime.dimensions < _SCORES:
            raise ModelError(
                f"{name}: gives {runtime.dimensions} scores for a token, and a reader gives {_SCORES} "
                "or more: this is a model for something else"
            )
        self.name = name
        self.runtime = runtime.name
        self._run = runtime.run
        self._tokenizer = tokenizer
        # Caches for one question, because ordering and confidence read the same passages, and a short
        # passage has the same window around each of its sentences.
        self._question, self._readings = "", dict[ToRead, PassageReading]()
        self._logits = dict[bytes, NDArray[np.float32]]()
        self._one_caller = threading.Lock()

    def read(self, question: str, passages: Sequence[ToRead]) -> list[PassageReading]:
        """A reading for each passage, in order."""
        with self._one_caller:
            if question != self._question:
                self._question, self._readings, self._logits = question, {}, {}
            known = self._readings
            new = list(dict.fromkeys(passage for passage in passages if passage not in known))
            packed = windows(self._tokenizer, question, new)
            unread = {one.ids.tobytes(): one.ids for one in packed}
            unread = {key: ids for key, ids in unread.items() if key not in self._logits}
            scores = self._run([*unread.values()]) if unread else []
            self._logits.update(zip(unread, scores, strict=True))
            for passage, window in zip(new, packed, strict=True):
                known[passage] = _reading(passage, window, self._logits[window.ids.tobytes()])
            return [known[passage] for passage in passages]


def _reading(passage: ToRead, window: Window, logits: NDArray[np.float32]) -> PassageReading:
    """The reading from the `logits` (tokens, 4) of the whole pair."""
    inside = logits[window.first : window.first + len(window.offsets)]
    held = [window.tokens_of(sentence) for sentence in passage.sentences]
    return PassageReading(
        answers=sigmoid(float(logits[0, _ANSWERS])),
        sentences=tuple(
            sigmoid(float(inside[tokens, _SENTENCE].mean())) if tokens.any() else None
            for tokens in held
        ),
        short=_short_answer(window, inside),
    )


def _short_answer(window: Window, inside: NDArray[np.float32]) -> ShortAnswer | None:
    """The likeliest span; None for a passage without tokens."""
    if not len(inside):
        return None
    starts, ends = _shares(inside[:, _START]), _shares(inside[:, _END])
    together = np.triu(np.outer(starts, ends))
    together -= np.triu(together, _LONGEST_ANSWER_TOKENS)
    first, last = divmod(int(together.argmax()), len(ends))
    return ShortAnswer(
        start=int(window.offsets[first, 0]),
        end=int(window.offsets[last, 1]),
        probability=min(1.0, float(together[first, last])),
    )


def _shares(logits: NDArray[np.float32]) -> NDArray[Any]:
    """The softmax of logits."""
    powers = np.exp(logits.astype(np.float64) - logits.max())
    shares: NDArray[Any] = powers / powers.sum()
    return shares


# Opens the reader's file after checking its digest.

READER_SHA256 = "e8cf8b3048008647ffa6dbf51373c86a5893305244a8bf5a530e9581b4224345"


def open_small_reader(
    tokenizer: Path,
    cache: Path,
    *,
    runtime: str = "auto",
    threads: int = 0,
    file: Path | None = None,
    sha256: str = READER_SHA256,
) -> SmallReader:
    """The shipped reader, or another file of the same form with its SHA-256.

    `tokenizer` is the default encoder's, `cache` the folder for optimised graphs. Raises ModelError if
    the file is missing, has another digest or cannot be run.
    """
    file = file or Path(__file__).with_name("data") / "reader.onnx"
    try:
        found = hashlib.sha256(read_regular(file, most_bytes=64 * MEBIBYTE)).hexdigest()
    except OSError as error:
        raise ModelError(f"{file}: cannot be read: {error.strerror}") from error
    if found != sha256:
        raise ModelError(
            f"{file}: its SHA-256 is {found}, expected {sha256}; the file is damaged or another "
            "version: reinstall the package"
        )
    graph = GraphFile(path=file, sha256=found, has_small_weights=True)
    return SmallReader(
        name=f"reader/{graph.sha256[:12]}",
        tokenizer=open_tokenizer(tokenizer),
        runtime=open_runtime(runtime, graph, cache, threads=threads),
    )
