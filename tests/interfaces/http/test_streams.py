from __future__ import annotations

import json
from typing import Any

import pytest
from end_to_end import running
from fastapi.testclient import TestClient

from pincite.interfaces.http.served import Served
from pincite.interfaces.http.streams import Progress
from pincite.records.flow import Claim, Mode, Preview


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


def test_quotes_are_told_before_what_a_model_writes(
    served: Served, sample: running.SampleLibrary
) -> None:
    answer = served.library.ask(sample.questions()[0]["question"])
    told: list[tuple[str, Any]] = []
    progress = Progress(lambda name, data: told.append((name, data)), served.telling.to(None))
    progress.watch(Preview(claims=answer.claims, citations=answer.citations))
    progress.watch(Preview(mode=Mode.GENERATED))
    written = (Claim(text="It is so.", evidence_ids=(), citations=(1,)),)
    progress.watch(Preview(claims=written, citations=answer.citations, mode=Mode.GENERATED))
    assert [name for name, _ in told] == ["quotes", "evidence", "delta"]
    quotes = told[0][1]
    assert [one["cited_text"] for one in quotes["citations"]] == [
        citation.quote for citation in answer.citations
    ]
    assert len(quotes["links"]) == len(quotes["citations"])
    assert "/" not in quotes["citations"][0]["source"]
    assert told[2][1] == {"text": "It is so.", "citations": [1], "claim": 0}


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
