"""How many questions of WikiTableQuestions are read exactly, and how many of them are answered rightly.

    PYTHONPATH=src python benchmarks/table_questions.py ../shared/training/wikitablequestions

Two halves of 300 tables each: `made` with those that the words in `table_words.toml` were chosen with,
and `apart` with others. Only the reading is measured: its table is given. An exact reading is certain;
where there is none, the likeliest that `training/table_questions.py` taught is taken (it learnt from
tables of neither half). An answer counts as right if it has the gold answer's cells or number and no
others; of a row without a column that is asked for, that is the cell that names it.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from pincite.text.tables.asking import read_question
from pincite.text.tables.learned.choosing import LEAST_PROBABILITY, learned_reading
from pincite.text.tables.learned.indexed import IndexedTable
from pincite.text.tables.reading import Operation, Reading, derived_value

sys.path.insert(0, str(Path(__file__).parents[1]))
from training.table_data import halves, is_right, tables_in


def answer_of(reading: Reading) -> list[str]:
    """The cells, the number, or the names of the largest groups."""
    table = reading.table
    if reading.operation is Operation.ROWS:
        column = reading.asked[0] if reading.asked else table.key
        return list(dict.fromkeys(table.text(row, column) for row in reading.rows))
    if reading.is_by_size:
        most = max(map(len, reading.grouped.values()))
        return [name for name, rows in reading.grouped.items() if len(rows) == most]
    if reading.operation is Operation.COUNT:
        return [str(len(reading.rows))]
    over = table.key if reading.over is None else reading.over
    cells = [text for row in reading.rows if (text := table.text(row, over))]
    mark = table.mark(over) or "."
    found = derived_value(str(reading.operation), cells, mark, reading.part)
    return [found] if found else []


def main() -> None:
    """Read the questions of both halves and print the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--wrong", action="store_true", help="print the wrong answers")
    chosen = parser.parse_args()
    lines = (chosen.folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    for name, questions in halves([json.loads(line) for line in lines]):
        begun, found = time.perf_counter(), list[tuple[float, bool]]()
        indexed: dict[str, list[IndexedTable]] = {}
        for one in questions:
            if one["table"] not in indexed:
                tables = tables_in(chosen.folder / one["table"], one["title"])
                indexed[one["table"]] = [*map(IndexedTable, tables)]
            reading = reading_of(one["question"], indexed[one["table"]])
            if reading is None:
                continue
            answer = answer_of(reading)
            found.append((reading.probability, is_right(answer, one["answer"])))
            if chosen.wrong and not found[-1][1]:
                said = f"{reading.probability:.2f}", answer[:5], one["answer"], reading.said
                print(one["question"], *said, sep=" | ")
        took = 1000 * (time.perf_counter() - begun) / len(questions)
        print(f"{name}: {len(questions):,} questions, {took:.1f} ms each")
        for least in (1.0, 0.9, 0.8, 0.7, 0.6, LEAST_PROBABILITY):
            some = [right for probability, right in found if probability >= least]
            print(
                f"  {least:.2f} likely: read {len(some) / len(questions):.3f}, of these right "
                f"{sum(some) / max(len(some), 1):.3f}, of all {sum(some) / len(questions):.3f}"
            )


def reading_of(question: str, tables: Sequence[IndexedTable]) -> Reading | None:
    """The only exact reading with rows, or else the only one that the model finds."""
    exact = [read_question(question, one.table) for one in tables]
    found = [one for one in exact if one is not None and one.rows]
    if not found:
        learned = [learned_reading(question, one, "") for one in tables]
        found = [one for one in learned if one is not None]
    return found[0] if len(found) == 1 else None


if __name__ == "__main__":
    main()
