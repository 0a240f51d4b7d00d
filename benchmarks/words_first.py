"""Measures when a long ingest can first be searched, and how long all of it takes.

    python benchmarks/words_first.py FOLDER [--seconds 2 inf] [--rounds 2]

Ingests the folder into a new library, in turn with each number of seconds after which the rest is
stored without vectors and encoded last (inf: all is encoded as it is read), while another process
searches it by words every half second. Prints seconds until the first hit, and until the end.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

_INGEST = """
import sys
from pincite import Library
from pincite.library import folder_sync
folder_sync._ENCODING_SECONDS = float(sys.argv[3])
with Library.open(sys.argv[1]) as library:
    report = library.ingest([sys.argv[2]])
    print(report.passages, "|", report.pages)
"""
_SEARCH = ("-m", "pincite", "search", "policy", "--json", "--library")


def measured(folder: Path, seconds: str) -> tuple[float | None, float, str]:
    """Seconds until the first hit and until the end, and the numbers of passages and pages."""
    words_only = {"PINCITE_RESIDENT": "off", "PINCITE_EMBEDDING__MODEL": "none"}
    with tempfile.TemporaryDirectory() as home:
        library = Path(home) / "library"
        started, first = time.perf_counter(), None
        ingest = subprocess.Popen(
            [sys.executable, "-c", _INGEST, library, folder, seconds],
            stdout=subprocess.PIPE,
            text=True,
        )
        while ingest.poll() is None:
            time.sleep(0.5)
            if first is None:
                found = subprocess.run(
                    [sys.executable, *_SEARCH, library],
                    capture_output=True,
                    text=True,
                    env={**os.environ, **words_only},
                )
                if '"rank"' in found.stdout:
                    first = time.perf_counter() - started
        ended = time.perf_counter() - started
        assert ingest.stdout is not None
        return first, ended, ingest.stdout.read().strip()


def main() -> None:
    """Print a line for each ingest."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seconds", nargs="+", default=["2", "inf"])
    parser.add_argument("--rounds", type=int, default=2)
    given = parser.parse_args()
    print("| encoded at first | first hit | all | passages | pages |\n|---|---|---|---|---|")
    for _ in range(given.rounds):
        for seconds in given.seconds:
            first, ended, passages = measured(given.folder, seconds)
            told = f"{first:.1f} s" if first else "at the end"
            print(f"| {seconds} s | {told} | {ended:.1f} s | {passages} |", flush=True)


if __name__ == "__main__":
    main()
