"""READ FIRST: the two flows. Each stage is called once, in order."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from pincite.records import Answer, Evidence, FileProblem, Hit, Ingested, Question, SearchResult
from pincite.stages import (
    Answerer,
    Chunker,
    PassageEmbedder,
    ReaderPool,
    Reranker,
    Retriever,
    Selector,
    Verifier,
)

EMBEDDED_TOGETHER = 64
"""Passages handed to the encoder at once, so that every core has work while files are small."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestStages:
    """What turns files into passages; without an embedder, search is lexical only."""

    readers: ReaderPool
    chunker: Chunker
    embedder: PassageEmbedder | None


def _nothing(question: Question) -> Mapping[str, Any]:
    del question
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerStages:
    """What turns a question into an answer."""

    retriever: Retriever
    reranker: Reranker
    selector: Selector
    answerer: Answerer
    verifier: Verifier
    notices: tuple[str, ...] = ()
    seen: Callable[[Question], Mapping[str, Any]] = _nothing
    """What was seen in a question besides its words, for the trace."""


def ingest_files(paths: Iterable[Path], stages: IngestStages) -> Iterator[Ingested | FileProblem]:
    """Read, cut and encode files; what became of each, ready to be stored."""
    group: list[Ingested] = []
    for read in stages.readers.read_all(paths):
        if read.document is None:
            yield FileProblem(path=read.path, reason=read.reason)
            continue
        passages = stages.chunker.chunk(read.document)
        group.append(Ingested(path=read.path, document=read.document, passages=passages))
        if sum(len(item.passages) for item in group) >= EMBEDDED_TOGETHER:
            yield from _embed(group, stages)
            group = []
    yield from _embed(group, stages)


def _embed(group: Sequence[Ingested], stages: IngestStages) -> Iterator[Ingested]:
    if stages.embedder is None:
        yield from group
        return
    passages = [passage for item in group for passage in item.passages]
    texts = [
        item.document.text[passage.span.start : passage.span.end]
        for item in group
        for passage in item.passages
    ]
    embeddings = iter(stages.embedder.embed(passages, texts))
    for item in group:
        yield replace(item, embeddings=tuple(islice(embeddings, len(item.passages))))


def search(question: Question, stages: AnswerStages) -> SearchResult:
    """Find passages, best first."""
    recorder = Recorder()
    hits = _find(question, stages, recorder)
    return SearchResult(
        question=question.text,
        hits=hits,
        notices=stages.notices,
        timings=recorder.timings(),
        trace=recorder.trace,
    )


def answer_question(question: Question, stages: AnswerStages) -> Answer:
    """Answer with verified quotes, or abstain and say why."""
    recorder = Recorder()
    hits = _find(question, stages, recorder)
    with recorder.stage("select"):
        evidence = stages.selector.select(question, hits)
        recorder.trace["evidence"] = _evidence_trace(evidence)
    with recorder.stage("draft"):
        draft = stages.answerer.draft(question, evidence)
    with recorder.stage("verify"):
        answer = stages.verifier.verify(question, draft, hits)
    return answer.with_measurements(timings=recorder.timings(), trace=recorder.trace)


def _find(question: Question, stages: AnswerStages, recorder: Recorder) -> tuple[Hit, ...]:
    with recorder.stage("retrieve"):
        candidates = stages.retriever.retrieve(question)
        recorder.trace["seen"] = dict(stages.seen(question))
        recorder.trace["candidates"] = _hit_trace(candidates)
    with recorder.stage("rerank"):
        hits = stages.reranker.rerank(question, candidates)
        recorder.trace["hits"] = _hit_trace(hits)
    kept = {hit.passage.id for hit in hits}
    recorder.trace["dropped_by_rerank"] = [
        hit.passage.id for hit in candidates if hit.passage.id not in kept
    ]
    return hits


class Recorder:
    """Milliseconds per stage, and what each stage saw."""

    def __init__(self) -> None:
        self._started = time.perf_counter()
        self._stages: dict[str, float] = {}
        self.trace: dict[str, Any] = {}

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Time one stage."""
        started = time.perf_counter()
        yield
        self._stages[name] = _milliseconds(started)

    def timings(self) -> Mapping[str, float]:
        """Stages so far, and `total` since the recorder was made."""
        return {**self._stages, "total": _milliseconds(self._started)}


def _milliseconds(started: float) -> float:
    return round((time.perf_counter() - started) * 1000, 3)


def _hit_trace(hits: Sequence[Hit]) -> list[dict[str, Any]]:
    return [
        {
            "passage_id": hit.passage.id,
            "score": round(hit.score, 6),
            "scores": {name: round(score, 6) for name, score in hit.scores.items()},
        }
        for hit in hits
    ]


def _evidence_trace(evidence: Sequence[Evidence]) -> list[dict[str, Any]]:
    return [
        {
            "id": item.id,
            "passage_id": item.passage.id,
            "start": item.span.start,
            "end": item.span.end,
            "score": round(item.score, 6),
        }
        for item in evidence
    ]
