"""Checks which statements of a draft hold, and builds their citations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from pincite.records.document import Document, Span
from pincite.records.files import digest_now
from pincite.records.flow import Citation, Claim, Draft, Evidence, Question, Source, Verdict
from pincite.stages import Sources
from pincite.verify.abstention.reasons import left_out
from pincite.verify.quotes.checking import FileCheck, check_in_file, why_not_there
from pincite.verify.quotes.list_lead_ins import with_announcements
from pincite.verify.receipts.receipt import located
from pincite.verify.statements.claims import ClaimChecker, Finding


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedDraft:
    """The statements of a draft after the check.

    `used` is the evidence of the claims that hold: one piece for each citation, in the same order.
    `differing` are the numbers, from 1, of quotes that another document contradicts.
    """

    claims: tuple[Claim, ...]
    left_out: tuple[Claim, ...]
    citations: tuple[Citation, ...]
    used: tuple[Evidence, ...]
    reasons: tuple[str, ...]
    differing: frozenset[int] = frozenset()


class DraftChecker:
    """Checks the quotes first, then each statement against the quotes it cites."""

    def __init__(self, sources: Sources, claims: ClaimChecker) -> None:
        self._sources = sources
        self._quotes = QuoteChecker(sources)
        self._claims = claims

    def check(self, question: Question, draft: Draft) -> CheckedDraft:
        """Every claim with its verdict; those that hold also get the numbers of their citations.

        A quote that is a list item follows the list's lead-in, which is quoted too.
        """
        draft = with_announcements(draft, self._sources)
        evidence = {item.id: item for item in draft.evidence}
        named = dict.fromkeys(name for claim in draft.claims for name in claim.evidence_ids)
        quotes = {
            name: self._quotes.check(question, evidence[name]) for name in named if name in evidence
        }
        held = _Held(evidence, quotes)
        dropped: list[Claim] = []
        faults: list[str] = []
        for claim in draft.claims:
            finding = self._finding(question, draft, claim, quotes)
            judged = replace(claim, verdict=finding.verdict, support=finding.support)
            if finding.holds:
                held.take(judged)
            else:
                dropped.append(judged)
                faults.append(str(finding))
        problems = dict.fromkeys(quote.problem for quote in quotes.values() if quote.problem)
        return CheckedDraft(
            claims=tuple(held.claims),
            left_out=tuple(dropped),
            citations=tuple(held.citations),
            used=tuple(held.used),
            reasons=(*problems, *left_out(faults, len(draft.claims))),
        )

    def _finding(
        self, question: Question, draft: Draft, claim: Claim, quotes: Mapping[str, CheckedQuote]
    ) -> Finding:
        if not claim.evidence_ids:
            return Finding(verdict=Verdict.NOT_CITED)
        cited: list[Citation] = []
        for name in claim.evidence_ids:
            citation = quotes[name].citation if name in quotes else None
            if citation is None:
                return Finding(verdict=Verdict.QUOTE_NOT_IN_SOURCE)
            cited.append(citation)
        return self._claims.check(question, claim.text, cited, draft.mode)


class _Held:
    """Claims that hold, and their citations, numbered from 1 in order of appearance."""

    def __init__(
        self, evidence: Mapping[str, Evidence], quotes: Mapping[str, CheckedQuote]
    ) -> None:
        self._evidence = evidence
        self._quotes = quotes
        self._numbers: dict[tuple[str, int, int], int] = {}
        self.claims: list[Claim] = []
        self.citations: list[Citation] = []
        self.used: list[Evidence] = []

    def take(self, claim: Claim) -> None:
        numbers = dict.fromkeys(self._number(name) for name in claim.evidence_ids)
        self.claims.append(replace(claim, citations=tuple(numbers)))

    def _number(self, name: str) -> int:
        citation = self._quotes[name].citation
        assert citation is not None
        place = (citation.document, citation.start, citation.end)
        if place not in self._numbers:
            self.citations.append(citation)
            self.used.append(self._evidence[name])
            self._numbers[place] = len(self.citations)
        return self._numbers[place]


# Turns evidence into citations, or explains why it cannot.


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedQuote:
    """The result for one piece of evidence; `problem` also reports checks that were not possible."""

    citation: Citation | None
    problem: str = ""


class QuoteChecker:
    """Compares quotes with the stored text and with the bytes of the file."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources

    def check(self, question: Question, item: Evidence) -> CheckedQuote:
        """The citation, if the quote is word for word where the evidence says it is."""
        document = self._sources.document(item.span.document_id)
        start, end = item.span.start, item.span.end
        if not item.quote or document.text[start:end] != item.quote:
            source = self._sources.source(document.id, question.collection)
            return CheckedQuote(
                citation=None,
                problem=f"{source.path}: a quote is not in the stored text; it was left out",
            )
        return self.at(item.span, question.collection)

    def at(self, span: Span, collection: str | None) -> CheckedQuote:
        """The citation of the stored text at a span, if it is still in the file."""
        document = self._sources.document(span.document_id)
        source = self._sources.source(document.id, collection)
        found = _check_file(document, span, source)
        problem = _PROBLEMS.get(found, "").format(path=source.path)
        if found.withholds:
            return CheckedQuote(citation=None, problem=problem)
        citation = located(document, span.start, span.end, path=source.path, sha256=document.sha256)
        return CheckedQuote(citation=citation, problem=problem)


def _check_file(document: Document, span: Span, source: Source) -> FileCheck:
    """Compares the bytes of the quote in text formats, and the whole file's digest in others."""
    place = document.byte_range(span.start, span.end)
    if place is None or document.encoding is None:
        digest = digest_now(source.path)
        if digest is None:
            return why_not_there(Path(source.path), source.modified)
        return FileCheck.SAME if digest == document.sha256 else FileCheck.CHANGED
    return check_in_file(
        Path(source.path),
        start_byte=place[0],
        end_byte=place[1],
        encoding=document.encoding,
        quote=document.text[span.start : span.end],
        modified=source.modified,
    )


_PROBLEMS = {
    FileCheck.CHANGED: (
        "{path}: the file has changed since it was ingested and a quote is no longer there; it was "
        "left out. Ingest the file again"
    ),
    FileCheck.GONE: (
        "{path}: the file is no longer in its folder; its quotes were left out. Ingest the folder "
        "again, or put the file back"
    ),
    FileCheck.MISSING: (
        "{path}: the file cannot be opened; its quotes were checked against the stored text only"
    ),
}
