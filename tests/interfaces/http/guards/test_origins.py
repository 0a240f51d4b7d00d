from __future__ import annotations

import pytest
from starlette.middleware import Middleware

from interfaces.http.guards.tiny import behind
from pincite.interfaces.http.guards.origins import Origins, host_name, is_loopback

CLIENT = behind(
    Middleware(Origins, host="127.0.0.1", hosts=["docs.example"], origins=["https://chat.example"])
)


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1:8765", "[::1]:8765", "DOCS.example:443"])
def test_its_own_names_are_let_through(host: str) -> None:
    assert CLIENT.get("/", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:8765",
        "localhost.evil.example",
        "localhost@evil.example",
        "localhost/x",
        "192.168.1.7",
        "",
        "localhost:99999999",
    ],
)
def test_a_name_that_was_rebound_to_this_machine_is_refused(host: str) -> None:
    assert CLIENT.get("/", headers={"Host": host}).status_code == 421


def test_on_all_addresses_any_address_is_ours_and_no_foreign_name() -> None:
    client = behind(Middleware(Origins, host="0.0.0.0", hosts=[], origins=[]))
    assert client.get("/", headers={"Host": "192.168.1.7:8765"}).status_code == 200
    assert client.get("/", headers={"Host": "evil.example"}).status_code == 421


@pytest.mark.parametrize("method", ["POST", "DELETE", "PUT"])
@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://localhost:1234"},
        {"Origin": "https://localhost"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_a_foreign_page_changes_nothing(method: str, headers: dict[str, str]) -> None:
    assert CLIENT.request(method, "/", headers=headers).status_code == 403


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Origin": "http://localhost"},
        {"Origin": "https://chat.example"},
        {"Sec-Fetch-Site": "same-origin"},
    ],
)
def test_programs_our_page_and_pages_that_are_allowed_may(headers: dict[str, str]) -> None:
    assert CLIENT.post("/", headers=headers).status_code == 200


def test_who_only_reads_may_come_from_anywhere() -> None:
    assert CLIENT.get("/", headers={"Origin": "https://evil.example"}).status_code == 200


def test_which_addresses_only_this_machine_reaches() -> None:
    assert [*map(is_loopback, ("127.0.0.1", "::1", "localhost", "127.9.9.9"))] == [True] * 4
    assert not any(map(is_loopback, ("0.0.0.0", "::", "192.168.1.1", "docs.example", "")))
    assert host_name("[::1]:80") == "::1"
