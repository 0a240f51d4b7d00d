"""Checks whether the quotes are about the year that is asked for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pincite.records.flow import Evidence, Question
from pincite.stages import Sources, TermWeights
from pincite.text.numbers import figures
from pincite.text.terms import terms
from pincite.verify.abstention.signals import asked_terms
from pincite.verify.quotes.cells import cited_cells, years_of_header
from pincite.verify.statements.names import names

_SPAN = re.compile(
    r"\b(?:after|before|since|until|till|between|from|by|to|than|over|under|vor|nach|seit|bis|ab|"
    r"zwischen)\s",
    re.IGNORECASE,
)
"""A year after one of these words bounds the answer and need not appear in it."""
_LASTS = re.compile(
    r"\b(?:since|from|until|till|after|before|between|through|onwards?|seit|ab|bis|zwischen)\b",
    re.IGNORECASE,
)
"""A quote with one of these words may cover years that it does not name."""
_NO_YEAR = re.compile(r"\s+[A-Z]|['’]?s\b")
"""Follows a year that is part of a name or a decade: "the 2011 Stock Plan", "in the 1950's"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WrongYears:
    """Years of the question that no quote is about; `instead` holds the years of the best quote if
    they show that it does not answer."""

    asked: tuple[int, ...]
    instead: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Said:
    """The words of a quote and its table headers, and the years that it is about."""

    words: frozenset[str]
    years: frozenset[int]
    of_table: frozenset[int]
    named: frozenset[int]
    score: float


def wrong_years(
    question: Question, evidence: Sequence[Evidence], *, weights: TermWeights, sources: Sources
) -> WrongYears:
    """Years of the question that no relevant quote is about.

    A table row is about the years of its headers; a sentence about those that it or its passage
    names. `instead` is empty unless the best such quote is about other years only: a row of a table
    of these, or a sentence that names them, without a period that may include the year asked for.
    """
    asked = years_asked(question.plain)
    if not asked:
        return WrongYears(asked=())
    language = weights.language(question.plain)
    called = {
        term for name in names(question.plain, language) for term in terms(name.text, language)
    }
    matter = {term for term in asked_terms(question, weights).weights if not term.isdigit()}
    said = [_said(item, language, sources) for item in evidence]
    speaking = [one for one in said if one.words & (matter - called)] or said
    held = {year for one in speaking for year in one.years}
    missing = tuple(sorted(asked - held))
    best = max(speaking, key=lambda one: one.score)
    others = best.of_table or best.named
    if len(missing) < len(asked) or (not best.of_table and _may_hold(others, asked)):
        others = frozenset()
    return WrongYears(asked=missing, instead=tuple(sorted(others)) if missing else ())


def _may_hold(named: frozenset[int], asked: frozenset[int]) -> bool:
    """Whether a year asked for lies between the years of a sentence: the life of a king, a war."""
    return any(min(named, default=0) < year < max(named, default=0) for year in asked)


def years_asked(question: str) -> frozenset[int]:
    """The years that the answer must be about."""
    return frozenset() if _SPAN.search(question) else frozenset(_years(question))


def _years(question: str) -> Iterator[int]:
    read = figures(question)
    alone = [(one.end, int(one.value)) for one in read.numbers if one.looks_like_year]
    dated = [(one.end, one.year) for one in read.moments if one.year]
    for end, year in (*alone, *dated):
        if not _NO_YEAR.match(question, end):
            yield year


def _said(item: Evidence, language: str, sources: Sources) -> _Said:
    cells = cited_cells(sources.document(item.span.document_id), item.span.start, item.span.end)
    labels = [label.text for cell in cells for label in (*cell.columns, *cell.rows)]
    of_table = frozenset(
        year for label in dict.fromkeys(labels) for year in years_of_header(figures(label))
    )
    text = "\n".join([item.quote, *labels])
    around = [item.quote, item.passage.context]
    if not of_table:
        around.append(sources.text_of(item.passage.span))
    years = frozenset(year for one in around for year in years_of_header(figures(one)))
    return _Said(
        words=frozenset(terms(text, language)),
        years=years | of_table,
        of_table=of_table,
        named=frozenset() if _LASTS.search(item.quote) else figures(item.quote).years,
        score=item.score,
    )
