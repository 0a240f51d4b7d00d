"""Writes a count over the whole collection as text and JSON, and checks a saved one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from pincite.records.counts import Closeness, Survey, SurveyRow
from pincite.records.flow import Mode, Status, Verdict
from pincite.records.library_records import FileProblem
from pincite.text.mentions import Mentions, words_of


def survey_text(survey: Survey) -> str:
    """`3 of 6 documents mention 'torque' (12 mentions in 9 passages).`"""
    documents, scanned = len(survey.rows), counted(survey.documents_scanned, "document")
    what = _what(survey)
    least = "At least " if survey.skipped and survey.mentions else ""
    if not documents:
        return f"None of {scanned} mentions {what}."
    if survey.wanted == "mentions":
        times = counted(survey.mentions, _unit(survey))
        text = f"{times} of {what} in {documents} of {scanned}."
    else:
        verb = "mentions" if documents == 1 else "mention"
        mentions = counted(survey.mentions, _unit(survey))
        passages = counted(survey.passages, "passage")
        text = f"{documents} of {scanned} {verb} {what} ({mentions} in {passages})."
    return f"{least}{text}"


def _what(survey: Survey) -> str:
    if survey.closeness is Closeness.IN_ONE_SENTENCE:
        return f"all words of '{survey.subject}' in one sentence"
    return f"'{survey.subject}'"


def _unit(survey: Survey) -> str:
    return "sentence" if survey.closeness is Closeness.IN_ONE_SENTENCE else "mention"


def counted(number: int, noun: str) -> str:
    """`1 passage`, `2 passages`."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def scanned_for(survey: Survey) -> str:
    """A description of what was searched for."""
    if survey.closeness is Closeness.IN_ONE_SENTENCE:
        return f"sentences with any forms of all the words '{survey.subject}'"
    several = len(words_of(survey.subject)) > 1
    if survey.closeness is Closeness.EXACT:
        words = "words" if several else "word"
        return f"exactly the {words} '{survey.subject}'"
    words = "these words side by side" if several else "the word"
    return f"any form of {words}: '{survey.subject}'"


def survey_form(survey: Survey) -> dict[str, Any]:
    """A count as JSON; `complete` if nothing had to be skipped."""
    return {
        "subject": survey.subject,
        "wanted": survey.wanted,
        "closeness": str(survey.closeness),
        "complete": not survey.skipped,
        "documents": len(survey.rows),
        "documents_scanned": survey.documents_scanned,
        "passages": survey.passages,
        "passages_scanned": survey.passages_scanned,
        "mentions": survey.mentions,
        "written": dict(survey.written),
        "rows": [
            {**asdict(row), "paths": list(row.paths), "pages": list(row.pages)}
            for row in survey.rows
        ],
        "skipped": [asdict(problem) for problem in survey.skipped],
        **({"sections": list(survey.sections)} if survey.sections else {}),
    }


def survey_problems(receipt: Mapping[str, Any]) -> Iterator[str]:
    """Problems of a saved count that does not follow from its own quotes.

    Only the library can show that nothing was overlooked, not the saved answer.
    """
    try:
        survey = _from_form(receipt["survey"])
        again = dict(_counted_again(receipt, survey))
        is_same = survey_form(survey) == receipt["survey"]
    except (KeyError, TypeError, ValueError) as error:
        yield f"its survey cannot be read ({error!r})"
        return
    for name, value in again.items():
        said = getattr(survey, name)
        if said != value:
            yield f"its {name} are {said!r}, its quotes say {value!r}"
    if not is_same:
        yield "its survey does not have the fields of a count"
    if receipt["status"] != Status.ANSWERED:
        yield f"its status is {receipt['status']!r}; a count is an answer"
    if receipt.get("mode") != Mode.COUNTED:
        yield f"its mode is {receipt.get('mode')!r}; a count is '{Mode.COUNTED}'"
    if receipt.get("confidence") != 1.0:
        yield f"its confidence is {receipt.get('confidence')!r}; that of a count is 1"
    if receipt.get("claims") != _claims(receipt["citations"], survey):
        yield "its claims are not the single statement of the count with all quotes"
    if receipt["text"] != survey_text(survey):
        yield f"its text is not what was counted: {survey_text(survey)}"


def _claims(citations: Sequence[Any], survey: Survey) -> list[dict[str, Any]]:
    numbers = list(range(1, len(citations) + 1))
    return [{"text": survey_text(survey), "citations": numbers, "verdict": str(Verdict.SUPPORTED)}]


def _counted_again(receipt: Mapping[str, Any], survey: Survey) -> Iterator[tuple[str, Any]]:
    citations = receipt["citations"]
    rows: list[SurveyRow] = []
    written: Counter[str] = Counter()
    first = 1
    for row in survey.rows:
        mine = citations[first - 1 : first - 1 + row.citations]
        counter = Mentions(survey.subject, survey.closeness, row.language)
        found = [counter.found(str(citation["cited_text"])) for citation in mine]
        written.update(form.casefold() for forms in found for form in forms)
        is_own = all(citation["document"] == row.document for citation in mine)
        pages = {citation["page"] for citation in mine if citation["page"] is not None}
        rows.append(
            SurveyRow(
                document=row.document if is_own else "of several documents",
                paths=row.paths,
                language=row.language,
                mentions=sum(map(len, found)),
                passages=row.passages,
                pages=tuple(sorted(pages)),
                first=first,
                citations=sum(map(bool, found)),
            )
        )
        first += row.citations
    yield "rows", tuple(rows)
    yield "written", dict(written)
    yield "mentions", sum(row.mentions for row in rows)
    yield "passages", sum(row.passages for row in rows)
    if first - 1 != len(citations):
        raise ValueError(f"its rows count {first - 1} citations, but there are {len(citations)}")


def _from_form(form: Mapping[str, Any]) -> Survey:
    return Survey(
        subject=form["subject"],
        wanted=form["wanted"],
        closeness=Closeness(form["closeness"]),
        written=form["written"],
        mentions=form["mentions"],
        passages=form["passages"],
        documents_scanned=form["documents_scanned"],
        passages_scanned=form["passages_scanned"],
        rows=tuple(
            SurveyRow(**{**row, "paths": tuple(row["paths"]), "pages": tuple(row["pages"])})
            for row in form["rows"]
        ),
        skipped=tuple(FileProblem(**problem) for problem in form["skipped"]),
        sections=tuple(form.get("sections", ())),
    )
