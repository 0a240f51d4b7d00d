"""What a run comes to: the numbers, and their JSON form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import mean
from typing import Any

import numpy as np

from pincite.evaluate.measures import (
    RANKING,
    auroc,
    interval,
    ranking_values,
    risk_coverage,
    token_f1,
)
from pincite.evaluate.run import AnswerRecord, Run, SearchRecord

_CURVE_POINTS = 50


def report_form(run: Run) -> dict[str, Any]:
    """A run as JSON: configurations with measures and intervals, then what the answers are worth."""
    return {
        "dataset": run.dataset,
        "documents": run.documents,
        "queries": len(run.questions),
        "configurations": {
            name: _configuration(records, run.relevant) for name, records in run.searches.items()
        },
        "answers_from": run.answers_from,
        "answers": _answers(run.answers),
        "languages": _languages(run),
        "notes": list(run.notes),
    }


def question_forms(run: Run) -> list[dict[str, Any]]:
    """A row for each question: measures and milliseconds under each configuration, and the answer."""
    answers = {record.question: record for record in run.answers}
    rows: dict[str, dict[str, Any]] = {question: {"question": question} for question in answers}
    for name, records in run.searches.items():
        values = ranking_values(run.relevant, {r.question: r.ranked for r in records})
        for record in records:
            measured = {measure: round(v, 6) for measure, v in values[record.question].items()}
            rows[record.question][name] = {**measured, "ms": record.timings["total"]}
    for question, row in rows.items():
        answer = answers[question]
        row["answer"] = {
            "answerable": answer.answerable,
            "answered": answer.answered,
            "confidence": answer.confidence,
            "first_holds": answer.first_holds,
            "any_holds": answer.any_holds,
        }
    return list(rows.values())


def _configuration(
    records: Sequence[SearchRecord], relevant: Mapping[str, Mapping[str, int]]
) -> dict[str, Any]:
    values = ranking_values(relevant, {record.question: record.ranked for record in records})
    form: dict[str, Any] = {}
    for measure in RANKING:
        found = [value[measure] for value in values.values()]
        form[measure] = round(mean(found), 4) if found else None
    form["intervals"] = {
        measure: [round(edge, 4) for edge in interval([v[measure] for v in values.values()])]
        for measure in RANKING
    }
    totals = [record.timings["total"] for record in records]
    form["p50_ms"], form["p95_ms"] = _percentiles(totals)
    form["stages_ms"] = _stages([record.timings for record in records])
    return form


def _stages(timings: Sequence[Mapping[str, float]]) -> dict[str, dict[str, float | None]]:
    """Median and 95th percentile of each stage, in milliseconds."""
    found = {}
    for stage in timings[0] if timings else ():
        middle, late = _percentiles([each[stage] for each in timings])
        found[stage] = {"p50": middle, "p95": late}
    return found


def _languages(run: Run) -> dict[str, dict[str, float | None]]:
    """nDCG@10 of each configuration by language; empty for a set in one language."""
    spoken = {question.id: question.language for question in run.questions}
    found: dict[str, dict[str, float | None]] = {}
    for language in sorted(set(spoken.values())):
        for name, records in run.searches.items():
            own = {r.question: r.ranked for r in records if spoken[r.question] == language}
            values = ranking_values(run.relevant, own).values()
            measured = _mean([value[RANKING[0]] for value in values])
            found.setdefault(language or "unknown", {})[name] = measured
    return found if len(found) > 1 else {}


def _percentiles(milliseconds: Sequence[float]) -> tuple[float | None, float | None]:
    if not milliseconds:
        return None, None
    middle, late = np.percentile(milliseconds, [50, 95])
    return round(float(middle), 2), round(float(late), 2)


def _answers(records: Sequence[AnswerRecord]) -> dict[str, Any]:
    answerable = [record for record in records if record.answerable]
    unanswerable = [record for record in records if not record.answerable]
    known = [record for record in answerable if record.any_holds is not None]
    gold = [record for record in answerable if record.answers]
    cited = [record for record in records if record.answered]
    judged = [record for record in records if not record.answerable or record.any_holds is not None]
    return {
        "answered": _share([record.answered for record in answerable]),
        "answered_unanswerable": _share([record.answered for record in unanswerable]),
        "first_citation_holds_gold": _share([bool(record.first_holds) for record in known]),
        "any_citation_holds_gold": _share([bool(record.any_holds) for record in known]),
        "token_f1": _mean([_best_f1(record) for record in gold]),
        "sentences": _mean([float(record.sentences) for record in cited]),
        "redundancy_before_selection": _mean([record.redundancy_before for record in cited]),
        "redundancy": _mean([record.redundancy_after for record in cited]),
        "abstention_auroc": _rounded(
            auroc([r.confidence for r in answerable], [r.confidence for r in unanswerable])
        ),
        "stages_ms": _stages([record.timings for record in records]),
        "risk_coverage": _thinned(
            risk_coverage(
                [record.confidence for record in judged],
                [record.answerable and bool(record.any_holds) for record in judged],
            )
        ),
    }


def _best_f1(record: AnswerRecord) -> float:
    return max(token_f1(record.cited_text, gold) for gold in record.answers)


def _share(found: Sequence[bool]) -> float | None:
    return _mean([float(item) for item in found])


def _mean(values: Sequence[float]) -> float | None:
    return _rounded(mean(values)) if values else None


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


def _thinned(curve: Sequence[tuple[float, float]]) -> list[list[float]]:
    step = max(1, len(curve) // _CURVE_POINTS)
    kept = [*curve[:-1:step], *curve[-1:]]
    return [[round(answered, 4), round(wrong, 4)] for answered, wrong in kept]
