"""Fits calibration and threshold on labelled questions, with exact bounds on the error rate."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from pincite.errors import DatasetError
from pincite.evaluate.answers import is_right
from pincite.evaluate.datasets import Dataset, GoldQuestion
from pincite.library.library import Library
from pincite.pipeline import answer_question
from pincite.records.document import document_id
from pincite.records.flow import Citation, Question
from pincite.verify.abstention.calibration import FEWEST_QUESTIONS, Bound, Calibration

Method = Literal["isotonic", "logistic"]
Points = tuple[tuple[float, float], ...]
Values = NDArray[Any]
Progress = Callable[[str, int, int], None]
Verdict = Callable[[Sequence[Citation]], bool | None]
"""Whether an answer with these quotes is right; None if that is not known."""

_FOLDS = 5
_BINS = 10
_GRID = 101
"""Number of stored points of a logistic curve."""
_FIRST_SHARE = 0.2
_FIRST_ANSWERS = 30
"""The strictest threshold tried lets at least this share and this number of questions through."""
_STEPS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Graded:
    """A labelled question: the built-in model's confidence, and whether the citations are right."""

    confidence: float
    right: bool


def calibrate(
    graded: Sequence[Graded],
    *,
    made_for: str,
    corpus_version: str,
    risk: float = 0.1,
    sureness: float = 0.9,
) -> Calibration:
    """The better of two curves by cross-validated log loss, and a threshold that satisfies `risk`.

    Raises DatasetError for fewer than 100 questions.
    """
    if len(graded) < FEWEST_QUESTIONS:
        raise DatasetError(
            f"{len(graded)} labelled questions have an answer; at least {FEWEST_QUESTIONS} are needed "
            "to estimate how often answers are right: label more with 'pincite eval label'"
        )
    sure = np.array([one.confidence for one in graded])
    right = np.array([one.right for one in graded], dtype=float)
    held_out = {method: _held_out(fit, sure, right) for method, fit in _FITS.items()}
    method = min(held_out, key=lambda name: _log_loss(held_out[name], right))
    return Calibration(
        made_for=made_for,
        corpus_version=corpus_version,
        questions=len(graded),
        method=method,
        curve=_FITS[method](sure, right),
        error=round(calibration_error(held_out[method], right), 4),
        bound=bounded(sure, right, risk=risk, sureness=sureness),
    )


def bounded(sure: Values, right: Values, *, risk: float, sureness: float) -> Bound | None:
    """The lowest threshold that keeps the error rate within `risk`, by fixed-sequence testing.

    Thresholds are tested from strict to lax until one fails, so that the total error probability is at
    most 1 - `sureness` (Angelopoulos et al. 2021, "Learn then Test"). They are confidences of
    questions, chosen without the labels: questions above a threshold are wrong independently and with
    the same probability, as the exact bound requires.
    """
    order = np.argsort(-sure, kind="stable")
    sure, wrong = sure[order], 1 - right[order]
    first = max(_FIRST_ANSWERS, math.ceil(_FIRST_SHARE * len(sure)))
    found = None
    for place in np.unique(np.linspace(first, len(sure), _STEPS).astype(int)):
        threshold = sure[place - 1] if place < len(sure) else 0.0
        # Without the question whose confidence is the threshold.
        above = sure > threshold if place < len(sure) else np.ones(len(sure), dtype=bool)
        answered, lost = int(above.sum()), int(wrong[above].sum())
        if not answered:
            continue
        if upper_bound(lost, answered, sureness) > risk:
            break
        found = Bound(
            risk=risk,
            sureness=sureness,
            threshold=float(np.nextafter(threshold, 1.0)) if threshold else 0.0,
            answered=answered,
            wrong=lost,
        )
    return found


