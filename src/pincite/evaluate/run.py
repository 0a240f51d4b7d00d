"""Asks every question of a set under several configurations, and keeps a record of each."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pincite.errors import UsageError
from pincite.evaluate.configurations import Configuration, configurations
from pincite.evaluate.datasets import Dataset, GoldDocument, GoldQuestion
from pincite.evaluate.measures import redundancy
from pincite.library import Library
from pincite.pipeline import AnswerStages, answer_question, search
from pincite.records import Citation, Hit, Question, Ranking
from pincite.settings import Layer, Settings

ANSWERS_FROM = "default"

Told = Callable[[str, int, int], None]
"""Configuration, questions done, questions in all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchRecord:
    """One question under one configuration: documents found, best first, and milliseconds."""

    question: str
    ranked: tuple[str, ...]
    timings: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerRecord:
    """One answer, and how it compares with the gold.

    `first_holds` and `any_holds` are None where the set does not say where the answer stands.
    `redundancy_before` is that of the best sentences by score alone, as many as were cited.
    """

    question: str
    answerable: bool
    answered: bool
    confidence: float
    sentences: int
    first_holds: bool | None
    any_holds: bool | None
    cited_text: str
    answers: tuple[str, ...]
    redundancy_before: float
    redundancy_after: float
    timings: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """Everything that was recorded; measures are computed from it."""

    dataset: str
    documents: int
    questions: tuple[GoldQuestion, ...]
    searches: Mapping[str, tuple[SearchRecord, ...]]
    answers_from: str
    answers: tuple[AnswerRecord, ...]
    notes: tuple[str, ...] = ()

    @property
    def relevant(self) -> Mapping[str, Mapping[str, int]]:
        """Grades of the relevant documents of each question."""
        return {question.id: question.relevant for question in self.questions}


class Collection:
    """A library with each document of a set as one text file."""

    def __init__(self, dataset: Dataset, home: Path, overrides: Layer | None = None) -> None:
        files = home / "files"
        self._names: dict[str, str] = {}
        for number, document in enumerate(dataset.documents):
            path = files / f"{number // 1000:03d}" / f"{number:06d}" / f"{_file_name(document)}.txt"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(document.text.encode("utf-8", "replace"))
            self._names[str(path.resolve())] = document.id
        self.folder = files
        self.notes: tuple[str, ...] = ()
        self.library = Library.open(home / "library", overrides=overrides)

    def ingest(self, progress: Callable[..., None] | None = None) -> tuple[str, ...]:
        """Bring the library in step with the set; gives what could not be read, as `notes` does."""
        report = self.library.ingest([self.folder], progress=progress)
        self._by_document: dict[str, list[str]] = {}
        for path, document in self.library.catalog.paths("default").items():
            # Documents with the same text are one document of the library: all are found with it.
            self._by_document.setdefault(document, []).append(self._names[path])
        empty = sum("empty" in problem.reason for problem in report.failed)
        failed = len(report.failed) - empty
        told = ((empty, "documents are empty"), (failed, "documents could not be read"))
        self.notes = tuple(f"{count:,} {what}" for count, what in told if count)
        return self.notes

    def ranked(self, hits: Sequence[Hit]) -> tuple[str, ...]:
        """Documents by their best passage."""
        found = dict.fromkeys(
            name for hit in hits for name in self.names(hit.passage.span.document_id)
        )
        return tuple(found)

    def names(self, document: str) -> list[str]:
        """The ids in the set of a document of the library."""
        return self._by_document.get(document, [])


def collection_home(dataset: Dataset, cache: Path) -> Path:
    """Where the library of a set is kept, so that a second run need not encode it again."""
    digest = hashlib.sha256()
    for document in dataset.documents:
        digest.update(
            f"{document.id}\0{document.title}\0{document.text}\0".encode("utf-8", "replace")
        )
    return cache / f"{dataset.name}-{digest.hexdigest()[:12]}"


def chosen(
    written: Sequence[str], settings: Settings, answers_from: str = ANSWERS_FROM
) -> tuple[tuple[Configuration, ...], Configuration]:
    """The configurations that are compared, and the one whose answers are measured.

    Raises UsageError for a configuration that does not exist.
    """
    compared = configurations(written, settings)
    for configuration in (*compared, *configurations([ANSWERS_FROM], settings)):
        if configuration.name == answers_from:
            return compared, configuration
    names = ", ".join(configuration.name for configuration in compared)
    raise UsageError(f"answers cannot be those of '{answers_from}'; choose one of: {names}")


