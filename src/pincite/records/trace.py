"""The trace of a question, stage by stage, as one JSON object common to all interfaces.

docs/trace.md describes it field by field.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial, wraps
from typing import Any, Concatenate, ParamSpec

from pincite.records.counts import Scan
from pincite.records.document import Span
from pincite.records.flow import (
    Answer,
    Draft,
    Dropped,
    Evidence,
    Passage,
    Question,
    Ranking,
    Selection,
)

FORMAT = 1
"""Incremented when a field changes its meaning or is removed; new fields may be added any time."""

_DECIMALS = 6
_LOCK = "_one_at_a_time"

Form = dict[str, Any]
_Ranked = tuple[Passage, float, Mapping[str, float]]
Given = ParamSpec("Given")


def _when_read(
    method: Callable[Concatenate[Recorder, Given], None],
) -> Callable[Concatenate[Recorder, Given], None]:
    """Defers a call until the trace is read."""

    @wraps(method)
    def remembered(self: Recorder, /, *given: Given.args, **named: Given.kwargs) -> None:
        self.to_write.append(partial(method, self, *given, **named))

    return remembered


class Recorder:
    """Records each stage's time in milliseconds, and what it kept, dropped and noted.

    Results are formatted only when the trace is read: few callers read it, and formatting takes longer
    than fusion.
    """

    def __init__(self, question: Question) -> None:
        self._started = time.perf_counter()
        self._question = question
        self._understood: Form = {}
        self._stages: dict[str, Form] = {}
        self._passages: dict[str, Form] = {}
        self.to_write: list[Callable[[], None]] = []
        self._one_at_a_time = threading.Lock()

    def __getstate__(self) -> dict[str, Any]:
        """For copies of answers: formats the trace and omits the lock, which cannot be copied."""
        self.trace()
        return {name: value for name, value in vars(self).items() if name != _LOCK}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        vars(self).update(state, **{_LOCK: threading.Lock()})

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Measure the time of one stage."""
        started = time.perf_counter()
        yield
        done = {"name": name, "ms": _milliseconds(started)}
        self._stages[name] = {**done, "kept": [], "dropped": [], "notes": []}

    def understood(self, found: Mapping[str, Any]) -> None:
        """Record how a stage understood the question, as JSON."""
        self._understood.update(found)

    def ranked(self, stage: str, ranking: Ranking) -> None:
        """Record the ranking of a search stage."""
        # Not the hits themselves: they would keep their sentence vectors in memory.
        hits = [(hit.passage, hit.score, hit.scores) for hit in ranking.hits]
        self._ranked(stage, hits, ranking.dropped, ranking.notes)

    @_when_read
    def _ranked(
        self, stage: str, hits: Sequence[_Ranked], dropped: Sequence[Dropped], notes: Sequence[str]
    ) -> None:
        self._know(passage for passage, _, _ in hits)
        kept = [_hit_form(hit, rank) for rank, hit in enumerate(hits, start=1)]
        self._record(stage, kept, dropped, notes)

    @_when_read
    def selected(self, stage: str, selection: Selection) -> None:
        """Record the selected sentences."""
        # Sentences for a part of the question may be in passages that no earlier stage listed.
        self._know(item.passage for item in selection.evidence)
        kept = [
            {"rank": rank, **_evidence_form(item), "score": _rounded(item.score)}
            for rank, item in enumerate(selection.evidence, start=1)
        ]
        self._record(stage, kept, selection.dropped, selection.notices)

    @_when_read
    def drafted(self, stage: str, draft: Draft) -> None:
        """Record the drafted statements and the evidence for each."""
        kept = [{"text": c.text, "evidence": list(c.evidence_ids)} for c in draft.claims]
        self._record(stage, kept, (), ())

    @_when_read
    def verified(self, stage: str, draft: Draft, answer: Answer) -> None:
        """Record which evidence is quoted, and why the rest is not."""
        quoted = {(c.document, c.start, c.end) for c in answer.citations}
        lost = "its statement could not be verified" if quoted else "the answer was refused"
        kept, dropped = [], []
        for item in _evidence_of(draft):
            if (item.span.document_id, item.span.start, item.span.end) in quoted:
                kept.append(_evidence_form(item))
            else:
                dropped.append({**_evidence_form(item), "reason": lost})
        self._record(stage, kept, (), answer.reasons)
        self._stages[stage].update(
            dropped=dropped,
            status=str(answer.status),
            mode=str(answer.mode),
            confidence=answer.confidence,
            left_out=[{"text": c.text, "verdict": str(c.verdict)} for c in answer.left_out],
        )

    @_when_read
    def scanned(self, stage: str, scan: Scan) -> None:
        """Record how much of the library was scanned, and which documents were kept."""
        mentions = sum(len(document.mentions) for document in scan.found)
        note = (
            f"{scan.documents} documents with {scan.passages} passages scanned for "
            f"'{scan.request.subject}' ({scan.closeness}): {mentions} sentences or headings of "
            f"{len(scan.found)} documents, {len(scan.skipped)} files not or only partly read"
        )
        self._record(stage, [{"document": item.document_id} for item in scan.found], (), (note,))

    @_when_read
    def counted(self, stage: str, answer: Answer) -> None:
        """Record the result of a scan."""
        kept = [{"document": row.document} for row in answer.survey.rows] if answer.survey else []
        self._record(stage, kept, (), answer.reasons)
        self._stages[stage].update(status=str(answer.status), confidence=answer.confidence)

    def timings(self) -> Mapping[str, float]:
        """Milliseconds of the stages so far, and the `total` since the recorder was created."""
        stages = {name: form["ms"] for name, form in self._stages.items()}
        return {**stages, "total": _milliseconds(self._started)}

    def trace(self) -> Form:
        """The whole trace."""
        with self._one_at_a_time:
            while self.to_write:
                self.to_write.pop(0)()
        return {
            "format": FORMAT,
            "question": {
                "text": self._question.text,
                "collection": self._question.collection,
                "understood": self._understood,
            },
            "stages": list(self._stages.values()),
            "passages": self._passages,
        }

    def _record(
        self, stage: str, kept: list[Form], dropped: Sequence[Dropped], notes: Sequence[str]
    ) -> None:
        self._know(item.passage for item in dropped)
        self._stages[stage].update(
            kept=kept, dropped=[_dropped_form(item) for item in dropped], notes=list(notes)
        )

    def _know(self, passages: Iterable[Passage]) -> None:
        for passage in passages:
            if passage.id not in self._passages:
                self._passages[passage.id] = {
                    "document": passage.span.document_id,
                    "start": passage.span.start,
                    "end": passage.span.end,
                    "page": passage.page,
                    "section": list(passage.section),
                    "context": passage.context,
                }


