"""Chooses among the candidates by a log-linear model, and says how likely the choice is right."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from functools import cache
from heapq import nlargest
from importlib.resources import files
from importlib.resources.abc import Traversable

import numpy as np
from numpy.typing import NDArray

from pincite.text.tables.learned.candidates import (
    UNANSWERED,
    Asked,
    Candidate,
    candidates,
    named_rows,
)
from pincite.text.tables.learned.features import Weighable, weighable
from pincite.text.tables.learned.indexed import IndexedTable
from pincite.text.tables.naming import adds_up
from pincite.text.tables.reading import (
    MOST_GROUPS,
    Operation,
    Placed,
    Ranked,
    Reading,
    chosen_rows,
    may_add_up_twice,
)
from pincite.text.tables.tables import Table
from pincite.text.tables.words import difference_asked, words_of

LEAST_PROBABILITY, UNDOUBTED = 0.5, 0.6
"""Below the first nothing is read, and below the second it is doubtful: above it 85 % are right
(`benchmarks/table_questions.py`)."""
MOST_CELLS, _MOST_WORDS = 4_000, 40
"""Of a table, and of a question; of larger ones only exact readings are looked for."""

_NEAR = 1 / 3
"""Another reading is told that is so likely beside the likeliest."""

_COMPUTED = {
    "count": Operation.COUNT,
    "commonest": Operation.COUNT,
    "sum": Operation.SUM,
    "average": Operation.AVERAGE,
    "difference": Operation.DIFFERENCE,
}


@dataclass(frozen=True, slots=True)
class Weights:
    """What each feature weighs, and the stems that many questions have."""

    of_features: NDArray[np.float32]
    common: frozenset[str]


@cache
def shipped() -> Weights:
    """The weights of the package."""
    return read_weights(files("pincite.text.tables.learned") / "data" / "weights.npz")


def read_weights(path: Traversable) -> Weights:
    """What `training/table_questions.py` wrote: weights of 8 bits, with the steps between places."""
    with path.open("rb") as file, np.load(file) as kept:
        weights = np.zeros(int(kept["features"]), np.float32)
        places = np.cumsum(kept["steps"].astype(np.int64))
        weights[places] = kept["weights"].astype(np.float32) * float(kept["scale"])
        return Weights(weights, frozenset(map(str, kept["common"])))


def probabilities(weights: NDArray[np.float32], given: Weighable) -> NDArray[np.float64]:
    """How likely each candidate is meant, and last that none is: [candidate + 1]."""
    each = weights[given.features].astype(np.float64)
    of_groups = np.bincount(given.group_of, weights=each, minlength=given.count)
    scores = np.append(of_groups[given.groups].sum(1), weights[given.none].sum())
    shares = np.exp(scores - scores.max())
    return shares / shares.sum()  # type: ignore[no-any-return]


def learned_reading(question: str, indexed: IndexedTable, file: str) -> Reading | None:
    """The likeliest reading of an English question; None if it is not likely enough.

    `file` is the name by which the user knows the table's file.
    """
    asked = Asked(question)
    # What is denied is looked for exactly, or not at all: the model has met too little of it.
    is_denied = any(word in words_of("denials") | words_of("others") for word in asked.words)
    if is_denied or not is_small(indexed.table) or not 0 < len(asked.words) <= _MOST_WORDS:
        return None
    named = named_rows(asked, indexed)
    found = [*candidates(named, indexed)]
    if not found:
        return None
    given = weighable(asked, indexed, named, found, shipped().common)
    likely = probabilities(shipped().of_features, given)
    (best, probability), *others = likeliest(found, likely)
    if probability < LEAST_PROBABILITY or best.kind in UNANSWERED:
        return None
    reading = _as_reading(best, indexed, file, probability)
    if reading and reading.operation is Operation.ROWS and difference_asked(asked.words):
        return None  # Rows of both sides are no difference of them.
    near = [one for one, share in others if share > _NEAR * probability]
    other = _as_reading(near[0], indexed, file, 0.0) if near else None
    return replace(reading, otherwise=_asked(other)) if reading and other else reading


def is_small(table: Table) -> bool:
    """Whether all that could be asked of a table can be listed in the time that a question has."""
    return len(table.rows) * len(table.columns) <= MOST_CELLS


def likeliest(found: list[Candidate], likely: NDArray[np.float64]) -> list[tuple[Candidate, float]]:
    """The two likeliest answers, each by its likeliest candidate, and how likely each is.

    An answer is as likely as all candidates together that would say it.
    """
    of_answers: defaultdict[tuple[bool, tuple[str, ...]], list[int]] = defaultdict(list)
    for place, one in enumerate(found):
        of_answers[one.kind in UNANSWERED, one.answer].append(place)
    ranked = [
        (found[max(places, key=lambda place: likely[place])], float(likely[places].sum()))
        for places in of_answers.values()
    ]
    return nlargest(2, ranked, key=lambda one: one[1])


def _asked(reading: Reading) -> str:
    """A reading in words, with the column whose cells it asks for."""
    columns = (reading.table.columns[column].name for column in reading.asked)
    return " of ".join([*columns, reading.said])


def _as_reading(
    one: Candidate, indexed: IndexedTable, file: str, probability: float
) -> Reading | None:
    """The candidate as a reading; None if its rows are not those that its conditions choose."""
    table, conditions = indexed.table, one.filter.conditions
    operation = _COMPUTED.get(one.kind, Operation.ROWS)
    ranked = placed = None
    if one.ranked is not None:
        ranked = Ranked(column=one.ranked, is_highest=one.kind == "highest")
    if one.kind in ("first", "last"):
        placed = Placed(is_last=one.kind == "last")
    if one.kind in ("behind", "before"):
        placed = Placed(beside=1 if one.kind == "behind" else -1)
    rows = chosen_rows(table, conditions, ranked, placed)
    if {row.start for row in rows} != {indexed.rows[place].start for place in one.places}:
        return None
    is_over = operation in (Operation.SUM, Operation.AVERAGE, Operation.DIFFERENCE)
    if is_over and one.column is not None:
        is_added = operation is not Operation.DIFFERENCE
        if not adds_up(table, one.column) or (
            is_added and may_add_up_twice(table, one.column, rows)
        ):
            return None
    is_grouped = one.kind == "commonest"
    reading = Reading(
        table=table,
        name=table.section[-1] if table.section else file,
        operation=operation,
        rows=rows,
        conditions=conditions,
        ranked=ranked,
        placed=placed,
        over=one.column if is_over else None,
        asked=() if one.column is None or is_over or is_grouped else (one.column,),
        group=one.column if is_grouped else None,
        is_by_size=is_grouped,
        probability=probability,
    )
    return None if "" in reading.grouped or len(reading.grouped) > MOST_GROUPS else reading
