"""The server as a user starts it: in processes of its own."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from end_to_end import running

from pincite.settings.groups import ServerSettings


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def get(address: str, body: dict[str, Any] | None = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(address, data, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=300) as reply:
        return json.loads(reply.read())


def is_up(address: str) -> bool:
    try:
        return bool(get(f"{address}/health")["status"] == "ok")
    except (urllib.error.URLError, ConnectionError, TimeoutError):
        return False


def test_the_demo_is_served_by_two_processes_that_see_what_another_ingests(
    tmp_path: Path,
) -> None:
    address = f"http://127.0.0.1:{(port := free_port())}"
    environment = {
        "PINCITE_SERVER__PORT": str(port),
        "PINCITE_SERVER__WORKERS": "2",
        "XDG_STATE_HOME": str(tmp_path / "state"),
    }
    library = tmp_path / "library"
    with running.started("demo", "--serve", "--library", library, **environment) as process:
        assert running.wait_until(lambda: is_up(address), seconds=90)
        assert get(f"{address}/v1/stats")["documents"] == 6
        file = tmp_path / "gasket.txt"
        file.write_text("The gasket is changed every 400 hours.\n")
        running.call_cli("ingest", file, "--library", library)
        asked = {"question": "When is the gasket changed?"}

        def is_found() -> bool:
            answer = get(f"{address}/v1/query", asked)
            found = [one["source"] for one in answer["citations"][:1]] == ["gasket.txt"]
            # A process that met the ingest says so, and looks again after two seconds.
            assert found or any("an ingest is running" in one for one in answer["reasons"]), answer
            return found

        for _ in range(6):  # Whichever process answers.
            assert running.wait_until(is_found, seconds=30)
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=300) is not None
        assert not is_up(address)


def test_a_process_whose_library_is_not_there_says_so_in_a_line_and_ends(tmp_path: Path) -> None:
    # In a process of its own: the app takes over the logging of the process that it serves in.
    code = "from pincite.interfaces.http import running as r; r._TRY_AGAIN_SECONDS = 0; r.app()"
    served = {
        "PINCITE_SERVED_LIBRARY": str(tmp_path / "gone"),
        "PINCITE_SERVED_SETTINGS": ServerSettings().model_dump_json(),
    }
    ended = subprocess.run(
        [sys.executable, "-c", code],
        env=running.environment(**served),
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )
    assert ended.returncode != 0
    (line,) = ended.stderr.splitlines()
    assert "there is no library" in json.loads(line)["problem"]
