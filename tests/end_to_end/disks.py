"""Disks of a test: small ones, full ones and those that cannot be written."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
from pathlib import Path

import pytest


def mount(*arguments: str | Path) -> None:
    """Call the system's command; the test is skipped where it may not be used."""
    if not shutil.which("mount"):
        pytest.skip("there is no mount command")
    done = subprocess.run(["mount", *map(str, arguments)], capture_output=True, check=False)
    if done.returncode:
        pytest.skip("mounting needs rights this user does not have")


def unmount(place: Path) -> None:
    """Take the disk away, even where a process is still closing its files.

    A mount that outlives its test cannot be deleted, and pytest fails at the end of a later run.
    """
    subprocess.run(["umount", "--lazy", str(place)], check=True)


def fill_up(disk: Path) -> None:
    """Leave no room; deleting the file `fill` makes some."""
    with (disk / "fill").open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while file.write(b"x" * 512):
            pass
