"""How many sentences that answer a question contain the kind of answer that it asks for.

    PYTHONPATH=src python benchmarks/asked_kinds.py [FOLDER]

FOLDER has the training sets (default: training/ in the folder PINCITE_SHARED names). Each question
that asks for a number, a time or a place is taken with the sentence of its marked answer; a sentence
without the kind would be refused if the answer were doubtful besides.
"""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from pincite.text.sentences import sentence_spans
from pincite.verify.abstention.asked_kinds import kind_that_none_contains

SHARED = Path(os.environ.get("PINCITE_SHARED", Path(__file__).parents[2] / "shared"))
_SETS = ("squad-ans", "squad-train", "selqa", "fairytaleqa", "bioasq", "quotesum", "policyqa")


def main() -> None:
    """Prints one line for each set and kind."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else SHARED / "training"
    print(f"{'set':<14} {'kind':<16} {'questions':>9} {'lacking':>8} {'share':>6}")
    for name in _SETS:
        asked: Counter[str] = Counter()
        lacking: Counter[str] = Counter()
        with (folder / f"{name}.jsonl").open(encoding="utf-8") as lines:
            for line in lines:
                row = json.loads(line)
                kind = kind_that_none_contains(row["question"], ())
                if not kind or not row["answers"]:
                    continue
                asked[kind] += 1
                lacking[kind] += bool(kind_that_none_contains(row["question"], _answering(row)))
        for kind, count in sorted(asked.items()):
            share = lacking[kind] / count
            print(f"{name:<14} {kind:<16} {count:>9} {lacking[kind]:>8} {share:>6.3f}")


def _answering(row: dict[str, Any]) -> list[str]:
    """The sentences that overlap a marked answer."""
    passage, found = str(row["passage"]), []
    for answer in row["answers"]:
        for first, last in sentence_spans(passage):
            if first < answer["end"] and last > answer["start"]:
                found.append(passage[first:last])
    return found


if __name__ == "__main__":
    main()
