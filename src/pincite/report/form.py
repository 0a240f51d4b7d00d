"""A report as JSON, with a receipt for every answer; `pincite verify` checks it."""

from __future__ import annotations

from typing import Any

from pincite.report.asking import Asked, Report
from pincite.verify.receipt import answer_form, citation_form
from pincite.verify.reports import number_quotes, source_forms


def report_form(report: Report) -> dict[str, Any]:
    """Everything a report says. The same library, template and settings give the same bytes."""
    asked = [item for item in report.asked if item.answer is not None]
    numbers = iter(report_numbers(report))
    return {
        "report": report.title,
        "template": report.template,
        "collection": report.collection,
        "corpus_version": report.corpus_version,
        "sections": [
            {
                "name": section.section.name,
                "title": section.section.title,
                "note": section.section.note,
                "answers": [_asked_form(item, next(numbers)) for item in section.asked],
            }
            for section in report.sections
        ],
        "sources": source_forms([answer_form(item.answer) for item in asked if item.answer]),
    }


def report_numbers(report: Report) -> list[list[int]]:
    """For each question in order, the numbers in the report of its answer's citations."""
    citations = [item.answer.citations if item.answer else () for item in report.asked]
    return number_quotes([[citation_form(citation) for citation in one] for one in citations])


def _asked_form(item: Asked, numbers: list[int]) -> dict[str, Any]:
    if item.answer is None:
        return {"question": item.question, "problem": item.problem}
    form = answer_form(item.answer)
    del form["timings"]  # They differ each time.
    return {**form, "numbers": numbers, "nearest": [citation_form(one) for one in item.nearest]}
