"""A small run of benchmarks/host_kills.py: what is killed loses nothing, and no answer is wrong."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from tiers import IS_FULL

from end_to_end.running import SAMPLES, SampleLibrary

ROOT = Path(__file__).parents[2]
KILLS, SEED, FILES = 6, 10, 36


@pytest.fixture
def host_kills(
    host_benchmark: Callable[[str], ModuleType], monkeypatch: pytest.MonkeyPatch
) -> ModuleType:
    module = host_benchmark("host_kills")
    for name, value in {"SERVERS": 2, "WORKERS": 2, "CLIENTS": 2}.items():
        monkeypatch.setattr(module, name, value)
    return module


@pytest.mark.slow
@pytest.mark.skipif(not IS_FULL, reason="takes minutes of waiting: make test-exhaustive")
@pytest.mark.skipif(sys.platform != "linux", reason="kills processes that it finds in /proc")
def test_kills_of_workers_servers_and_the_database_lose_nothing(
    host_kills: ModuleType, sample: SampleLibrary, tmp_path: Path
) -> None:
    files = sorted(shutil.copytree(SAMPLES / "documents", tmp_path / "samples").iterdir())
    for number in range(FILES):
        files.append(tmp_path / f"{number:02}.txt")
        files[-1].write_text(f"Pump {number} holds {number * 3 + 1} litres of oil.\n")
    material = host_kills.Material(
        files=files,
        questions=[
            *(asked["question"] for asked in sample.questions()[:4]),
            *(f"How many litres of oil does pump {number} hold?" for number in range(0, FILES, 9)),
        ],
        broken=host_kills.broken_files(tmp_path),
    )
    # Short: a socket's path has 107 characters at most.
    with tempfile.TemporaryDirectory(prefix="kills-") as folder:
        found = host_kills.trial_of(Path(folder), material, kills=KILLS, seed=SEED)
    assert found.wrong == {}
    assert found.figures["stored"] == len(files)
    assert found.figures["parked"] == len(material.broken)
    assert set(found.figures["kills"]) >= {"database", "worker"}
    assert found.figures["compared"] == found.figures["replies"] >= KILLS
