from __future__ import annotations

import json
from typing import Any

import pytest
from end_to_end import running
from fastapi.testclient import TestClient

from pincite.interfaces.http.served import Served
from pincite.interfaces.http.streams import Progress


def events(text: str) -> list[tuple[str, Any]]:
    found = []
    for block in text.split("\n\n"):
        lines = dict(line.split(": ", 1) for line in block.splitlines() if line[:1] != ":")
        if lines:
            found.append((lines["event"], json.loads(lines["data"])))
    return found


@pytest.mark.parametrize("number", [0, 1, 4])
def test_a_streamed_answer_ends_with_the_object_of_the_unstreamed_one(
    client: TestClient, sample: running.SampleLibrary, number: int
) -> None:
    question = sample.questions()[number]["question"]
    whole = client.post("/v1/query", json={"question": question}).json()
    reply = client.post("/v1/query", json={"question": question, "stream": True})
    assert reply.headers["content-type"].startswith("text/event-stream")
    told = events(reply.text)
    assert [name for name, _ in told][:1] == ["retrieval"]
    assert [name for name, _ in told][-2:] == ["verdict", "done"]
    assert running.without_timings(told[-1][1]) == running.without_timings(whole)
    deltas = [data for name, data in told if name == "delta"]
    assert [one["text"] for one in deltas] == [claim["text"] for claim in whole["claims"]]
    assert told[-2][1]["status"] == whole["status"]


def test_who_accepts_events_gets_them(client: TestClient, sample: running.SampleLibrary) -> None:
    question = sample.questions()[0]["question"]
    reply = client.post(
        "/v1/query", json={"question": question}, headers={"accept": "text/event-stream"}
    )
    assert events(reply.text)[-1][0] == "done"


def test_what_cannot_be_asked_is_a_problem_and_no_stream(client: TestClient) -> None:
    reply = client.post("/v1/query", json={"question": " ", "stream": True})
    assert reply.status_code == 400
    assert reply.headers["content-type"] == "application/problem+json"


def test_a_statement_that_took_the_place_of_another_is_told_again(served: Served) -> None:
    told: list[tuple[str, Any]] = []
    progress = Progress(lambda name, data: told.append((name, data)), served.telling.to(None))
    form = {"status": "answered", "confidence": 1.0, "reasons": [], "citations": []}
    progress.done({**form, "claims": [{"text": "a", "citations": []}]})
    progress.done({**form, "claims": [{"text": "b", "citations": []}]})
    assert [data["text"] for name, data in told if name == "delta"] == ["a", "b"]
    assert [name for name, _ in told].count("retrieval") == 1


def test_a_stream_ends_with_a_problem_when_the_server_ends(
    client: TestClient, served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    import threading

    released = threading.Event()

    def slow(question: str, **options: Any) -> Any:
        options["found"](())
        released.wait(20)
        return {}

    monkeypatch.setattr(served, "ask", slow)
    ending = client.app.state.ending  # type: ignore[attr-defined]
    ending.has_begun = True
    try:
        reply = client.post("/v1/query", json={"question": "x", "stream": True})
    finally:
        ending.has_begun = False
        released.set()
    name, problem = events(reply.text)[-1]
    assert (name, problem["status"]) == ("error", 503)
