"""The description of the API, and its page."""

from __future__ import annotations

from fastapi.testclient import TestClient


def test_every_address_is_described_with_the_form_of_its_errors(client: TestClient) -> None:
    described = client.get("/openapi.json").json()
    assert described["openapi"].startswith("3.1")
    named = {"/v1/query", "/v1/ingest", "/api/search", "/answer", "/health"}
    assert named <= set(described["paths"])
    for path, operations in described["paths"].items():
        for told in operations.values():
            assert "422" not in told["responses"], path
            assert "default" in told["responses"], path


def test_the_manual_names_every_address_and_loads_nothing_from_elsewhere(
    client: TestClient,
) -> None:
    page = client.get("/docs")
    for path in client.get("/openapi.json").json()["paths"]:
        assert f" {path}</code>" in page.text
    assert "<script" not in page.text
    assert "style=" not in page.text
    assert "default-src 'none'" in page.headers["content-security-policy"]


def test_a_method_that_an_address_does_not_have_is_told_those_that_it_has(
    client: TestClient,
) -> None:
    reply = client.put("/v1/documents/0000000000000000")
    assert reply.status_code == 405
    assert reply.headers["allow"] == "DELETE, GET"
    assert client.put("/v1/feedback").headers["allow"] == "GET, POST"
