"""The results of a run as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import mean
from typing import Any

import numpy as np

from pincite.evaluate.answer_measures import answer_values, answers_form, means
from pincite.evaluate.judge import JUDGED
from pincite.evaluate.measures import RANKING, ranking_values
from pincite.evaluate.run import Run, SearchRecord


def report_form(run: Run) -> dict[str, Any]:
    """A run as JSON: measures with intervals for each configuration, then those of the answers."""
    return {
        "dataset": run.dataset,
        "documents": run.documents,
        "queries": len(run.questions),
        "configurations": {
            name: {
                **_configuration(records, run.relevant),
                "peak_memory_mb": run.peak_memory_mb.get(name),
            }
            for name, records in run.searches.items()
        },
        "answers_from": run.answers_from,
        "answers": {
            **answers_form(run.answers),
            **_speed([record.timings for record in run.answers]),
            "peak_memory_mb": run.answers_peak_memory_mb,
        },
        "judged": judged_form(run) if run.judged_by else None,
        "languages": _languages(run),
        "notes": list(run.notes),
    }


def question_forms(run: Run) -> list[dict[str, Any]]:
    """A row for each question: measures and milliseconds by configuration, and the answer."""
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
            "measures": answer_values(answer),
        }
        if answer.judgement:
            row["answer"]["judged"] = answer.judgement.values
    return list(rows.values())


def _configuration(
    records: Sequence[SearchRecord], relevant: Mapping[str, Mapping[str, int]]
) -> dict[str, Any]:
    values = ranking_values(relevant, {record.question: record.ranked for record in records})
    form, intervals = means(list(values.values()), RANKING)
    timings = [record.timings for record in records]
    middle, late = _percentiles([each["total"] for each in timings])
    return {**form, "intervals": intervals, "p50_ms": middle, "p95_ms": late, **_speed(timings)}


def _speed(timings: Sequence[Mapping[str, float]]) -> dict[str, Any]:
    """Milliseconds of each stage, and questions per second for one client."""
    seconds = sum(each["total"] for each in timings) / 1000
    return {
        "stages_ms": _stages(timings),
        "queries_per_second": round(len(timings) / seconds, 2) if seconds else None,
    }


def _stages(timings: Sequence[Mapping[str, float]]) -> dict[str, dict[str, float | None]]:
    """Median and 95th percentile of each stage, in milliseconds, over the questions with that stage."""
    found = {}
    # Counts have different stages from searches.
    for stage in dict.fromkeys(stage for each in timings for stage in each):
        middle, late = _percentiles([each[stage] for each in timings if stage in each])
        found[stage] = {"p50": middle, "p95": late}
    return found


def _languages(run: Run) -> dict[str, dict[str, float | None]]:
    """nDCG@10 of each configuration by language; empty for a monolingual set."""
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


def _mean(values: Sequence[float]) -> float | None:
    return round(mean(values), 4) if values else None


# Results of a judge, and its agreement with the labelled set.


def judged_form(run: Run) -> dict[str, Any]:
    """The judge's measures with intervals, the numbers judged and not judged, and its agreement."""
    judgements = [record.judgement for record in run.answers if record.judgement]
    form, intervals = means([judgement.values for judgement in judgements], JUDGED)
    return {
        "by": run.judged_by,
        "prompts": run.judge_prompts,
        **form,
        "intervals": intervals,
        "judged": {name: sum(name in one.verdicts for one in judgements) for name in JUDGED},
        "not_judged": {name: sum(name in one.not_judged for one in judgements) for name in JUDGED},
        "agreement": _agreement(run),
    }


def _agreement(run: Run) -> dict[str, Any]:
    """The judge's agreement with the set on whether passages are relevant."""
    pairs = [
        pair
        for record in run.answers
        if record.judgement and (found := record.judgement.verdicts.get("context_precision"))
        for pair in zip(found, record.passages_relevant, strict=True)
    ]
    share = sum(verdict == gold for verdict, gold in pairs) / len(pairs) if pairs else None
    return {
        "passages": len(pairs),
        "share": None if share is None else round(share, 4),
        "kappa": cohens_kappa(pairs),
    }


def cohens_kappa(pairs: Sequence[tuple[bool, bool]]) -> float | None:
    """Agreement of two judges beyond chance (Cohen 1960): 1 for perfect agreement, 0 for chance.

    None if both always give the same single verdict, so that chance agreement is 1.
    """
    if not pairs:
        return None
    count = len(pairs)
    first = sum(one for one, _ in pairs) / count
    second = sum(other for _, other in pairs) / count
    by_chance = first * second + (1 - first) * (1 - second)
    if by_chance == 1:
        return None
    observed = sum(one == other for one, other in pairs) / count
    return round((observed - by_chance) / (1 - by_chance), 4)
