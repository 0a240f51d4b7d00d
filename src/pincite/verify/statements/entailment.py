"""Does a model that was trained for it find that the quotes say so? It is optional."""

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
"""The recipe counts up when pairs are prepared in another way, which changes what is found."""
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
"""How labels begin, or what they hold, in lower case; what says no is looked for first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entailment:
    """What a model finds; both in 0..1. `contradicted` is 0 where a model does not tell it."""

    supported: float
    contradicted: float = 0.0


class EntailmentModel:
    """Judges statements by natural language inference (Bowman et al. 2015) or as consistent or not.

    The quotes are the premise, which the model reads first, the statement is the hypothesis. With
    three values for a pair, the model's labels say which is which; with two, which one says yes;
    one value is the logit of "consistent". Quotes that are read in several windows say what the
    window says that supports the statement most.
    """

    def __init__(self, pairs: PairReader, labels: Sequence[str]) -> None:
        """`labels` in the order of the values. Raises ModelError when they do not say enough."""
        self.name = pairs.name
        self.runtime = pairs.runtime
        self._pairs = pairs
        self._yes, self._contradiction = _places(pairs, labels)

    def judge(self, statement: str, premise: str) -> Entailment:
        """Whether the premise carries the statement."""
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
    """The model in a folder, or the one of an .onnx file in it. `cache` is for prepared graphs.

    Raises ModelError when something is missing, cannot be run, or does not say what its values mean.
    """
    pairs = open_pair_reader(
        place,
        cache,
        _USE,
        max_tokens=_LONGEST_WINDOW,
        runtime=runtime,
        threads=threads,
    )
    beside = tokenizer_beside(place if place.is_dir() else place.parent).parent
    told = json_file(beside / "config.json", {}).get("id2label", {})
    if not isinstance(told, dict):
        raise ModelError(f"{beside / 'config.json'}: its id2label is {told!r}; expected an object")
    return EntailmentModel(pairs, [str(told.get(str(row), "")) for row in range(pairs.values)])


def _places(pairs: PairReader, labels: Sequence[str]) -> tuple[int, int | None]:
    """Where the values of "yes" and of "contradicted" stand; None where nothing tells the latter."""
    if pairs.values == 1:
        return 0, None
    if pairs.values not in (2, 3):
        raise ModelError(
            f"{pairs.name}: gives {pairs.values} values for a pair; a model of {_USE.setting} gives 3 "
            "(entailment, neutral, contradiction), 2 (supported or not) or 1: this is a model for "
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
            "write there what each value means, as the model's page tells it"
        )
    return yes[0], against[0] if against else None


def _says(label: str, parts: Sequence[str]) -> bool:
    return any(part in label for part in parts)
