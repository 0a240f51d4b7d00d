"""READ FIRST: the two pipelines. Each stage is called once, in order.

The exception is a question of several parts: the selector (`answer/question_parts.py`) also
retrieves and reranks for each part.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from pincite.errors import PinciteError
from pincite.records.checked_texts import CheckedStatement
from pincite.records.counts import SurveyRequest
from pincite.records.flow import (
    Answer,
    Draft,
    FileRead,
    Hit,
    Ingested,
    Preview,
    Question,
    SearchResult,
)
from pincite.records.library_records import FileProblem, Unreadable
from pincite.records.trace import Recorder
from pincite.stages import (
    Answerer,
    Changes,
    ChangesComparer,
    Chunker,
    PassageEmbedder,
    ReaderPool,
    Reranker,
    Retriever,
    ScanVerifier,
    Selector,
    Surveyor,
    TextChecker,
    Understander,
    Verifier,
)

EMBEDDED_TOGETHER = 64
"""Passages per call of the encoder, so that small files keep every core busy."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestStages:
    """The stages that turn files into passages; without an embedder, search is lexical only.

    After `encoding_seconds` the remaining passages are left to be encoded later: they are found by
    their words meanwhile, and reading is ten times as fast.
    """

    readers: ReaderPool
    chunker: Chunker
    embedder: PassageEmbedder | None
    encoding_seconds: float = math.inf


def _nothing(question: Question) -> Mapping[str, Any]:
    del question
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerStages:
    """The stages that turn a question into an answer."""

    understander: Understander
    retriever: Retriever
    reranker: Reranker
    selector: Selector
    answerer: Answerer
    verifier: Verifier
    surveyor: Surveyor
    scan_verifier: ScanVerifier
    changes: Changes
    comparer: ChangesComparer
    text_checker: TextChecker
    notices: tuple[str, ...] = ()
    diagnostics: Callable[[Question], Mapping[str, Any]] = _nothing
    """Diagnostics of the retriever's boosters for a question, for the trace."""
    one_question: Callable[[], AbstractContextManager[None]] = nullcontext
    """Entered for each question, so that the sources can remember what it has read."""
    calibration_basis: str = ""
    """Digest of everything that a calibration of these stages depends on."""


def ingest_files(paths: Iterable[Path], stages: IngestStages) -> Generator[Ingested | FileProblem]:
    """Read, cut and encode files; yields the result for each, ready to be stored.

    Closing the generator ends the processes that read.
    """
    with closing(stages.readers.read_all(paths)) as reads:
        yield from _ingested(reads, stages)


def _ingested(reads: Iterable[FileRead], stages: IngestStages) -> Iterator[Ingested | FileProblem]:
    group: list[Ingested] = []
    until = time.monotonic() + stages.encoding_seconds
    for read in reads:
        if read.document is None:
            yield Unreadable(path=read.path, reason=read.reason, failed_bytes=read.failed_bytes)
            continue
        try:
            passages = stages.chunker.chunk(read.document)
        except Exception as error:  # noqa: BLE001  (one file's content must not stop the others)
            yield _problem(read.path, "cut into passages", error)
            continue
        group.append(Ingested(path=read.path, document=read.document, passages=passages))
        if stages.embedder and time.monotonic() > until:
            stages = replace(stages, embedder=None)
        if sum(len(item.passages) for item in group) >= EMBEDDED_TOGETHER:
            yield from _encoded(group, stages)
            group = []
    yield from _encoded(group, stages)


def _encoded(group: Sequence[Ingested], stages: IngestStages) -> Iterator[Ingested | FileProblem]:
    """Encode files together; if the content of one makes that fail, one by one."""
    try:
        yield from list(_embed(group, stages))
    except (PinciteError, OSError):
        raise
    except Exception as error:  # noqa: BLE001  (one file's content must not stop the others)
        if len(group) == 1:
            yield _problem(group[0].path, "encoded", error)
            return
        for item in group:
            yield from _encoded([item], stages)


def _problem(path: str, what: str, error: Exception) -> FileProblem:
    kind = type(error).__name__
    reason = f"its content could not be {what} ({kind}: {error}); please report this"
    return FileProblem(path=path, reason=reason)


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
    recorder = Recorder(question)
    question = _understand(question, stages, recorder)
    question, hits = _find(question, stages, recorder)
    return SearchResult(
        question=question.text,
        hits=hits,
        notices=(*stages.notices, *question.notices),
        timings=recorder.timings(),
        traced=recorder.trace,
    )