def isotonic(sure: Values, right: Values) -> Points:
    """The increasing curve with the least squared error (isotonic regression).

    Pool adjacent violators (Ayer et al. 1955); each pool is level, with two points. One right and one
    wrong answer are added to each pool, so that few questions give neither 0 nor 1.
    """
    order = np.argsort(sure, kind="stable")
    pools: list[list[float]] = []  # first confidence, last one, sum of right, count
    for confidence, value in zip(sure[order], right[order], strict=True):
        if pools and pools[-1][1] == confidence:
            pools[-1][2] += value
            pools[-1][3] += 1
        else:
            pools.append([confidence, confidence, value, 1.0])
        while len(pools) > 1 and pools[-2][2] / pools[-2][3] >= pools[-1][2] / pools[-1][3]:
            last = pools.pop()
            pools[-1] = [pools[-1][0], last[1], pools[-1][2] + last[2], pools[-1][3] + last[3]]
    levels = np.maximum.accumulate([(hits + 1) / (count + 2) for _, _, hits, count in pools])
    points = []
    for (left, end, _, _), level in zip(pools, levels, strict=True):
        points += [(float(left), float(level)), (float(end), float(level))]
    return tuple(dict.fromkeys(points))


def logistic(sure: Values, right: Values) -> Points:
    """A logistic curve over the log odds of the confidence (Platt 1999), as points."""
    # Platt's targets, with one additional right and one additional wrong answer.
    hits = right.sum()
    goal = np.where(right == 1, (hits + 1) / (hits + 2), 1 / (len(right) - hits + 2))
    odds = np.column_stack([np.ones(len(sure)), _log_odds(sure)])
    coefficients = np.zeros(2)
    for _ in range(30):
        predicted = 1 / (1 + np.exp(-np.clip(odds @ coefficients, -30, 30)))
        curvature = (odds.T * (predicted * (1 - predicted))) @ odds
        gradient = odds.T @ (predicted - goal)
        coefficients -= np.linalg.solve(curvature + 1e-6 * np.eye(2), gradient)
    # A decreasing curve would reverse the order of answers: make it level instead.
    slope = max(0.0, float(coefficients[1]))
    shift = float(coefficients[0]) if slope else float(_log_odds(goal.mean()))
    grid = np.linspace(0, 1, _GRID)
    level = 1 / (1 + np.exp(-(shift + slope * _log_odds(grid))))
    return tuple((float(one), float(other)) for one, other in zip(grid, level, strict=True))


_FITS: dict[Method, Callable[[Values, Values], Points]] = {
    "isotonic": isotonic,
    "logistic": logistic,
}


def _log_odds(share: Values | float) -> Values:
    kept = np.clip(share, 1e-4, 1 - 1e-4)
    odds: Values = np.log(kept / (1 - kept))
    return odds


def _held_out(fit: Callable[[Values, Values], Points], sure: Values, right: Values) -> Values:
    """The predicted probability for each question by a curve fitted without its fold."""
    found = np.zeros(len(sure))
    # Assigned in order of confidence, so that each fold covers the whole range, without randomness.
    fold = np.empty(len(sure), dtype=int)
    fold[np.argsort(sure, kind="stable")] = np.arange(len(sure)) % _FOLDS
    for number in range(_FOLDS):
        curve = np.array(fit(sure[fold != number], right[fold != number]))
        found[fold == number] = np.interp(sure[fold == number], curve[:, 0], curve[:, 1])
    return found


def _log_loss(predicted: Values, right: Values) -> float:
    kept = np.clip(predicted, 1e-6, 1 - 1e-6)
    return float(-np.mean(right * np.log(kept) + (1 - right) * np.log(1 - kept)))


def calibration_error(predicted: Values, right: Values) -> float:
    """Mean difference between confidence and accuracy over ten bins of equal width.

    Expected calibration error (Naeini et al. 2015).
    """
    place = np.minimum((predicted * _BINS).astype(int), _BINS - 1)
    gaps = [
        abs(float(np.sum(predicted[place == one] - right[place == one]))) for one in range(_BINS)
    ]
    return sum(gaps) / len(predicted)


# Exact bounds on a proportion (Clopper and Pearson 1934).

_HALVINGS = 60
"""Bisections of 0..1: more than the precision of a double."""


