"""Connections with a deadline for the whole request.

httpx restarts its timeouts with every piece of data: a server that sends its headers letter by letter
could go on forever.
"""

from __future__ import annotations

import ssl
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import httpcore
import httpx

_DEADLINE: ContextVar[float] = ContextVar("deadline", default=float("inf"))
"""Deadline of this thread's request, in seconds of `time.monotonic`."""


@contextmanager
def until(deadline: float) -> Iterator[None]:
    """Requests in this context time out at this deadline."""
    token = _DEADLINE.set(deadline)
    try:
        yield
    finally:
        _DEADLINE.reset(token)


class TimedTransport(httpx.HTTPTransport):
    """The connections of one client; `socket` is the path of a Unix socket to use."""

    def __init__(self, *, socket: str = "") -> None:
        super().__init__(trust_env=False)
        # httpx has no argument for the network backend.
        self._pool = httpcore.ConnectionPool(
            ssl_context=httpx.create_ssl_context(trust_env=False),
            max_connections=100,
            max_keepalive_connections=20,
            keepalive_expiry=5.0,
            uds=socket or None,
            network_backend=_TimedBackend(),
        )


def _left(timeout: float | None, error: type[Exception]) -> float | None:
    """The seconds left for one step. Raises `error` if there are none."""
    left = _DEADLINE.get() - time.monotonic()
    if left <= 0:
        raise error("the whole answer took too long")
    if left == float("inf"):
        return timeout
    return left if timeout is None else min(timeout, left)


class _TimedBackend(httpcore.NetworkBackend):
    def __init__(self) -> None:
        self._inner = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        seconds = _left(timeout, httpcore.ConnectTimeout)
        made = self._inner.connect_tcp(host, port, seconds, local_address, socket_options)
        return _TimedStream(made)

    def connect_unix_socket(
        self,
        path: str,
        timeout: float | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        seconds = _left(timeout, httpcore.ConnectTimeout)
        return _TimedStream(self._inner.connect_unix_socket(path, seconds, socket_options))

    def sleep(self, seconds: float) -> None:
        self._inner.sleep(seconds)


class _TimedStream(httpcore.NetworkStream):
    def __init__(self, inner: httpcore.NetworkStream) -> None:
        self._inner = inner

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._inner.read(max_bytes, _left(timeout, httpcore.ReadTimeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._inner.write(buffer, _left(timeout, httpcore.WriteTimeout))

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        seconds = _left(timeout, httpcore.ConnectTimeout)
        return _TimedStream(self._inner.start_tls(ssl_context, server_hostname, seconds))

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)
