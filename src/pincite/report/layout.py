"""The content and order of a report, common to all formats."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from pincite.records.counts import SurveyRow
from pincite.records.flow import DOUBT, Answer, Citation, Mode, Verdict
from pincite.report.asking import Asked, FinishedSection, Report
from pincite.text.locations import (
    announcing_lines,
    as_shown,
    cell_lines,
    cut_to,
    on_one_line,
    place,
)
from pincite.text.marks import FREELY
from pincite.verify.receipts.receipt import answer_form, citation_form, readings_form
from pincite.verify.receipts.reports import number_quotes, source_forms

# A report as JSON, with a receipt for every answer; `pincite verify` checks it.


def report_form(report: Report) -> dict[str, Any]:
    """A report as JSON. The same library, template and settings give the same bytes."""
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
    """For each question in order, the report-wide numbers of its answer's citations."""
    citations = [item.answer.citations if item.answer else () for item in report.asked]
    return number_quotes([[citation_form(citation) for citation in one] for one in citations])


def _asked_form(item: Asked, numbers: list[int]) -> dict[str, Any]:
    if item.answer is None:
        return {"question": item.question, "problem": item.problem}
    form = answer_form(item.answer)
    del form["timings"]  # They would not be reproducible.
    return {
        **form,
        **readings_form((*item.answer.citations, *item.nearest)),
        "numbers": numbers,
        "nearest": [citation_form(one) for one in item.nearest],
    }


_NEAREST_CHARS = 160
_NO_ANSWER = "No answer was found."
_MENTIONS_SHOWN = 20
_UNWRITABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
"""Characters not allowed in XML, and control characters."""


