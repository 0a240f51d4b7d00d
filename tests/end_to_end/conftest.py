from __future__ import annotations

from pathlib import Path

import pytest

from end_to_end import running


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> running.SampleLibrary:
    return running.sample_library(tmp_path_factory.getbasetemp() / "sample")


@pytest.fixture
def new_library(tmp_path: Path) -> Path:
    """The folder of an empty library."""
    folder = tmp_path / "library"
    folder.mkdir()
    return folder
