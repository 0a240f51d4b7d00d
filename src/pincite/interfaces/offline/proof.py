"""Runs the trial and tells what came of it."""

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
_SAID = 600


def prove(library: Path | None, profile: str = "") -> dict[str, Any]:
    """Do everything once where no network is, with the library's settings if there is one.

    `holds` says that nothing was tried: no address elsewhere by Python code, and, where the system can
    give a process a network of its own (Linux), no IPv4 packet by any code. Raises PinciteError when
    the trial itself did not end.
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
        raise PinciteError(f"the trial without a network failed: {done.stderr.strip()[-_SAID:]}")
    found = json.loads(done.stdout.splitlines()[-1])
    return {
        "version": pincite.__version__,
        "checked_at": datetime.now(UTC).isoformat(timespec="seconds"),
        **found,
        "holds": not (found["elsewhere"] or found["unroutable_packets"] or found["problems"]),
    }
