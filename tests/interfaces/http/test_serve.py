"""`pincite serve` as processes: nothing leaves the machine, and one that dies is replaced."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from end_to_end.running import COMMAND, environment

QUESTION = {"question": "Which soil pH is best for tomatoes?"}
PATIENCE = 120.0
"""Seconds; a busy machine takes its time to start."""


@contextmanager
def serving(
    library: Path, *options: str, **env: str
) -> Iterator[tuple[httpx.Client, subprocess.Popen[str]]]:
    """The command on a port that the system chose, and a client of it."""
    command = [*COMMAND, "serve", "--library", str(library), "--port", "0", *options]
    process = subprocess.Popen(
        command, env=environment(**env), stderr=subprocess.PIPE, encoding="utf-8"
    )
    try:
        assert process.stderr is not None
        lines = iter(process.stderr.readline, "")
        address = next(line.split()[0] for line in lines if line.startswith("http"))
        with httpx.Client(base_url=address, timeout=PATIENCE) as client:
            # The address can be opened as soon as it is printed.
            assert client.get("/health").status_code == httpx.codes.OK
            yield client, process
    finally:
        process.terminate()
        try:
            process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            raise


def health(client: httpx.Client, process: subprocess.Popen[str]) -> int:
    """What it says of itself as soon as it answers."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        assert process.poll() is None, process.communicate()[1]
        try:
            return client.get("/health").status_code
        except httpx.TransportError:
            time.sleep(0.1)
    raise AssertionError("the server does not answer")


def children(process: subprocess.Popen[str]) -> set[int]:
    listed = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text()
    return {int(child) for child in listed.split()}


@pytest.mark.slow
def test_serving_a_question_and_the_page_tries_to_reach_no_network(
    served_library: Path, tmp_path: Path
) -> None:
    log = tmp_path / "network.log"
    with serving(served_library, NETWORK_LOG=str(log)) as (client, process):
        answer = client.post("/v1/query", json=QUESTION)
        page = client.get("/")
        process.terminate()
        _, told = process.communicate(timeout=PATIENCE)
    assert answer.json()["status"] == "answered"
    assert page.status_code == httpx.codes.OK
    assert "Traceback" not in told
    assert not log.exists(), log.read_text()


def test_without_a_library_it_begins_with_an_empty_one(tmp_path: Path) -> None:
    with serving(tmp_path / "library") as (client, _):
        upload = {"files": ("pump.txt", b"The pump is checked on day 7.\n")}
        job = client.post("/v1/ingest", files=upload).json()["job"]
        deadline = time.monotonic() + PATIENCE
        while client.get(f"/v1/jobs/{job}").json()["state"] != "done":
            assert time.monotonic() < deadline
            time.sleep(0.1)
        answer = client.post("/v1/query", json={"question": "When is the pump checked?"}).json()
    assert answer["citations"][0]["source"] == "pump.txt"


def test_a_library_below_a_folder_that_is_missing_is_a_typing_error(tmp_path: Path) -> None:
    command = [*COMMAND, "serve", "--library", str(tmp_path / "none" / "library"), "--port", "0"]
    ended = subprocess.run(
        command, env=environment(), capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert ended.returncode != 0
    assert "there is no library" in ended.stderr
    assert not (tmp_path / "none").exists()


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="finds processes in /proc")
def test_a_process_that_is_killed_is_replaced_and_the_others_answer_meanwhile(
    served_library: Path,
) -> None:
    with serving(served_library, "--workers", "2") as (client, process):
        before = client.post("/v1/query", json=QUESTION).json()
        workers = {one for one in children(process) if b"spawn_main" in command_of(one)}
        assert len(workers) == 2
        os.kill(workers.pop(), signal.SIGKILL)
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                after = client.post("/v1/query", json=QUESTION).json()
                break
            except httpx.TransportError:  # it was the one that was asked
                assert time.monotonic() < deadline
        while sum(b"spawn_main" in command_of(one) for one in children(process)) < 2:
            assert time.monotonic() < deadline
            time.sleep(0.2)
    assert after["citations"] == before["citations"]


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="finds processes in /proc")
def test_a_process_that_dies_while_it_is_asked_whether_it_lives_is_replaced_at_once(
    served_library: Path,
) -> None:
    with serving(served_library) as (client, process):
        (worker,) = (one for one in children(process) if b"spawn_main" in command_of(one))
        os.kill(worker, signal.SIGSTOP)
        time.sleep(2)  # The supervisor asks twice a second, and gives it two minutes.
        os.kill(worker, signal.SIGKILL)
        began = time.monotonic()
        while not any(b"spawn_main" in command_of(one) for one in children(process) - {worker}):
            assert time.monotonic() - began < 30
            time.sleep(0.1)
        assert health(client, process) == httpx.codes.OK


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="finds processes in /proc")
def test_processes_end_when_their_supervisor_is_killed(served_library: Path) -> None:
    with serving(served_library, "--workers", "2") as (client, process):
        workers = {one for one in children(process) if b"spawn_main" in command_of(one)}
        assert len(workers) == 2
        process.kill()
        deadline = time.monotonic() + PATIENCE
        while any(b"spawn_main" in command_of(one) for one in workers):
            assert time.monotonic() < deadline
            time.sleep(0.1)
        with pytest.raises(httpx.TransportError):
            client.get("/health")


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="finds processes in /proc")
def test_a_process_whose_question_never_ends_says_so_and_is_replaced(
    served_library: Path, tmp_path: Path
) -> None:
    site = never_ending(tmp_path / "site")
    paths = os.pathsep.join((environment()["PYTHONPATH"], str(site)))
    settings = {"GENERATION__PLUGIN": "never-ending", "SERVER__QUESTION_SECONDS": "3"}
    variables = {f"PINCITE_{name}": value for name, value in settings.items()}
    options = ("--workers", "2")
    with serving(served_library, *options, PYTHONPATH=paths, **variables) as (client, process):
        workers = {one for one in children(process) if b"spawn_main" in command_of(one)}
        late = client.post("/v1/query", json=QUESTION)
        deadline = time.monotonic() + PATIENCE
        while True:
            now = {one for one in children(process) if b"spawn_main" in command_of(one)}
            if len(now) == 2 and now != workers and health(client, process) == httpx.codes.OK:
                break
            assert time.monotonic() < deadline
            time.sleep(0.2)
        process.terminate()
        _, told = process.communicate(timeout=PATIENCE)
    assert late.status_code == httpx.codes.GATEWAY_TIMEOUT
    assert late.json()["detail"] == "no answer within 3 s; ask a narrower question"
    assert len(now & workers) == 1
    assert "a question does not end; this process ends instead" in told


def never_ending(site: Path) -> Path:
    """An installed package whose answerer never comes back."""
    info = site / "pincite_never_ending-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: pincite-never-ending\nVersion: 1.0\n"
    )
    (info / "entry_points.txt").write_text(
        "[pincite.answerers]\nnever-ending = pincite_never_ending:NeverEnding\n"
    )
    (site / "pincite_never_ending.py").write_text(
        "import time\n"
        "class NeverEnding:\n"
        "    def __init__(self, *given): pass\n"
        "    def draft(self, *given, **named):\n"
        "        while True: time.sleep(1)\n"
    )
    return site


def command_of(process: int) -> bytes:
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:  # it ended meanwhile
        return b""
