"""A small server that speaks the published protocol of rerankers, and can misbehave."""

from __future__ import annotations

import json
from contextlib import AbstractContextManager
from http.server import BaseHTTPRequestHandler

from pincite.text.terms import terms
from tests.local_server import JsonHandler, LocalServer, running


def shared_words(question: str, text: str) -> float:
    """The share of the question's words that stand in the text."""
    asked = set(terms(question))
    return len(asked & set(terms(text))) / max(1, len(asked))


class RerankingServer(LocalServer):
    """Scores by shared words, as probabilities or as logits; `faults` are used up first.

    A fault is {"status": ..., "body": ...}, or {"change": ...} with a function that spoils the
    list of results.
    """

    def __init__(self) -> None:
        super().__init__(_Handler)
        self.gives_logits = False


class _Handler(JsonHandler, BaseHTTPRequestHandler):
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


def serving() -> AbstractContextManager[RerankingServer]:
    """A server on a free port of this machine."""
    return running(RerankingServer())
