"""Fits the confidence models on the open sets and writes the shipped file.

    python benchmarks/fit_confidence.py            # fit, print figures, write confidence.toml
    python benchmarks/fit_confidence.py --check    # figures only

Four kinds of questions: a set's own that its documents answer, adversarial ones that they do not
(if the set has any), the own ones with their documents removed, and questions of other sets.
Positive: some cited sentence contains the gold answer; for the models that decide on doubt: the first
one does. Within a set the kinds are weighted by WEIGHTS,
own questions with wrong quotes by a quarter of that; squad2-open, the only large set of adversarial
questions, counts as six sets. The scale is fitted afterwards, for a mix with three quarters answerable
questions. Printed figures are for sets left out of the fit; squad2-open is also split by article.
A stance's threshold keeps a share of the right answers (STANCES) in the median set, with models that
were not fitted on it.
A separate model is fitted for scripts that the encoder does not read: benchmarks/unread_cases.py.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from abstention_cases import Case, cases
from numpy.typing import NDArray
from unread_cases import SETS as UNREAD
from unread_cases import unread_cases

import pincite.verify.abstention
from pincite.evaluate.measures import auroc
from pincite.settings.loading import Layer
from pincite.verify.abstention.decision import (
    MODELS_FILE,
    OF_FIRST,
    OF_FIRST_READ,
    READ,
    SIGNALS,
)

SETS = (
    "squad2-open",
    "clapnq-open",
    "multihoprag-open",
    "mtrag-un-open",
    "nq-open",
    "xquad-open",
    "hotpotqa-sample",
    "pdfqa-open",
    "product-docs",
    "legalbench-open",
    "chunkeval",
)
FITTED = tuple(name for name in SETS if name not in ("legalbench-open", "chunkeval"))
"""Without sets of few long documents: with one of them taken away nothing near is left."""
TOGETHER = ({"squad2-open", "xquad-open"}, {"nq-open", "clapnq-open", "mtrag-un-open"})
"""Sets made of the same documents or questions: left out of a fit together."""

WEIGHTS = {"own": 0.5, "unanswerable": 0.5, "removed": 0.1, "foreign": 0.35}
OF_FIRST_WEIGHTS = {"own": 1.0, "unanswerable": 0.5, "removed": 0.25, "foreign": 0.1}
UNDOUBTED = 0.75
"""Share of the questions whose first quote is right that are answered without doubt."""
SET_WEIGHTS = {"squad2-open": 6.0}
WRONG_QUOTES = 0.25
ANSWERABLE = 0.75
SPEAKS_AGAINST = {"faint", "elsewhere", "unknown", "numbers", "negated", "opposed"}
"""The others speak for an answer; neither may count the other way."""
RIDGE = 1e-3
"""On standardised signals."""
ARTICLE_FOLDS = 3
STANCES = {"strict": 0.7, "balanced": 0.92, "eager": 0.99}
"""Share of the right answers that is shown."""
DEFAULTS, FEW = ("late_interaction", "late_interaction_read"), 150
"""These are fitted on all questions, the others on so many of each set."""
UNREAD_TITLE = "late_unread"
OF_A_LANGUAGE = 60
"""Questions in each language that the encoder does not read."""

CONFIGURATIONS: Mapping[str, Layer] = {
    "term_coverage": {"embedding": {"model": "none"}, "rerank": {"method": "term_coverage"}},
    "sentence_cosine": {"rerank": {"method": "sentence_cosine"}},
    "late_interaction": {"verification": {"reader": "none"}},
    "late_interaction_read": {},
}

Rows = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Part:
    """Questions of one set: signals (with 1 in front), labels, kinds, weights, documents."""

    x: Rows
    y: Rows
    kind: NDArray[np.str_]
    weight: Rows
    natural: Rows
    group: NDArray[np.str_]
    signals: tuple[str, ...]

    def some(self, chosen: NDArray[np.bool_]) -> Part:
        """Some of the questions."""
        names = ("x", "y", "kind", "weight", "natural", "group")
        kept = {name: getattr(self, name)[chosen] for name in names}
        return Part(**kept, signals=self.signals)


def part(
    name: str, found: list[Case], signals: tuple[str, ...] = READ, *, of_first: bool = False
) -> Part:
    """The questions of a set, weighed."""
    # A question in another language than the reader's is weighed by the model without it.
    is_read = "answers" in signals
    found = [case for case in found if bool(case.signals.read) == is_read]
    values = [case.signals.values() for case in found]
    x = np.array([[1.0, *(each[signal] for signal in signals)] for each in values])
    y = np.array([case.first if of_first else case.right for case in found], dtype=float)
    kind = np.array([case.kind for case in found])
    weight, natural = np.zeros(len(y)), np.zeros(len(y))
    kinds = set(kind)
    for one in kinds:
        here = kind == one
        weight[here] = (OF_FIRST_WEIGHTS if of_first else WEIGHTS)[one] / here.sum()
        share = ANSWERABLE if one == "own" else (1 - ANSWERABLE) / (len(kinds) - 1)
        natural[here] = share / here.sum()
    weight[(kind == "own") & (y == 0)] *= 1.0 if of_first else WRONG_QUOTES
    return Part(
        x=x,
        y=y,
        kind=kind,
        weight=weight * SET_WEIGHTS.get(name, 1.0),
        natural=natural,
        group=np.array([case.group for case in found]),
        signals=signals,
    )


def newton(x: Rows, y: Rows, weight: Rows, ridge: float) -> Rows:
    """Logistic regression; the first column, of ones, is not held back."""
    weight = weight / weight.sum()
    coefficients = np.zeros(x.shape[1])
    held_back = np.full(x.shape[1], ridge)
    held_back[0] = 0.0
    for _ in range(25):
        predicted = 1 / (1 + np.exp(-np.clip(x @ coefficients, -30, 30)))
        gradient = x.T @ (weight * (predicted - y)) + held_back * coefficients
        curvature = (x.T * (weight * predicted * (1 - predicted))) @ x + np.diag(held_back)
        coefficients -= np.linalg.solve(curvature + 1e-9 * np.eye(len(curvature)), gradient)
    return coefficients


def with_signs(x: Rows, y: Rows, weight: Rows, signals: Sequence[str]) -> Rows:
    """Coefficients, of which those that would have a sign that makes no sense are 0."""
    kept = np.ones(x.shape[1], dtype=bool)
    while True:
        order = np.zeros(x.shape[1])
        order[kept] = newton(x[:, kept], y, weight, RIDGE)
        wrong = order * np.array([0, *(-1 if s in SPEAKS_AGAINST else 1 for s in signals)]) < 0
        if not wrong.any():
            return order
        kept &= ~wrong


def fit(parts: list[Part]) -> Rows:
    """Coefficients for the signals as they are: order first, then the scale for a natural mix."""
    x, y = np.concatenate([p.x for p in parts]), np.concatenate([p.y for p in parts])
    mean, spread = x[:, 1:].mean(axis=0), x[:, 1:].std(axis=0) + 1e-9
    standard = np.column_stack([x[:, 0], (x[:, 1:] - mean) / spread])
    weight = np.concatenate([p.weight for p in parts])
    order = with_signs(standard, y, weight, parts[0].signals)
    score = standard @ order
    natural = np.concatenate([p.natural for p in parts])
    shift, scale = newton(np.column_stack([np.ones(len(score)), score]), y, natural, 0.0)
    slopes = scale * order[1:] / spread
    return np.concatenate([[shift + scale * order[0] - slopes @ mean], slopes])


def without(parts: Mapping[str, Part], name: str) -> list[Part]:
    """The sets that share nothing with this one."""
    akin = next((group for group in TOGETHER if name in group), {name})
    return [found for other, found in parts.items() if other not in akin]


def by_articles(parts: Mapping[str, Part], name: str) -> Rows:
    """Scores of a set's questions by models that saw other articles of it, and the other sets."""
    own = parts[name]
    articles = sorted(set(own.group))
    fold = np.array([articles.index(group) % ARTICLE_FOLDS for group in own.group])
    scores = np.zeros(len(own.y))
    for number in range(ARTICLE_FOLDS):
        rest = own.some(fold != number)
        scores[fold == number] = own.x[fold == number] @ fit([*without(parts, name), rest])
    return scores


