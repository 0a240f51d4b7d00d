"""Turns a draft into an answer: what the source does not say is left out, or all is refused."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace
from pathlib import Path

from pincite.records import Answer, Citation, Claim, Draft, Evidence, Hit, Question, Status, Verdict
from pincite.stages import Sources, TermWeights
from pincite.text.numbers import unsupported_numbers
from pincite.text.terms import question_terms
from pincite.verify.confidence import confidence, evidence_terms, measure
from pincite.verify.quotes import FileCheck, check_in_file
from pincite.verify.receipt import located

_DECIMALS = 4
"""Confidence is rounded so that it does not show more than it knows."""

_WORDS_NAMED = 5

_NEAREST = 5
"""Documents whose gaps are told when nothing was found: that many hits are looked at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """What an answer says about the library and settings it came from."""

    corpus_version: str
    settings_digest: str
    notices: tuple[str, ...] = ()
    """What users of every answer must know ("lexical search only: ...")."""
    unread: str = ""
    """What of the library cannot be found ("3 files could not be read"): told when refusing."""


class SourceVerifier:
    """Checks quotes against the stored text and the file, and numbers against the quotes.

    A claim that fails is dropped and the reason is told. When nothing is left, or when the
    confidence is below `abstain_below`, the answer is an abstention.
    """

    def __init__(
        self,
        sources: Sources,
        weights: TermWeights,
        provenance: Provenance,
        *,
        abstain_below: float,
    ) -> None:
        self._sources = sources
        self._weights = weights
        self._provenance = provenance
        self._abstain_below = abstain_below

    def verify(self, question: Question, draft: Draft, hits: Sequence[Hit]) -> Answer:
        """The answer with checked citations, or an abstention with reasons."""
        reasons = [*self._provenance.notices, *question.notices]
        evidence = {item.id: item for item in draft.evidence}
        claims: list[Claim] = []
        citations: dict[str, Citation] = {}
        for claim in draft.claims:
            cited = [evidence[name] for name in claim.evidence_ids if name in evidence]
            made = {item.id: self._citation(question, item, reasons) for item in cited}
            checked = replace(claim, verdict=self._verdict(claim, cited, made))
            if checked.verdict is Verdict.SUPPORTED:
                claims.append(checked)
                citations.update((name, found) for name, found in made.items() if found)
            else:
                reasons.append(f"a statement was left out: {checked.verdict}")
        used = [evidence[name] for name in citations]
        sure = round(confidence(measure(question, used, hits, self._weights)), _DECIMALS)
        if claims and sure >= self._abstain_below:
            made_of = {citation.document for citation in citations.values()}
            reasons += self._caveats(question, made_of, list(citations.values()))
            return self._answer(question, claims, list(citations.values()), sure, reasons)
        if claims:
            reasons += self._why_unsure(question, used, sure)
        else:
            reasons += self._why_nothing(question, draft, hits)
        near = {hit.passage.span.document_id for hit in hits[:_NEAREST]}
        reasons += self._caveats(question, near, [])
        if self._provenance.unread:
            reasons.append(self._provenance.unread)
        return self._answer(question, [], [], sure if claims else 0.0, reasons)

    def _answer(
        self,
        question: Question,
        claims: Sequence[Claim],
        citations: Sequence[Citation],
        sure: float,
        reasons: Sequence[str],
    ) -> Answer:
        return Answer(
            status=Status.ANSWERED if claims else Status.ABSTAINED,
            question=question.text,
            text="\n".join(claim.text for claim in claims),
            claims=tuple(claims),
            citations=tuple(citations),
            confidence=sure,
            reasons=tuple(dict.fromkeys(reasons)),
            corpus_version=self._provenance.corpus_version,
            settings_digest=self._provenance.settings_digest,
        )

    def _verdict(
        self, claim: Claim, cited: Sequence[Evidence], made: dict[str, Citation | None]
    ) -> Verdict:
        if not cited or len(cited) < len(claim.evidence_ids) or None in made.values():
            return Verdict.QUOTE_NOT_IN_SOURCE
        if unsupported_numbers(claim.text, tuple(item.quote for item in cited)):
            return Verdict.NUMBER_NOT_IN_QUOTE
        return Verdict.SUPPORTED

    def _citation(self, question: Question, item: Evidence, reasons: list[str]) -> Citation | None:
        """The citation, if the quote is word for word where the evidence says it is."""
        document = self._sources.document(item.span.document_id)
        source = self._sources.source(document.id, question.collection)
        span = item.span
        if document.text[span.start : span.end] != item.quote:
            reasons.append(f"{source.path}: a quote is not in the stored text; it was left out")
            return None
        place = document.byte_range(span.start, span.end)
        if place is not None and document.encoding is not None:
            found = check_in_file(
                Path(source.path),
                start_byte=place[0],
                end_byte=place[1],
                encoding=document.encoding,
                quote=item.quote,
            )
            if found is FileCheck.CHANGED:
                reasons.append(
                    f"{source.path}: the file has changed since it was ingested and a quote is no "
                    "longer there; it was left out. Ingest the file again"
                )
                return None
            if found is FileCheck.MISSING:
                reasons.append(
                    f"{source.path}: the file cannot be opened; its quotes were checked against "
                    "the stored text only"
                )
        return located(document, span.start, span.end, path=source.path, sha256=document.sha256)

    def _caveats(
        self, question: Question, documents: Set[str], citations: Sequence[Citation]
    ) -> Iterator[str]:
        """What is missing in these documents, and what about the quotes needs a second look."""
        for document_id in sorted(documents):
            document = self._sources.document(document_id)
            path = self._sources.source(document_id, question.collection).path
            for gap in document.gaps:
                yield f"{Path(path).name}: {gap}"
            for flag in document.flags:
                spans = ((c.start, c.end) for c in citations if c.document == document_id)
                if any(flag.start < end and start < flag.end for start, end in spans):
                    yield f"{Path(path).name}: a quote holds {flag.kind}: {flag.detail}"
        for number, citation in enumerate(citations, start=1):
            if citation.recognition is not None:
                yield (
                    f"quote [{number}] was recognised from a picture "
                    f"({citation.recognition:.0%} sure): compare it with the page"
                )

    def _why_nothing(self, question: Question, draft: Draft, hits: Sequence[Hit]) -> list[str]:
        if not question_terms(question.plain):
            return ["the question has no words to search for"]
        if not hits:
            return ["nothing in the documents resembles the question"]
        if not draft.claims:
            return ["no sentence in the documents comes near the question"]
        return ["no statement could be verified against its source"]

    def _why_unsure(
        self, question: Question, evidence: Sequence[Evidence], sure: float
    ) -> list[str]:
        best = max(evidence, key=lambda item: item.score)
        file = Path(self._sources.source(best.span.document_id, question.collection).path).name
        section = f", section '{' > '.join(best.passage.section)}'" if best.passage.section else ""
        reasons = [
            f"the documents do not seem to answer this: confidence {sure:.2f}, "
            f"{self._abstain_below:.2f} needed",
            f"the nearest passage is in {file}{section}",
        ]
        language = self._weights.language(question.plain)
        held = evidence_terms(evidence, language)
        missing = [
            (self._weights.weight(term), word)
            for term, word in question_terms(question.plain, language).items()
            if term not in held
        ]
        if missing:
            words = dict.fromkeys(word for _, word in sorted(missing, reverse=True))
            reasons.append(f"not found there: {', '.join(list(words)[:_WORDS_NAMED])}")
        return reasons
