"""The most memory that a process has had, by itself and as the system tells it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from pincite.evaluate import run


@pytest.mark.skipif(sys.platform == "win32", reason="the system does not tell")
def test_what_was_taken_and_given_back_counts() -> None:
    # In a process of its own: this one may have had more before.
    told = subprocess.run(
        [sys.executable, "-c",
         "from pincite.evaluate.run import peak_memory_mb as peak\n"
         "before = peak(); taken = b'x' * 80_000_000; del taken; print(peak() - before)"],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    assert 70 < float(told) < 90


@pytest.mark.skipif(sys.platform != "linux", reason="compares the two ways that Linux has")
def test_without_the_files_of_linux_the_standard_library_is_asked(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    own = run.peak_memory_mb()
    monkeypatch.setattr(run, "_STATUS", tmp_path / "missing")
    other = run.peak_memory_mb()
    assert own is not None
    assert other is not None
    assert other >= own * 0.9
