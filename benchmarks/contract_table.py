"""Measures `pincite table` on contracts: the same questions of every document, against lawyers' marks.

    python benchmarks/contract_table.py [DATA] [--stance balanced] [--output FILE]

DATA is legalbench-open (default: in the folder PINCITE_SHARED names), of which the ContractNLI part is
used: 57 confidentiality agreements and 17 questions. A cell is right if one of its quotes overlaps what
lawyers marked, wrong if none does; a question that they marked nothing for is one that the contract
does not answer, and its cell has to be empty. FILE gets one JSON line for each cell.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from collections import Counter, defaultdict
from pathlib import Path

from pincite import Library
from pincite.records.document import Range
from pincite.records.filters import Filters
from pincite.records.flow import Answer
from pincite.report.sheets.cells import CellKind, cell_of

SHARED = Path(os.environ.get("PINCITE_SHARED", Path(__file__).parents[2] / "shared"))
_PART = "contractnli"


def _rows(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.open(encoding="utf-8")]


def _marks(data: Path) -> tuple[dict[tuple[str, str], list[Range]], list[str]]:
    """The marked ranges by document and question, and the questions, the most frequent first."""
    asked = {
        row["id"]: row["text"].partition(";")[2].strip()
        for row in _rows(data / "queries.jsonl")
        if row["id"].startswith(_PART)
    }
    marks: dict[tuple[str, str], list[Range]] = defaultdict(list)
    for row in _rows(data / "spans.jsonl"):
        if row["query_id"] in asked:
            place = (row["doc_id"], asked[row["query_id"]])
            marks[place].append((int(row["start"]), int(row["end"])))
    counted = Counter(question for _, question in marks)
    return dict(marks), [question for question, _ in counted.most_common()]


def _verdict(answer: Answer, marks: list[Range]) -> str:
    cell = cell_of(answer, CellKind.TEXT)
    cited = [answer.citations[n - 1] for claim in answer.shown for n in claim.citations]
    is_marked = any(one.start < end and start < one.end for one in cited for start, end in marks)
    if not cell.value:
        return "empty, and it is there" if marks else "rightly empty"
    if not marks:
        return "value, and nothing is there"
    return "right" if is_marked else "wrong place"


def main() -> None:
    """Ask every question of every contract and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("data", type=Path, nargs="?", default=SHARED / "data" / "legalbench-open")
    parser.add_argument("--stance", default="balanced")
    parser.add_argument("--output", type=Path)
    given = parser.parse_args()
    os.environ["PINCITE_VERIFICATION__STANCE"] = given.stance
    marks, questions = _marks(given.data)
    texts = {row["id"]: row["text"] for row in _rows(given.data / "corpus.jsonl")}
    found: Counter[str] = Counter()
    lines = []
    with tempfile.TemporaryDirectory() as work:
        files = {}
        for number, name in enumerate(sorted({document for document, _ in marks})):
            files[name] = Path(work, f"contract-{number:02}.txt")
            files[name].write_text(texts[name], encoding="utf-8", newline="")
        with Library.open(Path(work, "library")) as library:
            library.ingest(list(files.values()))
            ids = {Path(entry.path).name: entry.document_id for entry in library.files()}
            began = time.perf_counter()
            for name, file in files.items():
                scope = Filters(documents=(ids[file.name],))
                for question in questions:
                    answer = library.ask(question, filters=scope)
                    verdict = _verdict(answer, marks.get((name, question), []))
                    found[verdict] += 1
                    lines.append({"document": name, "question": question, "verdict": verdict})
            seconds = time.perf_counter() - began
    for verdict, count in found.most_common():
        print(f"{verdict:28} {count:4} {count / found.total():.0%}")
    print(
        f"{len(files)} contracts, {len(questions)} questions, {found.total()} cells; {seconds:.0f} s"
    )
    if given.output:
        given.output.write_text(
            "".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8"
        )


if __name__ == "__main__":
    main()
