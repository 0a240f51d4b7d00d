"""Asks every question of a set under several configurations, and keeps a record of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from pincite.errors import UsageError
from pincite.evaluate.collection import Collection
from pincite.evaluate.configurations import Configuration, configurations
from pincite.evaluate.datasets import Dataset, GoldQuestion
from pincite.evaluate.measures import redundancy
from pincite.library import Library
from pincite.pipeline import AnswerStages, answer_question, search
from pincite.records import Citation, Hit, Question, Ranking, SearchResult
from pincite.settings import Settings
from pincite.text.exact_words import holds

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
    searches, notes = {}, [*dataset.notes, *collection.notes, *_left_out(compared)]
    for one in compared:
        stages = collection.library.stages_with(one.settings)
        said: Counter[str] = Counter()
        searches[one.name] = tuple(_searches(collection, stages, questions, one.name, said, told))
        notes += (f"{one.name}: {notice}" for notice in _counted(stages, said, searches[one.name]))
    stages = collection.library.stages_with(answering.settings)
    if answering.name not in searches:
        notes += (f"answers of {answering.name}: {notice}" for notice in stages.notices)
    collection.library.forget_questions()
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
        notes=tuple(notes),
    )


def _left_out(compared: Sequence[Configuration]) -> Iterator[str]:
    for one in compared:
        if one.left_out:
            yield (
                f"{one.name}: the library is that of the run, not of the profile "
                f"({', '.join(one.left_out)}); PINCITE_PROFILE={one.name} measures all of it"
            )


def _of_stages(found: SearchResult, stages: AnswerStages) -> Iterator[str]:
    """Notices of one question that are not about how it was read."""
    own = [notice for notice in found.notices if notice not in stages.notices]
    if own:
        read = found.trace["question"]["understood"].get("notices", [])
        yield from (notice for notice in own if notice not in read)


def _counted(
    stages: AnswerStages, said: Mapping[str, int], records: Sequence[SearchRecord]
) -> Iterator[str]:
    yield from stages.notices
    for notice, count in said.items():
        yield f"{notice} ({count:,} of {len(records):,} questions)"


def _searches(
    collection: Collection,
    stages: AnswerStages,
    questions: Sequence[GoldQuestion],
    name: str,
    said: Counter[str],
    told: Told | None,
) -> Iterator[SearchRecord]:
    """A record of each question; what its result said of the stages is counted in `said`."""
    judged = [question for question in questions if question.relevant]
    if judged:
        search(Question(text=judged[0].text), stages)  # what is loaded at first use is not measured
    # Nor may it count for or against a configuration which others were measured before it.
    collection.library.forget_questions()
    for number, question in enumerate(judged, start=1):
        found = search(Question(text=question.text), stages)
        said.update(_of_stages(found, stages))
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
    right = holds_gold(answer.citations, question, collection.names)
    return AnswerRecord(
        question=question.id,
        answerable=question.answerable is not False,
        answered=bool(answer.citations),
        confidence=answer.confidence,
        sentences=len(quotes),
        first_holds=None if right is None else bool(right[:1] and right[0]),
        any_holds=None if right is None else any(right),
        cited_text=" ".join(quotes),
        answers=question.answers,
        redundancy_before=redundancy(watched.best_sentences(collection.library, len(quotes))),
        redundancy_after=redundancy(quotes),
        timings=dict(answer.timings),
    )


def holds_gold(
    citations: Sequence[Citation], question: GoldQuestion, names: Callable[[str], Sequence[str]]
) -> list[bool] | None:
    """For each citation, whether it covers a gold span; by whole words where there are no spans.

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
        return [any(holds(c.quote, gold) for gold in question.answers) for c in citations]
    return None


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
