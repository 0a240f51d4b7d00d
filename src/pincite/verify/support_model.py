"""How probable is it that the quotes carry a statement?"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache
from typing import Any

from pincite.toml_files import shipped
from pincite.vectors import sigmoid

SUPPORT_MODEL = "support.toml"
"""Written by `python benchmarks/fit_support.py`, which says what it was fitted on."""

_FLOOR = 0.02
"""Added to what is not aligned, so that the logarithm of nothing is finite."""


def support_probability(*, aligned: float, faulty: bool = False) -> float:
    """A value in 0..1, by a logistic model, for statements of which half are supported.

    `aligned` is `Support.aligned`; `faulty` tells that a check of numbers or of meaning failed.
    """
    weight = _model()["weights"]
    score = weight["intercept"] + weight["unaligned"] * unaligned(aligned)
    score += weight["faulty"] * float(faulty)
    return sigmoid(score)


def unaligned(aligned: float) -> float:
    """The logarithm of what is not aligned: from .95 to .99 is a longer way than from .55 to .59."""
    return math.log(_FLOOR + 1 - min(1.0, aligned))


def is_fitted_for(encoder: str) -> bool:
    """Whether the cosines of an encoder of this name mean what the model takes them for."""
    return encoder.startswith(str(_model()["encoder"]))


@cache
def _model() -> Mapping[str, Any]:
    return shipped("verify", SUPPORT_MODEL.removesuffix(".toml"))
