"""Which statements of a draft hold, and which citations carry them?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from pincite.records import Citation, Claim, Draft, Evidence, Mode, Question, Verdict
from pincite.stages import Sources
from pincite.verify.announcing import with_announcements
from pincite.verify.citing import CheckedQuote, QuoteChecker
from pincite.verify.claims import ClaimChecker, Finding
from pincite.verify.reasons import left_out


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedDraft:
    """The statements of a draft after the check.

    `used` is the evidence of those that hold: one piece for each citation, in the same order.
    """

    claims: tuple[Claim, ...]
    left_out: tuple[Claim, ...]
    citations: tuple[Citation, ...]
    used: tuple[Evidence, ...]
    reasons: tuple[str, ...]


class DraftChecker:
    """Checks quotes first, then each statement against those it cites."""

    def __init__(self, sources: Sources, claims: ClaimChecker) -> None:
        self._sources = sources
        self._quotes = QuoteChecker(sources)
        self._claims = claims

    def check(self, question: Question, draft: Draft) -> CheckedDraft:
        """Every claim with its verdict; those that hold with the numbers of their citations.

        A quote that is an item of a list comes behind what announces it, quoted too.
        """
        draft = with_announcements(draft, self._sources)
        evidence = {item.id: item for item in draft.evidence}
        named = dict.fromkeys(name for claim in draft.claims for name in claim.evidence_ids)
        quotes = {
            name: self._quotes.check(question, evidence[name]) for name in named if name in evidence
        }
        if draft.mode is Mode.GENERATED:
            shown = [quote.citation.quote for quote in quotes.values() if quote.citation]
            self._claims.prepare([claim.text for claim in draft.claims], shown)
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
    """Claims that hold, and their citations, numbered from 1 in the order in which they come."""

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
