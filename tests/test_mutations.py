"""A small run of benchmarks/mutations.py: damaged and hostile files take nothing with them."""

from __future__ import annotations

import sys
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path
from types import ModuleType

import pytest
from tiers import often

ROOT = Path(__file__).parents[1]
MUTANTS = often(75, 15)


@pytest.fixture
def mutations(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    return import_module("mutations")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="reads the peak memory of child processes")
def test_every_damaged_file_is_stored_or_reported(mutations: ModuleType, tmp_path: Path) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    sources = mutations.usable(ROOT / "src/pincite/interfaces/samples/documents")
    paths = mutations.write_mutants(sources, folder, count=MUTANTS, seed=2, megabytes=40)
    # In a process of its own: memory is the most that any child of a process has ever had.
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
        asked = process.submit(mutations.ingest, paths, tmp_path / "library", seconds=10)
        outcome = asked.result()
    assert list(outcome.faults()) == []
    assert outcome.contained_crashes == []
    assert outcome.stored + sum(outcome.reasons.values()) == outcome.files == len(paths)
    assert outcome.stored > MUTANTS // 5


def test_the_same_seed_makes_the_same_files(mutations: ModuleType, tmp_path: Path) -> None:
    sources = mutations.usable(ROOT / "src/pincite/interfaces/samples/documents")

    def made(name: str, seed: int) -> dict[str, bytes]:
        folder = tmp_path / name
        folder.mkdir()
        paths = mutations.write_mutants(sources, folder, count=75, seed=seed, megabytes=1)
        # Archives carry the time they were packed at.
        flat = [path for path in paths if not path.read_bytes().startswith(b"PK")]
        return {path.name: path.read_bytes() for path in flat}

    first = made("first", 3)
    assert first == made("second", 3)
    assert first != made("third", 4)
