"""Clients that hold a connection without sending a request."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from pincite.interfaces.http.running import ImpatientProtocol
from tests.interfaces.http.live import listening

PATIENCE = 60.0
"""Seconds that a test waits for a connection to be closed; a busy machine takes its time."""


async def hello(request: Request) -> PlainTextResponse:
    return PlainTextResponse((await request.body()).decode() or "hello")


APP = Starlette(routes=[Route("/", hello, methods=["GET", "POST"])])


def protocol(seconds: float) -> type[ImpatientProtocol]:
    return type("Protocol", (ImpatientProtocol,), {"seconds": seconds})


@pytest.fixture
def impatient() -> Iterator[socket.socket]:
    """A connection to a server that waits for a head for a fifth of a second."""
    with listening(APP, http=protocol(0.2)) as address, connection(address) as opened:
        yield opened


def connection(address: str) -> socket.socket:
    parts = urlsplit(address)
    return socket.create_connection((parts.hostname, parts.port), timeout=PATIENCE)


@pytest.mark.parametrize("sent", [b"", b"\r\n", b"GET / HTTP/1.1\r\nHost: a\r\nX-Slow: "])
def test_a_client_that_does_not_complete_its_head_is_left(
    impatient: socket.socket, sent: bytes
) -> None:
    impatient.sendall(sent)
    assert impatient.recv(100) == b""


def test_a_client_that_sends_a_byte_now_and_then_is_left(impatient: socket.socket) -> None:
    impatient.settimeout(0.05)
    impatient.sendall(b"GET / HTTP/1.1\r\n")
    for _ in range(round(PATIENCE / 0.05)):
        try:
            assert impatient.recv(100) == b""
            return
        except TimeoutError:
            impatient.sendall(b"X")
        except ConnectionError:
            return
    pytest.fail("the connection is still open")


def test_after_a_reply_the_next_head_has_its_own_time(impatient: socket.socket) -> None:
    impatient.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    reply = b""
    while not reply.endswith(b"hello"):
        reply += impatient.recv(1000)
    impatient.sendall(b"GET / HTTP/1.1\r\nX")
    assert impatient.recv(100) == b""


def test_a_head_that_does_not_end_is_not_read_on() -> None:
    with listening(APP, http=protocol(PATIENCE)) as address, connection(address) as opened:
        opened.sendall(b"GET / HTTP/1.1\r\n")
        try:
            for _ in range(200):
                opened.sendall(b"X-Long: " + b"a" * 1000 + b"\r\n")
            reply = opened.recv(100)
        except ConnectionError:
            reply = b""
        assert reply == b""


def test_a_body_may_take_longer_than_the_head(impatient: socket.socket) -> None:
    impatient.sendall(b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\na")
    impatient.settimeout(0.5)
    with pytest.raises(TimeoutError):
        impatient.recv(100)
    impatient.settimeout(PATIENCE)
    impatient.sendall(b"b")
    reply = b""
    while not reply.endswith(b"ab"):
        reply += impatient.recv(1000)
