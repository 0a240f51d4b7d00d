"""Answers what changed between two documents of a library, with the words of both."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import PurePath

from pincite.records.comparisons import Change, ChangesRequest, ComparedVersions, Comparison, Quoted
from pincite.records.document import Document
from pincite.records.files import first_intact
from pincite.records.flow import Answer, Citation, Claim, Piece, Question, Status, Verdict
from pincite.records.reasons import Reason, ReasonKind
from pincite.stages import Sources
from pincite.text.marks import STRUCK_PARTS, struck_ranges
from pincite.text.terms import terms
from pincite.verify.abstention.reasons import Provenance, Reasons
from pincite.verify.comparing.changes import compare, told
from pincite.verify.quotes.checking import CitedFile
from pincite.verify.receipts.receipt import located

_SHOWN, _KEPT = 5, 40
"""Most changes that are shown at once, and that an answer has at all."""
_LONGEST = 400_000
"""In characters of one document, of about 150 pages: more would take seconds."""


class ChangesVerifier:
    """Compares both documents and checks every quoted statement against its file."""

    def __init__(self, sources: Sources, provenance: Provenance) -> None:
        self._sources = sources
        self._provenance = provenance
        self._caveats = Reasons(sources).caveats

    def verify(self, question: Question, request: ChangesRequest) -> Answer | None:
        """The changes that were asked for, the weightiest first; None where text may answer instead."""
        both = [self._sources.document(one) for one in (request.before, request.after)]
        sides = [_Side(self._sources, one, question.collection) for one in both]
        if max(len(one.text) for one in both) > _LONGEST:
            before, after = (side.name for side in sides)
            reason = Reason.of(ReasonKind.NOT_COMPARED, before=before, after=after)
            return self._answer(question, [reason]) if request.is_certain else None
        compared = compare(*both)
        wanted = [one for one in compared.changes if _is_wanted(one, request)]
        if not wanted and not request.is_certain:
            return None
        claims: list[Claim] = []
        citations: list[Citation] = []
        parts: list[str] = []
        for change in wanted[:_KEPT]:
            cited = [
                (side.cited(one), one)
                for side, one in zip(sides, (change.before, change.after), strict=True)
                if one is not None
            ]
            if any(citation is None for citation, _ in cited):
                continue
            is_further = len(parts) == _SHOWN
            for citation, one in cited:
                if citation is not None:
                    citations.append(citation)
                    part = None if is_further else len(parts)
                    claims.append(_claim(one, citation, len(citations), part))
            if not is_further:
                parts.append(told(change))
        both_ids = {request.before, request.after}
        reasons = (
            *_reasons(sides, compared, wanted, request),
            *self._caveats(question, both_ids, citations),
            *_struck_out(citations),
        )
        answer = self._answer(question, reasons, claims, citations)
        told_of = _versions(sides, compared) if claims else None
        return replace(answer, parts=tuple(parts), compared=told_of)

    def _answer(
        self,
        question: Question,
        reasons: Iterable[str],
        claims: Sequence[Claim] = (),
        citations: Sequence[Citation] = (),
    ) -> Answer:
        return Answer(
            status=Status.ANSWERED if claims else Status.ABSTAINED,
            question=question.text,
            text="\n".join(claim.text for claim in claims if not claim.is_further),
            claims=tuple(claims),
            citations=tuple(citations),
            confidence=1.0 if claims else 0.0,
            reasons=(*question.notices, *reasons),
            corpus_version=self._provenance.corpus_version,
            settings_digest=self._provenance.settings_digest,
        )


def _reasons(
    sides: Sequence[_Side],
    compared: Comparison,
    wanted: Sequence[Change],
    request: ChangesRequest,
) -> Iterator[str]:
    before, after = (side.name for side in sides)
    asked = " ".join(request.topic.values())
    if not wanted:
        about = {"about": f" in this: {asked}" if asked else ""}
        yield Reason.of(ReasonKind.SAME, before=before, after=after, asked=asked, wording=about)
    else:
        yield Reason.of(
            ReasonKind.COMPARED,
            before=before,
            after=after,
            count=len(compared.changes),
            total=len(compared.changes) + compared.unchanged,
            wording={"about": f"; {len(wanted)} of them with '{asked}'" if asked else ""},
        )
    if len(wanted) > _KEPT:
        yield Reason.of(ReasonKind.MORE_CHANGES, count=len(wanted) - _KEPT)
    for side in sides:
        yield from side.withheld()


def _versions(sides: Sequence[_Side], compared: Comparison) -> ComparedVersions:
    first, second = (
        replace(one, source=side.path) for one, side in zip(compared.sides, sides, strict=True)
    )
    return ComparedVersions(
        sides=(first, second), changes=len(compared.changes), unchanged=compared.unchanged
    )


class _Side:
    """One of both documents, with the file that its quotes are checked against."""

    def __init__(self, sources: Sources, document: Document, collection: str | None) -> None:
        source = sources.source(document.id, collection)
        self._document = document
        self.path = first_intact((source.path, *source.copies), document.sha256)
        self._file = CitedFile(self.path, document, lambda: source.modified)
        self._withheld = 0

    @property
    def name(self) -> str:
        """The name of the file."""
        return PurePath(self.path).name

    def cited(self, side: Quoted) -> Citation | None:
        """The citation of a statement; None if the file has other words there now."""
        citation = located(
            self._document, side.start, side.end, path=self.path, sha256=self._document.sha256
        )
        if self._file.check(citation).withholds:
            self._withheld += 1
            return None
        return citation

    def withheld(self) -> Iterator[str]:
        """That statements are not shown since the file has changed."""
        if self._withheld:
            detail = f"the file has changed; {self._withheld} of its statements are not shown"
            yield Reason.of(ReasonKind.GAP, file=self.name, detail=detail)


def _struck_out(citations: Iterable[Citation]) -> Iterator[str]:
    if any(next(struck_ranges(one.quote), None) for one in citations):
        yield STRUCK_PARTS


def _is_wanted(change: Change, request: ChangesRequest) -> bool:
    """Whether it is of a kind that is asked for, and all words of the topic stand in it or above it."""
    if change.kind not in request.kinds:
        return False
    sides = filter(None, (change.before, change.after))
    held = terms(" ".join(text for side in sides for text in (side.text, *side.section)))
    return request.topic.keys() <= set(held)


def _claim(side: Quoted, citation: Citation, number: int, part: int | None) -> Claim:
    ends = [end for one in side.differing for end in one]
    kind = citation.kind
    return Claim(
        text=citation.quote,
        evidence_ids=(),
        verdict=Verdict.SUPPORTED,
        citations=(number,),
        telling=(min(ends), max(ends)) if ends else None,
        pieces=(Piece(start=0, end=len(citation.quote), kind=kind),) if kind else (),
        parts=() if part is None else (part,),
        is_further=part is None,
    )
