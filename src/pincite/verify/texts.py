"""Checks the statements of somebody's text against the documents, for and against.

A statement is supported as a model's would be: by quotes that carry its numbers, names, negations and
words. It is contradicted only where one quote says the same but for one thing: another number or date,
a negation, another duty, the opposite word. Everything else is not found, however similar.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from pincite.records.checked_texts import CheckedStatement, Standing
from pincite.records.flow import Citation, Evidence, Hit, Mode, Question, Verdict
from pincite.settings.toml_files import shipped
from pincite.stages import Sources
from pincite.text.dates import moments
from pincite.text.languages import language_of
from pincite.text.numbers import Number, coloned, figures
from pincite.text.terms import fold
from pincite.verify.differences import difference
from pincite.verify.drafts import QuoteChecker
from pincite.verify.numbers.figures import (
    check_figures,
    in_place_of_another,
    is_approximate,
)
from pincite.verify.rows import said_by_row
from pincite.verify.statements.claims import ClaimChecker, Finding, measure_support, stated_by
from pincite.verify.statements.meaning import meaning_fault
from pincite.verify.statements.wording import Word, words_of

_MOST_COMPARED = 8
"""Quotes with which a statement is compared one by one."""

_LEAST_HELD = 0.8
"""Share of a statement's words, weighted by rarity, that a quote must have that contradicts it."""

_FEWEST_OF_CLAIM = 2
_FEWEST_WORDS = 3
"""Content words that a statement shares with a quote that contradicts it."""
_FEWEST_OF_RESULTS = 2
"""Content words of a sentence whose number is a result: "Sales rose by 3 %"."""
_NEAR_WORDS = 2
_OTHER_VALUE = frozenset(
    {
        Verdict.NUMBER_NOT_IN_QUOTE,
        Verdict.UNIT_DIFFERS,
        Verdict.SIGN_DIFFERS,
        Verdict.DATE_NOT_IN_QUOTE,
    }
)
_DENIED = frozenset({Verdict.NEGATION_DIFFERS, Verdict.CONTRADICTED})
_ASKS = re.compile(r"[?？؟][\s\"”»)]*$")
_CODE = re.compile(r"\b(?:[A-Za-z]+[-/]?\d[\w-]*|\d+[A-Za-z][\w-]*)(?!\w)")
_TOKEN = re.compile(r"\w+(?:[-/.,]\w+)*")
_UNNAMED = Question(text="")

Chosen = Callable[..., Sequence[Evidence]]
"""Of the sentences `context`, those that together have most of a statement's words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What the quotes say about a statement: those that carry it, or are nearest, and others."""

    standing: Standing
    finding: Finding
    quotes: tuple[Citation, ...] = ()
    against: tuple[Citation, ...] = ()


_Place = tuple[str, int, int]


def _place(citation: Citation) -> _Place:
    return (citation.document, citation.start, citation.end)


def is_claim(statement: str, language: str) -> bool:
    """Whether it states what documents can support: no question, courtesy or mere label."""
    if _ASKS.search(statement) or _courtesies().match(fold(statement)):
        return False
    return sum(word.is_content for word in words_of(statement, language)) >= _FEWEST_OF_CLAIM


def salutation_end(statement: str) -> int:
    """Where a statement begins that follows a line of greeting: "Dear Ms Kern,"; else 0."""
    line = statement.find("\n") + 1
    return line if line and _courtesies().match(fold(statement)) else 0


@cache
def _courtesies() -> re.Pattern[str]:
    lists = shipped("verify", "courtesies").values()
    beginnings = sorted({fold(one) for text in lists for one in text.split("|")}, reverse=True)
    return re.compile(rf"^\W*+(?:{'|'.join(map(re.escape, beginnings))})\b")


