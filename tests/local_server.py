"""What the small servers of the tests share: they listen on this machine alone and answer in JSON."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeVar

Fault = dict[str, Any]


class LocalServer(ThreadingHTTPServer):
    """Keeps all `requests`; `faults` are used up first, one for each request."""

    daemon_threads = True

    def __init__(self, handler: type[BaseHTTPRequestHandler]) -> None:
        super().__init__(("127.0.0.1", 0), handler)
        self.faults: list[Fault] = []
        self.requests: list[dict[str, Any]] = []

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that has given up is what some tests are about."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class JsonHandler(BaseHTTPRequestHandler):
    """Answers with a body in JSON, or with these bytes.

    Handlers name its base beside it: that is how ruff knows that `do_POST` is no name of ours.
    """

    def _answer(self, status: int, body: Any, headers: dict[str, str] | None = None) -> None:
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in {"Content-Length": str(len(content)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *arguments: Any) -> None: ...


Server = TypeVar("Server", bound=LocalServer)


@contextmanager
def running(server: Server) -> Iterator[Server]:
    """The server on a free port of this machine, until the block is left."""
    with server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join()
