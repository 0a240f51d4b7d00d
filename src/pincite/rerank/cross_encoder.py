"""Cross-encoders: one transformer reads question and text together (Nogueira and Cho 2019)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pincite.errors import ModelError
from pincite.graphs.runtimes import Runtime
from pincite.text.search_text import whole_characters

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

FEWEST_TOKENS = 16
"""Less than this does not hold a question and a text."""

_LONGEST_CHARS = 200_000
"""Read at most of one text: a passage of 200 pages means that something went wrong before."""


class CrossEncoder:
    """Scores pairs with a model that was trained to tell whether a text answers a question.

    A model with one value gives a logit, whose sigmoid is the score; one with two gives logits of
    "no" and "yes", and the score is the share of "yes". A text that does not fit beside the
    question is read in several windows and is as good as its best one. A question may take half of
    the window and is cut after that. Every pair is run on its own, so a score depends on nothing
    else that was scored with it.
    """

    kind = "cross_encoder"
    together = 4
    """Enough to keep every core at work."""

    def __init__(
        self, *, name: str, tokenizer: Tokenizer, runtime: Runtime, max_tokens: int
    ) -> None:
        """Raises ModelError for a model that tells more than yes or no."""
        if runtime.dimensions not in (1, 2):
            raise ModelError(
                f"{name}: gives {runtime.dimensions} values for a pair, and a reranker gives 1, or 2 "
                "(no, yes): this is a model for something else"
            )
        self.name = name
        self.runtime = runtime.name
        self._run = runtime.run
        self._tokenizer = tokenizer
        self._room = max_tokens - tokenizer.num_special_tokens_to_add(is_pair=True)

    def score(self, question: str, texts: Sequence[str]) -> list[float]:
        """One in 0..1 for each text, in order."""
        asked = self._encoded([question])[0]
        asked.truncate(max(1, self._room // 2))
        windows = [self._windows(asked, text) for text in self._encoded(texts)]
        values = iter(self._run([window for each in windows for window in each]))
        return [max(self._probability(next(values)) for _ in each) for each in windows]

    def _encoded(self, texts: Sequence[str]) -> list[Encoding]:
        clean = [whole_characters(text[:_LONGEST_CHARS]) for text in texts]
        return self._tokenizer.encode_batch(clean, add_special_tokens=False)

    def _windows(self, asked: Encoding, text: Encoding) -> list[NDArray[np.int64]]:
        """(2, tokens) for each: tokens, and below each 0 or 1 for the question's or the text's."""
        text.truncate(max(1, self._room - len(asked.ids)))
        pairs = [
            self._tokenizer.post_process(asked, window) for window in (text, *text.overflowing)
        ]
        return [np.array([pair.ids, pair.type_ids], dtype=np.int64) for pair in pairs]

    def _probability(self, logits: NDArray[Any]) -> float:
        if not np.isfinite(logits).all():
            raise ModelError(f"{self.name}: gave something that is no number")
        difference = float(logits[0] if len(logits) == 1 else logits[1] - logits[0])
        return sigmoid(difference)


def sigmoid(logit: float) -> float:
    """1 / (1 + exp(-logit)), without overflow."""
    return (1 + math.tanh(logit / 2)) / 2
