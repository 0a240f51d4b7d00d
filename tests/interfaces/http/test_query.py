from __future__ import annotations

import json
from pathlib import Path

import pytest
from end_to_end import running
from fastapi.testclient import TestClient

from pincite.errors import UsageError
from pincite.interfaces.http.served import Served


@pytest.fixture(scope="session")
def question(sample: running.SampleLibrary) -> str:
    return str(sample.questions()[0]["question"])


def test_a_query_gives_the_object_that_ask_prints_and_a_link_for_each_citation(
    client: TestClient, sample: running.SampleLibrary, question: str
) -> None:
    given = client.post("/v1/query", json={"question": question}).json()
    printed = running.run_cli("ask", question, "-l", sample.path, "--json")
    expected = running.without_timings(json.loads(printed.stdout))
    for cited in expected["citations"]:
        cited["source"] = Path(cited["source"]).name
    assert [link["citation"] for link in given.pop("links")] == [
        *range(1, len(given["citations"]) + 1)
    ]
    assert running.without_timings(given) == expected
    assert given["status"] == "answered"


def test_no_reply_says_where_files_lie_on_the_servers_disk(
    client: TestClient, sample: running.SampleLibrary, question: str
) -> None:
    asked = {"question": question, "debug": True}
    replies = [client.post(path, json=asked) for path in ("/v1/query", "/v1/search")]
    replies += [client.get("/v1/documents"), client.get("/health"), client.get("/v1/stats")]
    for reply in replies:
        assert reply.status_code == 200, reply.text
        assert str(sample.path.parent) not in reply.text


def test_a_search_gives_hits_with_links_that_hold(client: TestClient, question: str) -> None:
    found = client.post("/v1/search", json={"question": question, "limit": 3}).json()
    assert len(found["hits"]) == len(found["links"]) == 3
    for hit, link in zip(found["hits"], found["links"], strict=True):
        shown = client.get(f"/v1/citations/{link['id']}").json()
        assert (shown["state"], shown["quote"]) == ("verified", hit["text"])


@pytest.mark.parametrize(
    ("body", "status", "told"),
    [
        ({"question": "x", "colection": "a"}, 422, "body.colection: Extra inputs"),
        ({}, 422, "body.question: Field required"),
        ({"question": "  "}, 400, "the question is empty"),
        ({"question": "a" * 10_001}, 400, "at most 2,000"),
        ({"question": "x", "collection": "none"}, 400, "there is no collection 'none'"),
        ({"question": "x", "profile": "/etc/passwd"}, 400, "there is no profile"),
        ({"question": "x", "filters": {"since": "soon"}}, 400, "'soon' is not a date"),
    ],
)
def test_what_cannot_be_asked_is_a_problem_that_says_why(
    client: TestClient, body: dict[str, object], status: int, told: str
) -> None:
    reply = client.post("/v1/query", json=body)
    found = reply.json()
    assert reply.headers["content-type"] == "application/problem+json"
    assert (reply.status_code, found["status"]) == (status, status)
    assert told in found["detail"]
    assert found["instance"] == "/v1/query"
    assert found["request_id"]


def test_what_is_not_allowed_is_as_if_it_were_not_there(client: TestClient, question: str) -> None:
    served: Served = client.app.state.served  # type: ignore[attr-defined]
    nothing: frozenset[str] = frozenset({"another"})
    assert served.documents(allowed=nothing) == []
    with pytest.raises(UsageError, match="there is no collection 'default'; there are: none yet"):
        served.ask(question, collection="default", allowed=nothing)
    link = served.ask(question, allowed=frozenset({"default"}))["links"][0]
    assert served.citation(link["id"], allowed=nothing)["state"] == "unknown"
