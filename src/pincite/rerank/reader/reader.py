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


# Packs a question and the part of a passage around a quote into the tokens that the reader sees.

CLS, SEP = 101, 102
QUESTION_TOKENS, HEADING_TOKENS, PASSAGE_TOKENS = 48, 24, 160
"""Read at most of each; the last is the longest that the reader was taught with."""

_LONGEST_CHARS = 200_000
"""Looked at, at most, of one text: a passage of 200 pages means that something went wrong before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """Tokens (2, tokens), below each 0 or 1 for its segment; `first` is the passage's first.

    `offsets` (passage tokens, 2) are the characters of each of the passage's tokens in its text.
    """

    ids: NDArray[np.int64]
    first: int
    offsets: NDArray[np.int64]

    def tokens_of(self, sentence: tuple[int, int]) -> NDArray[Any]:
        """Which of the window's passage tokens begin inside these characters: (passage tokens,)."""
        starts = self.offsets[:, 0]
        inside: NDArray[Any] = (starts >= sentence[0]) & (starts < sentence[1])
        return inside


def windows(tokenizer: Tokenizer, question: str, passages: list[ToRead]) -> list[Window]:
    """One window of each passage, around what is to be quoted of it."""
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
    """Where a window begins that has the focus in its middle, or its beginning if it is longer."""
    if len(offsets) <= PASSAGE_TOKENS:
        return 0
    first, end = np.searchsorted(offsets[:, 0], focus)
    spare = max(0, PASSAGE_TOKENS - int(end - first))
    return max(0, min(int(first) - spare // 2, len(offsets) - PASSAGE_TOKENS))


# The small reader: one transformer that reads question and passage together.

LANGUAGE = "en"
"""The only one that the reader was taught."""

_START, _END, _SENTENCE, _ANSWERS = range(4)
_SCORES = 4
_LONGEST_ANSWER_TOKENS = 30
"""What is longer is no short answer; the reader was taught none."""


class SmallReader:
    """Reads passages one at a time, each in one window around what is to be quoted of it.

    So what it says of a passage does not depend on the others that it reads.
    """

    def __init__(self, *, name: str, tokenizer: Tokenizer, runtime: Runtime) -> None:
        """Raises ModelError for a graph that gives other scores than the reader's four."""
        if runtime.dimensions != _SCORES:
            raise ModelError(
                f"{name}: gives {runtime.dimensions} scores for a token, and a reader gives {_SCORES}: "
                "this is a model for something else"
            )
        self.name = name
        self.runtime = runtime.name
        self._run = runtime.run
        self._tokenizer = tokenizer
        # Order and confidence ask for the same passages of one question.
        self._asked, self._said = "", dict[ToRead, PassageReading]()
        self._one_caller = threading.Lock()

    def read(self, question: str, passages: Sequence[ToRead]) -> list[PassageReading]:
        """What it says of each passage, in order."""
        with self._one_caller:
            if question != self._asked:
                self._asked, self._said = question, {}
            said = self._said
            new = list(dict.fromkeys(passage for passage in passages if passage not in said))
            packed = windows(self._tokenizer, question, new)
            scores = self._run([window.ids for window in packed])
            for passage, window, logits in zip(new, packed, scores, strict=True):
                said[passage] = _reading(passage, window, logits)
            return [said[passage] for passage in passages]


def _reading(passage: ToRead, window: Window, logits: NDArray[np.float32]) -> PassageReading:
    """`logits` is (tokens, 4) of the whole pair."""
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
    """The likeliest span; None for a passage without a word."""
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
    """Of 1 for each token, by the exponentials of its logits."""
    powers = np.exp(logits.astype(np.float64) - logits.max())
    shares: NDArray[Any] = powers / powers.sum()
    return shares


# Finds the reader's file, proves that it is the one we tested, and opens it.

READER_SHA256 = "b45fd44bc49275a10c2425fcdadc0a364251297498dedf74207bbe5352597aff"


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

    `tokenizer` is the default encoder's, `cache` the folder for prepared graphs. Raises ModelError when
    the file is missing, differs or cannot be run.
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
