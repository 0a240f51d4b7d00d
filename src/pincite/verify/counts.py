"""Turns a scan of the whole collection into an answer: checks every mention, then counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from pincite.records.counts import Closeness, Mention, Scan, ScannedDocument, Survey, SurveyRow
from pincite.records.files import first_intact
from pincite.records.flow import Answer, Citation, Claim, Mode, Question, Status, Verdict
from pincite.stages import Sources
from pincite.text.mentions import Mentions
from pincite.verify.abstention.reasons import Provenance
from pincite.verify.quotes.checking import CitedFile, FileCheck
from pincite.verify.receipts.count_text import counted, scanned_for, survey_text
from pincite.verify.receipts.receipt import located

_NAMED = 5
"""Most unreadable files that the answer names; the survey lists all of them."""


class CountVerifier:
    """Counts mentions in the stored text that, for text formats, are still in the file."""

    def __init__(self, sources: Sources, provenance: Provenance) -> None:
        self._sources = sources
        self._provenance = provenance

    def verify(self, question: Question, scan: Scan) -> Answer:
        """The count, with a citation for every mention; never an abstention."""
        reasons = [*question.notices, *scan.request.limits]
        citations: list[Citation] = []
        rows: list[SurveyRow] = []
        written: Counter[str] = Counter()
        for found in scan.found:
            checked = self._checked(scan, found, reasons)
            if checked:
                kept = [mention for mention, _ in checked]
                made = [citation for _, citation in checked]
                rows.append(_row(found, kept, made, first=len(citations) + 1))
                citations += made
                written.update(form.casefold() for mention in kept for form in mention.written)
        survey = _survey(scan, rows, written, question.filters.sections)
        reasons += _coverage(survey)
        numbers = tuple(range(1, len(citations) + 1))
        text = survey_text(survey)
        claim = Claim(text=text, evidence_ids=(), verdict=Verdict.SUPPORTED, citations=numbers)
        return Answer(
            status=Status.ANSWERED,
            question=question.text,
            text=text,
            claims=(claim,),
            citations=tuple(citations),
            confidence=1.0,
            reasons=tuple(dict.fromkeys(reasons)),
            corpus_version=self._provenance.corpus_version,
            settings_digest=self._provenance.settings_digest,
            mode=Mode.COUNTED,
            survey=survey,
        )

    def _checked(
        self, scan: Scan, found: ScannedDocument, reasons: list[str]
    ) -> list[tuple[Mention, Citation]]:
        """The mentions that hold, each with its citation, in reading order."""
        document = self._sources.document(found.document_id)
        path = first_intact(found.paths, document.sha256)
        counter = Mentions(scan.request.subject, scan.closeness, found.language)
        file = CitedFile(path, document, lambda: self._sources.source(document.id).modified)
        kept = []
        checks: Counter[FileCheck] = Counter()
        for mention in found.mentions:
            span = mention.span
            quote = document.text[span.start : span.end]
            if tuple(counter.found(quote)) != mention.written:
                reasons.append(f"{path}: a mention is not in the stored text; it was left out")
                continue
            citation = located(document, span.start, span.end, path=path, sha256=document.sha256)
            state = file.check(citation)
            checks[state] += 1
            if not state.withholds:
                kept.append((mention, citation))
        reasons += _about_file(path, checks)
        return kept


def _about_file(path: str, checks: Counter[FileCheck]) -> Iterator[str]:
    if changed := checks[FileCheck.CHANGED]:
        yield (
            f"{path}: the file has changed since it was ingested and {changed} of its quotes are no "
            "longer there; they were not counted. Ingest the file again"
        )
    if gone := checks[FileCheck.GONE]:
        yield (
            f"{path}: the file is no longer in its folder; {gone} of its quotes were not counted. "
            "Ingest the folder again, or put the file back"
        )
    if checks[FileCheck.MISSING]:
        yield (
            f"{path}: the file cannot be opened; its quotes were checked against the stored text only"
        )


def _row(
    found: ScannedDocument, kept: Sequence[Mention], made: Sequence[Citation], *, first: int
) -> SurveyRow:
    return SurveyRow(
        document=found.document_id,
        paths=found.paths,
        language=found.language,
        mentions=sum(len(mention.written) for mention in kept),
        passages=len({key for mention in kept for key in mention.passages}),
        pages=tuple(sorted({citation.page for citation in made if citation.page is not None})),
        first=first,
        citations=len(made),
    )


def _survey(
    scan: Scan, rows: Sequence[SurveyRow], written: Counter[str], sections: Sequence[str]
) -> Survey:
    return Survey(
        subject=scan.request.subject,
        wanted=scan.request.wanted,
        closeness=scan.closeness,
        written=dict(sorted(written.items(), key=lambda form: (-form[1], form[0]))),
        mentions=sum(row.mentions for row in rows),
        passages=sum(row.passages for row in rows),
        documents_scanned=scan.documents,
        passages_scanned=scan.passages,
        rows=tuple(rows),
        skipped=scan.skipped,
        sections=tuple(sections),
    )


def _coverage(survey: Survey) -> Iterator[str]:
    """What was counted, and which files could not be scanned."""
    if survey.closeness is Closeness.IN_ONE_SENTENCE:
        yield (
            f"the words '{survey.subject}' never appear side by side: sentences that contain all of "
            "them are counted"
        )
    yield (
        f"scanned: all {counted(survey.passages_scanned, 'passage')} of "
        f"{counted(survey.documents_scanned, 'document')}, and the headings, for {scanned_for(survey)}"
    )
    if not survey.skipped:
        return
    for problem in survey.skipped[:_NAMED]:
        yield f"not scanned: {Path(problem.path).name} {problem.reason}"
    if len(survey.skipped) > _NAMED:
        yield f"not scanned: {len(survey.skipped) - _NAMED} more files, see 'pincite stats --coverage'"
