"""How often the short answer above the quotes is right. Figures for docs/abstention.md.

    python benchmarks/short_answers.py

For several least probabilities: the share of answerable questions with a short answer, how many of
these overlap the place of a gold answer, and the share of questions that the documents do not answer
which get one all the same (before the confidence is asked, which refuses some of them).
"""

from __future__ import annotations

from abstention_cases import Case, cases
from fit_confidence import SETS

from pincite.verify.abstention.decision import SHORT_ANSWER_PROBABILITY

LEAST = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
SHORT_GOLD = ("squad2-open", "xquad-open", "nq-open", "hotpotqa-sample")
"""Their gold answers are a few words; elsewhere they are sentences or pages."""


def row(found: list[Case], least: float) -> str:
    """One line of the table."""

    def has_one(case: Case) -> bool:
        return case.signals.read is not None and case.signals.read.short_probability >= least

    own = [case for case in found if case.kind == "own"]
    others = [case for case in found if case.kind == "unanswerable"]
    shown = [case for case in own if has_one(case)]
    right = f"{sum(case.short for case in shown) / len(shown):.2f}" if shown else "-"
    wrongly = f"{sum(map(has_one, others)) / len(others):.2f}" if others else "-"
    return f"{least:.1f} | {len(shown) / len(own):.2f} | {right} | {wrongly}"


def main() -> None:
    """Print the table."""
    print(f"shown from {SHORT_ANSWER_PROBABILITY} on\n")
    print("set | least | answerable with one | of these right | unanswerable with one")
    print("---|---|---|---|---")
    for name in SHORT_GOLD:
        found = cases(name, SETS)
        for least in LEAST:
            print(f"{name} | {row(found, least)}", flush=True)


if __name__ == "__main__":
    main()
