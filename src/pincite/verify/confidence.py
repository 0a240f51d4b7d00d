"""How sure may we be that the quotes answer the question?"""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from pincite.vectors import sigmoid
from pincite.verify.signals import Signals

SIGNALS = (
    "sentence",
    "faint",
    "coverage",
    "elsewhere",
    "agreement",
    "unknown",
    "numbers",
    "negated",
    "opposed",
)
MODELS_FILE = "confidence.toml"
"""Written by `python benchmarks/fit_confidence.py`, which says what it was fitted on."""


def confidence(signals: Signals) -> float:
    """A value in 0..1, by a logistic model. Not calibrated on the user's own documents."""
    model = _models()[signals.scored_by]
    score = model["intercept"] + sum(model[name] * getattr(signals, name) for name in SIGNALS)
    return sigmoid(score)


def threshold(stance: str, scored_by: str) -> float:
    """The confidence that a stance asks for, where sentences were scored in this way."""
    return _models()[scored_by][stance]


def models_digest() -> str:
    """Identifies the shipped models: what was calibrated with others says nothing."""
    return hashlib.sha256(_file().encode()).hexdigest()[:16]


@cache
def _models() -> Mapping[str, Mapping[str, float]]:
    """Coefficients by what gave the sentences their scores."""
    return tomllib.loads(_file())


def _file() -> str:
    return files("pincite.verify").joinpath(MODELS_FILE).read_text(encoding="utf-8")