class Look(StrEnum):
    """The style of a paragraph."""

    TEXT = "text"
    ITEM = "item"
    SMALL = "small"
    NOTE = "note"
    """Says that something is missing, and why."""
    NEAR = "near"
    """A passage that does not answer; it must not look like an answer."""
    REFERENCE = "reference"


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """A part of a paragraph; `quotes` are the references it links to, if it is a mark."""

    text: str
    quotes: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """A heading; `level` 1 is the report's title."""

    text: str
    level: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Paragraph:
    """A paragraph; `reference` is its number as the target of marks, or 0."""

    words: tuple[Words, ...]
    look: Look = Look.TEXT
    reference: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table with a header row."""

    names: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


Block = Heading | Paragraph | Table


def layout(report: Report) -> tuple[Block, ...]:
    """The whole report, in reading order. Its text is safe for all formats."""
    return tuple(_Layout(report).blocks())


def plain(text: str) -> str:
    """Text on one line, with unwritable characters replaced by U+FFFD."""
    return _UNWRITABLE.sub("\N{REPLACEMENT CHARACTER}", on_one_line(text))


def _paragraph(text: str, look: Look = Look.TEXT) -> Paragraph:
    return Paragraph(words=(Words(text=plain(text)),), look=look)


class _Layout:
    def __init__(self, report: Report) -> None:
        self._report = report
        self._numbers = report_numbers(report)
        self._cited: dict[int, tuple[Citation, bool]] = {}
        """Citations by number, and whether the references must repeat their quotes."""

    def blocks(self) -> Iterator[Block]:
        report = self._report
        title = f"{report.title}: {report.collection}" if report.collection else report.title
        yield Heading(text=plain(title), level=1)
        yield _paragraph(self._summary(), Look.SMALL)
        numbers = iter(self._numbers)
        for count, section in enumerate(report.sections, start=1):
            yield Heading(text=f"{count}. {plain(section.section.title)}", level=2)
            yield from self._section(section, [next(numbers) for _ in section.asked])
        yield from self._references()
        yield from self._sources()

    def _summary(self) -> str:
        asked = self._report.asked
        answered = sum(item.is_answered for item in asked)
        quotes = len({number for numbers in self._numbers for number in numbers})
        return (
            f"{answered} of {len(asked)} questions were answered, with {quotes} "
            f"{'quote' if quotes == 1 else 'quotes'} that were checked against their files. A number "
            "in brackets leads to the quote's place. State of the library: "
            f"{self._report.corpus_version[:16]}."
        )

    def _section(
        self, section: FinishedSection, numbers: Sequence[Sequence[int]]
    ) -> Iterator[Block]:
        if not any(item.is_answered for item in section.asked):
            yield _paragraph(section.section.note, Look.NOTE)
        for item, given in zip(section.asked, numbers, strict=True):
            yield Heading(text=plain(item.question), level=3)
            if item.answer is None:
                yield _paragraph(f"This question could not be asked: {item.problem}.", Look.NOTE)
            elif item.is_answered:
                yield from self._answer(item.answer, given)
            else:
                yield from _refusal(item)

    def _answer(self, answer: Answer, numbers: Sequence[int]) -> Iterator[Block]:
        is_written = answer.mode is Mode.GENERATED
        for number, citation in zip(numbers, answer.citations, strict=True):
            shown_above = self._cited.get(number, (citation, True))[1]
            self._cited[number] = (citation, is_written and shown_above)
        if answer.survey is not None:
            yield from self._count(answer, numbers)
        elif is_written:
            yield self._prose(answer, numbers)
        else:
            if answer.is_doubtful:
                yield _paragraph(DOUBT, Look.NOTE)
            if answer.derivation is not None:
                yield _paragraph(f"{answer.short_answer} ({plain(answer.derivation.said)})")
            yield from self._quotes(answer, numbers)
        for reason in answer.reasons:
            yield _paragraph(f"Note: {reason}.", Look.SMALL)

    def _prose(self, answer: Answer, numbers: Sequence[int]) -> Paragraph:
        words: list[Words] = []
        for claim in answer.claims:
            mark = f"{FREELY} " if claim.verdict is Verdict.WORDED_FREELY else ""
            words.append(Words(text=f"{plain(claim.text)} {mark}"))
            for number in claim.citations:
                words += [self._mark(numbers[number - 1]), Words(text=" ")]
        return Paragraph(words=tuple(words[:-1]))

    def _quotes(self, answer: Answer, numbers: Sequence[int]) -> Iterator[Block]:
        before: Citation | None = None
        for number, citation in zip(numbers, answer.citations, strict=True):
            yield from _announced(citation, before)
            before = citation
            quote = Words(text=f"“{plain(as_shown(citation))}” ")
            yield Paragraph(words=(quote, self._mark(number)), look=Look.ITEM)
            if cells := "; ".join(cell_lines(citation)):
                yield _paragraph(cells, Look.SMALL)

    def _count(self, answer: Answer, numbers: Sequence[int]) -> Iterator[Block]:
        """The count with the documents and the first quotes; the JSON form has all of them."""
        assert answer.survey is not None
        yield _paragraph(answer.text)
        if answer.survey.rows:
            rows = tuple(_survey_row(row, numbers) for row in answer.survey.rows)
            yield Table(names=("File", "Mentions", "Pages", "Quotes"), rows=rows)
        for number, citation in list(zip(numbers, answer.citations, strict=True))[:_MENTIONS_SHOWN]:
            yield from _announced(citation)
            quote = Words(text=f"“{plain(as_shown(citation))}” ")
            yield Paragraph(words=(quote, self._mark(number)), look=Look.ITEM)
        more = len(answer.citations) - _MENTIONS_SHOWN
        if more > 0:
            yield _paragraph(f"{more} more quotes: see the references.", Look.SMALL)
            for number, citation in zip(numbers, answer.citations, strict=True):
                self._cited[number] = (citation, True)

    def _mark(self, number: int) -> Words:
        citation, _ = self._cited[number]
        page = citation.page_label or citation.page
        text = f"[{number}, p. {page}]" if page else f"[{number}]"
        return Words(text=plain(text), quotes=(number,))

    def _references(self) -> Iterator[Block]:
        if not self._cited:
            return
        yield Heading(text="References", level=2)
        for number, (citation, is_needed) in sorted(self._cited.items()):
            where = [Path(citation.source).name, place(citation)]
            where.append(f"characters {citation.start}-{citation.end}")
            location = "; ".join(part for part in where if part)
            quote = _full_quote(citation) if is_needed else ""
            mark = Words(text=f"[{number}]", quotes=(number,))
            words = (mark, Words(text=f" {plain(location + quote)}"))
            yield Paragraph(words=words, look=Look.REFERENCE, reference=number)

    def _sources(self) -> Iterator[Block]:
        sources = report_form(self._report)["sources"]
        yield Heading(text="Sources", level=2)
        if not sources:
            yield _paragraph("No file is quoted.")
            return
        rows = tuple(
            (
                plain(Path(source["source"]).name),
                ", ".join(map(str, source["pages"])) or "–",
                str(source["quotes"]),
                source["sha256"],
            )
            for source in sources
        )
        yield Table(names=("File", "Pages quoted", "Quotes", "SHA-256"), rows=rows)


def _refusal(item: Asked) -> Iterator[Block]:
    assert item.answer is not None
    why = "; ".join(item.answer.reasons)
    yield _paragraph(f"{_NO_ANSWER} {_capitalised(why)}." if why else _NO_ANSWER, Look.SMALL)
    if not item.nearest:
        return
    yield _paragraph("The nearest passages, which were not found to answer:", Look.SMALL)
    for citation in item.nearest:
        location = ", ".join(part for part in (Path(citation.source).name, place(citation)) if part)
        yield from _announced(citation)
        quote = cut_to(plain(as_shown(citation)), _NEAREST_CHARS)
        yield _paragraph(f"{location}: “{quote}”", Look.NEAR)


def _announced(citation: Citation, before: Citation | None = None) -> Iterator[Block]:
    for line in announcing_lines(citation, before):
        yield _paragraph(plain(line), Look.SMALL)


def _full_quote(citation: Citation) -> str:
    above = "; ".join(announcing_lines(citation))
    return f": “{as_shown(citation)}”" + (f" ({above})" if above else "")


def _capitalised(text: str) -> str:
    return text[:1].upper() + text[1:]


def _survey_row(row: SurveyRow, numbers: Sequence[int]) -> tuple[str, ...]:
    mine = numbers[row.first - 1 : row.first - 1 + row.citations]
    quotes = f"[{mine[0]}]" if len(mine) == 1 else f"[{mine[0]}] to [{mine[-1]}]"
    name = plain(Path(row.paths[0]).name)
    return name, str(row.mentions), ", ".join(map(str, row.pages)) or "–", quotes
