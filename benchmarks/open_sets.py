"""Locates the open sets and loads the parts that the benchmarks use.

The sets are outside the project, in the folder that PINCITE_SHARED names (default: ../shared).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from pincite.evaluate.datasets import (
    Collection,
    Dataset,
    GoldQuestion,
    collection_home,
    load_dataset,
)
from pincite.settings.loading import Layer

sys.path.insert(0, str(Path(__file__).parents[1]))
from training.open_parts import is_learnt

SHARED = Path(os.environ.get("PINCITE_SHARED", Path(__file__).parents[2] / "shared"))
WORK = Path(os.environ.get("PINCITE_BENCHMARK_DIR", Path.home() / ".cache/pincite-benchmarks"))


def load(name: str) -> Dataset:
    """Read a set, without the questions that the reader was trained on."""
    data = load_dataset(SHARED / "data" / name)
    lines = (SHARED / "data" / name / "qrels.tsv").read_text(encoding="utf-8").splitlines()
    judged = (line.split("\t")[:2] for line in lines)
    learnt = {question for question, document in judged if is_learnt(name, document)}
    return replace(data, questions=tuple(q for q in data.questions if q.id not in learnt))


def answerable(
    data: Dataset, most: int, *, language: str | None = None
) -> tuple[GoldQuestion, ...]:
    """Up to `most` questions that a document answers, spread evenly over the set."""
    kept = tuple(question for question in data.questions if question.relevant)
    return replace(data, questions=kept).some(most, language)


@contextmanager
def collection(data: Dataset, overrides: Layer | None = None) -> Iterator[Collection]:
    """A library with each document of the set as one text file, made when it is not there yet."""
    kind = "".join(f"-{value}" for group in (overrides or {}).values() for value in group.values())
    home = collection_home(data, WORK / f"sets{kind}")
    made = Collection(data, home, overrides)
    with made.library:
        made.ingest()
        yield made
