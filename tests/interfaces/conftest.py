from __future__ import annotations

from pathlib import Path

import pytest
from end_to_end.conftest import new_library, sample

__all__ = ["new_library", "sample"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "documents"
    (folder / "old").mkdir(parents=True)
    for name in ("pump.txt", "valve.md", "old/hose.txt"):
        (folder / name).write_text(f"The {Path(name).stem} is checked on day 7.\n")
    return folder


@pytest.fixture
def library(tmp_path: Path) -> Path:
    return tmp_path / "library"
