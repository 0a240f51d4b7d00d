"""Compares encoders on questions and passages in several languages.

    python benchmarks/encoders.py all-MiniLM-L6-v2 /models/multilingual-e5-small --queries 60

For each model: passages encoded per second, and nDCG@10 of dense search, of fused search, and of the
default pipeline, next to BM25. The rows are the languages of xquad-open (135 paragraphs each, with
questions in the same language), jsquad (328 Japanese paragraphs), and the other languages' questions
about the English paragraphs.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import mean
from typing import Any

import ir_measures
from ir_measures import nDCG
from open_sets import answerable, load

from pincite import Library
from pincite.evaluate.datasets import Dataset, GoldDocument, GoldQuestion
from pincite.pipeline import AnswerStages, search
from pincite.records.flow import Question, SearchResult
from pincite.settings.loading import Settings, load_settings

MEASURE = nDCG @ 10
_TIMED = 40
"""Passages of each language that are encoded once more to take the time."""
LANGUAGES = ("en", "de", "es", "ru", "ar", "hi", "th", "zh", "ja")


@dataclass(frozen=True, slots=True)
class Task:
    """Questions and the documents they are asked of."""

    name: str
    documents: Sequence[GoldDocument]
    questions: Sequence[GoldQuestion]


def tasks(languages: Sequence[str], most: int) -> list[Task]:
    """Every language alone, then every other language against English."""
    xquad, japanese = load("xquad-open"), load("jsquad")
    english = _within(xquad, "en", most)
    found = [_within(xquad, language, most) for language in languages if language != "ja"]
    others = [task for task in found if task.name != "en"]
    if "ja" in languages:
        found.append(Task("ja", japanese.documents, answerable(japanese, most)))
    for task in others:
        asked = [replace(question, relevant=_in_english(question)) for question in task.questions]
        found.append(Task(f"{task.name} > en", english.documents, asked))
    return found


def _within(data: Dataset, language: str, most: int) -> Task:
    mine = f"{language}:"
    documents = [document for document in data.documents if document.id.startswith(mine)]
    questions = [question for question in data.questions if question.id.startswith(mine)]
    own = replace(data, questions=tuple(questions))
    return Task(language, documents, answerable(own, most))


def _in_english(question: GoldQuestion) -> dict[str, int]:
    return {
        f"en:{document.partition(':')[2]}": grade for document, grade in question.relevant.items()
    }


class Shelf:
    """Libraries of the tasks' documents for one model; tasks over the same documents share one."""

    def __init__(self, folder: Path, model: str) -> None:
        self._folder = folder
        self._overrides = {"embedding": {"model": model}}
        self._opened: dict[str, tuple[Library, dict[str, str]]] = {}
        self.seconds, self.processor_seconds, self.passages = 0.0, 0.0, 0

    def library(self, task: Task) -> tuple[Library, dict[str, str]]:
        """The library of a task's documents, and their ids by Pincite's."""
        key = task.documents[0].id
        if key not in self._opened:
            self._opened[key] = self._made(task, self._folder / str(len(self._opened)))
        return self._opened[key]

    def _made(self, task: Task, folder: Path) -> tuple[Library, dict[str, str]]:
        files = folder / "files"
        files.mkdir(parents=True)
        for number, document in enumerate(task.documents):
            (files / f"{number:05d}.txt").write_bytes(document.text.encode())
        opened = Library.open(folder / "library", overrides=self._overrides)
        opened.ingest([files])
        by_id = {
            held: task.documents[int(Path(path).stem)].id
            for path, held in opened.catalog.paths("default").items()
        }
        self._time_encoder(opened, task)
        return opened, by_id

    def _time_encoder(self, opened: Library, task: Task) -> None:
        encoder = opened.encoder()
        assert encoder is not None, opened.encoder_problem
        step = max(1, len(task.documents) // _TIMED)
        texts = [document.text for document in task.documents[::step]][:_TIMED]
        started, used = time.perf_counter(), time.process_time()
        self.passages += sum(1 for _ in encoder.encode(texts))
        self.seconds += time.perf_counter() - started
        self.processor_seconds += time.process_time() - used


def ranked(result: SearchResult, by_id: Mapping[str, str]) -> dict[str, float]:
    """A score for each document that falls with the rank of its first passage."""
    run: dict[str, float] = {}
    for rank, hit in enumerate(result.hits, start=1):
        run.setdefault(by_id[hit.passage.span.document_id], 1 / rank)
    return run


def measured(task: Task, stages: AnswerStages, by_id: Mapping[str, str]) -> float:
    """nDCG@10 of a task."""
    run = {
        question.id: ranked(search(Question(text=question.text), stages), by_id)
        for question in task.questions
    }
    qrels = {question.id: dict(question.relevant) for question in task.questions}
    return float(ir_measures.calc_aggregate([MEASURE], qrels, run)[MEASURE])


def variants() -> dict[str, Settings]:
    """The searches that are compared."""
    order_kept = {"rerank": {"method": "sentence_cosine", "weight": 0, "threshold": 0}}
    changes: dict[str, Any] = {
        "BM25": {"retrieval": {"alpha": 1}, **order_kept},
        "dense": {"retrieval": {"alpha": 0}, **order_kept},
        "fused": order_kept,
        "default": {},
    }
    return {name: load_settings(overrides=change)[0] for name, change in changes.items()}


def main() -> None:
    """Print a table for each model."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("models", nargs="+", help="values of embedding.model")
    parser.add_argument("--queries", type=int, default=60, help="for each language")
    parser.add_argument("--languages", nargs="+", default=LANGUAGES, choices=LANGUAGES)
    arguments = parser.parse_args()
    chosen, todo = variants(), tasks(arguments.languages, arguments.queries)
    for model in arguments.models:
        with tempfile.TemporaryDirectory() as folder:
            shelf, rows = Shelf(Path(folder), model), {}
            for task in todo:
                opened, by_id = shelf.library(task)
                rows[task.name] = [
                    measured(task, opened.stages_with(settings), by_id)
                    for settings in chosen.values()
                ]
            rate, used = shelf.passages / shelf.seconds, shelf.processor_seconds / shelf.passages
            print(f"\n{model}: {rate:.0f} passages/s, {1000 * used:.1f} processor ms each\n")
        print(f"| asked of | {' | '.join(chosen)} |\n|---{'|---' * len(chosen)}|")
        groups: dict[str, list[list[float]]] = {"mean, one language": [], "mean, of English": []}
        for name, values in rows.items():
            print(f"| {name} | {' | '.join(f'{value:.3f}' for value in values)} |", flush=True)
            groups["mean, of English" if ">" in name else "mean, one language"].append(values)
        for name, columns in groups.items():
            means = [f"{mean(column):.3f}" for column in zip(*columns, strict=True)]
            print(f"| {name} | {' | '.join(means)} |", flush=True)


if __name__ == "__main__":
    main()