def judged(
    claims: ClaimChecker,
    statement: str,
    cited: Sequence[Citation],
    others: Sequence[Citation],
    is_only: Callable[[Citation], bool] = lambda _: True,
) -> Judged:
    """Compares a statement with the quotes `cited` together, and with `others` one by one.

    `is_only`: whether a table row is the only one of its name; what another row of the name says
    contradicts nothing.
    """
    language = language_of(" ".join((statement, *(one.quote for one in cited))))
    finding = claims.check(_UNNAMED, statement, cited, Mode.GENERATED)
    carriers = tuple(cited)
    rows = {_place(one): said_by_row(statement, one, language) for one in others if one.cells}
    if not finding.holds and (alone := _carried_alone(claims, statement, others, rows)):
        finding, carriers = alone
    against = tuple(
        one
        for one in others
        if (rows.get(_place(one)) is Standing.CONTRADICTED and is_only(one))
        or (_place(one) not in rows and _contradicts(claims, statement, one, language))
    )
    if finding.holds:
        own = {*map(_place, carriers)}
        against = tuple(one for one in against if _place(one) not in own)
        return Judged(
            standing=Standing.SUPPORTED, finding=finding, quotes=carriers, against=against
        )
    if against:
        return Judged(standing=Standing.CONTRADICTED, finding=finding, against=against[:1])
    return Judged(standing=Standing.NOT_FOUND, finding=finding, quotes=carriers)


def _carried_alone(
    claims: ClaimChecker,
    statement: str,
    others: Sequence[Citation],
    rows: Mapping[_Place, Standing],
) -> tuple[Finding, tuple[Citation]] | None:
    """The quote that carries the statement by itself: a row, or numbers of which it is a result."""
    for one in others:
        if rows.get(_place(one)) is Standing.SUPPORTED:
            return Finding(verdict=Verdict.SUPPORTED), (one,)
        figures_ = check_figures(statement, [one])
        if not figures_.derived or figures_.faults or meaning_fault(statement, [one], ""):
            continue
        support = measure_support(statement, stated_by([one]), "", claims.weights)
        if support.words >= _FEWEST_OF_RESULTS and not support.missing:
            detail = ", ".join(figures_.derived)
            return Finding(verdict=Verdict.DERIVED, detail=detail), (one,)
    return None


def _contradicts(claims: ClaimChecker, statement: str, other: Citation, language: str) -> bool:
    where = " ".join((other.section, other.quote))
    if _numbers_that_name(statement, language) - {*_TOKEN.findall(where.casefold())}:
        return False  # Room 12 is not room 14.
    if difference(statement, other.quote, language, are_versions=False):
        return True
    if any(in_place_of_another(statement, [other])):
        return True
    alone = claims.check(_UNNAMED, statement, [other], Mode.GENERATED)
    if alone.verdict in _DENIED:
        rest = statement
    elif alone.verdict is Verdict.PERIOD_DIFFERS:
        # It states the value of this period, which is another one.
        if figures(statement).years - figures(other.quote).years:
            return False
        rest = statement
    elif alone.verdict in _OTHER_VALUE and _gives_another_value(statement, other.quote, language):
        rest = statement
        for written in alone.detail.split(", "):
            rest = rest.replace(written, " ")
        if meaning_fault(rest, [other], ""):  # It is about another name.
            return False
    else:
        return False
    support = measure_support(rest, stated_by([other]), "", claims.weights)
    return support.words >= _FEWEST_WORDS and support.held >= _LEAST_HELD


def _numbers_that_name(text: str, language: str) -> set[str]:
    """Codes, and numbers that are no amount but say which one: P-101, "room 12", "version 2.1"."""
    told = figures(text)
    amounts = {one.start for one in told.moments} | {n.start for n in told.numbers if n.unit}
    found = {
        match.group().casefold() for match in _CODE.finditer(text) if match.start() not in amounts
    }
    for number in told.numbers:
        before = words_of(text[: number.start].rstrip(), language)
        is_bare = not (number.unit or number.looks_like_year or number.is_worded)
        is_behind = bool(before) and text[: number.start].rstrip().endswith(before[-1].text)
        if is_bare and is_behind and before[-1].is_content and not _says_how_many(before[-1]):
            found.add(number.digits.casefold())
    return found