def run(
    dataset: Dataset,
    collection: Collection,
    questions: Sequence[GoldQuestion],
    written: Sequence[str],
    *,
    answers_from: str = ANSWERS_FROM,
    told: Told | None = None,
) -> Run:
    """Ask everything. Raises UsageError for a configuration that does not exist."""
    compared, answering = chosen(written, collection.library.settings, answers_from)
    searches = {}
    for one in compared:
        stages = collection.library.stages_with(one.settings)
        searches[one.name] = tuple(_searches(collection, stages, questions, one.name, told))
    stages = collection.library.stages_with(answering.settings)
    answers = []
    for number, question in enumerate(questions, start=1):
        answers.append(_answer(collection, stages, question))
        if told:
            told("answers", number, len(questions))
    return Run(
        dataset=dataset.name,
        documents=len(dataset.documents),
        questions=tuple(questions),
        searches=searches,
        answers_from=answering.name,
        answers=tuple(answers),
        notes=(*dataset.notes, *collection.notes, *_left_out(compared)),
    )


def _left_out(compared: Sequence[Configuration]) -> Iterator[str]:
    for one in compared:
        if one.left_out:
            yield (
                f"{one.name}: the library is that of the run, not of the profile "
                f"({', '.join(one.left_out)}); PINCITE_PROFILE={one.name} measures all of it"
            )


def _searches(
    collection: Collection,
    stages: AnswerStages,
    questions: Sequence[GoldQuestion],
    name: str,
    told: Told | None,
) -> Iterator[SearchRecord]:
    judged = [question for question in questions if question.relevant]
    if judged:
        search(Question(text=judged[0].text), stages)  # what is loaded at first use is not measured
    for number, question in enumerate(judged, start=1):
        found = search(Question(text=question.text), stages)
        yield SearchRecord(
            question=question.id,
            ranked=collection.ranked(found.hits),
            timings=dict(found.timings),
        )
        if told:
            told(name, number, len(judged))


def _answer(collection: Collection, stages: AnswerStages, question: GoldQuestion) -> AnswerRecord:
    watched = _Watched(stages)
    answer = answer_question(Question(text=question.text), watched.stages)
    quotes = [citation.quote for citation in answer.citations]
    holds = holds_gold(answer.citations, question, collection.names)
    return AnswerRecord(
        question=question.id,
        answerable=question.answerable is not False,
        answered=bool(answer.citations),
        confidence=answer.confidence,
        sentences=len(quotes),
        first_holds=None if holds is None else bool(holds[:1] and holds[0]),
        any_holds=None if holds is None else any(holds),
        cited_text=" ".join(quotes),
        answers=question.answers,
        redundancy_before=redundancy(watched.best_sentences(collection.library, len(quotes))),
        redundancy_after=redundancy(quotes),
        timings=dict(answer.timings),
    )


def holds_gold(
    citations: Sequence[Citation], question: GoldQuestion, names: Callable[[str], Sequence[str]]
) -> list[bool] | None:
    """For each citation, whether it covers a gold span; by its words where there are no spans.

    `names` gives the ids in the set of a document of the library. None where the set does not say
    where the answer stands.
    """
    if question.spans:
        return [
            any(
                span.document in names(citation.document)
                and citation.start <= span.start
                and span.end <= citation.end
                for span in question.spans
            )
            for citation in citations
        ]
    if question.answers:
        wanted = [_plain(gold) for gold in question.answers]
        return [any(gold in _plain(c.quote) for gold in wanted) for c in citations]
    return None


def _plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.lower()))


class _Watched:
    """Answering stages whose reranked hits can be looked at afterwards."""

    def __init__(self, stages: AnswerStages) -> None:
        self._reranker = stages.reranker
        self._hits: tuple[Hit, ...] = ()
        self.stages = replace(stages, reranker=self)

    def rerank(self, question: Question, hits: Sequence[Hit]) -> Ranking:
        """What the real reranker gives."""
        ranking = self._reranker.rerank(question, hits)
        self._hits = ranking.hits
        return ranking

    def best_sentences(self, library: Library, count: int) -> list[str]:
        """The sentences with the highest scores, without a look at how much they repeat."""
        scored = sorted(
            (
                (score, span)
                for hit in self._hits
                for score, span in zip(hit.sentence_scores, hit.passage.sentences, strict=False)
            ),
            key=lambda pair: (-pair[0], pair[1]),
        )
        spans = dict.fromkeys(span for _, span in scored)
        return [library.catalog.text_of(span) for span in list(spans)[:count]]


def _file_name(document: GoldDocument) -> str:
    """The title where there is one, as a person would name the file."""
    name = document.title or document.id
    return re.sub(r"[^\w .,()'-]", "_", name).strip("_. ")[:80] or "document"
