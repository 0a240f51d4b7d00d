"""Measures all open sets and writes the page of results.

    python benchmarks/results.py                        # all sets, docs/results.md
    python benchmarks/results.py --sets cisi,time --queries 50 --write /tmp/results.md

Every set is evaluated with BM25, dense, fused and default, as `pincite eval` does. A set's run is
cached; it is measured again if the set, the number of questions or the package's code has changed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from open_sets import SHARED, WORK, collection
from results_page import ORDER, page, plot

import pincite
from pincite.errors import DatasetError
from pincite.evaluate.datasets import Dataset, load_dataset
from pincite.evaluate.report import question_forms, report_form
from pincite.evaluate.run import run

ROOT = Path(__file__).resolve().parents[1]

LEFT_OUT = {
    "chunkeval": "five documents: which one answers is no question",
    "expertqa-open": "statements, each to be checked against one given page",
    "mtrag-un-open": "the last turns of conversations, which cannot be understood alone",
    "qags": "sentences of summaries, each to be checked against its article",
    "summedits-open": "edited summaries, each to be checked against its source",
    "tatqa-open": "questions about a given document ('the company') that do not say which",
    "wice-open": "statements, each to be checked against one given page",
}
"""Sets whose judgements do not say which documents answer a question."""


def main() -> None:
    """Measure what is not measured yet, then write the page."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("data", nargs="?", type=Path, default=SHARED / "data")
    parser.add_argument("--sets", help="only these, with commas between")
    parser.add_argument("--queries", type=int, help="at most so many of each set, spread evenly")
    parser.add_argument("--write", type=Path, default=ROOT / "docs" / "results.md")
    parser.add_argument("--runs", type=Path, default=WORK / "results", help="where runs are kept")
    parser.add_argument(
        "--keep-runs", action="store_true", help="take saved runs of other versions of the code too"
    )
    chosen = parser.parse_args()
    names = chosen.sets.split(",") if chosen.sets else open_sets(chosen.data)
    runs = [
        measured(chosen.data / name, chosen.queries, chosen.runs, keep_runs=chosen.keep_runs)
        for name in names
    ]
    figure = chosen.write.with_suffix(".svg")
    figure.write_text(plot(runs), encoding="utf-8")
    told = page(
        runs,
        left_out={name: why for name, why in LEFT_OUT.items() if (chosen.data / name).is_dir()},
        machine=f"{os.cpu_count()} cores, Pincite {pincite.__version__}",
        command=" ".join(["python benchmarks/results.py", *_visible(sys.argv[1:])]),
        figure=figure.name,
        current=code_digest(),
    )
    chosen.write.write_text(told, encoding="utf-8")
    print(f"written: {chosen.write} and {figure.name}, {len(runs)} sets")


def open_sets(data: Path) -> list[str]:
    """Every set in the folder that can be asked."""
    found = [folder.name for folder in sorted(data.iterdir()) if (folder / "corpus.jsonl").exists()]
    return [name for name in found if name not in LEFT_OUT]


def measured(folder: Path, most: int | None, runs: Path, *, keep_runs: bool) -> dict[str, Any]:
    """The run of one set: the saved one if it is still true, else a new one."""
    dataset = load_dataset(folder)
    made_of = {"code": code_digest(), "data": data_digest(dataset), "queries": most}
    path = runs / f"{dataset.name}.json"
    saved = _saved(path)
    needed = {name: made_of[name] for name in made_of if not (keep_runs and name == "code")}
    if saved and all(saved["made_of"].get(name) == value for name, value in needed.items()):
        print(f"{dataset.name}: measured before", flush=True)
        return saved
    print(f"{dataset.name}: {len(dataset.documents)} documents", flush=True)
    with collection(dataset) as made:
        done = run(dataset, made, dataset.some(most), ORDER)
    fresh = {"made_of": made_of, "report": report_form(done), "questions": question_forms(done)}
    runs.mkdir(parents=True, exist_ok=True)
    draft = path.with_suffix(".draft")
    draft.write_text(json.dumps(fresh, ensure_ascii=False) + "\n", encoding="utf-8")
    draft.replace(path)
    return fresh


def _saved(path: Path) -> dict[str, Any] | None:
    try:
        found = json.loads(path.read_bytes())
    except FileNotFoundError:
        return None
    except ValueError as error:
        raise DatasetError(f"{path}: is not JSON ({error}); delete it") from error
    return found if isinstance(found, dict) and "made_of" in found else None


def code_digest() -> str:
    """Identifies the code of the package."""
    digest = hashlib.sha256()
    for path in sorted((ROOT / "src").rglob("*.py")):
        digest.update(path.relative_to(ROOT).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:12]


def data_digest(dataset: Dataset) -> str:
    """Identifies the documents, questions and labels of a set."""
    digest = hashlib.sha256()
    for item in (*dataset.documents, *dataset.questions):
        digest.update(repr(item).encode("utf-8", "backslashreplace"))
    return digest.hexdigest()[:12]


def _visible(arguments: Sequence[str]) -> list[str]:
    """Arguments that change figures; folders of this machine are none of the reader's business."""
    return [
        f"{name} {value}" for name, value in pairwise(arguments) if name in ("--queries", "--sets")
    ]


if __name__ == "__main__":
    main()
