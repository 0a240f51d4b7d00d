"""Reasons and caveats that are shown with an answer, or instead of one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from pathlib import Path

from pincite.records.document import Span
from pincite.records.flow import Citation, Draft, Evidence, Hit, Passage, Question
from pincite.records.reasons import Reason, ReasonKind, as_reason
from pincite.stages import Sources
from pincite.text.as_read import statement_key
from pincite.text.terms import question_terms
from pincite.verify.superseded import Versions

_FAULTS_NAMED = 3
_FILES_NAMED = 3
_FEWEST_WORDS = 4
"""Shorter sentences ("See below.") are not reported as found in several files."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """The library and settings that an answer came from."""

    corpus_version: str
    settings_digest: str
    notices: tuple[str, ...] = ()
    """Shown with every answer ("lexical search only: ...")."""
    unread: str = ""
    """What the library is missing ("3 files could not be read"); shown with abstentions."""


def left_out(faults: Sequence[str], total: int) -> Iterator[Reason]:
    """How many of `total` statements were left out, and why; nothing if none was."""
    if not faults:
        return
    named = list(dict.fromkeys(faults))
    more = f"; and {len(named) - _FAULTS_NAMED} more" if len(named) > _FAULTS_NAMED else ""
    was = "was" if len(faults) == 1 else "were"
    statements = "statement" if total == 1 else "statements"
    yield Reason.of(
        ReasonKind.LEFT_OUT,
        count=len(faults),
        total=total,
        wording={"statements": f"{statements} {was}"},
        faults=f"{'; '.join(named[:_FAULTS_NAMED])}{more}",
    )


def why_fallback(draft: Draft) -> Reason:
    """Why the fallback is shown instead of the draft."""
    if draft.claims:
        found = "the documents do not support what the model wrote"
    else:
        found = "the model wrote no statement"
    return Reason.of(ReasonKind.QUOTES_INSTEAD, cause=found)


def without_quotes_shown(reasons: Sequence[str]) -> tuple[str, ...]:
    """The reasons of an abstention: they keep why no model wrote it, but announce no quotes."""
    shown = {ReasonKind.QUOTES_INSTEAD, ReasonKind.QUOTES_ALONE}
    told = map(as_reason, reasons)
    return tuple(one.data["cause"] if one.kind in shown else one for one in told)


class Reasons:
    """Words the reasons for what is missing or doubtful."""

    def __init__(self, sources: Sources, versions: Versions | None = None) -> None:
        self._sources = sources
        self._versions = versions

    def caveats(
        self, question: Question, documents: Set[str], citations: Sequence[Citation]
    ) -> Iterator[str]:
        """Gaps in these documents, and what needs a second look in the quotes."""
        for document_id in sorted(documents):
            document = self._sources.document(document_id)
            name = self._file_name(question, document_id)
            for gap in document.gaps:
                yield Reason.of(ReasonKind.GAP, file=name, detail=gap)
            for flag in document.flags:
                spans = ((c.start, c.end) for c in citations if c.document == document_id)
                if any(flag.start < end and start < flag.end for start, end in spans):
                    flagged = str(flag.kind)
                    yield Reason.of(ReasonKind.FLAGGED, file=name, flag=flagged, detail=flag.detail)
        for number, citation in enumerate(citations, start=1):
            if citation.recognition is not None:
                sure = f"{citation.recognition:.0%}"
                yield Reason.of(ReasonKind.RECOGNISED, quotes=[number], sure=sure)

    def newer_versions(self, question: Question, citations: Sequence[Citation]) -> Iterator[str]:
        """Cited files that have a newer version in the library, judged by their names."""
        for path in dict.fromkeys(citation.source for citation in citations):
            if self._versions is None:
                return
            newer = list(self._versions.newer(path, question.text, question.collection))
            if newer:
                yield Reason.of(ReasonKind.NEWER, file=Path(path).name, newer=newer)

    def also_found_in(
        self, question: Question, used: Sequence[Evidence], hits: Sequence[Hit]
    ) -> Iterator[str]:
        """Other retrieved files, in any format, that contain a quote word for word."""
        cited = {item.span.document_id for item in used}
        elsewhere = [hit.passage for hit in hits if hit.passage.span.document_id not in cited]
        for number, item in enumerate(used, start=1):
            if len(item.quote.split()) < _FEWEST_WORDS:
                continue
            wanted = {self._key(span) for span in _sentences_of(item)}
            source = self._sources.source(item.span.document_id, question.collection)
            same = [_copy_name(source.path, copy) for copy in source.copies]
            same += [
                self._file_name(question, passage.span.document_id)
                for passage in elsewhere
                if self._holds(passage, wanted)
            ]
            if names := list(dict.fromkeys(same)):
                more = len(names) - _FILES_NAMED
                others = f" and {more} more" if more > 0 else ""
                named = ", ".join(names[:_FILES_NAMED])
                yield Reason.of(ReasonKind.ALSO_IN, quotes=[number], files=f"{named}{others}")

    def _holds(self, passage: Passage, wanted: Set[str]) -> bool:
        """Whether all `wanted` keys are sentences of a passage; a quick word test comes first."""
        text = self._sources.text_of(passage.span)
        longest = (max(re.findall(r"[^\W_]+", one) or [""], key=len) for one in wanted)
        if not all(word in text for word in longest):
            return False
        return wanted <= {self._key(span) for span in passage.sentences}

    def _key(self, span: Span) -> str:
        media_type = self._sources.document(span.document_id).media_type
        return statement_key(self._sources.text_of(span), media_type)

    def why_nothing(self, question: Question, draft: Draft, hits: Sequence[Hit]) -> Reason:
        """Why there is no statement to show."""
        if not question_terms(question.plain):
            return Reason.of(ReasonKind.NO_WORDS)
        if not hits:
            return Reason.of(ReasonKind.NOTHING_ALIKE)
        if not draft.claims:
            return Reason.of(ReasonKind.NOTHING_NEAR)
        return Reason.of(ReasonKind.NOTHING_VERIFIED)

    def _file_name(self, question: Question, document_id: str) -> str:
        return Path(self._sources.source(document_id, question.collection).path).name


def _copy_name(path: str, copy: str) -> str:
    """The name of a copy, with its folder if both files have the same name."""
    same = Path(path).name == Path(copy).name
    return str(Path(*Path(copy).parts[-2:])) if same else Path(copy).name


def _sentences_of(item: Evidence) -> list[Span]:
    """The sentences of a quote if its passage lists them, else the quote itself."""
    inside = [span for span in item.passage.sentences if item.span.contains(span)]
    return inside or [item.span]