def answer_question(
    question: Question,
    stages: AnswerStages,
    watch: Callable[[Preview], None] | None = None,
    found: Callable[[Sequence[Hit]], None] | None = None,
) -> Answer:
    """Answer with verified quotes, or abstain with reasons.

    A question about the whole collection is answered by a count over all of it, one for what changed
    between two versions by comparing them. `found` is called with
    the hits before evidence is selected, `watch` with the quotes before a language model writes, and
    with the claims that hold so far each time it has completed another statement.
    """
    with stages.one_question():
        return _answered(question, stages, watch, found)


def _answered(
    question: Question,
    stages: AnswerStages,
    watch: Callable[[Preview], None] | None,
    found: Callable[[Sequence[Hit]], None] | None,
) -> Answer:
    compared = _compared(question, stages)
    if compared is not None:
        return compared
    request = stages.surveyor.request(question)
    if request is not None:
        counted = survey(question, request, stages) if request.subject else None
        if counted is not None and (counted.citations or request.is_certain):
            return counted
        caveat = stages.surveyor.caveat(question, request)
        question = replace(question, notices=(*question.notices, caveat))
    recorder = Recorder(question)
    question = _understand(question, stages, recorder)
    question, hits = _find(question, stages, recorder)
    if found is not None:
        found(hits)
    with recorder.stage("select"):
        selection = stages.selector.select(question, hits)
    question = selection.answered_of(question)
    with recorder.stage("draft"):
        grown = _watched(question, hits, stages, watch) if watch else None
        draft = stages.answerer.draft(question, selection, grown)
    with recorder.stage("verify"):
        answer = stages.verifier.verify(question, draft, hits)
    recorder.selected("select", selection)
    recorder.drafted("draft", draft)
    recorder.verified("verify", draft, answer)
    return answer.with_measurements(timings=recorder.timings(), traced=recorder.trace)


def check_statement(question: Question, stages: AnswerStages) -> CheckedStatement:
    """What the documents say about the statement that the question holds, for and against it."""
    with stages.one_question():
        recorder = Recorder(question)
        read = _understand(question, stages, recorder)
        read, hits = _find(read, stages, recorder)
        return stages.text_checker.check(read, question.text, hits)


def survey(question: Question, request: SurveyRequest, stages: AnswerStages) -> Answer:
    """Count over the whole collection, with a checked citation for every mention."""
    recorder = Recorder(question)
    with recorder.stage("scan"):
        scan = stages.surveyor.scan(question, request)
    with recorder.stage("verify"):
        answer = stages.scan_verifier.verify(question, scan)
    recorder.scanned("scan", scan)
    recorder.counted("verify", answer)
    return answer.with_measurements(timings=recorder.timings(), traced=recorder.trace)


def _compared(question: Question, stages: AnswerStages) -> Answer | None:
    """What changed between two documents of the library, if that is the question."""
    request = stages.changes.request(question)
    if request is None:
        return None
    recorder = Recorder(question)
    with recorder.stage("verify"):
        answer = stages.comparer.verify(question, request)
    if answer is None:
        return None
    recorder.counted("verify", answer)
    return answer.with_measurements(timings=recorder.timings(), traced=recorder.trace)


def _watched(
    question: Question, hits: Sequence[Hit], stages: AnswerStages, watch: Callable[[Preview], None]
) -> Callable[[Draft], None]:
    return lambda draft: watch(stages.verifier.preview(question, draft, hits))


def _understand(question: Question, stages: AnswerStages, recorder: Recorder) -> Question:
    with recorder.stage("understand"):
        read = stages.understander.understand(question)
    if read.understood is not None:
        recorder.understood(read.understood.trace())
    return read


def _find(
    question: Question, stages: AnswerStages, recorder: Recorder
) -> tuple[Question, tuple[Hit, ...]]:
    """The hits, and the question with the notices of the search."""
    with recorder.stage("retrieve"):
        candidates = stages.retriever.retrieve(question)
    with recorder.stage("rerank"):
        ranking = stages.reranker.rerank(question, candidates.hits)
    recorder.understood(stages.diagnostics(question))
    recorder.ranked("retrieve", candidates)
    recorder.ranked("rerank", ranking)
    return replace(question, notices=(*question.notices, *ranking.notices)), ranking.hits
