"""How many questions of WikiTableQuestions are read exactly, and how many of them are answered rightly.

    PYTHONPATH=src python benchmarks/table_questions.py ../shared/training/wikitablequestions

Two halves of 300 tables each: `made` with those that the words in `table_words.toml` were chosen with,
and `apart` with others. Only the reading is measured: its table is given. An answer counts as right if
it has the gold answer's cells or number and no others; of a row without a column that is asked for,
that is the cell that names it.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pincite.errors import ReadError
from pincite.ingest.readers import FileReader
from pincite.text.tables.asking import read_question
from pincite.text.tables.reading import Operation, Reading, derived_value
from pincite.text.tables.tables import Table, quantity, tables_of

TABLES = 300


def halves(questions: Sequence[dict[str, Any]]) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """The questions about the tables of each half."""
    tables = sorted({one["table"] for one in questions})
    random.Random(7).shuffle(tables)
    for name, kept in (("made", tables[:TABLES]), ("apart", tables[-TABLES:])):
        chosen = set(kept)
        yield name, [one for one in questions if one["table"] in chosen]


def tables_in(path: Path, title: str) -> tuple[Table, ...]:
    """The tables of a file, under the title of its page."""
    try:
        document = FileReader().read_content(path, path.read_bytes())
    except ReadError:
        return ()
    return tables_of(replace(document, title=title))


def answer_of(reading: Reading) -> list[str]:
    """The cells or the number."""
    table = reading.table
    if reading.operation is Operation.ROWS:
        column = reading.asked[0] if reading.asked else table.key
        return list(dict.fromkeys(table.text(row, column) for row in reading.rows))
    if reading.operation is Operation.COUNT:
        return [str(len(reading.rows))]
    over = table.key if reading.over is None else reading.over
    cells = [text for row in reading.rows if (text := table.text(row, over))]
    mark = table.mark(over) or "."
    found = derived_value(str(reading.operation), cells, mark, reading.part)
    return [found] if found else []


def is_right(answer: Sequence[str], gold: Sequence[str]) -> bool:
    """Whether they say the same, in any order."""
    return len(answer) == len(gold) and all(
        any(_is_same(one, other) for other in answer) for one in gold
    )


def _is_same(one: str, other: str) -> bool:
    plain = [re.sub(r"\W+", " ", text.lower()).strip() for text in (one, other)]
    numbers = quantity(one), quantity(other)
    return plain[0] == plain[1] or (
        numbers[0] is not None and numbers[1] is not None and numbers[0].value == numbers[1].value
    )


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
        begun, read, right = time.perf_counter(), 0, 0
        for one in questions:
            readings = [
                reading
                for table in tables_in(chosen.folder / one["table"], one["title"])
                if (reading := read_question(one["question"], table)) is not None and reading.rows
            ]
            if len(readings) != 1:
                continue
            answer = answer_of(readings[0])
            read += 1
            right += is_right(answer, one["answer"])
            if chosen.wrong and not is_right(answer, one["answer"]):
                print(one["question"], answer[:5], one["answer"], readings[0].said, sep=" | ")
        took = 1000 * (time.perf_counter() - begun) / len(questions)
        print(
            f"{name}: {len(questions):,} questions, read {read / len(questions):.3f}, of these right "
            f"{right / max(read, 1):.3f}, of all {right / len(questions):.3f}; {took:.1f} ms each"
        )


if __name__ == "__main__":
    main()
