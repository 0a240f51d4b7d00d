"""The small reader: one transformer that reads question and passage together."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pincite.errors import ModelError
from pincite.models.inference.runtimes import Runtime
from pincite.models.vectors import sigmoid
from pincite.rerank.reader.windows import Window, windows
from pincite.stages import PassageReading, ShortAnswer, ToRead

if TYPE_CHECKING:
    from tokenizers import Tokenizer

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
