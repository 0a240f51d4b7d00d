"""What a client sees when something under the server fails: a problem it can act on, or the answer."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from end_to_end.disks import fill_up, mount, unmount
from end_to_end.running import wait_until
from fastapi.testclient import TestClient

from interfaces.http.opened import open_settings
from pincite import Library
from pincite.interfaces.http.app import create_app
from pincite.interfaces.http.served import Served

PH = {"question": "Which soil pH is best for tomatoes?"}
TORQUE = {"question": "What torque do I need for a size -8 hose end?"}
PUMP = {"question": "On which day is the blue pump checked?"}
NEW = {"files": ("pump.txt", b"The blue pump is checked on day 7.\n")}
Serve = Callable[..., TestClient]


@pytest.fixture
def library(served_library: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(served_library, tmp_path / "library"))


def server(library: Path, **overrides: Any) -> TestClient:
    served = Served(Library.open(library, overrides=overrides))
    app = create_app(served, open_settings(cached_answers=0), closes=True)
    return TestClient(app, raise_server_exceptions=False)


@pytest.fixture
def serve(library: Path) -> Iterator[Serve]:
    """Clients of servers over the library, which keep no answers."""
    with ExitStack() as stack:

        def client(**overrides: Any) -> TestClient:
            return stack.enter_context(server(library, **overrides))

        yield client


def test_a_damaged_catalog_is_told_with_what_to_do_and_health_fails(
    serve: Serve, library: Path
) -> None:
    client = serve()
    assert client.post("/v1/query", json=PH).json()["status"] == "answered"
    catalog = library / "catalog.sqlite3"
    content = catalog.read_bytes()
    catalog.write_bytes(content[:8192] + os.urandom(len(content) - 8192))
    for reply in (client.post("/v1/query", json=TORQUE), client.get("/v1/documents")):
        assert reply.status_code == 503
        assert reply.headers["content-type"] == "application/problem+json"
        assert "Restore it from a backup" in reply.json()["detail"]
        assert str(library) not in reply.text
    health = client.get("/health")
    assert health.status_code == 503
    assert "damaged" in health.json()["problems"][0]
    again = client.get("/health").json()["problems"]
    assert len(again) == len({*again})


def test_a_library_that_is_gone_makes_health_fail(serve: Serve, library: Path) -> None:
    client = serve()
    shutil.rmtree(library)
    until = time.monotonic() + 60
    while (health := client.get("/health")).is_success and time.monotonic() < until:
        time.sleep(0.05)
    assert health.status_code == 503
    assert "missing" in health.json()["problems"][0]


@pytest.mark.parametrize("damage", ["zeros", "flipped"])
def test_a_damaged_index_is_made_anew_from_the_catalog(
    serve: Serve, library: Path, damage: str
) -> None:
    expected = serve().post("/v1/query", json=PH).json()["citations"]
    while_serving = serve()
    assert while_serving.post("/v1/query", json=TORQUE).status_code == 200
    for path in (library / "index").rglob("*"):
        if path.is_file() and path.stat().st_size:
            content = path.read_bytes()
            flipped = bytes(byte ^ 0x5A for byte in content)
            # In place: the engine has the file in its memory.
            with path.open("r+b") as file:
                file.write(flipped if damage == "flipped" else b"\0" * len(content))
    for client in (while_serving, serve()):
        reply = client.post("/v1/query", json=PH)
        assert reply.status_code == 200, reply.text
        assert reply.json()["citations"] == expected


def test_without_its_model_server_quotes_are_given_and_the_answer_says_so(serve: Serve) -> None:
    generation = {"mode": "generated", "model": "openai:any", "url": "http://127.0.0.1:1/v1"}
    reply = serve(generation={**generation, "timeout_seconds": 5}).post("/v1/query", json=PH)
    assert reply.status_code == 200
    told = reply.json()
    assert (told["status"], told["mode"]) == ("answered", "extractive")
    assert "127.0.0.1:1" in str(told)


@pytest.fixture
def disk(library: Path, tmp_path: Path) -> Iterator[Path]:
    """A disk of its own, on which the library lies; its image is `disk.img`."""
    if not shutil.which("mkfs.ext4"):
        pytest.skip("there is no mkfs.ext4")
    aside, image = library.rename(tmp_path / "aside"), tmp_path / "disk.img"
    with image.open("wb") as file:
        file.truncate(64 * 1024 * 1024)
    subprocess.run(["mkfs.ext4", "-q", "-m", "0", image], check=True)
    library.mkdir()
    mount("-o", "loop", image, library)
    try:
        shutil.copytree(aside, library, dirs_exist_ok=True)
        yield library
    finally:
        unmount(library)


def taken_in(client: TestClient) -> bool:
    """Whether a new file is taken in, and answers."""
    job = client.post("/v1/ingest", files=NEW)
    assert job.status_code == 202, job.text
    address = f"/v1/jobs/{job.json()['job']}"
    over = wait_until(lambda: client.get(address).json()["state"] == "done", seconds=120)
    return over and "day 7" in client.post("/v1/query", json=PUMP).json()["text"]


def files_on(disk: Path) -> dict[str, bytes]:
    """What was sent to the server and lies there."""
    sent = (disk / "uploads").rglob("*") if (disk / "uploads").exists() else ()
    return {str(path): path.read_bytes() for path in sent if path.is_file()}


def test_a_disk_that_becomes_read_only_answers_and_takes_nothing_in(
    disk: Path, tmp_path: Path
) -> None:
    with server(disk) as client:
        expected = client.post("/v1/query", json=PH).json()["citations"]
        held, sent = client.get("/v1/documents").json(), files_on(disk)
        one = held["documents"][0]["id"]
        # What the system does of itself when a disk fails: also files that are open cannot be written.
        os.sync()
        mount("-o", "remount,abort", disk)
        for reply in (client.post("/v1/ingest", files=NEW), client.delete(f"/v1/documents/{one}")):
            told_of_the_disk(reply, 503)
        assert client.post("/v1/query", json=PH).json()["citations"] == expected
        assert client.post("/v1/query", json=TORQUE).json()["status"] == "answered"
        assert client.get("/v1/documents").json() == held
    with server(disk) as client:
        assert client.post("/v1/query", json=PH).json()["citations"] == expected
    unmount(disk)
    mount("-o", "loop", shutil.copy(tmp_path / "disk.img", tmp_path / "after.img"), disk)
    with server(disk) as client:
        assert client.post("/v1/query", json=PH).json()["citations"] == expected
        assert (client.get("/v1/documents").json(), files_on(disk)) == (held, sent)
        assert taken_in(client)


def test_a_full_disk_takes_nothing_in_and_loses_nothing(serve: Serve, disk: Path) -> None:
    client = serve()
    expected = client.post("/v1/query", json=PH).json()["citations"]
    held, sent = client.get("/v1/documents").json(), files_on(disk)
    fill_up(disk)
    told_of_the_disk(client.post("/v1/ingest", files=NEW), 507)
    answer = client.post("/v1/query", json=PH)
    if answer.status_code != 200:  # SQLite may need room even to read
        told_of_the_disk(answer, 503)
    (disk / "fill").unlink()
    assert client.post("/v1/query", json=PH).json()["citations"] == expected
    assert (client.get("/v1/documents").json(), files_on(disk)) == (held, sent)
    assert taken_in(client)


def told_of_the_disk(reply: Any, status: int) -> None:
    assert reply.status_code == status, reply.text
    assert reply.headers["content-type"] == "application/problem+json"
    assert reply.headers["retry-after"]
    assert "unexpected" not in reply.json()["detail"]


def test_a_disk_that_fills_up_during_a_job_ends_it_and_it_resumes(disk: Path) -> None:
    rooms = "\n\n".join(f"Pump {n} turns {n * 7} times in hall {n % 13}." for n in range(3_000))
    with server(disk) as client:
        sent = client.post("/v1/ingest", files={"files": ("pumps.txt", rooms.encode())})
        fill_up(disk)
        address = f"/v1/jobs/{sent.json()['job']}"
        assert wait_until(
            lambda: client.get(address).json()["state"] in ("done", "failed"), seconds=120
        )
        told = client.get(address).json()
        assert told["state"] == "failed"
        assert "disk" in told["message"]
        assert "resumes" in told["message"]
    (disk / "fill").unlink()
    with server(disk) as client:
        assert wait_until(lambda: client.get(address).json()["state"] == "done", seconds=120)
        names = [one["name"] for one in client.get("/v1/documents").json()["documents"]]
        assert "pumps.txt" in names