def tail_up_to(successes: int, trials: int, share: float) -> float:
    """Probability of at most `successes` in `trials`, each with probability `share`."""
    if share <= 0 or successes >= trials:
        return 1.0
    if share >= 1:
        return 0.0
    logs = [
        math.lgamma(trials + 1)
        - math.lgamma(count + 1)
        - math.lgamma(trials - count + 1)
        + count * math.log(share)
        + (trials - count) * math.log1p(-share)
        for count in range(successes + 1)
    ]
    highest = max(logs)
    return min(1.0, math.exp(highest) * math.fsum(math.exp(log - highest) for log in logs))


def upper_bound(successes: int, trials: int, sureness: float) -> float:
    """The one-sided upper confidence bound on a proportion, in 0..1; 1 without trials.

    It is the quantile `sureness` of the beta distribution with `successes` + 1 and `trials` -
    `successes`, found by bisection, since `tail_up_to` is 1 - `sureness` there.
    """
    if successes >= trials:
        return 1.0
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if tail_up_to(successes, trials, middle) > 1 - sureness:
            low = middle
        else:
            high = middle
    return high


# Grading a library's answers to a labelled set, at any confidence.


@dataclass(frozen=True, slots=True, kw_only=True)
class GradedSet:
    """A library's graded answers. `refused` counts questions without an answer at any confidence.

    `basis` and `corpus_version` identify the model and the library.
    """

    graded: tuple[Graded, ...]
    refused: int
    basis: str
    corpus_version: str
    notes: tuple[str, ...]


def grade(library: Library, data: Dataset, progress: Progress | None = None) -> GradedSet:
    """Grade the answers: right if any quote covers a gold span or contains a gold answer.

    If a set has only documents, the first quote must be from one of them. Raises DatasetError if the
    set's documents are not in the library.
    """
    names = _names(library, data)

    def verdict(question: GoldQuestion) -> Verdict:
        return lambda quotes: is_right(quotes, question, lambda found: names.get(found, ()))

    about = [one for one in data.questions if not _is_about_others(one, names)]
    left_out = len(data.questions) - len(about)
    missing = f"left out: {left_out:,} questions about documents that are not in the library"
    notes = (*data.notes, missing) if left_out else data.notes
    asked = [(Question(text=one.text), verdict(one)) for one in about]
    return replace(graded_set(library, asked, progress), notes=notes)


def graded_set(
    library: Library,
    asked: Sequence[tuple[Question, Verdict]],
    progress: Progress | None = None,
) -> GradedSet:
    """Ask each question and grade its answer, at any confidence.

    Answers of which the verdict is None are left out, which a note says.
    """
    stages = library.uncalibrated_stages()
    graded: list[Graded] = []
    refused = unknown = 0
    for number, (question, verdict) in enumerate(asked, start=1):
        answer = answer_question(question, stages)
        right = verdict(answer.citations) if answer.citations else None
        if right is not None:
            graded.append(Graded(confidence=answer.confidence, right=right))
        elif answer.citations:
            unknown += 1
        else:
            refused += 1
        if progress:
            progress("questions", number, len(asked))
    note = f"left out: {unknown:,} questions are answered with quotes of which nobody said anything"
    return GradedSet(
        graded=tuple(graded),
        refused=refused,
        basis=stages.calibration_basis,
        corpus_version=library.catalog.meta("corpus_version"),
        notes=(note,) if unknown else (),
    )


def _names(library: Library, data: Dataset) -> Mapping[str, Sequence[str]]:
    """Ids in the set for each document of the library, by id or by the bytes of a text file."""
    held = {entry.document_id for entry in library.files()}
    found: dict[str, list[str]] = defaultdict(list)
    for document in data.documents:
        of_text = document_id(document.text.encode("utf-8", "replace"))[0]
        for identifier in dict.fromkeys((document.id, of_text)):
            if identifier in held:
                found[identifier].append(document.id)
    if not found:
        raise DatasetError(
            f"{data.name}: none of its {len(data.documents):,} documents is in {library.path}; "
            "expected a set made with 'pincite eval label' from this library, or one whose "
            "documents were ingested as text files"
        )
    return found


def _is_about_others(question: GoldQuestion, names: Mapping[str, Sequence[str]]) -> bool:
    """Whether all relevant documents are missing from the library."""
    known = {name for found in names.values() for name in found}
    return bool(question.relevant) and not known & set(question.relevant)