def _milliseconds(started: float) -> float:
    return round((time.perf_counter() - started) * 1000, 3)


def _rounded(score: float) -> float:
    return round(score, _DECIMALS)


def _hit_form(hit: _Ranked, rank: int) -> Form:
    passage, score, scores = hit
    return {
        "rank": rank,
        "passage_id": passage.id,
        "score": _rounded(score),
        "scores": {name: _rounded(score) for name, score in scores.items()},
    }


def _evidence_of(draft: Draft) -> list[Evidence]:
    """The evidence of the draft and its fallbacks, each sentence once."""
    found: dict[Span, Evidence] = {}
    shown: Draft | None = draft
    while shown is not None:
        for item in shown.evidence:
            found.setdefault(item.span, item)
        shown = shown.fallback
    return list(found.values())


def _evidence_form(item: Evidence) -> Form:
    return {
        "id": item.id,
        "passage_id": item.passage.id,
        "start": item.span.start,
        "end": item.span.end,
    }


def _dropped_form(item: Dropped) -> Form:
    form: Form = {
        "passage_id": item.passage.id,
        "reason": item.reason,
        "score": _rounded(item.score),
        "scores": {name: _rounded(score) for name, score in item.scores.items()},
    }
    if item.span is not None:
        form.update(start=item.span.start, end=item.span.end)
    return form