def _says_how_many(word: Word) -> bool:
    return word.text.casefold() in shipped("verify", "numbering")["words"].split()


def _gives_another_value(statement: str, quote: str, language: str) -> bool:
    """Whether one number or date of the quote stands where the statement has another one.

    Of another year both may be true, and "about 50" is no other value than 52.
    """
    own, theirs = figures(statement), figures(quote)
    days, others = moments(statement), moments(quote)
    if days and others and not own.years - theirs.years:
        return True
    if own.years != theirs.years:
        has_values = any(not one.looks_like_year for one in own.numbers)
        return not has_values and len(own.years) == len(theirs.years) == 1
    times, of_quote = ({one.parts for one in coloned(text)} for text in (statement, quote))
    if times and of_quote and not times & of_quote:
        return True
    held = {one.value for one in theirs.numbers}
    said = {one.value for one in own.numbers}
    return any(
        one.value not in held
        and another.value not in said
        and is_approximate(statement, one) <= is_approximate(quote, another)
        and _measure_the_same(statement, one, quote, another, language)
        for one in own.numbers
        for another in theirs.numbers
    )


def _measure_the_same(
    statement: str, one: Number, quote: str, other: Number, language: str
) -> bool:
    if one.is_ordinal != other.is_ordinal or one.unit != other.unit:
        return False
    if one.unit:
        return True
    here, there = _counted(statement, one, language), _counted(quote, other, language)
    return bool(here) and here == there


def _counted(text: str, number: Number, language: str) -> str:
    """The word after a number: what it counts."""
    words = words_of(text[number.end :], language)
    return next((word.key for word in words[:_NEAR_WORDS] if word.is_content), "")


class StatementChecker:
    """Checks a statement against the passages that were found for it."""

    def __init__(self, sources: Sources, claims: ClaimChecker, chosen: Chosen) -> None:
        self._sources = sources
        self._quotes = QuoteChecker(sources)
        self._claims = claims
        self._chosen = chosen

    def check(self, question: Question, statement: str, hits: Sequence[Hit]) -> CheckedStatement:
        """The statement with verified quotes for and against it; `question` is what was searched."""
        evidence = [*self._sentences(hits)]
        quotes = self._verified(question, self._chosen(statement, context=evidence))
        near = self._verified(question, evidence[:_MOST_COMPARED])
        others = {_place(one): one for one in (*quotes, *near)}
        found = judged(self._claims, statement, quotes, [*others.values()], self._is_only_row)
        return CheckedStatement(
            text=statement,
            standing=found.standing,
            verdict=found.finding.verdict,
            detail=found.finding.detail,
            quotes=found.quotes,
            against=found.against,
        )

    def _is_only_row(self, citation: Citation) -> bool:
        """Whether no other row of the document has the same first cell."""
        document = self._sources.document(citation.document)
        own = document.blocks_in(citation.start, citation.end)[0]
        rows = (block for block in document.blocks if block.cells)
        names = (document.text[row.cells[0].start : row.cells[0].end].strip() for row in rows)
        name = document.text[own.cells[0].start : own.cells[0].end].strip() if own.cells else ""
        return sum(1 for one in names if one == name) == 1

    def _sentences(self, hits: Sequence[Hit]) -> Iterator[Evidence]:
        """The sentences of the passages, the most similar first, each once."""
        scored = {
            span: (score, hit.passage)
            for hit in reversed(hits)
            for span, score in zip(hit.passage.sentences, hit.sentence_scores, strict=False)
        }
        best = sorted(scored, key=lambda span: (-scored[span][0], span.document_id, span.start))
        for number, span in enumerate(best, start=1):
            score, passage = scored[span]
            quote = self._sources.text_of(span)
            yield Evidence(id=f"s{number}", span=span, quote=quote, passage=passage, score=score)

    def _verified(self, question: Question, evidence: Sequence[Evidence]) -> list[Citation]:
        checked = (self._quotes.check(question, item).citation for item in evidence)
        return [citation for citation in checked if citation is not None]
