"""Two keys of one collection: neither touches the conversations or the uploads of the other."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from interfaces.http.opened import open_settings
from pincite import Library
from pincite.interfaces.http.app import create_app
from pincite.interfaces.http.guards.keys import Keys
from pincite.interfaces.http.served import Served

OPEN = {"embedding": {"model": "none"}, "verification": {"stance": "eager"}}
QUESTION = "At how many bar does the valve open?"

NO_CONVERSATIONS = {"conversations": [], "more": False}


@dataclass(frozen=True, kw_only=True)
class Team:
    """A server and the headers of its keys, all of one collection but `admin`."""

    client: TestClient
    folder: Path
    headers: dict[str, dict[str, str]]

    def ask(self, who: str, **more: Any) -> Any:
        """The reply to a question in a conversation."""
        body = {"question": QUESTION, "conversation": "new", **more}
        return self.client.post("/v1/query", json=body, headers=self.headers[who])

    def sent(self, who: str, name: str, text: str) -> Any:
        """The reply to an upload."""
        return self.client.post(
            "/v1/ingest",
            files={"files": (name, text.encode())},
            data={"collection": "team"},
            headers=self.headers[who],
        )

    def upload(self, who: str, name: str, text: str) -> dict[str, Any]:
        """The job, once it has ended."""
        reply = self.sent(who, name, text)
        assert reply.status_code == 202, reply.text
        for _ in range(1200):
            job: dict[str, Any] = self.client.get(
                f"/v1/jobs/{reply.json()['job']}", headers=self.headers[who]
            ).json()
            if job["state"] in ("done", "failed"):
                return job
            time.sleep(0.05)
        raise AssertionError(job)


@pytest.fixture
def team(tmp_path: Path) -> Iterator[Team]:
    library = Library.open(tmp_path / "library", overrides=OPEN)
    folder = tmp_path / "disk"
    folder.mkdir()
    (folder / "valve.md").write_text("# Valve\n\nThe valve opens at 12 bar.\n")
    library.ingest([folder], collection="team")
    keys = Keys(tmp_path)
    scopes = {"ann": ["ask", "ingest"], "bob": ["ask", "ingest"], "eve": ["ask", "delete"]}
    written = {
        who: keys.add(who, scopes=may, collections=["team"]).written for who, may in scopes.items()
    }
    written["admin"] = keys.add("admin", scopes=["admin"]).written
    app = create_app(Served(library), open_settings(folder=str(tmp_path)), closes=True)
    with TestClient(app, raise_server_exceptions=False) as client:
        headers = {who: {"Authorization": f"Bearer {key}"} for who, key in written.items()}
        yield Team(client=client, folder=tmp_path, headers=headers)


def test_a_conversation_is_there_for_its_own_key_alone(team: Team) -> None:
    number = team.ask("ann").json()["conversation"]
    address = f"/v1/conversations/{number}"
    for other in ("bob", "eve", "admin"):
        headers = team.headers[other]
        assert team.client.get("/v1/conversations", headers=headers).json() == NO_CONVERSATIONS
        missing = team.client.get("/v1/conversations/999", headers=headers)
        for reply in (
            team.client.get(address, headers=headers),
            team.client.delete(address, headers=headers),
            team.ask(other, conversation=number),
        ):
            assert reply.status_code == missing.status_code == 404
            # As for one that never was.
            assert reply.json()["detail"].replace(str(number), "999") == missing.json()["detail"]
    mine = team.client.get(address, headers=team.headers["ann"]).json()
    assert [turn["question"] for turn in mine["turns"]] == [QUESTION]
    assert team.client.delete(address, headers=team.headers["ann"]).status_code == 204


def test_who_may_only_ingest_replaces_own_uploads_alone(team: Team) -> None:
    team.upload("ann", "pump.md", "# Pump\n\nThe pump turns 900 times a minute.\n")
    refused = team.sent("bob", "pump.md", "# Pump\n\nThe pump turns 111 times a minute.\n")
    assert refused.status_code == 409
    assert "someone else" in refused.json()["detail"]
    asked = {"question": "How often does the pump turn a minute?", "collection": "team"}
    search = {"question": "pump turns", "collection": "team"}
    headers = team.headers["ann"]
    told = team.client.post("/v1/search", json=search, headers=headers).text
    assert "900 times" in told
    team.upload("ann", "pump.md", "# Pump\n\nThe pump turns 950 times a minute.\n")
    told = team.client.post("/v1/search", json=search, headers=headers).text
    assert "950 times" in told
    assert "900 times" not in told
    assert "950" in team.client.post("/v1/query", json=asked, headers=headers).text


def test_what_a_key_was_refused_is_in_the_audit_log(team: Team) -> None:
    documents = team.client.get("/v1/documents", headers=team.headers["ann"]).json()["documents"]
    address = f"/v1/documents/{documents[0]['id']}"
    assert team.client.delete(address, headers=team.headers["ann"]).status_code == 403
    assert team.client.get("/v1/metrics", headers=team.headers["ann"]).status_code == 403
    assert team.client.delete(address, headers=team.headers["eve"]).status_code in (200, 204)
    lines = [
        json.loads(line) for line in next(team.folder.rglob("audit*")).read_text().splitlines()
    ]
    told = [(line["event"], line.get("status")) for line in lines]
    assert (f"scope refused: DELETE {address}", None) in told
    assert ("scope refused: GET /v1/metrics", None) in told
    assert any(event == f"DELETE {address}" and status in (200, 204) for event, status in told)


@pytest.mark.parametrize("name", ["a\nb", "a\0b", "a\rb", "a\u202eb", " ", "x" * 101])
def test_a_collection_has_a_name_that_can_be_read(team: Team, name: str) -> None:
    reply = team.client.post(
        "/v1/ingest",
        files={"files": ("a.txt", b"The pump turns.")},
        data={"collection": name},
        headers=team.headers["admin"],
    )
    assert reply.status_code == 400
    assert "give a name" in reply.json()["detail"] or "give one" in reply.json()["detail"]
