"""The guards as they stand around the real app."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from interfaces.http.opened import open_settings
from pincite.errors import SettingsError
from pincite.interfaces.http.app import create_app
from pincite.interfaces.http.guards.keys import Keys
from pincite.interfaces.http.guards.logs import AUDIT_FILE, check_audit_log
from pincite.interfaces.http.guards.wrapping import check_binding
from pincite.interfaces.http.served import Served
from pincite.settings.groups import ServerSettings


@pytest.fixture
def key(tmp_path: Path) -> str:
    return Keys(tmp_path).add("ana", scopes=["ask"], collections=["default"]).written


@pytest.fixture
def guarded(served: Served, tmp_path: Path, key: str) -> Iterator[TestClient]:
    del key
    with client_of(served, tmp_path) as client:
        yield client


def client_of(served: Served, folder: Path, **more: Any) -> TestClient:
    app = create_app(served, open_settings(folder=str(folder), **more))
    return TestClient(app, raise_server_exceptions=False)


def bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


def test_every_address_of_the_api_but_health_needs_a_key(guarded: TestClient) -> None:
    described = guarded.app.openapi()["paths"]  # type: ignore[attr-defined]
    assert len(described) > 20
    open_to_all = {
        path
        for path, methods in described.items()
        for method in methods
        if guarded.request(method.upper(), path).status_code != 401
    }
    assert open_to_all == {"/health"}
    assert guarded.post("/mcp", json={}).status_code == 401
    assert guarded.get("/somewhere/else").status_code == 401


def test_a_key_sees_its_own_collections_alone(served: Served, tmp_path: Path) -> None:
    other = Keys(tmp_path).add("ben", scopes=["ask"], collections=["none"]).written
    with client_of(served, tmp_path) as client:
        body = {"question": "Which torque for the pump?", "collection": "default"}
        refused = client.post("/v1/query", json=body, headers=bearer(other))
        assert refused.status_code == 400
        assert "no collection 'default'" in refused.json()["detail"]
        assert client.get("/v1/documents", headers=bearer(other)).json()["documents"] == []


def test_a_key_becomes_a_cookie_that_no_script_reads(guarded: TestClient, key: str) -> None:
    opened = guarded.post("/v1/session", headers=bearer(key))
    told = opened.json()
    assert (told["scopes"], told["collections"]) == (["ask"], ["default"])
    assert {"PDF", "Word", "Mailbox"} <= set(told["formats"])
    cookie = opened.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert guarded.get("/v1/documents").status_code == 200
    # Another page cannot use it.
    foreign = {"Origin": "https://evil.example"}
    assert guarded.post("/v1/query", json={}, headers=foreign).status_code == 403
    guarded.delete("/v1/session")
    assert guarded.get("/v1/documents").status_code == 401


def test_refusals_have_the_same_form_headers_and_id_as_all_replies(guarded: TestClient) -> None:
    for reply in (
        guarded.get("/v1/stats"),
        guarded.get("/v1/stats", headers={"Host": "evil.example"}),
        guarded.post("/v1/query", content=b"x" * 300_000),
        guarded.get("/page/none.js"),
    ):
        assert reply.headers["content-type"] == "application/problem+json"
        assert reply.json()["request_id"] == reply.headers["x-request-id"]
        assert "default-src 'none'" in reply.headers["content-security-policy"]


def test_what_changes_something_is_in_the_audit_log(served: Served, tmp_path: Path) -> None:
    made = Keys(tmp_path).add("ana", scopes=["delete"])
    with client_of(served, tmp_path) as client:
        client.delete("/v1/documents/0000000000000000", headers=bearer(made.written))
        client.get("/v1/stats", headers=bearer("pk_wrong"))
    assert check_audit_log(tmp_path / AUDIT_FILE).problem == ""
    deleted, wrong = map(json.loads, (tmp_path / AUDIT_FILE).read_text().splitlines())
    assert deleted["event"] == "DELETE /v1/documents/0000000000000000"
    assert (deleted["key"], deleted["status"]) == (made.key.id, 404)
    assert wrong["event"] == "key refused"


def test_deep_json_and_wrong_kinds_are_answered_with_a_problem(
    served: Served, tmp_path: Path
) -> None:
    with client_of(served, tmp_path) as client:
        for content in (b"[" * 100_000, b'{"question":' * 5_000, b"\xff", b"null"):
            headers = {"Content-Type": "application/json"}
            reply = client.post("/v1/query", content=content, headers=headers)
            assert 400 <= reply.status_code < 500


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.7", "docs.example"])
def test_a_server_that_others_reach_does_not_start_without_a_key(tmp_path: Path, host: str) -> None:
    settings = ServerSettings(host=host, folder=str(tmp_path))
    with pytest.raises(SettingsError, match=r"others could reach this server.*pincite access add"):
        check_binding(tmp_path, settings)
    Keys(tmp_path).add("ana", scopes=["ask"])
    check_binding(tmp_path, settings)


def test_prometheus_reads_what_was_asked(served: Served, tmp_path: Path) -> None:
    with client_of(served, tmp_path) as client:
        client.get("/v1/stats")
        client.get("/made/up/by/a/client")
        text = client.get("/metrics").text
    line = 'pincite_requests_total{method="GET",route="/v1/stats",status="200"} 1.0'
    assert line in text
    assert "/made/up" not in text


@pytest.mark.parametrize("is_on", [True, False])
def test_questions_are_logged_where_that_is_set(
    served: Served, tmp_path: Path, *, is_on: bool
) -> None:
    with client_of(served, tmp_path, query_log=is_on) as client:
        client.post("/v1/query", json={"question": "What did Anna Meier say?"})
        client.post("/v1/query", json={"question": "Which torque?", "stream": True})
        assert "pincite_answers_total" in client.get("/metrics").text
    file = tmp_path / "queries.jsonl"
    assert file.exists() == is_on
    if is_on:
        first, second = map(json.loads, file.read_text().splitlines())
        assert first["question"] == "What did [name] say?"
        assert first["request_id"]
        assert second["question"] == "Which torque?"
