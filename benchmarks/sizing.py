"""Measures disk, memory and time for a library of your documents. Figures for docs/operations.md.

    python benchmarks/sizing.py FOLDER [--shares 0.25 0.5 1]

Ingests evenly spaced shares of the folder's files, each into a new library by its own process; then
another process asks 50 questions made from headings of the library. Prints a Markdown table.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from pincite import Library
from pincite.ingest.discover import discover

QUESTIONS = 50
MEGABYTE = 1_000_000


def chosen(folder: Path, share: float) -> list[Path]:
    """Every n-th file, so that kinds stay mixed as they are."""
    files = list(discover([folder]).files)
    wanted = max(1, round(len(files) * share))
    return [files[number * len(files) // wanted] for number in range(wanted)]


def peak_mb() -> float:
    """Of this process, in megabytes of 10^6 bytes."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak * (1 if sys.platform == "darwin" else 1024) / MEGABYTE


def take_in(library: Path, files: list[Path]) -> dict[str, float]:
    """One row's first half."""
    began = time.perf_counter()
    with Library.open(library) as opened:
        report = opened.ingest(files)
    return {
        "files": report.documents,
        "passages": report.passages,
        "megabytes": sum(file.stat().st_size for file in files) / MEGABYTE,
        "ingest_seconds": time.perf_counter() - began,
        "ingest_peak_mb": peak_mb(),
    }


def ask(library: Path) -> dict[str, float]:
    """One row's second half."""
    with Library.open(library, create=False) as opened:
        keys = opened.catalog.passage_keys()
        picked = keys[:: max(1, len(keys) // QUESTIONS)][:QUESTIONS]
        headings = [
            one.section[-1] for one in opened.catalog.passages(picked).values() if one.section
        ]
        opened.ask("What is this about?")  # Models are loaded at the first question.
        spent = []
        for heading in headings:
            began = time.perf_counter()
            opened.ask(f"What does it say about {heading}?")
            spent.append((time.perf_counter() - began) * 1000)
        on_disk = opened.stats().bytes_on_disk / MEGABYTE
    return {
        "library_mb": on_disk,
        "ask_ms": statistics.median(spent),
        "ask_peak_mb": peak_mb(),
    }


def in_a_process(*given: str) -> dict[str, float]:
    """What one step of this script printed."""
    done = subprocess.run(
        [sys.executable, __file__, *given], check=True, capture_output=True, text=True
    )
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def row(folder: Path, share: float) -> str:
    """A line of the table."""
    with tempfile.TemporaryDirectory() as home:
        library = str(Path(home) / "library")
        one = in_a_process(str(folder), "--take-in", library, "--shares", str(share))
        one |= in_a_process(str(folder), "--ask", library)
    return (
        f"| {one['files']:,} ({one['megabytes']:.1f} MB) | {one['passages']:,} "
        f"| {one['ingest_seconds']:.0f} s | {one['ingest_peak_mb']:.0f} MB "
        f"| {one['library_mb']:.0f} MB | {one['library_mb'] * 1000 / one['passages']:.0f} kB "
        f"| {one['ask_ms']:.0f} ms | {one['ask_peak_mb']:.0f} MB |"
    )


def main() -> None:
    """Print the table, or do one step of it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--shares", type=float, nargs="+", default=[0.25, 0.5, 1])
    parser.add_argument("--take-in", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--ask", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.take_in:
        print(json.dumps(take_in(given.take_in, chosen(given.folder, given.shares[0]))))
    elif given.ask:
        print(json.dumps(ask(given.ask)))
    else:
        print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.0f} at the start")
        print(
            "| files | passages | ingest | its memory | library | a passage | a question | its memory |"
        )
        print("|---|---|---|---|---|---|---|---|")
        for share in given.shares:
            print(row(given.folder, share), flush=True)


if __name__ == "__main__":
    main()
