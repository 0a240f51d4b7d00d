"""Turns a draft into an answer, keeping only what the sources say, or abstains."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from pincite.records.document import Span
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
from pincite.records.reasons import Reason, ReasonKind
from pincite.stages import Sources
from pincite.text.marks import FREELY, STRUCK_PARTS, is_struck_out, struck_ranges
from pincite.verify.abstention.decision import Judge, Judgement
from pincite.verify.abstention.lacking import MissingParts
from pincite.verify.abstention.reasons import (
    Provenance,
    Reasons,
    why_fallback,
    without_quotes_shown,
)
from pincite.verify.conflicts import Conflict, Conflicts, name_with_version
from pincite.verify.derivations import WITHHELD, recomputed
from pincite.verify.drafts import CheckedDraft, DraftChecker
from pincite.verify.quotes.cells import Scales
from pincite.verify.statements.claims import ClaimChecker
from pincite.verify.superseded import Versions

_NEAREST_HITS = 5
"""Refusals report the gaps of the documents of this many hits."""

_SHORT_SHARE = 0.7
"""Of a quote: a longer part of it says nothing that the quote does not say as fast."""

STRUCK_OUT = "only struck-out text answers this: the source no longer says it"


@dataclass(frozen=True, slots=True, kw_only=True)
class Needed:
    """How many statements of a draft must hold; with fewer, its fallback is checked instead."""

    statements: int = 1
    share: float = 0.5
    """Share of the draft's statements, in 0..1."""