def threshold(parts: Sequence[Part], unseen: Sequence[Rows], kept: float) -> float:
    """The confidence that this share of right answers reaches in the middle one of the sets.

    Not in all sets together: one of which the model is never sure would make all others lax.
    """
    levels = [
        np.quantile(1 / (1 + np.exp(-scores[own.y == 1])), 1 - kept)
        for own, scores in zip(parts, unseen, strict=True)
    ]
    return float(np.median(levels))


def figures(own: Part, scores: Rows, least: float) -> str:
    """Area under the ROC curve against each kind, and what is answered from a confidence on."""
    answered = 1 / (1 + np.exp(-scores)) >= least
    told = []
    for kind in ("unanswerable", "removed", "foreign"):
        area = auroc(list(scores[own.kind == "own"]), list(scores[own.kind == kind]))
        told.append(
            f"{kind[:4]} {area:.3f} ({answered[own.kind == kind].mean():.2f})"
            if area is not None
            else " " * 17
        )
    right = answered[own.y == 1].mean()
    error = calibration_error(1 / (1 + np.exp(-scores)), own.y, own.natural)
    first = [list(scores[(own.kind == "own") & (own.y == one)]) for one in (1, 0)]
    told.append(
        f"wrong {auroc(*first) or 0:.3f} ({answered[(own.kind == 'own') & (own.y == 0)].mean():.2f})"
    )
    return "  ".join([*told, f"right answered {right:.2f}", f"calibration error {error:.3f}"])


