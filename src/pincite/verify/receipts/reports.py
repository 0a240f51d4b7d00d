"""Checks a saved report against its sources, and its numbering."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pincite.errors import ReceiptError
from pincite.verify.receipts.cited_files import CitedFiles, readings_of
from pincite.verify.receipts.receipt import (
    CitationCheck,
    ReceiptCheck,
    check_answer,
    check_citations,
    require_answer,
    require_citations,
)

_REPORT_FIELDS = ("report", "template", "corpus_version", "sections", "sources")
_NOT_ASKED = {"question", "problem"}
"""The only fields of a question that could not be asked."""


def is_report(form: Any) -> bool:
    """Whether saved JSON is a report, not a single answer."""
    return isinstance(form, dict) and "sections" in form


def require_report(form: dict[str, Any], name: str) -> dict[str, Any]:
    """`form`, if it is a saved report; else raises ReceiptError, which names `name`."""
    missing = [field for field in _REPORT_FIELDS if field not in form]
    if missing:
        raise ReceiptError(f"{name}: is not a saved report; it lacks {', '.join(missing)}")
    for where, answer in _answers(form, name):
        if answer.keys() == _NOT_ASKED:
            continue
        require_answer(answer, where)
        require_citations(answer.get("nearest"), where)
        if not isinstance(answer.get("numbers"), list):
            raise ReceiptError(f"{where}: lacks numbers, the list of its quote numbers")
    return form


def _answers(form: Mapping[str, Any], name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    sections = form["sections"]
    for number, section in enumerate(sections if isinstance(sections, list) else [None], start=1):
        answers = section.get("answers") if isinstance(section, dict) else None
        if not isinstance(answers, list) or not all(isinstance(item, dict) for item in answers):
            raise ReceiptError(f"{name}: section {number} is not an object with answers")
        for answer in answers:
            yield f"{name}: section {number}", answer


def check_report(form: Mapping[str, Any], files: CitedFiles) -> ReceiptCheck:
    """Check every answer as if it had been saved alone, and the numbering across the report.

    The checked citations have their numbers in the report.
    """
    checks: dict[int, CitationCheck] = {}
    problems: list[str] = []
    notes: list[str] = []
    answers = [answer for _, answer in _answers(form, "report") if answer.keys() != _NOT_ASKED]
    expected = number_quotes([answer["citations"] for answer in answers])
    for answer, numbers in zip(answers, expected, strict=True):
        found = check_answer(answer, files)
        question = f"'{answer['question']}'"
        problems += [f"{question}: {problem}" for problem in found.problems]
        notes += [f"{question}: {note}" for note in found.notes]
        if answer["numbers"] != numbers:
            problems.append(
                f"{question}: its quotes are numbered {answer['numbers']}, not {numbers}"
            )
        for number, check in zip(numbers, found.citations, strict=True):
            if number not in checks or check.problems:
                checks[number] = replace(check, number=number)
        for check in check_citations(answer["nearest"], files, readings_of(answer)):
            place = f"{question}: nearest passage {check.number}"
            problems += [f"{place}: {problem}" for problem in check.problems]
            notes += [f"{place}: {note}" for note in check.notes]
    if form["sources"] != source_forms(answers):
        problems.append("its list of sources does not match its quotes")
    ordered = tuple(check for _, check in sorted(checks.items()))
    return ReceiptCheck(citations=ordered, problems=tuple(problems), notes=tuple(notes))


def number_quotes(answers: Iterable[Sequence[Mapping[str, Any]]]) -> list[list[int]]:
    """The numbers, from 1, of the citations of each answer; the same place has one number."""
    given: dict[str, int] = {}
    return [
        [given.setdefault(_place(citation), len(given) + 1) for citation in citations]
        for citations in answers
    ]


def _place(citation: Mapping[str, Any]) -> str:
    """A key of a quoted place; text, since a damaged report may contain anything."""
    return repr([citation[name] for name in ("document", "start_char_index", "end_char_index")])


def source_forms(answers: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Every quoted file with its checksum, its quoted pages and the number of quoted places."""
    places: dict[tuple[str, str, str], dict[str, Any]] = {}
    for answer in answers:
        for citation in answer["citations"]:
            file = (str(citation["source"]), str(citation["document"]), str(citation["sha256"]))
            places.setdefault(file, {})[_place(citation)] = citation["page"]
    return [
        {
            "source": source,
            "document": document,
            "sha256": sha256,
            "pages": sorted({page for page in pages.values() if isinstance(page, int)}),
            "quotes": len(pages),
        }
        for (source, document, sha256), pages in places.items()
    ]
