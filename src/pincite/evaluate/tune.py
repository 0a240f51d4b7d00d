"""Fits the weights of the order of hits to a library's own labels, where that is shown to help."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from pincite.errors import DatasetError
from pincite.evaluate.calibrate import Progress
from pincite.evaluate.feedback import Told
from pincite.library.library import Library
from pincite.pipeline import search
from pincite.records.flow import Hit, Question

FEWEST_LABELS = 30
"""Questions; with fewer, no gain of a usual size can be told from chance."""

_ALPHAS = (0.2, 0.35, 0.5, 0.65, 0.8)
_WEIGHTS = (0.5, 0.65, 0.8, 0.9, 1.0)
_FOLDS = 5
_RESAMPLED = 2_000
_SEED = 20
_SURE = 0.95
_DEPTH = 10

Holds = Callable[[Hit], bool]
Values = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """The share of BM25 in fusion, and that of the reranker in the score; both in 0..1."""

    alpha: float
    rerank: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuned:
    """The weights that suit the labels best, and what they are worth.

    Mean reciprocal ranks of the first hit that answers, in 0..1: `before` of the present weights,
    `held_out` of weights that were chosen without the question. `least_gain` is the lower bound of the
    gain at 95 %: only above 0 do the weights help.
    """

    questions: int
    present: Weights
    best: Weights
    before: float
    held_out: float
    least_gain: float

    @property
    def helps(self) -> bool:
        """Whether other weights help for certain."""
        return self.least_gain > 0 and self.best != self.present


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """A question with what tells whether a hit answers it."""

    question: Question
    holds: Holds


def labels_of(library: Library, told: Sequence[Told]) -> list[Label]:
    """The questions of which it is known where their answer stands."""

    def label(one: Told) -> Label:
        return Label(
            question=Question(text=one.question, collection=one.collection),
            holds=lambda hit: one.holds(
                hit.passage.span, library.catalog.text_of(hit.passage.span)
            ),
        )

    return [label(one) for one in told if one.right or one.corrections]


def tune(library: Library, labels: Sequence[Label], progress: Progress | None = None) -> Tuned:
    """Try other weights on the labels, each question with weights chosen without it.

    Raises DatasetError for fewer than 30 labels.
    """
    if len(labels) < FEWEST_LABELS:
        raise DatasetError(
            f"{len(labels)} questions have a known answer; at least {FEWEST_LABELS} are needed to tell "
            "a gain from chance: label more with 'pincite eval label', or gather feedback"
        )
    chosen = library.settings
    present = Weights(alpha=chosen.retrieval.alpha, rerank=chosen.rerank.weight)
    tried = [present, *(one for one in _candidates() if one != present)]
    ranks: dict[Weights, Values] = {}
    for number, weights in enumerate(tried, start=1):
        ranks[weights] = _reciprocal_ranks(library, weights, labels)
        if progress:
            progress("weights", number, len(tried))
    held_out = _held_out(ranks, len(labels))
    gains = held_out - ranks[present]
    return Tuned(
        questions=len(labels),
        present=present,
        best=_best(ranks, np.ones(len(labels), dtype=bool)),
        before=float(ranks[present].mean()),
        held_out=float(held_out.mean()),
        least_gain=_lower_bound(gains),
    )


def _candidates() -> Iterator[Weights]:
    for alpha, rerank in product(_ALPHAS, _WEIGHTS):
        yield Weights(alpha=alpha, rerank=rerank)


def _reciprocal_ranks(library: Library, weights: Weights, labels: Sequence[Label]) -> Values:
    settings = library.settings
    settings = settings.model_copy(
        update={
            "retrieval": settings.retrieval.model_copy(update={"alpha": weights.alpha}),
            "rerank": settings.rerank.model_copy(update={"weight": weights.rerank}),
        }
    )
    stages = library.stages_with(settings)

    def rank(label: Label) -> float:
        hits = search(label.question, stages).hits[:_DEPTH]
        return next((1 / place for place, hit in enumerate(hits, 1) if label.holds(hit)), 0.0)

    return np.array([rank(label) for label in labels])


def _best(ranks: Mapping[Weights, Values], used: NDArray[np.bool_]) -> Weights:
    """The weights with the best mean over the questions used; the present ones among equals."""
    return max(ranks, key=lambda weights: round(float(ranks[weights][used].mean()), 9))


def _held_out(ranks: Mapping[Weights, Values], questions: int) -> Values:
    found = np.zeros(questions)
    fold = np.arange(questions) % _FOLDS
    for number in range(_FOLDS):
        own = fold == number
        found[own] = ranks[_best(ranks, ~own)][own]
    return found


def _lower_bound(gains: Values) -> float:
    """The lower bound of the mean at 95 %, by the bootstrap (Efron 1979) with a fixed seed."""
    order = np.random.default_rng(_SEED).integers(0, len(gains), (_RESAMPLED, len(gains)))
    return float(np.quantile(gains[order].mean(axis=1), 1 - _SURE))