class SourceVerifier:
    """Checks quotes against the stored text and the file, and statements against the quotes.

    A claim that fails is dropped and the reason is reported. When too little is left of what a model
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
        self._previewed = DraftChecker(sources, claims.at_once())
        self._reasons = Reasons(sources, versions)
        self._missing = MissingParts(sources, claims.weights, is_rare)
        self._conflicts = Conflicts(sources)
        self._scales = Scales(sources)

    def verify(self, question: Question, draft: Draft, hits: Sequence[Hit]) -> Answer:
        """The answer with checked citations, or an abstention with reasons."""
        with one_answer():
            return self._verify(question, draft, hits)

    def preview(self, question: Question, draft: Draft, hits: Sequence[Hit]) -> Preview:
        """The claims of an unfinished draft that hold; empty if they would be refused."""
        checked = self._previewed.check(question, draft)
        if not checked.claims:
            return Preview(mode=draft.mode)
        if self._judge.judge(question, _quoted_sentences(checked), hits).too_little:
            return Preview(mode=draft.mode)
        return Preview(claims=checked.claims, citations=checked.citations, mode=draft.mode)

    def _verify(self, question: Question, draft: Draft, hits: Sequence[Hit]) -> Answer:
        draft, checked = self._check_with_fallbacks(question, draft)
        notices = (*self._provenance.notices, *question.notices)
        checked = replace(checked, reasons=(*notices, *checked.reasons))

        if reasons := self._why_nothing_holds(question, draft, checked, hits):
            return self._refuse(question, draft, checked, reasons, hits)

        sentences = _quoted_sentences(checked)
        judged = self._judge.judge(question, sentences, hits)
        if judged.too_little:
            reasons = [*self._missing.reasons(question, sentences, hits, judged.too_little)]
            refusal = self._refuse(question, draft, checked, reasons, hits)
            return replace(refusal, confidence=judged.confidence)

        checked = self._with_conflicts(question, checked, hits)
        checked = self._with_scales(question, checked)
        if not draft.parts:
            checked = _with_short_answer(checked, judged.short)
        checked = _with_reasons(checked, self._remarks(question, checked, judged, hits))
        answer = self._answer(question, draft, checked, judged.confidence)
        return replace(answer, is_doubtful=judged.is_doubtful)

    def _check_with_fallbacks(self, question: Question, draft: Draft) -> tuple[Draft, CheckedDraft]:
        """The first draft in the chain of fallbacks with enough statements that hold."""
        checked = self._drafts.check(question, draft)
        reasons = (*draft.notices, *checked.reasons)
        if draft.fallback is None or self._is_enough(draft, checked):
            return draft, replace(checked, reasons=reasons)
        fallback, checked_fallback = self._check_with_fallbacks(question, draft.fallback)
        return fallback, replace(
            checked_fallback,
            reasons=(*reasons, why_fallback(draft), *checked_fallback.reasons),
            left_out=(*checked.claims, *checked.left_out, *checked_fallback.left_out),
        )

    def _is_enough(self, draft: Draft, checked: CheckedDraft) -> bool:
        held = len(checked.claims)
        return held >= self._needed.statements and held >= self._needed.share * len(draft.claims)

    def _why_nothing_holds(
        self, question: Question, draft: Draft, checked: CheckedDraft, hits: Sequence[Hit]
    ) -> list[str]:
        """Why no quote is left, or none that answers without the best one; empty if some are."""
        if not checked.claims and draft.nothing:
            return [draft.nothing]
        if not checked.claims:
            reason = self._reasons.why_nothing(question, draft, hits)
            return [reason, *self._missing.nearest(question, hits)]
        return [Reason.of(ReasonKind.BEST_LOST)] if _lost_best_quote(draft, checked) else []

    def _with_conflicts(
        self, question: Question, checked: CheckedDraft, hits: Sequence[Hit]
    ) -> CheckedDraft:
        """Adds quotes of other documents that contradict the cited ones, and points them out."""
        for conflict in self._conflicts.find(_quoted_sentences(checked), hits):
            other = conflict.other
            if all(item.span != other.span for item in checked.used):
                checked = self._with_quote(question, checked, other)
            places = [place for place, item in enumerate(checked.used) if item.span == other.span]
            if places:
                checked = _both_shown(checked, {conflict.cited + 1, places[0] + 1})
                checked = _with_reasons(checked, [_difference(conflict, checked, places[0])])
        return checked

    def _with_scales(self, question: Question, checked: CheckedDraft) -> CheckedDraft:
        """Adds the sentences that state the scale ("in thousands") of cited table rows."""
        for scale in self._scales.find(checked.used):
            checked = _marked_like_its_row(self._with_quote(question, checked, scale), scale)
        return checked

    def _with_quote(
        self, question: Question, checked: CheckedDraft, item: Evidence
    ) -> CheckedDraft:
        """Adds a quote with its lead-in, provided that it is in its source."""
        claim = Claim(text=item.quote, evidence_ids=(item.id,))
        added = self._drafts.check(question, Draft(claims=(claim,), evidence=(item,)))
        first = len(checked.citations) + 1
        claims = (replace(one, citations=(n,)) for n, one in enumerate(added.claims, start=first))
        return replace(
            checked,
            claims=(*checked.claims, *claims),
            citations=(*checked.citations, *added.citations),
            used=(*checked.used, *added.used),
        )

    def _remarks(
        self, question: Question, checked: CheckedDraft, judged: Judgement, hits: Sequence[Hit]
    ) -> Iterator[str]:
        """What a reader of these quotes should know, most important first."""
        if judged.caveat:
            yield judged.caveat
        if any(claim.verdict is Verdict.WORDED_FREELY for claim in checked.claims):
            yield WORDED_FREELY
        yield from _struck_out(checked)
        cited = {citation.document for citation in checked.citations}
        yield from self._reasons.caveats(question, cited, checked.citations)
        yield from self._reasons.newer_versions(question, checked.citations)
        if not judged.is_certain:
            yield from self._reasons.also_found_in(question, _quoted_sentences(checked), hits)
            yield from self._missing.remarks(question, checked.used)

    def _refuse(
        self,
        question: Question,
        draft: Draft,
        checked: CheckedDraft,
        why: Iterable[str],
        hits: Sequence[Hit],
    ) -> Answer:
        nearest = {hit.passage.span.document_id for hit in hits[:_NEAREST_HITS]}
        reasons = [*without_quotes_shown(checked.reasons), *why]
        reasons += self._reasons.caveats(question, nearest, [])
        if self._provenance.unread:
            reasons.append(self._provenance.unread)
        nothing = replace(checked, claims=(), citations=(), used=(), reasons=tuple(reasons))
        return self._answer(question, draft, nothing, 0.0)

    def _answer(
        self, question: Question, draft: Draft, checked: CheckedDraft, confidence: float
    ) -> Answer:
        derivation = recomputed(draft.derivation, checked.citations) if checked.claims else None
        withheld = [WITHHELD] if checked.claims and draft.derivation and not derivation else []
        return Answer(
            status=Status.ANSWERED if checked.claims else Status.ABSTAINED,
            question=question.text,
            text="\n".join(claim.text for claim in checked.claims if not claim.is_further),
            claims=checked.claims,
            citations=checked.citations,
            confidence=confidence,
            reasons=tuple(dict.fromkeys((*checked.reasons, *withheld))),
            corpus_version=self._provenance.corpus_version,
            settings_digest=self._provenance.settings_digest,
            mode=draft.mode,
            model=draft.model,
            judged_by=self._claims.judged_by if draft.mode is Mode.GENERATED else "",
            left_out=checked.left_out,
            calibration=self._judge.message,
            parts=draft.parts,
            derivation=derivation,
        )


WORDED_FREELY = (
    f"statements marked {FREELY} are worded freely: their names and numbers are in the quotes; compare "
    "the rest with them"
)


def _quoted_sentences(checked: CheckedDraft) -> list[Evidence]:
    """The evidence of the citations, in order, each narrowed to its telling sentence."""
    return [item.narrowed() for item in checked.used]


def _with_reasons(checked: CheckedDraft, reasons: Iterable[str]) -> CheckedDraft:
    return replace(checked, reasons=(*checked.reasons, *reasons))


def _both_shown(checked: CheckedDraft, numbers: set[int]) -> CheckedDraft:
    """Where one of two quotes that differ is shown, so is the other; neither answers by itself."""
    of_them = [bool(numbers & {*claim.citations}) for claim in checked.claims]
    pairs = list(zip(checked.claims, of_them, strict=True))
    if all(claim.is_further for claim, is_one in pairs if is_one):
        return checked
    claims = (replace(claim, is_further=False) if is_one else claim for claim, is_one in pairs)
    return replace(checked, claims=tuple(claims), differing=checked.differing | numbers)


def _difference(conflict: Conflict, checked: CheckedDraft, place: int) -> Reason:
    """How the quote at `place` (from 0) differs from the one it contradicts."""
    here, there = checked.citations[conflict.cited], checked.citations[place]
    return Reason.of(
        ReasonKind.DIFFER,
        quotes=[conflict.cited + 1, place + 1],
        here=conflict.here,
        file=name_with_version(here.source),
        there=conflict.there,
        other_file=name_with_version(there.source),
    )


def _with_short_answer(checked: CheckedDraft, short: Span | None) -> CheckedDraft:
    """Marks the short answer in the first quote, unless it is about all of that quote.

    Words of a later one are not what answers: the first may be of a newer version of the same document.
    """
    if short is None or _is_struck(checked, short):
        return checked
    holding = {
        number: item.span.start
        for number, item in enumerate(checked.used, start=1)
        if item.span.contains(short)
        and number not in checked.differing
        and short.end - short.start <= _SHORT_SHARE * len(item.narrowed().quote)
    }
    first = checked.claims[0]
    number = first.citations[0]
    if number not in holding or first.text != checked.used[number - 1].quote:
        return checked
    place = short.start - holding[number], short.end - holding[number]
    return replace(checked, claims=(replace(first, short_answer=place), *checked.claims[1:]))


def _is_struck(checked: CheckedDraft, short: Span) -> bool:
    """Whether a part of the short answer is struck out in its source."""
    return any(
        item.span.contains(short)
        and any(
            item.span.start + start < short.end and short.start < item.span.start + end
            for start, end in struck_ranges(item.quote)
        )
        for item in checked.used
    )


def _struck_out(checked: CheckedDraft) -> Iterator[str]:
    """That the best quote, or a part of it, does not hold any longer."""
    quote = checked.used[0].narrowed().quote if checked.used else ""
    if is_struck_out(quote):
        yield STRUCK_OUT
    elif next(struck_ranges(quote), None):
        yield STRUCK_PARTS


def _marked_like_its_row(checked: CheckedDraft, scale: Evidence) -> CheckedDraft:
    """Marks the claim of a scale as further reading if all claims on its row are."""
    row = scale.id.removeprefix(SCALE)
    of_row = [claim for claim in checked.claims if row in claim.evidence_ids]
    is_further = bool(of_row) and all(claim.is_further for claim in of_row)
    claims = (
        replace(claim, is_further=is_further) if scale.id in claim.evidence_ids else claim
        for claim in checked.claims
    )
    return replace(checked, claims=tuple(claims))


def _lost_best_quote(draft: Draft, checked: CheckedDraft) -> bool:
    """Whether the best quote of an extractive draft failed, and only quotes of its file are left.

    They were selected to supplement it, and answer nothing without it.
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
