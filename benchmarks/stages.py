"""Measures the time of each stage: ingest and 100 questions on a new library of real documents.

    python benchmarks/stages.py                 # the documents next to the evaluation sets
    python benchmarks/stages.py FOLDER

Prints seconds of each ingest stage (files are read in other processes: `read` is the time spent
waiting for them), passages per second and peak memory; then, in a new process, the time to open the
library, the first question, and median and 95th percentile of each answering stage. `--json` prints
the same as JSON.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import wraps
from pathlib import Path
from typing import Any

import numpy as np
from open_sets import SHARED, WORK, load

from pincite import Library
from pincite.ingest.chunk.passages import StructureChunker
from pincite.ingest.sandbox.sandbox import SandboxedReader, SandboxedReaderPool
from pincite.models.encoders.windowed import TokenPoolingEmbedder
from pincite.records.flow import FileRead
from pincite.store.catalog.catalog import Catalog
from pincite.store.index.indexes import IndexFolder

FOLDERS = ("open", "pdfqa-open", "bulk-18f-handbook")
QUESTION_SETS = ("pdfqa-open", "product-docs")
METHODS: dict[str, list[tuple[type, str]]] = {
    "chunk": [(StructureChunker, "chunk")],
    "embed": [(TokenPoolingEmbedder, "embed")],
    "store": [(Catalog, "put")],
    "index": [(IndexFolder, "load"), (IndexFolder, "rebuild"), (IndexFolder, "update")],
}


def default_documents() -> list[Path]:
    """The real documents beside the evaluation sets, without the transcripts of some of them."""
    return [
        path
        for folder in FOLDERS
        for path in sorted((SHARED / "documents" / folder).iterdir())
        if path.name != "ground_truth"
    ]


def questions(most: int) -> list[str]:
    """Those of the first set, then those of the second, which these documents do not answer."""
    return [asked.text for name in QUESTION_SETS for asked in load(name).questions][:most]


class StageTimes:
    """Seconds spent in the methods of `METHODS`, counted from `install` on."""

    def __init__(self) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)

    def install(self) -> None:
        """Put a clock around each method, for the rest of this process."""
        for stage, methods in METHODS.items():
            for owner, name in methods:
                setattr(owner, name, self._timed(stage, getattr(owner, name)))
        read_all = SandboxedReaderPool.read_all

        def waited(pool: SandboxedReaderPool, paths: Iterable[Path]) -> Iterator[FileRead]:
            return self._waited(read_all(pool, paths))

        SandboxedReaderPool.read_all = waited  # type: ignore[assignment, method-assign]

    def _timed(self, stage: str, method: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(method)
        def timed(*args: Any, **options: Any) -> Any:
            started = time.perf_counter()
            try:
                return method(*args, **options)
            finally:
                self.seconds[stage] += time.perf_counter() - started

        return timed

    def _waited(self, items: Iterator[FileRead]) -> Iterator[FileRead]:
        while True:
            started = time.perf_counter()
            item = next(items, None)
            self.seconds["read"] += time.perf_counter() - started
            if item is None:
                return
            yield item


class ReaderMemory:
    """Peak memory of the reader processes, as the process that forks them counts it."""

    def __init__(self) -> None:
        self.peak_mb = 0.0

    def install(self) -> None:
        """Look at each reader before it is ended."""
        close = SandboxedReader.close

        def looked_at(reader: SandboxedReader) -> None:
            if reader._keeper is not None:
                unit = 1024**2 if sys.platform == "darwin" else 1024
                self.peak_mb = max(self.peak_mb, reader._keeper.peak_memory / unit)
            close(reader)

        SandboxedReader.close = looked_at  # type: ignore[assignment, method-assign]


def own_peak_mb() -> float:
    """Peak resident memory of this process."""
    unit = 1024**2 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


def measure_ingest(folder: Path, documents: list[Path]) -> dict[str, Any]:
    """Ingest everything into a new library in `folder`."""
    times, readers = StageTimes(), ReaderMemory()
    times.install()
    readers.install()
    with Library.open(folder) as library:
        started = time.perf_counter()
        library.encoder()
        loaded = time.perf_counter()
        report = library.ingest(documents)
        seconds = time.perf_counter() - loaded
        stats = library.stats()
    stages = {name: times.seconds[name] for name in ("read", *METHODS)}
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {
        "files": report.documents + len(report.failed),
        "failed": len(report.failed),
        "pages": report.pages,
        "passages": report.passages,
        "encoder_seconds": loaded - started,
        "seconds": seconds,
        "passages_per_second": report.passages / seconds,
        "stages": {**stages, "other": seconds - sum(stages.values())},
        "reader_cpu_seconds": children.ru_utime + children.ru_stime,
        "peak_mb": own_peak_mb(),
        "reader_peak_mb": readers.peak_mb,
        "library_mb": stats.bytes_on_disk / 1024**2,
    }


def measure_questions(folder: Path, most: int) -> dict[str, Any]:
    """Open the library and ask; the first question, which loads everything, counts apart."""
    first, *others = questions(most + 1)
    started = time.perf_counter()
    library = Library.open(folder, create=False)
    opened = time.perf_counter()
    library.ask(first)
    asked = time.perf_counter()
    answers = [library.ask(text) for text in others]
    library.close()
    return {
        "open_ms": (opened - started) * 1000,
        "first_question_ms": (asked - opened) * 1000,
        "questions": len(answers),
        "answered": sum(answer.status == "answered" for answer in answers),
        "stages_ms": {
            stage: percentiles([answer.timings[stage] for answer in answers])
            for stage in answers[0].timings
        },
        "peak_mb": own_peak_mb(),
    }


def percentiles(values: list[float]) -> dict[str, float]:
    """Median and 95th percentile."""
    median, high = np.percentile(values, [50, 95])
    return {"median": float(median), "p95": float(high)}


def in_process(step: str, folder: Path, arguments: argparse.Namespace) -> dict[str, Any]:
    """One step in a process of its own, which starts cold and small."""
    command = [sys.executable, __file__, *map(str, arguments.folders)]
    command += ["--questions", str(arguments.questions), "--step", step, str(folder)]
    output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    found: dict[str, Any] = json.loads(output.splitlines()[-1])
    return found


def report(found: dict[str, Any]) -> None:
    """Print the tables."""
    ingest, asking = found["ingest"], found["questions"]
    print(
        f"Ingest: {ingest['files']} files, {ingest['failed']} failed, {ingest['pages']} pages, "
        f"{ingest['passages']} passages in {ingest['seconds']:.1f} s "
        f"({ingest['passages_per_second']:.0f} passages/s), load {found['load_average'][0]:.1f} "
        f"to {found['load_average'][1]:.1f}"
    )
    for stage, seconds in ingest["stages"].items():
        print(f"  {stage:<10} {seconds:8.2f} s  {seconds / ingest['seconds']:5.0%}")
    print(
        f"  encoder loaded before that in {ingest['encoder_seconds']:.2f} s; "
        f"readers used {ingest['reader_cpu_seconds']:.1f} s of processor time\n"
        f"  peak memory {ingest['peak_mb']:.0f} MB, of one reader "
        f"{ingest['reader_peak_mb']:.0f} MB; library {ingest['library_mb']:.1f} MB"
    )
    print(
        f"\nQuestions: open {asking['open_ms']:.0f} ms, first "
        f"{asking['first_question_ms']:.0f} ms, "
        f"then {asking['questions']}, of which {asking['answered']} answered; "
        f"peak memory {asking['peak_mb']:.0f} MB"
    )
    print(f"  {'':<10} {'median ms':>10} {'p95 ms':>10}")
    for stage, row in asking["stages_ms"].items():
        print(f"  {stage:<10} {row['median']:10.2f} {row['p95']:10.2f}")


def main() -> None:
    """Run both steps, or one of them in this process."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--questions", type=int, default=100)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--step", nargs=2, metavar=("STEP", "LIBRARY"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.step:
        step, folder = arguments.step[0], Path(arguments.step[1])
        if step == "ingest":
            result = measure_ingest(folder, arguments.folders or default_documents())
        else:
            result = measure_questions(folder, arguments.questions)
        print(json.dumps(result))
        return
    WORK.mkdir(parents=True, exist_ok=True)
    load_before = os.getloadavg()[0]
    with tempfile.TemporaryDirectory(prefix="stages-", dir=WORK) as temporary:
        found: dict[str, Any] = {
            step: in_process(step, Path(temporary) / "library", arguments)
            for step in ("ingest", "questions")
        }
    found["load_average"] = [load_before, os.getloadavg()[0]]
    if arguments.json:
        print(json.dumps(found, indent=2))
    else:
        report(found)


if __name__ == "__main__":
    main()
