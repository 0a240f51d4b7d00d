"""Nothing leaves this machine, also not by way of a library that reports how it is used."""

from __future__ import annotations

import time
from pathlib import Path

from end_to_end.running import SampleLibrary, run_cli


def test_no_command_tries_to_reach_the_network(
    sample: SampleLibrary, new_library: Path, tmp_path: Path
) -> None:
    log, home = tmp_path / "network.log", tmp_path / "home"
    home.mkdir()
    watched = {"NETWORK_LOG": str(log), "HOME": str(home)}
    run_cli("ingest", sample.documents, "--library", new_library, **watched)
    run_cli("ask", "Which soil pH is best for tomatoes?", "--library", new_library, **watched)
    time.sleep(0.5)  # a report may be sent in the background

    assert not log.exists(), log.read_text()
    assert list(home.iterdir()) == []
