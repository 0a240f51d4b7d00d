"""What a server may take: time and memory are bounded for one request as a whole."""

from __future__ import annotations

import contextlib
import gzip
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from pincite.errors import ModelError, ModelUnreachable
from pincite.models.servers import Place, ServerClient
from pincite.testing.language_models import ScriptedModel
from tests.models.llm.chat_server import ChatServer, serving

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


@contextmanager
def dripping() -> Iterator[str]:
    """A server that sends the headers of its answer letter by letter, for ever; its address."""
    over = threading.Event()

    def serve(listening: socket.socket) -> None:
        while not over.is_set():
            with contextlib.suppress(OSError), listening.accept()[0] as connection:
                connection.recv(65536)
                connection.sendall(b"HTTP/1.1 200 OK\r\n")
                while not over.wait(0.05):
                    connection.sendall(b"X: y\r\n")

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=serve, args=(listening,), daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            over.set()
            listening.shutdown(socket.SHUT_RDWR)
            thread.join(10)


@pytest.mark.parametrize("streamed", [True, False])
def test_headers_in_drops_end_with_the_time_for_the_whole(streamed: bool) -> None:
    with dripping() as url:
        asked = ServerClient(
            Place(model="small", url=url, group="embedding", timeout_seconds=0.5, retries=0)
        )
        begun = time.monotonic()
        with pytest.raises(ModelUnreachable, match=r"no answer in 0\.5 s"):
            list(asked.lines("/", {})) if streamed else asked.post("/", {})
        assert time.monotonic() - begun < 10


def test_each_try_has_its_time_and_no_more() -> None:
    with dripping() as url:
        place = Place(model="m", url=url, group="embedding", timeout_seconds=0.3, retries=2)
        begun = time.monotonic()
        with pytest.raises(ModelUnreachable, match=r"3 tries"):
            ServerClient(place, sleep=lambda seconds: None).post("/", {})
        assert time.monotonic() - begun < 20


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
        ("br", b"{}", "encoding 'br'; expected gzip"),
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
    with pytest.raises(ModelError, match="not JSON"):
        client(server).post("/", {})
