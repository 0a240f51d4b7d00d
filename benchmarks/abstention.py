"""Measures how well Pincite abstains when it should. Figures for docs/abstention.md.

    python benchmarks/abstention.py

For each open set, with models fitted without it (squad2-open: without the articles asked about): what
is shown without doubt; the area under the ROC curve of answerable questions against those that the
documents do not answer; how many of each kind are answered; the share of wrong answers when a part of
the questions is refused; the expected calibration error; how often, over 20 random halves, a bound
found on one half (at most 10 to 40 % wrong, at 90 % confidence) held on the other; and how often it
held over 1,000 draws of questions.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Mapping

import numpy as np
from abstention_cases import Case, cases
from fit_confidence import (
    FITTED,
    SETS,
    STANCES,
    UNDOUBTED,
    Part,
    Rows,
    part,
    threshold,
    unseen_scores,
)
from numpy.typing import NDArray

from pincite.evaluate.calibrate import Graded, bounded, calibrate, calibration_error
from pincite.evaluate.measures import auroc, risk_coverage
from pincite.verify.abstention.decision import OF_FIRST_READ, READ

SHARES = (0.25, 0.5, 0.75, 1.0)
RISKS = (0.1, 0.2, 0.3, 0.4)
HALVES = 20
DRAWS = 1000
SURENESS = 0.9
FEWEST = 200
"""Questions of a set of which one half is to be calibrated on."""


def areas(own: Part, sure: Rows) -> str:
    """AUROC against each kind of question that is not answered."""
    told = []
    for kind in ("unanswerable", "removed", "foreign"):
        area = auroc(list(sure[own.kind == "own"]), list(sure[own.kind == kind]))
        told.append(f"{area:.3f}" if area is not None else "  -  ")
    return " | ".join(told)


def answered(own: Part, sure: Rows, least: float) -> str:
    """Share of each kind of question that is answered from a confidence on."""
    told = []
    for kind in ("own", "unanswerable", "removed", "foreign"):
        here = own.kind == kind
        told.append(f"{(sure[here] >= least).mean():.2f}" if here.any() else "  - ")
    return " | ".join(told)


def stances(scores: Rows, right: Rows, levels: Mapping[str, float]) -> str:
    """For each stance: the share of right answers that is shown, and the share wrong of what is."""
    told = []
    for least in levels.values():
        shown = scores >= least
        kept = shown[right == 1].mean()
        wrong = f"{1 - right[shown].mean():.2f}" if shown.any() else "-"
        told.append(f"{shown.mean():.2f} | {kept:.2f} | {wrong}")
    return " | ".join(told)


def natural(own: Part) -> NDArray[np.bool_]:
    """The questions that people wrote for a set; where all can be answered, and a third as many of
    which the documents were taken away."""
    if (own.kind == "unanswerable").any():
        return np.isin(own.kind, ("own", "unanswerable"))
    removed = np.flatnonzero(own.kind == "removed")
    chosen: NDArray[np.bool_] = own.kind == "own"
    chosen[removed[: chosen.sum() // 3]] = True
    return chosen


def risks(scores: Rows, right: Rows) -> str:
    """Share wrong among the answered, when the least sure are refused."""
    curve = risk_coverage(list(scores), list(right == 1))
    return " | ".join(f"{min((abs(a - share), w) for a, w in curve)[1]:.2f}" for share in SHARES)


def held(scores: Rows, right: Rows) -> str:
    """On how many halves there was a bound, on how many others it was broken, and what was answered.

    What one half has of luck the other lacks, so that this looks worse than it is.
    """
    told = []
    for risk in RISKS:
        found = kept = 0
        answered = []
        for seed in range(HALVES):
            first = np.random.default_rng(seed).permutation(len(scores)) % 2 == 0
            bound = bounded(scores[first], right[first], risk=risk, sureness=SURENESS)
            if bound is None:
                continue
            found += 1
            shown = scores[~first] >= bound.threshold
            answered.append(shown.mean())
            kept += 1 - right[~first][shown].mean() <= risk
        share = f", {np.mean(answered):.0%} answered" if answered else ""
        told.append(f"{found - kept} broken of {found}{share}" if found else "none found")
    return " | ".join(told)


def kept_on_new_questions(scores: Rows, right: Rows) -> str:
    """How often a promise is broken when the questions that it was found with are drawn from a set.

    The set itself is all the questions there could be, so that the share wrong is known and not
    estimated from another half. It may be broken on 1 - SURENESS of all draws.
    """
    told = []
    for risk in RISKS:
        found = broken = 0
        for seed in range(DRAWS):
            drawn = np.random.default_rng(seed).integers(0, len(scores), len(scores) // 2)
            bound = bounded(scores[drawn], right[drawn], risk=risk, sureness=SURENESS)
            if bound is not None:
                found += 1
                broken += 1 - right[scores >= bound.threshold].mean() > risk
        told.append(f"{broken / DRAWS:.1%} broken, {found / DRAWS:.0%} found")
    return " | ".join(told)


def errors(scores: Rows, right: Rows) -> str:
    """Calibration error of the shipped form, and after calibrating on one half, on the other."""
    after = []
    for seed in range(HALVES):
        first = np.random.default_rng(seed).permutation(len(scores)) % 2 == 0
        graded = [
            Graded(confidence=float(one), right=bool(other))
            for one, other in zip(scores[first], right[first], strict=True)
        ]
        made = calibrate(graded, made_for="", corpus_version="")
        shown = np.array([made.right(float(one)) for one in scores[~first]])
        after.append(calibration_error(shown, right[~first]))
    return f"{calibration_error(scores, right):.3f} | {np.mean(after):.3f}"


def undoubted(own: Part, scores: Rows, least: float) -> str:
    """The share shown without doubt: first quotes that are right and wrong, and what has no answer."""
    is_sure, asked = 1 / (1 + np.exp(-scores)) >= least, own.kind == "own"
    groups = [asked & (own.y == 1), asked & (own.y == 0), own.kind == "removed"]
    groups += [own.kind == "unanswerable"]
    return " | ".join(f"{is_sure[one].mean():.2f}" if one.any() else "  - " for one in groups)


def doubts(found: Mapping[str, list[Case]]) -> None:
    """Print what is shown without doubt, by the confidence in the answer and in its first quote."""
    of_first = {
        name: part(name, rows, (*READ, *OF_FIRST_READ), of_first=True)
        for name, rows in found.items()
    }
    of_answer = {name: part(name, rows) for name, rows in found.items()}
    print("\n| set | " + "right | wrong | removed | unanswerable | " * 2)
    print("|---|" + "---|" * 8)
    told = defaultdict[str, list[str]](list)
    for parts in (of_answer, of_first):
        unseen = {name: unseen_scores(parts, name) for name in FITTED}
        least = threshold([*of_first.values()], [*unseen.values()], UNDOUBTED)
        for name in FITTED:
            told[name].append(undoubted(of_first[name], unseen[name], least))
    for name, columns in told.items():
        print(f"| {name} | {' | '.join(columns)} |")


def main() -> None:
    """Print the tables."""
    argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    ).parse_args()
    given = {name: cases(name, SETS, {}, None) for name in FITTED}
    parts = {name: part(name, rows) for name, rows in given.items()}
    doubts(given)
    unseen = {name: unseen_scores(parts, name) for name in FITTED}
    levels = {
        stance: threshold(list(parts.values()), list(unseen.values()), kept)
        for stance, kept in STANCES.items()
    }
    sure: dict[str, Rows] = {name: 1 / (1 + np.exp(-scores)) for name, scores in unseen.items()}
    print("\n| set | unanswerable | documents removed | another collection |\n|---|---|---|---|")
    for name in FITTED:
        print(f"| {name} | {areas(parts[name], sure[name])} |")
    print("\n| set | answerable | unanswerable | documents removed | another collection |")
    print("|---|---|---|---|---|")
    for name in FITTED:
        print(f"| {name} | {answered(parts[name], sure[name], levels['balanced'])} |")
    asked = {name: natural(parts[name]) for name in FITTED}
    mixed = {name: (sure[name][asked[name]], parts[name].y[asked[name]]) for name in FITTED}
    scores, right = map(np.concatenate, zip(*mixed.values(), strict=True))
    mixed["all together"] = scores, right
    columns = " | ".join(f"{one} answered | right kept | wrong" for one in levels)
    print(f"\n{levels}\n| set | {columns} |\n|---|{'---|' * 3 * len(levels)}")
    for name, found in mixed.items():
        print(f"| {name} | {stances(*found, levels)} |")
    shares = " | ".join(f"{share:.0%} answered" for share in SHARES)
    print(f"\n| set | {shares} |\n|---|---|---|---|---|")
    for name, found in mixed.items():
        print(f"| {name} | {risks(*found)} |")
    large = {name: found for name, found in mixed.items() if len(found[0]) >= FEWEST}
    print("\n| set | error as shipped | calibrated on half |\n|---|---|---|")
    for name, found in large.items():
        print(f"| {name} | {errors(*found)} |")
    wanted = " | ".join(f"at most {risk:.0%} wrong" for risk in RISKS)
    print(f"\n| set | {wanted} |\n|---|---|---|---|---|")
    for name, found in large.items():
        print(f"| {name} | {held(*found)} |")
    print(f"\n| set, {DRAWS} draws | {wanted} |\n|---|---|---|---|---|")
    for name, found in large.items():
        print(f"| {name} | {kept_on_new_questions(*found)} |")


if __name__ == "__main__":
    main()
