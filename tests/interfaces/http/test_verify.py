from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from end_to_end import running
from fastapi.testclient import TestClient

from pincite.verify.receipts.signing import sealed


@pytest.fixture
def reply(client: TestClient, sample: running.SampleLibrary) -> dict[str, Any]:
    found: dict[str, Any] = client.post(
        "/v1/query", json={"question": sample.questions()[0]["question"]}
    ).json()
    return found


def test_a_reply_is_a_receipt_that_the_server_and_the_command_verify(
    client: TestClient, sample: running.SampleLibrary, reply: dict[str, Any], tmp_path: Path
) -> None:
    checked = client.post("/v1/verify", json={"receipt": reply}).json()
    assert checked["problems"] == []
    assert checked["verified"], checked
    saved = tmp_path / "answer.json"
    saved.write_text(json.dumps(reply))
    result = running.call_cli("verify", saved, "--root", sample.documents)
    assert result.returncode == 0, result.stdout


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda form: form["citations"][0].update(cited_text="Nobody said this."), "not the quote"),
        (lambda form: form.update(confidence=1.0), "it was changed after it was saved"),
        (lambda form: form["citations"][0].update(sha256="0" * 64), "no file in this library"),
        (lambda form: form["citations"][0].update(sha256="/etc/passwd"), "no file in this library"),
    ],
)
def test_a_receipt_that_was_changed_is_told(
    client: TestClient, reply: dict[str, Any], change: Any, told: str
) -> None:
    change(reply)
    checked = client.post("/v1/verify", json={"receipt": reply}).json()
    assert not checked["verified"]
    assert told in json.dumps(checked)


def test_a_receipt_of_another_version_holds_with_a_note(
    client: TestClient, reply: dict[str, Any]
) -> None:
    reply["readings"] = {name: version - 1 for name, version in reply["readings"].items()}
    reply["citations"][0]["section"] = "Elsewhere"
    checked = client.post("/v1/verify", json={"receipt": sealed(reply)}).json()
    assert checked["verified"], checked
    assert checked["notes"] == []
    assert "read differently here: section 'Elsewhere'" in checked["citations"][0]["notes"][1]


@pytest.mark.parametrize(
    "body", [{}, {"receipt": {}}, {"receipt": {"sections": 1}}, {"receipt": {}, "quote": "x"}]
)
def test_what_is_no_receipt_is_a_problem(client: TestClient, body: dict[str, Any]) -> None:
    found = client.post("/v1/verify", json=body)
    assert found.status_code in (400, 422), found.text


def test_a_quote_is_verified_only_word_for_word(client: TestClient, reply: dict[str, Any]) -> None:
    quote = reply["citations"][0]["cited_text"]
    found = client.post("/v1/verify", json={"quote": quote}).json()
    assert found["verified"]
    assert reply["links"][0]["id"] in {place["id"] for place in found["places"]}
    assert not client.post("/v1/verify", json={"quote": f"{quote} not"}).json()["verified"]
