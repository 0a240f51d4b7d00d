"""Measures how long one `pincite ask` takes in its own process, from start to end.

    python benchmarks/cold_start.py LIBRARY [QUESTION] [--code src OTHER/src] [--runs 5] [--resident]

With several `--code` folders the same question is asked with each in turn, so that other load of the
machine affects all of them; each is asked once before anything is measured. Each run is a new
process over files that are in the system's file cache. Medians: wall-clock seconds, and seconds of
processor time, which are more reliable while other programs run. `--resident`: run by the process that
the first one left behind, whose own time is not counted.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

QUESTION = "How long is parental leave?"
DONE = (0, 3)
"""Answered, or refused: both have looked everything up."""
_RESIDENT_STARTS_IN = 5.0
"""Seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What one process took."""

    seconds: float
    processor_seconds: float
    peak_mb: float


def ask(code: Path, library: Path, question: str, resident: str) -> Run:
    """Ask once. Raises RuntimeError when the question could not be asked."""
    environment = {**os.environ, "PYTHONPATH": str(code), "PINCITE_RESIDENT": resident}
    # As an installed program: its modules have been compiled once.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    command = [sys.executable, "-m", "pincite", "ask", question, "-l", str(library)]
    began = time.perf_counter()
    process = subprocess.Popen(
        command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    assert process.stderr is not None
    told = process.stderr.read()
    _, status, used = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - began
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stderr.close()
    if process.returncode not in DONE:
        raise RuntimeError(f"{' '.join(command)}: {told.decode(errors='replace')}")
    return Run(
        seconds=seconds,
        processor_seconds=used.ru_utime + used.ru_stime,
        peak_mb=used.ru_maxrss / 1024,
    )


def in_turn(
    codes: Sequence[Path], library: Path, question: str, runs: int, resident: str
) -> dict[Path, list[Run]]:
    """So many runs of each code, one of each after the other."""
    for code in codes:
        ask(code, library, question, resident)
    if resident == "on":
        time.sleep(_RESIDENT_STARTS_IN)
    found: dict[Path, list[Run]] = {code: [] for code in codes}
    for _ in range(runs):
        for code in codes:
            found[code].append(ask(code, library, question, resident))
    return found


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("library", type=Path)
    parser.add_argument("question", nargs="?", default=QUESTION)
    parser.add_argument("--code", type=Path, nargs="+", default=[Path("src")])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--resident", action="store_const", const="on", default="off")
    parser.add_argument("--json", type=Path, help="Write every run to this file.")
    arguments = parser.parse_args()
    before = os.getloadavg()[0]
    given = arguments
    found = in_turn(given.code, given.library, given.question, given.runs, given.resident)
    print(f"{arguments.runs} runs each, load {before:.1f} before, {os.getloadavg()[0]:.1f} after")
    print("| code | seconds | processor seconds | peak MB |\n|---|---|---|---|")
    for code, taken in found.items():
        medians = [
            statistics.median(getattr(run, name) for run in taken)
            for name in ("seconds", "processor_seconds", "peak_mb")
        ]
        print(f"| {code} | {medians[0]:.2f} | {medians[1]:.2f} | {medians[2]:.0f} |")
    if arguments.json:
        every = {str(code): [asdict(run) for run in taken] for code, taken in found.items()}
        arguments.json.write_text(json.dumps(every, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
