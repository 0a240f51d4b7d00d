"""Asks every question of a set under several configurations, and keeps a record of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pincite.errors import UsageError
from pincite.evaluate.answers import AnswerRecord, answer_record
from pincite.evaluate.collection import Collection
from pincite.evaluate.configurations import Configuration, configurations
from pincite.evaluate.datasets import Dataset, GoldQuestion
from pincite.evaluate.judge import Judge
from pincite.evaluate.memory import peak_memory_mb
from pincite.pipeline import AnswerStages, search
from pincite.records import Question, SearchResult
from pincite.settings import Settings

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
class Run:
    """Everything that was recorded; measures are computed from it.

    `peak_memory_mb` is that of the process when a configuration was done.
    """

    dataset: str
    documents: int
    questions: tuple[GoldQuestion, ...]
    searches: Mapping[str, tuple[SearchRecord, ...]]
    answers_from: str
    answers: tuple[AnswerRecord, ...]
    notes: tuple[str, ...] = ()
    peak_memory_mb: Mapping[str, float | None] = field(default_factory=dict)
    answers_peak_memory_mb: float | None = None
    judged_by: str = ""
    judge_prompts: str = ""

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
    judge: Judge | None = None,
    told: Told | None = None,
) -> Run:
    """Ask everything, and let a judge read the answers where there is one.

    Raises UsageError for a configuration that does not exist.
    """
    compared, answering = chosen(written, collection.library.settings, answers_from)
    searches, memory, notes = {}, {}, [*dataset.notes, *collection.notes, *_left_out(compared)]
    for one in compared:
        stages = collection.library.stages_with(one.settings)
        said: Counter[str] = Counter()
        searches[one.name] = tuple(_searches(collection, stages, questions, one.name, said, told))
        memory[one.name] = peak_memory_mb()
        notes += (f"{one.name}: {notice}" for notice in _counted(stages, said, searches[one.name]))
    stages = collection.library.stages_with(answering.settings)
    if answering.name not in searches:
        notes += (f"answers of {answering.name}: {notice}" for notice in stages.notices)
    collection.library.forget_questions()
    answers = []
    for number, question in enumerate(questions, start=1):
        answers.append(answer_record(collection, stages, question, judge))
        if told:
            told("answers", number, len(questions))
    return Run(
        dataset=dataset.name,
        documents=len(dataset.documents),
        questions=tuple(questions),
        searches=searches,
        answers_from=answering.name,
        answers=tuple(answers),
        notes=(*notes, *(judge.notes if judge else ())),
        peak_memory_mb=memory,
        answers_peak_memory_mb=peak_memory_mb(),
        judged_by=judge.by if judge else "",
        judge_prompts=judge.prompts if judge else "",
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
