"""A small server that speaks the published protocol of rerankers, and can misbehave."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from pincite.text.terms import terms

Fault = dict[str, Any]


def shared_words(question: str, text: str) -> float:
    """The share of the question's words that stand in the text."""
    asked = set(terms(question))
    return len(asked & set(terms(text))) / max(1, len(asked))


class RerankingServer(ThreadingHTTPServer):
    """Scores by shared words, as probabilities or as logits; `faults` are used up first.

    A fault is {"status": ..., "body": ...}, or {"change": ...} with a function that spoils the
    list of results.
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.gives_logits = False
        self.faults: list[Fault] = []
        self.requests: list[dict[str, Any]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    server: RerankingServer

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append({"path": self.path, "body": body, "headers": self.headers})
        fault = self.server.faults.pop(0) if self.server.faults else {}
        if "status" in fault:
            return self._answer(fault["status"], fault.get("body", {}))
        scores = [shared_words(body["query"], text) for text in body["documents"]]
        if self.server.gives_logits:
            scores = [20 * score - 10 for score in scores]
        results = [{"index": i, "relevance_score": score} for i, score in enumerate(scores)]
        # Best first, as the protocol has it.
        results.sort(key=lambda row: -row["relevance_score"])
        change = fault.get("change", lambda rows: rows)
        return self._answer(200, {"model": body["model"], "results": change(results)})

    def _answer(self, status: int, body: Any) -> None:
        content = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *arguments: Any) -> None: ...


@contextmanager
def serving() -> Iterator[RerankingServer]:
    """A server on a free port of this machine."""
    with RerankingServer() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join()