def calibration_error(sure: Rows, right: Rows, weight: Rows, bins: int = 10) -> float:
    """Mean distance of confidence and share right, over equally wide bins (Naeini et al. 2015)."""
    place = np.minimum((sure * bins).astype(int), bins - 1)
    gaps = [
        abs(np.sum(weight[place == one] * (sure[place == one] - right[place == one])))
        for one in range(bins)
    ]
    return float(np.sum(gaps) / weight.sum())


@dataclass(frozen=True, kw_only=True)
class Model:
    """What is shipped of one way of scoring: coefficients, intercept first, and the thresholds."""

    coefficients: Rows
    thresholds: Mapping[str, float]
    signals: tuple[str, ...]


def model_of(parts: Mapping[str, Part], unseen: Mapping[str, Rows], *, of_first: bool) -> Model:
    """Fitted on all sets; thresholds by scores of models that had not seen the set. Prints figures."""
    own = [parts[name] for name in unseen]
    shares = {"doubt": UNDOUBTED} if of_first else STANCES
    least = {name: threshold(own, list(unseen.values()), kept) for name, kept in shares.items()}
    for name, scores in unseen.items():
        told = figures(parts[name], scores, least["doubt" if of_first else "balanced"])
        print(f"  {name:<18} {told}", flush=True)
    print("  " + ", ".join(f"{name} from {level:.2f}" for name, level in least.items()))
    return Model(coefficients=fit(list(parts.values())), thresholds=least, signals=own[0].signals)


def unseen_scores(parts: Mapping[str, Part], name: str) -> Rows:
    """By a model without the set; of squad2-open, without the articles asked about."""
    if name == "squad2-open":
        return by_articles(parts, name)
    return parts[name].x @ fit(without(parts, name))


def models_for(title: str, found: Mapping[str, list[Case]]) -> dict[str, Model]:
    """The models for one way of scoring: that of the answer, and that of its first quote."""
    models = {}
    for suffix in ("", "_first"):
        is_read, of_first = title.endswith("_read"), bool(suffix)
        signals = READ if is_read else SIGNALS
        if of_first:
            signals = (*signals, *(OF_FIRST_READ if is_read else OF_FIRST))
        parts = {
            name: part(name, cases, signals, of_first=of_first) for name, cases in found.items()
        }
        unseen = {name: _unseen(title, parts, name) for name in parts}
        print(f"\n{title}{suffix}")
        models[title + suffix] = model_of(parts, unseen, of_first=of_first)
    return models


def _unseen(title: str, parts: Mapping[str, Part], name: str) -> Rows:
    if title != UNREAD_TITLE:
        return unseen_scores(parts, name)
    return parts[name].x @ fit([found for other, found in parts.items() if other != name])


def as_toml(models: Mapping[str, Model]) -> str:
    """The file that is shipped."""
    lines = [
        "# Logistic models over the signals (signals.py), by what gave sentences their scores, and the",
        "# confidence that each stance asks for; `_first`: whether the first quote is right, and below",
        "# which confidence that is in doubt.",
        "# Written by `python benchmarks/fit_confidence.py`; not to be edited.",
        "",
    ]
    for title, model in models.items():
        named = zip(("intercept", *model.signals), model.coefficients, strict=True)
        lines += [f"[{title}]"]
        lines += [f"{name} = {value:.3f}" for name, value in (*named, *model.thresholds.items())]
        lines += [""]
    return "\n".join(lines)


def main() -> None:
    """Fit all of them."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--check", action="store_true", help="do not write the file")
    chosen = asked.parse_args()
    models: dict[str, Model] = {}
    for title, overrides in CONFIGURATIONS.items():
        most = None if title in DEFAULTS else FEW
        models |= models_for(title, {name: cases(name, SETS, overrides, most) for name in FITTED})
    unread = {name: unread_cases(name, OF_A_LANGUAGE) for name in UNREAD}
    models |= models_for(UNREAD_TITLE, unread)
    if not chosen.check:
        shipped = Path(pincite.verify.abstention.__file__).parent / MODELS_FILE
        shipped.write_text(as_toml(models), encoding="utf-8")
        print(f"\nwritten: {shipped}")


if __name__ == "__main__":
    main()
