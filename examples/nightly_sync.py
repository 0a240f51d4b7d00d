"""Bring a library in step with a folder and list what needs attention. For cron or a timer.

    python nightly_sync.py FOLDER LIBRARY

Prints nothing when nothing needs attention, so that cron sends no mail then. Exit code 0 when all files could be
read and no kept answer went out of date, 1 otherwise.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from pincite import Library, PinciteError


def attention(folder: Path, library_folder: Path) -> Iterator[str]:
    """Sync, and return a line for everything that needs attention."""
    with Library.open(library_folder) as library:
        report = library.ingest([folder])
        for failed in report.failed:
            yield f"not read: {failed.path}: {failed.reason}"
        for flagged in report.flagged:
            yield f"look at: {flagged.path}: {flagged.reason}"
        if report.stale_answers:
            yield f"kept answers out of date: {report.stale_answers} (pincite history list --stale)"


def main(folder: Path, library: Path) -> int:
    """Print the lines."""
    lines = list(attention(folder, library))
    for line in lines:
        print(line)
    return 1 if lines else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: nightly_sync.py FOLDER LIBRARY")
    try:
        sys.exit(main(*map(Path, sys.argv[1:])))
    except PinciteError as error:
        sys.exit(f"error: {error}")
