from __future__ import annotations

from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from starlette.middleware import Middleware

from interfaces.http.guards.tiny import behind
from pincite.interfaces.http.guards.keys import KEYS_FILE, Keys
from pincite.interfaces.http.guards.rates import RATES_FILE, Buckets
from pincite.interfaces.http.guards.rights import KeyCheck


class Told(list[dict[str, object]]):
    def __call__(self, event: str, **fields: object) -> None:
        self.append({"event": event, **fields})


@pytest.fixture
def keys(tmp_path: Path) -> Keys:
    return Keys(tmp_path)


@pytest.fixture
def told() -> Told:
    return Told()


def guarded(keys: Keys, told: Told, *, needs_key: bool = True, failures: int = 3) -> TestClient:
    guard = Middleware(
        KeyCheck,
        keys=keys,
        buckets=Buckets(keys.file.with_name(RATES_FILE)),
        failures_per_minute=failures,
        needs_key=needs_key,
        record=told,
    )
    return behind(guard)


def bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


def test_without_keys_a_server_of_this_machine_is_open_to_it(keys: Keys, told: Told) -> None:
    found = guarded(keys, told, needs_key=False).post("/v1/query").json()
    assert found["allowed"] is None
    assert found["scopes"] == ["admin"]


def test_with_the_first_key_it_is_closed_to_all_others(keys: Keys, told: Told) -> None:
    client = guarded(keys, told, needs_key=False)
    keys.add("ana", scopes=["ask"])
    refused = client.post("/v1/query")
    assert refused.status_code == 401
    assert refused.headers["www-authenticate"] == "Bearer"


def test_where_others_reach_it_no_key_at_all_opens_nothing(keys: Keys, told: Told) -> None:
    assert guarded(keys, told).post("/v1/query").status_code == 401


@pytest.mark.parametrize("path", ["/", "/health", "/page/app.js", "/c/abc"])
def test_the_page_itself_needs_no_key_and_says_nothing_of_anybody(
    keys: Keys, told: Told, path: str
) -> None:
    found = guarded(keys, told).get(path)
    assert found.status_code == 200
    assert found.json()["allowed"] == []


@pytest.mark.parametrize("how", ["bearer", "header", "cookie"])
def test_a_key_may_be_given_in_three_ways(keys: Keys, told: Told, how: str) -> None:
    key = keys.add("ana", scopes=["ask"]).written
    headers = {
        "bearer": bearer(key),
        "header": {"X-API-Key": key},
        "cookie": {"Cookie": f"other=1; pincite_key={key}"},
    }[how]
    assert guarded(keys, told).get("/v1/documents", headers=headers).status_code == 200


def test_the_collections_of_a_key_are_known_before_any_route(keys: Keys, told: Told) -> None:
    made = keys.add("ana", scopes=["ask"], collections=["b", "a"])
    found = guarded(keys, told).post("/v1/query", headers=bearer(made.written)).json()
    assert found["allowed"] == ["a", "b"]
    assert found["key_id"] == made.key.id


@pytest.mark.parametrize(
    ("scope", "method", "path"),
    [
        ("ask", "POST", "/v1/query"),
        ("ask", "POST", "/mcp"),
        ("ask", "POST", "/v1/chat/completions"),
        ("ask", "GET", "/v1/documents/ab/pages/1.png"),
        ("ingest", "POST", "/v1/ingest"),
        ("ingest", "GET", "/v1/jobs/3"),
        ("delete", "DELETE", "/v1/documents/ab"),
        ("metrics", "GET", "/metrics"),
        ("admin", "GET", "/somewhere/else"),
        ("admin", "PUT", "/v1/config"),
        ("admin", "GET", "/pages"),
    ],
)
def test_each_address_needs_its_scope_and_an_unknown_one_needs_admin(
    keys: Keys, told: Told, scope: str, method: str, path: str
) -> None:
    client = guarded(keys, told)
    right = keys.add("right", scopes=[scope]).written
    others = [one for one in ("ask", "ingest", "delete", "metrics") if one != scope]
    wrong = keys.add("wrong", scopes=others).written
    assert client.request(method, path, headers=bearer(right)).status_code == 200
    refused = client.request(method, path, headers=bearer(wrong))
    assert refused.status_code == 403
    form = refused.json()
    assert f"'{scope}'" in form.get("detail", form.get("error", {}).get("message"))


def test_wrong_keys_are_limited_and_told_to_the_audit_log(keys: Keys, told: Told) -> None:
    right = keys.add("ana", scopes=["ask"]).written
    client = guarded(keys, told, failures=3)
    tried = [client.get("/v1/stats", headers=bearer(f"pk_x_{n}")).status_code for n in range(5)]
    assert tried == [401, 401, 401, 429, 429]
    # Then not even a right one says which it is.
    assert client.get("/v1/stats", headers=bearer(right)).status_code == 429
    assert [one["event"] for one in told] == ["key refused"] * 3


def test_right_keys_are_not_limited_by_it(keys: Keys, told: Told) -> None:
    right = keys.add("ana", scopes=["ask"]).written
    client = guarded(keys, told, failures=1)
    assert {client.get("/v1/stats", headers=bearer(right)).status_code for _ in range(5)} == {200}


def test_a_damaged_file_of_keys_opens_nothing(keys: Keys, told: Told) -> None:
    keys.file.write_text("{")
    assert keys.file.name == KEYS_FILE
    assert guarded(keys, told, needs_key=False).post("/v1/query").status_code == 503
