"""Cross-encoders: one transformer reads question and text together (Nogueira and Cho 2019)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

from pincite.errors import ModelError
from pincite.graphs.pairs import PairReader
from pincite.vectors import sigmoid


class CrossEncoder:
    """Scores pairs with a model that was trained to tell whether a text answers a question.

    A model with one value gives a logit, whose sigmoid is the score; one with two gives logits of
    "no" and "yes", and the score is the share of "yes". A text that is read in several windows is
    as good as its best one.
    """

    kind = "cross_encoder"
    together = 4
    """Enough to keep every core at work."""

    def __init__(self, pairs: PairReader) -> None:
        """Raises ModelError for a model that tells more than yes or no."""
        if pairs.values not in (1, 2):
            raise ModelError(
                f"{pairs.name}: gives {pairs.values} values for a pair, and a reranker gives 1, or 2 "
                "(no, yes): this is a model for something else"
            )
        self.name = pairs.name
        self.runtime = pairs.runtime
        self._pairs = pairs

    def score(self, question: str, texts: Sequence[str]) -> list[float]:
        """One in 0..1 for each text, in order."""
        read = self._pairs.read(question, texts)
        return [max(_probability(logits) for logits in windows) for windows in read]


def _probability(logits: NDArray[Any]) -> float:
    return sigmoid(float(logits[0] if len(logits) == 1 else logits[1] - logits[0]))
