"""A small server that speaks the two published protocols for embeddings, and can misbehave."""

from __future__ import annotations

import json
import time
from contextlib import AbstractContextManager
from http.server import BaseHTTPRequestHandler
from typing import Any

from pincite.testing.fakes import FakeEncoder
from tests.local_server import JsonHandler, LocalServer, running


class EmbeddingServer(LocalServer):
    """Vectors of a deterministic encoder; `faults` are used up first, one for each request.

    A fault is {"status": ..., "body": ..., "headers": ...}, {"seconds": ...} to answer late, or
    {"change": ...} with a function that spoils the list of vectors.
    """

    def __init__(self) -> None:
        super().__init__(_Handler)
        self.encoder = FakeEncoder(dimensions=24)
        self.most_texts = 0
        self.longest = 0

    def texts(self) -> list[str]:
        """Every text that was sent."""
        return [text for request in self.requests for text in request["body"]["input"]]


class _Handler(JsonHandler, BaseHTTPRequestHandler):
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


def serving() -> AbstractContextManager[EmbeddingServer]:
    """A server on a free port of this machine."""
    return running(EmbeddingServer())
