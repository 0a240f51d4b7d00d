"""Optional check of statements by a natural language inference model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pincite.errors import ModelError
from pincite.models.inference.files import json_file, tokenizer_beside
from pincite.models.inference.pairs import PairReader, PairUse, open_pair_reader
from pincite.models.vectors import sigmoid

_USE = PairUse(setting="verification.nli_model", recipe="entailment/1", first="long")
"""The recipe number changes with the preparation of pairs, which changes the results."""
_LONGEST_WINDOW = 512

_CONTRADICTION = ("contradict",)
_NO = (
    "not",
    "non",
    "hallucinat",
    "inconsistent",
    "unsupported",
    "refute",
    "neutral",
    *_CONTRADICTION,
)
_YES = ("entail", "consistent", "support", "factual")
"""Parts of labels, in lower case; negative ones are looked for first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entailment:
    """Probabilities in 0..1. `contradicted` is 0 if the model does not give it."""

    supported: float
    contradicted: float = 0.0


class EntailmentModel:
    """Judges statements by natural language inference (Bowman et al. 2015) or factual consistency.

    The quotes are the premise, which the model reads first, and the statement is the hypothesis.
    With two or three values for a pair, the model's labels identify them; one value is the logit
    of "consistent". If the quotes need several windows, the most supportive one counts.
    """

    def __init__(self, pairs: PairReader, labels: Sequence[str]) -> None:
        """`labels` in the order of the values. Raises ModelError if they are not clear."""
        self.name = pairs.name
        self.runtime = pairs.runtime
        self._pairs = pairs
        self._yes, self._contradiction = _places(pairs, labels)

    def judge(self, statement: str, premise: str) -> Entailment:
        """Probabilities that the premise supports or contradicts the statement."""
        found = [self._entailment(logits) for logits in self._pairs.read(statement, [premise])[0]]
        return max(found, key=lambda one: one.supported)

    def _entailment(self, logits: NDArray[Any]) -> Entailment:
        if len(logits) == 1:
            return Entailment(supported=sigmoid(float(logits[0])))
        raised = np.exp(logits.astype(np.float64) - float(logits.max()))
        shares = raised / raised.sum()
        against = 0.0 if self._contradiction is None else float(shares[self._contradiction])
        return Entailment(supported=float(shares[self._yes]), contradicted=against)


def open_entailment_model(
    place: Path, cache: Path, *, runtime: str = "auto", threads: int = 0
) -> EntailmentModel:
    """Opens the model in a folder, or an .onnx file in one. `cache` stores optimised graphs.

    Raises ModelError if a file is missing, the model cannot run, or its labels are not clear.
    """
    pairs = open_pair_reader(
        place,
        cache,
        _USE,
        max_tokens=_LONGEST_WINDOW,
        runtime=runtime,
        threads=threads,
    )
    config = tokenizer_beside(place if place.is_dir() else place.parent).parent / "config.json"
    labels = json_file(config, {}).get("id2label", {})
    if not isinstance(labels, dict):
        raise ModelError(f"{config}: its id2label is {labels!r}; expected an object")
    return EntailmentModel(pairs, [str(labels.get(str(row), "")) for row in range(pairs.values)])


def _places(pairs: PairReader, labels: Sequence[str]) -> tuple[int, int | None]:
    """Indexes of the values for "supported" and "contradicted"; None if the latter is missing."""
    if pairs.values == 1:
        return 0, None
    if pairs.values not in (2, 3):
        raise ModelError(
            f"{pairs.name}: gives {pairs.values} values for a pair; a model of {_USE.setting} gives 3 "
            "(entailment, neutral, contradiction), 2 (supported or not) or 1: this model is for "
            "something else"
        )
    lowered = [label.lower() for label in labels]
    against = [row for row, label in enumerate(lowered) if _says(label, _CONTRADICTION)]
    yes = [row for row, label in enumerate(lowered) if _says(label, _YES) and not _says(label, _NO)]
    if len(yes) != 1 or len(against) > 1 or (pairs.values == 3 and not against):
        named = ", ".join(repr(label) for label in labels)
        raise ModelError(
            f"{pairs.name}: its config.json calls its values {named}; expected id2label with "
            "entailment, neutral and contradiction, or with two such as consistent and hallucinated: "
            "write there what each value means, as given on the model's page"
        )
    return yes[0], against[0] if against else None


def _says(label: str, parts: Sequence[str]) -> bool:
    return any(part in label for part in parts)
