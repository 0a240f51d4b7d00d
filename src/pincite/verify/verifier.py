"""Turns a draft into an answer: what the source does not say is left out, or all is refused."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from pincite.records.files import one_answer
from pincite.records.flow import (
    SCALE,
    Answer,
    Claim,
    Draft,
    Evidence,
    Hit,
    Mode,
    Preview,
    Question,
    Status,
    Verdict,
)
from pincite.stages import Sources
from pincite.verify.abstention.decision import Judge
from pincite.verify.abstention.lacking import Lacking
from pincite.verify.abstention.reasons import Provenance, Reasons, of_nothing_shown, why_fallback
from pincite.verify.conflicts import Conflicts, named
from pincite.verify.drafts import CheckedDraft, DraftChecker
from pincite.verify.quotes.cells import Scales
from pincite.verify.statements.claims import ClaimChecker
from pincite.verify.superseded import Versions

_NEAREST = 5
"""Documents whose gaps are told when nothing was found: that many hits are looked at."""

_BEST_LOST = (
    "the sentence that comes nearest to the question is not in its source any more, and the others "
    "stand beside it in the same file"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Needed:
    """How much must hold. A draft gives way to its fallback when less of its statements does."""

    statements: int = 1
    share: float = 0.5
    """Of the statements of the draft, in 0..1."""


class SourceVerifier:
    """Checks quotes against the stored text and the file, and statements against the quotes.

    A claim that fails is dropped and the reason is told. When too little is left of what a model
    wrote, the draft's fallback is checked instead. When nothing is left, or when the confidence is
    too low, the answer is an abstention.
    """

    def __init__(
        self,
        sources: Sources,
        claims: ClaimChecker,
        provenance: Provenance,
        needed: Needed,
        judge: Judge,
        versions: Versions | None = None,
        is_rare: Callable[[str], bool] = lambda _: False,
    ) -> None:
        self._provenance = provenance
        self._needed = needed
        self._judge = judge
        self._claims = claims
        self._drafts = DraftChecker(sources, claims)
        self._reasons = Reasons(sources, versions)
        self._lacking = Lacking(sources, claims.weights, is_rare)
        self._conflicts = Conflicts(sources)
        self._scales = Scales(sources)

    def verify(self, question: Question, draft: Draft, hits: Sequence[Hit]) -> Answer:
        """The answer with checked citations, or an abstention with reasons."""
        with one_answer():
            return self._verified(question, draft, hits)

    def _verified(self, question: Question, draft: Draft, hits: Sequence[Hit]) -> Answer:
        draft, checked = self._check(question, draft)
        told = [*self._provenance.notices, *question.notices, *checked.reasons]
        checked = replace(checked, reasons=tuple(told))
        if not checked.claims:
            why = [self._reasons.why_nothing(question, draft, hits)]
            why += self._lacking.nearest(question, hits)
            return self._refusal(question, draft, checked, why, hits)
        if _lost_the_best(draft, checked):
            return self._refusal(question, draft, checked, [_BEST_LOST], hits)
        told_by = [item.narrowed() for item in checked.used]
        judged = self._judge.judge(question, told_by, hits)
        if judged.too_little:
            why = [*self._lacking.told(question, told_by, hits, judged.too_little)]
            refused = self._refusal(question, draft, checked, why, hits)
            return replace(refused, confidence=judged.confidence)
        checked = self._with_conflicts(question, checked, hits)
        for remark in self._scales.find(checked.used):
            checked = _behind_its_row(self._beside(question, checked, remark), remark)
        told = [*checked.reasons, *([judged.beside] if judged.beside else [])]
        cited = {citation.document for citation in checked.citations}
        told += self._reasons.caveats(question, cited, checked.citations)
        told += self._reasons.newer_versions(question, checked.citations)
        told += self._reasons.said_elsewhere(
            question, [one.narrowed() for one in checked.used], hits
        )
        told += self._lacking.beside(question, checked.used)
        return self._answer(
            question, draft, replace(checked, reasons=tuple(told)), judged.confidence
        )

    def preview(self, question: Question, draft: Draft, hits: Sequence[Hit]) -> Preview:
        """What holds of a draft that is not complete yet; nothing where it would be refused."""
        checked = self._drafts.check(question, draft)
        if (
            not checked.claims
            or self._judge.judge(
                question, [item.narrowed() for item in checked.used], hits
            ).too_little
        ):
            return Preview()
        return Preview(claims=checked.claims, citations=checked.citations)

    def _with_conflicts(
        self, question: Question, checked: CheckedDraft, hits: Sequence[Hit]
    ) -> CheckedDraft:
        """The same with what other documents say differently, quoted beside it and pointed out."""
        for conflict in self._conflicts.find([item.narrowed() for item in checked.used], hits):
            spans = [item.span for item in checked.used]
            if conflict.other.span not in spans:
                checked = self._beside(question, checked, conflict.other)
                spans = [item.span for item in checked.used]
            if conflict.other.span not in spans:
                continue
            place = spans.index(conflict.other.span)
            here, there = checked.citations[conflict.cited], checked.citations[place]
            told = (
                f"quotes [{conflict.cited + 1}] and [{place + 1}] differ: {conflict.here} in "
                f"{named(here.source)}, {conflict.there} in {named(there.source)}"
            )
            checked = replace(checked, reasons=(*checked.reasons, told))
        return checked

    def _beside(self, question: Question, checked: CheckedDraft, item: Evidence) -> CheckedDraft:
        """The same with one more quote, if that is in its source, and with what announces it."""
        claim = Claim(text=item.quote, evidence_ids=(item.id,))
        added = self._drafts.check(question, Draft(claims=(claim,), evidence=(item,)))
        first = len(checked.citations) + 1
        return replace(
            checked,
            claims=(
                *checked.claims,
                *(replace(one, citations=(n,)) for n, one in enumerate(added.claims, start=first)),
            ),
            citations=(*checked.citations, *added.citations),
            used=(*checked.used, *added.used),
        )

    def _check(self, question: Question, draft: Draft) -> tuple[Draft, CheckedDraft]:
        """The draft that is shown: the first in the chain of fallbacks of which enough holds."""
        checked = self._drafts.check(question, draft)
        reasons = (*draft.notices, *checked.reasons)
        if draft.fallback is None or self._is_enough(draft, checked):
            return draft, replace(checked, reasons=reasons)
        shown, instead = self._check(question, draft.fallback)
        return shown, replace(
            instead,
            reasons=(*reasons, why_fallback(draft), *instead.reasons),
            left_out=(*checked.claims, *checked.left_out, *instead.left_out),
        )

    def _is_enough(self, draft: Draft, checked: CheckedDraft) -> bool:
        held = len(checked.claims)
        return held >= self._needed.statements and held >= self._needed.share * len(draft.claims)

    def _refusal(
        self,
        question: Question,
        draft: Draft,
        checked: CheckedDraft,
        why: Sequence[str],
        hits: Sequence[Hit],
    ) -> Answer:
        near = {hit.passage.span.document_id for hit in hits[:_NEAREST]}
        told = of_nothing_shown(checked.reasons)
        reasons = [*told, *why, *self._reasons.caveats(question, near, [])]
        if self._provenance.unread:
            reasons.append(self._provenance.unread)
        nothing = replace(checked, claims=(), citations=(), used=(), reasons=tuple(reasons))
        return self._answer(question, draft, nothing, 0.0)

    def _answer(
        self, question: Question, draft: Draft, checked: CheckedDraft, sure: float
    ) -> Answer:
        return Answer(
            status=Status.ANSWERED if checked.claims else Status.ABSTAINED,
            question=question.text,
            text="\n".join(claim.text for claim in checked.claims if not claim.is_further),
            claims=checked.claims,
            citations=checked.citations,
            confidence=sure,
            reasons=tuple(dict.fromkeys(checked.reasons)),
            corpus_version=self._provenance.corpus_version,
            settings_digest=self._provenance.settings_digest,
            mode=draft.mode,
            model=draft.model,
            judged_by=self._claims.judged_by if draft.mode is Mode.GENERATED else "",
            left_out=checked.left_out,
            calibration=self._judge.told,
            parts=draft.parts,
        )


def _behind_its_row(checked: CheckedDraft, remark: Evidence) -> CheckedDraft:
    """The same, where a remark on the scale of a row stands behind the answer if that row does."""
    row = remark.id.removeprefix(SCALE)
    scaled = [claim for claim in checked.claims if row in claim.evidence_ids]
    is_further = bool(scaled) and all(claim.is_further for claim in scaled)
    claims = (
        replace(one, is_further=is_further) if remark.id in one.evidence_ids else one
        for one in checked.claims
    )
    return replace(checked, claims=tuple(claims))


def _lost_the_best(draft: Draft, checked: CheckedDraft) -> bool:
    """Whether the best quote failed, and what is left of an answer of quotes is from the same file.

    The others were chosen to stand beside it, and answer nothing without it.
    """
    if draft.mode is not Mode.EXTRACTIVE:
        return False
    best = max(draft.evidence, key=lambda item: item.score)
    failed = {
        name
        for claim in checked.left_out
        if claim.verdict is Verdict.QUOTE_NOT_IN_SOURCE
        for name in claim.evidence_ids
    }
    return best.id in failed and all(
        item.score < best.score and item.span.document_id == best.span.document_id
        for item in checked.used
    )
