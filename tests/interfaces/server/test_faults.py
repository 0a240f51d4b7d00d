"""What a client sees when something under the server fails: a problem it can act on, or the answer."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from interfaces.server.opened import open_settings
from pincite import Library
from pincite.interfaces.server.app import create_app
from pincite.interfaces.server.served import Served

PH = {"question": "Which soil pH is best for tomatoes?"}
TORQUE = {"question": "What torque do I need for a size -8 hose end?"}
Serve = Callable[..., TestClient]


@pytest.fixture
def library(served_library: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(served_library, tmp_path / "library"))


@pytest.fixture
def serve(library: Path) -> Iterator[Serve]:
    """Clients of servers over the library, which keep no answers."""
    with ExitStack() as stack:

        def client(**overrides: Any) -> TestClient:
            served = Served(Library.open(library, overrides=overrides))
            app = create_app(served, open_settings(cached_answers=0), closes=True)
            return stack.enter_context(TestClient(app, raise_server_exceptions=False))

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


def test_a_library_that_is_gone_makes_health_fail(serve: Serve, library: Path) -> None:
    client = serve()
    shutil.rmtree(library)
    health = client.get("/health")
    assert health.status_code == 503
    assert "gone" in health.json()["problems"][0]


def test_a_damaged_index_is_made_anew_from_the_catalog(serve: Serve, library: Path) -> None:
    expected = serve().post("/v1/query", json=PH).json()["citations"]
    while_serving = serve()
    for path in (library / "index").rglob("*"):
        if path.is_file():
            path.write_bytes(b"\0" * path.stat().st_size)
    for client in (while_serving, serve()):
        reply = client.post("/v1/query", json=PH)
        assert reply.status_code == 200
        assert reply.json()["citations"] == expected


def test_without_its_model_server_quotes_are_given_and_the_answer_says_so(serve: Serve) -> None:
    generation = {"mode": "generated", "model": "openai:any", "url": "http://127.0.0.1:1/v1"}
    reply = serve(generation={**generation, "timeout_seconds": 5}).post("/v1/query", json=PH)
    assert reply.status_code == 200
    told = reply.json()
    assert (told["status"], told["mode"]) == ("answered", "extractive")
    assert "127.0.0.1:1" in str(told)
