"""Measures `pincite table` on contracts: cells right, wrong, and rightly or wrongly empty.

    python benchmarks/sheet_cells.py [--documents 20] [--questions 12] [--show]

The confidentiality agreements of legalbench-open (from ContractNLI) and its most frequent questions,
each of which people answered with spans for some of the agreements. Every question is asked of every
agreement: a cell is right if its quote overlaps a span, wrong if it does not or the set has none for
this agreement; empty rightly if the set has none. Doubtful answers are empty cells. Prints the counts,
the seconds of a cell, and the peak memory.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import tempfile
import time
from collections import Counter, defaultdict
from pathlib import Path

from pincite import Library
from pincite.report.sheets.sheet import Column, fill

DATA = Path(os.environ.get("PINCITE_SHARED", Path(__file__).parents[2] / "shared")) / "data"
_SET = "legalbench-open"
_KIND = "contractnli"
_SHORTEST_OVERLAP = 25


def _lines(name: str) -> list[dict[str, object]]:
    text = (DATA / _SET / name).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def _overlaps(quote: str, spans: list[str]) -> bool:
    said = " ".join(quote.split())
    return any(
        said in span or span in said or _shared(said, span)
        for span in (" ".join(s.split()) for s in spans)
    )


def _shared(one: str, other: str) -> bool:
    """Whether they have a run of words in common that is no accident."""
    starts = range(0, max(1, len(one) - _SHORTEST_OVERLAP), _SHORTEST_OVERLAP)
    return any(one[start : start + 2 * _SHORTEST_OVERLAP] in other for start in starts)


def main() -> None:
    """Print the counts of cells."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--documents", type=int, default=20)
    parser.add_argument("--questions", type=int, default=12)
    parser.add_argument("--show", action="store_true", help="print the wrong cells")
    given = parser.parse_args()
    asked = {
        str(form["id"]): str(form["text"]).rpartition(";")[2].strip()
        for form in _lines("queries.jsonl")
        if str(form["id"]).startswith(_KIND)
    }
    gold: dict[tuple[str, str], list[str]] = defaultdict(list)
    for form in _lines("spans.jsonl"):
        if str(form["query_id"]) in asked:
            gold[str(form["doc_id"]), asked[str(form["query_id"])]].append(str(form["text"]))
    questions = [
        one for one, _ in Counter(question for _, question in gold).most_common(given.questions)
    ]
    names = [name for name, _ in Counter(name for name, _ in gold).most_common(given.documents)]
    texts = {str(form["id"]): str(form["text"]) for form in _lines("corpus.jsonl")}
    columns = [
        Column(name=f"q{n}", question=one[0].upper() + one[1:]) for n, one in enumerate(questions)
    ]
    counts = Counter[str]()
    with tempfile.TemporaryDirectory() as work:
        paths = {}
        for number, name in enumerate(sorted(names)):
            paths[f"contract{number}.txt"] = name
            Path(work, f"contract{number}.txt").write_text(texts[name], "utf-8")
        with Library.open(Path(work) / "library") as library:
            library.ingest(sorted(Path(work).glob("*.txt")))
            began = time.perf_counter()
            sheet = fill(library, columns)
            seconds = time.perf_counter() - began
    for row in sheet.rows:
        for column, cell in zip(columns, row.cells, strict=True):
            spans = gold.get((paths[Path(row.path).name], questions[int(column.name[1:])]), [])
            if not cell.value:
                counts["empty wrongly" if spans else "empty rightly"] += 1
            elif spans and _overlaps(cell.quote, spans):
                counts["right"] += 1
            else:
                counts["another quote" if spans else "filled, none in the set"] += 1
                if given.show:
                    print(f"{column.question}\n    {cell.quote[:200]}\n    gold: {spans[:1]}")
    cells = len(sheet.rows) * len(columns)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{len(sheet.rows)} agreements x {len(columns)} questions, {cells} cells")
    for kind, count in counts.most_common():
        print(f"{kind:24} {count:5} ({count / cells:.0%})")
    print(f"{1000 * seconds / cells:.0f} ms a cell; {peak:.0f} MB at most")


if __name__ == "__main__":
    main()
