"""What a server may take: time and memory are bounded for one request as a whole."""

from __future__ import annotations

import gzip
import time
from collections.abc import Iterator
from typing import Any

import pytest

from pincite.errors import ModelError, ModelUnreachable
from pincite.servers import Place, ServerClient
from pincite.testing.language_models import ScriptedModel
from tests.llm.chat_server import ChatServer, serving

ZEROS = gzip.compress(bytes(200_000_000), compresslevel=1)


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with serving(ScriptedModel([""])) as running:
        yield running


def client(server: ChatServer, **changes: Any) -> ServerClient:
    place = Place(
        model="small", url=server.url, group="embedding",
        **{"timeout_seconds": 0.5, "retries": 0, **changes},
    )  # fmt: skip
    return ServerClient(place, sleep=lambda seconds: None)


def test_an_answer_in_drops_ends_with_the_time_for_the_whole(server: ChatServer) -> None:
    server.faults = [{"lines": [b" "] * 100, "drip": 0.1}]
    begun = time.monotonic()
    with pytest.raises(ModelUnreachable, match=r"no answer in 0\.5 s: raise embedding\.timeout"):
        client(server).post("/", {})
    assert time.monotonic() - begun < 3


def test_an_error_in_drops_does_too(server: ChatServer) -> None:
    server.faults = [{"lines": [b" "] * 100, "drip": 0.1, "code": 400}]
    begun = time.monotonic()
    with pytest.raises(ModelUnreachable, match="no answer"):
        client(server).post("/", {})
    assert time.monotonic() - begun < 3


@pytest.mark.parametrize("packed", [True, False])
def test_an_answer_without_end_is_refused(server: ChatServer, packed: bool) -> None:
    lines = [ZEROS] if packed else [bytes(1_000_000)] * 200
    server.faults = [{"lines": lines, "packed": "gzip" if packed else ""}]
    with pytest.raises(ModelError, match="more than 64,000,000 bytes"):
        client(server, timeout_seconds=30).post("/", {})


def test_of_an_error_only_the_beginning_is_read(server: ChatServer) -> None:
    server.faults = [{"lines": [ZEROS], "packed": "gzip", "code": 400}]
    with pytest.raises(ModelError, match="answered 400"):
        client(server, timeout_seconds=30).post("/", {})


@pytest.mark.parametrize("packed", ["gzip", ""])
def test_what_is_packed_is_read_as_what_is_not(server: ChatServer, packed: str) -> None:
    content = b'{"texts": ["' + b"valve " * 100_000 + b'"]}'
    server.faults = [{"lines": [gzip.compress(content) if packed else content], "packed": packed}]
    found = client(server, timeout_seconds=30).post("/", {})
    assert len(found["texts"][0]) == 600_000


@pytest.mark.parametrize(
    ("packed", "content", "message"),
    [
        ("br", b"{}", "packed as 'br'; expected gzip"),
        ("gzip", b"{}", "small at .* answered with damaged gzip"),
    ],
)
def test_what_cannot_be_unpacked_is_an_error(
    server: ChatServer, packed: str, content: bytes, message: str
) -> None:
    server.faults = [{"lines": [content], "packed": packed}]
    with pytest.raises(ModelError, match=message):
        client(server).post("/", {})


@pytest.mark.parametrize("content", [b"[" * 200_000, b"\xff", b""])
def test_what_is_no_json_is_told(server: ChatServer, content: bytes) -> None:
    server.faults = [{"lines": [content] if content else []}]
    with pytest.raises(ModelError, match="no JSON"):
        client(server).post("/", {})
