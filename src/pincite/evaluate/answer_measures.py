"""Measures of answers: a value for each question, and means with confidence intervals."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import mean
from typing import Any, TypeAlias

from pincite.evaluate.answers import AnswerRecord, CitationShares
from pincite.evaluate.measures import auroc, interval, risk_coverage, token_f1

_Measure: TypeAlias = Callable[[AnswerRecord], float | None]

_CURVE_POINTS = 50


def _of_shares(read: Callable[[CitationShares], float | None]) -> _Measure:
    return lambda record: read(record.shares) if record.shares else None


MEASURES: Mapping[str, _Measure] = {
    "coverage": lambda record: record.answered if record.answerable else None,
    "answered_unanswerable": lambda record: None if record.answerable else record.answered,
    "answer_precision": lambda record: record.right,
    "first_citation_holds_gold": lambda record: record.first_holds if record.answerable else None,
    "any_citation_holds_gold": lambda record: record.any_holds if record.answerable else None,
    "citation_precision": _of_shares(lambda shares: shares.precision),
    "citation_recall": _of_shares(lambda shares: shares.recall),
    "citation_precision_gold": _of_shares(lambda shares: shares.gold_precision),
    "citation_recall_gold": _of_shares(lambda shares: shares.gold_recall),
    "exact_match": lambda record: record.exact if record.answerable else None,
    "token_f1": lambda record: _best_f1(record) if record.answerable else None,
    "numeric_errors": lambda record: record.numeric_error,
    "sentences": lambda record: record.sentences if record.answered else None,
    "redundancy_before_selection": lambda record: (
        record.redundancy_before if record.answered else None
    ),
    "redundancy": lambda record: record.redundancy_after if record.answered else None,
}
"""The value for one question, None if it does not apply; the measure is the mean of the others."""

GROUPS: Mapping[str, Sequence[str]] = {
    "answered or refused": (
        "coverage",
        "answered_unanswerable",
        "answer_precision",
        "abstention_auroc",
    ),
    "citations, by document": ("citation_precision", "citation_recall"),
    "citations, by gold": (
        "first_citation_holds_gold",
        "any_citation_holds_gold",
        "citation_precision_gold",
        "citation_recall_gold",
    ),
    "text": (
        "exact_match",
        "token_f1",
        "numeric_errors",
        "sentences",
        "redundancy_before_selection",
        "redundancy",
    ),
}
"""The groups in which the measures are shown, by heading."""


def answer_values(record: AnswerRecord) -> dict[str, float | None]:
    """All measures of one answer."""
    return {
        name: None if (value := measure(record)) is None else round(float(value), 6)
        for name, measure in MEASURES.items()
    }


def answers_form(records: Sequence[AnswerRecord]) -> dict[str, Any]:
    """Means with intervals, and how well confidence separates right answers from wrong ones."""
    answerable = [record for record in records if record.answerable]
    unanswerable = [record for record in records if not record.answerable]
    judged = [record for record in records if not record.answerable or record.any_holds is not None]
    form, intervals = means([answer_values(record) for record in records], MEASURES)
    abstention = auroc([r.confidence for r in answerable], [r.confidence for r in unanswerable])
    return {
        "answered": form["coverage"],
        **form,
        "abstention_auroc": None if abstention is None else round(abstention, 4),
        "intervals": intervals,
        "risk_coverage": _thinned(
            risk_coverage(
                [record.confidence for record in judged],
                [record.answerable and bool(record.any_holds) for record in judged],
            )
        ),
    }


def means(
    values: Sequence[Mapping[str, float | None]], names: Iterable[str]
) -> tuple[dict[str, float | None], dict[str, list[float]]]:
    """The mean of each measure over the questions that have it, and the 95 % interval."""
    form: dict[str, float | None] = {}
    intervals = {}
    for name in names:
        known = [found for row in values if (found := row.get(name)) is not None]
        form[name] = round(mean(known), 4) if known else None
        intervals[name] = [round(edge, 4) for edge in interval(known)]
    return form, intervals


def _best_f1(record: AnswerRecord) -> float | None:
    return max((token_f1(record.cited_text, gold) for gold in record.answers), default=None)


def _thinned(curve: Sequence[tuple[float, float]]) -> list[list[float]]:
    step = max(1, len(curve) // _CURVE_POINTS)
    kept = [*curve[:-1:step], *curve[-1:]]
    return [[round(answered, 4), round(wrong, 4)] for answered, wrong in kept]
