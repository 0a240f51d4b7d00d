"""Measures one system in this process and writes what it found as JSON. Started by `run.py`.

Each system has a process of its own, so that memory and threads are its own. Raw figures only: the
latency of every question and the passages found; `measures.py` makes figures of them.
"""

from __future__ import annotations

import argparse
import gc
import json
import math
import os
import platform
import re
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Self

THREAD_SETTINGS = (
    "OMP_NUM_THREADS",
    "MKL_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "RAYON_NUM_THREADS",
    "TOKIO_WORKER_THREADS",
    "LANCE_CPU_THREADS",
)

OFFLINE_AND_QUIET = {
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "ANONYMIZED_TELEMETRY": "False",
    "HAYSTACK_TELEMETRY_ENABLED": "False",
    "TOKENIZERS_PARALLELISM": "true",
    "LANCEDB_LOG": "error",
}


def use_cores(count: int) -> None:
    """Let this process and its threads run on `count` cores. Before any library is imported."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:count])
    os.environ.update(dict.fromkeys(THREAD_SETTINGS, str(count)) | OFFLINE_AND_QUIET)


def memory_mb(name: str) -> float:
    """VmRSS (now) or VmHWM (most so far) of this process."""
    status = Path("/proc/self/status")
    found = re.search(rf"{name}:\s+(\d+) kB", status.read_text()) if status.exists() else None
    return int(found[1]) / 1024 if found else 0.0


def forget_peak() -> None:
    """Let VmHWM count from now on; where the system refuses, it counts from the start."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


class ChildProcesses:
    """The most memory that child processes held together, looked at twice a second."""

    def __init__(self) -> None:
        self.peak_mb = 0.0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._stop.wait(0.5):
            self.peak_mb = max(self.peak_mb, sum(map(resident_mb, children(os.getpid()))))


def children(process: int) -> Iterator[int]:
    """Processes started by a process, and by those."""
    for path in Path(f"/proc/{process}/task").glob("*/children"):
        with suppress(OSError):
            for child in map(int, path.read_text().split()):
                yield child
                yield from children(child)


def resident_mb(process: int) -> float:
    """Memory of a process without the pages it shares; 0 when it has ended."""
    with suppress(OSError):
        resident, shared = Path(f"/proc/{process}/statm").read_text().split()[1:3]
        return (int(resident) - int(shared)) * os.sysconf("SC_PAGE_SIZE") / 1024**2
    return 0.0


class Clients:
    """Asks the questions from a number of threads; each takes the next one when it is done."""

    def __init__(self, search: Any, depth: int, most_seconds: float = math.inf) -> None:
        self._search = search
        self._depth = depth
        self._most_seconds = most_seconds

    def ask(self, questions: Sequence[Any], clients: int) -> dict[str, Any]:
        """Milliseconds of each question asked, what it found, and how long all took."""
        waiting = iter(questions)
        taking = threading.Lock()
        started = time.perf_counter()
        until = started + self._most_seconds

        def client() -> list[tuple[str, float, list[str]]]:
            return [self._asked(question) for question in self._taken(waiting, taking, until)]

        with ThreadPoolExecutor(clients) as pool:
            futures = [pool.submit(client) for _ in range(clients)]
            done = [asked for future in futures for asked in future.result()]
        return {
            "seconds": time.perf_counter() - started,
            "ms": [milliseconds for _, milliseconds, _ in done],
            "found": {question: found for question, _, found in done},
        }

    def _asked(self, question: Any) -> tuple[str, float, list[str]]:
        started = time.perf_counter()
        found = self._search(question.text, self._depth)
        return question.id, (time.perf_counter() - started) * 1000, found

    @staticmethod
    def _taken(waiting: Iterator[Any], taking: threading.Lock, until: float) -> Iterator[Any]:
        while time.perf_counter() < until:
            with taking:
                question = next(waiting, None)
            if question is None:
                return
            yield question


def measure(arguments: argparse.Namespace, home: Path) -> dict[str, Any]:
    """Load, ingest, ask."""
    from benchmarks.peers.collection import load
    from benchmarks.peers.systems import SYSTEMS, open_system

    collection = load(arguments.collection)
    vectors = None
    if arguments.vectors:
        import numpy as np

        vectors = np.load(arguments.vectors)
    gc.collect()
    gc.freeze()  # no system pays for objects that are held here
    load_before = os.getloadavg()[0]
    empty_mb = memory_mb("VmRSS")
    started = time.perf_counter()
    system = open_system(arguments.system, home, arguments.weights, own_vectors=vectors is None)
    loaded = time.perf_counter()
    getattr(system, "prepare", lambda _: None)(collection.passages)
    forget_peak()
    with ChildProcesses() as others:
        begun, processor = time.perf_counter(), time.process_time()
        system.ingest(collection.passages, vectors)
        ingested = time.perf_counter()
    found: dict[str, Any] = {
        "system": arguments.system,
        "cores": arguments.cores,
        "run": arguments.run,
        "passages": len(collection.passages),
        "vectors": "shared" if arguments.vectors else "own",
        "load_average": [load_before],
        "versions": dict(_versions(SYSTEMS[arguments.system].packages)),
        "load_seconds": loaded - started,
        "ingest_seconds": ingested - begun,
        "ingest_processor_seconds": time.process_time() - processor,
        "data_mb": empty_mb,
        "ingest_peak_mb": memory_mb("VmHWM"),
        "children_peak_mb": others.peak_mb,
        "disk_mb": sum(f.stat().st_size for f in home.rglob("*") if f.is_file()) / 1024**2,
    }
    del vectors
    forget_peak()
    found["searches"] = {
        name: ask_everything(search, collection, arguments)
        for name, search in system.searches().items()
    }
    found["query_peak_mb"] = memory_mb("VmHWM")
    found.update(system.measurements())
    found["load_average"].append(os.getloadavg()[0])
    return found


def ask_everything(search: Any, collection: Any, arguments: argparse.Namespace) -> dict[str, Any]:
    """All questions from one client, which gives the quality, and then from several."""
    for text in collection.warm_up:
        search(text, arguments.depth)
    alone = Clients(search, arguments.depth).ask(collection.questions, 1)
    several = Clients(search, arguments.depth, arguments.most_seconds)
    together = several.ask(collection.questions, arguments.clients)
    del together["found"]
    return {"found": alone.pop("found"), "1": alone, str(arguments.clients): together}


def _versions(packages: Sequence[str]) -> Iterator[tuple[str, str]]:
    yield "python", platform.python_version()
    for package in packages:
        try:
            yield package, version(package)
        except PackageNotFoundError:
            continue


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("system")
    for name in ("--collection", "--weights", "--home", "--vectors", "--output"):
        parser.add_argument(name, type=Path, required=name != "--vectors")
    parser.add_argument("--run", required=True)
    for name in ("--cores", "--depth", "--clients"):
        parser.add_argument(name, type=int, required=True)
    parser.add_argument("--most-seconds", type=float, required=True)
    arguments = parser.parse_args()
    use_cores(arguments.cores)
    found = measure(arguments, arguments.home)
    draft = arguments.output.with_suffix(".draft")
    draft.write_text(json.dumps(found), encoding="utf-8")
    draft.replace(arguments.output)
    sys.stdout.flush()
    os._exit(0)  # some systems keep threads that never end


if __name__ == "__main__":
    main()
