"""Runs the offline trial and reports its result."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pincite
from pincite.errors import PinciteError

_LONGEST_SECONDS = 600.0
_SHOWN_CHARS = 600


def prove(library: Path | None, profile: str = "") -> dict[str, Any]:
    """Run all stages once without a network, with the library's settings if there is one.

    `holds` means that nothing tried to connect: no outside address in Python code and, where a process
    can have its own network namespace (Linux), no IPv4 packet from any code. Raises PinciteError if the
    trial itself failed.
    """
    with tempfile.TemporaryDirectory(prefix="pincite-offline-") as folder:
        command = [
            *(sys.executable, "-m", "pincite.interfaces.offline.trial"),
            *(folder, str(library.absolute()) if library else "", profile),
        ]
        try:
            done = subprocess.run(
                command, capture_output=True, encoding="utf-8", timeout=_LONGEST_SECONDS
            )
        except subprocess.TimeoutExpired as error:
            raise PinciteError(f"the trial did not end within {_LONGEST_SECONDS:.0f} s") from error
    if done.returncode:
        raise PinciteError(
            f"the trial without a network failed: {done.stderr.strip()[-_SHOWN_CHARS:]}"
        )
    found = json.loads(done.stdout.splitlines()[-1])
    return {
        "version": pincite.__version__,
        "checked_at": datetime.now(UTC).isoformat(timespec="seconds"),
        **found,
        "holds": not (found["elsewhere"] or found["unroutable_packets"] or found["problems"]),
    }
