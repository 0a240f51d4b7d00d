"""`python -m training.table_questions FOLDER`: learns what people ask of tables.

FOLDER is `../shared/training/wikitablequestions`. The model chooses among the candidates that
`pincite.text.tables.learned` lists for a question and a table: log-linear, the likelihood of all right
candidates together is made as great as it can be by AdaGrad. Beside each question's own table some are
read by another one with like heads, and some by a question about something else: none is right there.
It needs the package's environment and no PyTorch; two cores, some ten minutes.

Tables of `benchmarks/table_questions.py` are left out.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from multiprocessing import Pool
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pincite.text.tables.learned.candidates import Asked, candidates, named_rows
from pincite.text.tables.learned.choosing import probabilities
from pincite.text.tables.learned.features import FEATURES, Weighable, weighable
from pincite.text.tables.learned.indexed import IndexedTable
from training.table_data import halves, is_right, tables_in

OUTPUT = Path("src/pincite/text/tables/learned/data/weights.npz")
FEWEST_QUESTIONS = 30
"""A stem that so many questions have is common."""
FEWEST_ROWS = 4
"""A feature of fewer weighs nothing."""
SHARE_ELSEWHERE, SHARE_OTHERS, NEAREST = 0.4, 0.15, 4
LEVELS = 127
SMALLEST = 0.02
"""A weight below it is left out."""


class Row(NamedTuple):
    """A question at a table: its candidates as numbers, and which of them are right."""

    given: Weighable
    right: NDArray[np.bool_]


class Work:
    """What the processes share."""

    folder: Path
    by_table: dict[str, list[dict[str, Any]]]
    common: frozenset[str]
    others: Sequence[str]


def rows_of(tables: Sequence[str]) -> list[Row]:
    """The rows of the questions about some tables."""
    random, held = Random(tables[0]), {}
    for name in tables:
        found = tables_in(Work.folder / name, Work.by_table[name][0]["title"])
        if len(found) == 1:
            held[name] = IndexedTable(found[0])
    heads = {name: {word for head in one.heads for word in head} for name, one in held.items()}
    rows: list[Row] = []
    for name, indexed in held.items():
        near = sorted(held, key=lambda one: -len(heads[one] & heads[name]))[1 : NEAREST + 1]
        for one in Work.by_table[name]:
            rows += row_of(one["question"], indexed, one["answer"])
            if near and random.random() < SHARE_ELSEWHERE:
                rows += row_of(one["question"], held[random.choice(near)], None)
            if random.random() < SHARE_OTHERS:
                rows += row_of(random.choice(Work.others), indexed, None)
    return rows


def row_of(question: str, indexed: IndexedTable, gold: Sequence[str] | None) -> Iterator[Row]:
    """The row of a question at a table, if there are candidates; `gold` is None at a wrong table."""
    asked = Asked(question)
    named = named_rows(asked, indexed)
    found = [*candidates(named, indexed)]
    if not found or not asked.words:
        return
    known = {one.answer: gold is not None and is_right(one.answer, gold) for one in found}
    right = np.array([known[one.answer] for one in found])
    yield Row(weighable(asked, indexed, named, found, Work.common), right)


def learn(rows: Sequence[Row], *, passes: int, rate: float, shrink: float) -> NDArray[np.float32]:
    """The weights."""
    random = np.random.default_rng(0)
    weights = np.zeros(FEATURES, np.float32)
    squares = np.full(FEATURES, 1e-6)
    for number in range(passes):
        began, loss = time.monotonic(), 0.0
        for place in random.permutation(len(rows)):
            given, right = rows[place]
            shares = probabilities(weights, given)
            wanted = shares * np.append(right, not right.any())
            total = max(float(wanted.sum()), 1e-12)
            loss -= float(np.log(total))
            apart = wanted / total - shares
            of_groups = np.bincount(
                given.groups.ravel(),
                weights=np.repeat(apart[:-1], given.groups.shape[1]),
                minlength=given.count,
            )
            touched = np.concatenate([given.features, given.none])
            by = np.concatenate([of_groups[given.group_of], np.full(len(given.none), apart[-1])])
            features, where = np.unique(touched, return_inverse=True)
            step = np.bincount(where, weights=by) - shrink * weights[features]
            squares[features] += step * step
            weights[features] += rate * step / np.sqrt(squares[features])
        print(f"pass {number + 1}: loss {loss / len(rows):.4f}, {time.monotonic() - began:.0f} s")
    return weights


def save(weights: NDArray[np.float32], common: frozenset[str], path: Path) -> None:
    """Write the weights in 8 bits, without those next to nothing, and the common stems."""
    scale = float(np.abs(weights).max()) / LEVELS
    levels = np.rint(weights / scale).astype(np.int8)
    levels[np.abs(weights) < SMALLEST] = 0
    # The first step is from nothing; longer ones than fit are cut by weights of 0.
    places = [int(place) for place in np.flatnonzero(levels)]
    stops: list[int] = []
    for place in places:
        last = stops[-1] if stops else 0
        stops += [*range(last + 255, place, 255), place]
    steps = np.diff(stops, prepend=0).astype(np.uint8)
    np.savez_compressed(
        path,
        steps=steps,
        weights=levels[stops],
        scale=scale,
        features=FEATURES,
        common=sorted(common),
    )
    print(f"{len(places):,} weights")


def main() -> None:
    """Learn and write the weights."""
    parser = argparse.ArgumentParser(prog="python -m training.table_questions", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--passes", type=int, default=3)
    parser.add_argument("--rate", type=float, default=0.05)
    parser.add_argument("--shrink", type=float, default=1e-4)
    options = parser.parse_args()
    lines = (options.folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    questions = [json.loads(line) for line in lines]
    kept_apart = {one["id"] for _, some in halves(questions) for one in some}
    learnt = [one for one in questions if one["id"] not in kept_apart]
    counts = Counter(stem for one in learnt for stem in {*Asked(one["question"]).stems})
    by_table = defaultdict(list)
    for one in learnt:
        by_table[one["table"]].append(one)
    Work.folder, Work.by_table = options.folder, by_table
    Work.common = frozenset(stem for stem, count in counts.items() if count >= FEWEST_QUESTIONS)
    Work.others = [
        json.loads(line)["question"]
        for name in ("nq-abstain", "squad-ans")
        for line in (options.folder.parent / f"{name}.jsonl").read_text("utf-8").splitlines()[:4000]
    ]
    names = sorted(by_table)
    with Pool(2) as pool:
        rows = [
            row for some in pool.imap(rows_of, [names[n::40] for n in range(40)]) for row in some
        ]
    print(f"{len(learnt):,} questions, {len(rows):,} rows, {sum(map(_is_answered, rows)):,} right")
    seen = np.zeros(FEATURES, np.int32)
    for row in rows:
        seen[np.unique(row.given.features)] += 1
    is_kept = seen >= FEWEST_ROWS
    rows = [Row(_only(row.given, is_kept), row.right) for row in rows]
    weights = learn(rows, passes=options.passes, rate=options.rate, shrink=options.shrink)
    save(weights, Work.common, OUTPUT)


def _only(given: Weighable, is_kept: NDArray[np.bool_]) -> Weighable:
    kept = is_kept[given.features]
    return replace(given, features=given.features[kept], group_of=given.group_of[kept])


def _is_answered(row: Row) -> bool:
    return bool(row.right.any())


if __name__ == "__main__":
    main()
