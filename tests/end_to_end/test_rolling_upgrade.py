"""A small run of benchmarks/rolling_upgrade.py: servers of two versions answer over one library."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from tiers import IS_FULL

ROOT = Path(__file__).parents[2]
FILES = 16


@pytest.fixture
def rolling_upgrade(
    host_benchmark: Callable[[str], ModuleType], monkeypatch: pytest.MonkeyPatch
) -> ModuleType:
    module = host_benchmark("rolling_upgrade")
    for name, value in {"WORKERS": 2, "CLIENTS": 2, "VARYING": module.VARYING}.items():
        monkeypatch.setattr(module.host_kills, name, value)
    return module


@pytest.mark.slow
@pytest.mark.skipif(not IS_FULL, reason="takes minutes of waiting: make test-exhaustive")
@pytest.mark.skipif(sys.platform != "linux", reason="kills groups of processes")
def test_servers_and_workers_are_upgraded_while_they_answer(
    rolling_upgrade: ModuleType, tmp_path: Path
) -> None:
    files = [tmp_path / f"{number:02}.txt" for number in range(FILES)]
    for number, path in enumerate(files):
        path.write_text(f"Pump {number} holds {number * 3 + 1} litres of oil.\n")
    material = rolling_upgrade.Material(
        files=files,
        questions=[f"How many litres of oil does pump {n} hold?" for n in range(0, FILES, 3)],
    )
    # Short: a socket's path has 107 characters at most.
    with tempfile.TemporaryDirectory(prefix="roll-") as folder:
        found = rolling_upgrade.trial_of(Path(folder), material, old=ROOT / "src", new=None)
    assert found.wrong == {}
    assert found.figures["errors told"] == {}
    assert found.figures["stored"] == FILES
    assert found.figures["servers"] == {rolling_upgrade.NEXT: 3}
    formats = found.figures["formats"]
    assert int(formats["applied_version"]) == int(formats["schema_version"]) + 1
