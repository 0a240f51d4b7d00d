"""A small server that speaks the two published protocols for embeddings, and can misbehave."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from pincite.testing.fakes import FakeEncoder

Fault = dict[str, Any]


class EmbeddingServer(ThreadingHTTPServer):
    """Vectors of a deterministic encoder; `faults` are used up first, one for each request.

    A fault is {"status": ..., "body": ..., "headers": ...}, {"seconds": ...} to answer late, or
    {"change": ...} with a function that spoils the list of vectors.
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.encoder = FakeEncoder(dimensions=24)
        self.faults: list[Fault] = []
        self.requests: list[dict[str, Any]] = []
        self.most_texts = 0
        self.longest = 0

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that has given up is what some tests are about."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def texts(self) -> list[str]:
        """Every text that was sent."""
        return [text for request in self.requests for text in request["body"]["input"]]


class _Handler(BaseHTTPRequestHandler):
    server: EmbeddingServer

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append(
            {"path": self.path, "body": body, "headers": dict(self.headers.items())}
        )
        fault = self.server.faults.pop(0) if self.server.faults else {}
        time.sleep(fault.get("seconds", 0))
        if "status" in fault:
            self._answer(fault["status"], fault.get("body", {}), fault.get("headers", {}))
        elif any(not text.strip() for text in body["input"]):
            self._answer(400, {"error": {"message": "input is empty"}})
        elif max(map(len, body["input"])) > (self.server.longest or 10**9):
            self._answer(400, {"error": "the input length exceeds the context length"})
        else:
            self._answer(200, self._found(body["input"], fault.get("change", lambda rows: rows)))

    def _found(self, texts: list[str], change: Any) -> dict[str, Any]:
        self.server.most_texts = max(self.server.most_texts, len(texts))
        # Longer than 1: making unit vectors is the client's part.
        vectors = [(3 * found.vector).tolist() for found in self.server.encoder.encode(texts)]
        if self.path == "/api/embed":
            return {"model": "m", "embeddings": change(vectors)}
        rows = [{"object": "embedding", "index": i, "embedding": v} for i, v in enumerate(vectors)]
        # The protocol orders by `index`, and not by place.
        return {"object": "list", "data": change(rows[::-1])}

    def _answer(self, status: int, body: Any, headers: dict[str, str] | None = None) -> None:
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in {"Content-Length": str(len(content)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *arguments: Any) -> None: ...


@contextmanager
def serving() -> Iterator[EmbeddingServer]:
    """A server on a free port of this machine."""
    with EmbeddingServer() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join()
