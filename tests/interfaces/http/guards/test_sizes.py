from __future__ import annotations

import asyncio
from typing import Any

import pytest
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse

from interfaces.http.guards.tiny import behind, echo
from pincite.interfaces.http.guards.sizes import DEEPEST, BodyLimits

LIMITS = {"max_bytes": 1000, "max_upload_bytes": 5000, "client_seconds": 20.0}


async def upload(request: Request) -> JSONResponse:
    async with request.form() as form:
        return JSONResponse({"files": len(form)})


def test_a_body_within_the_limit_reaches_the_route_whole() -> None:
    client = behind(Middleware(BodyLimits, **LIMITS))
    assert client.post("/", content=b"x" * 1000).json()["bytes"] == 1000
    assert client.get("/").json()["bytes"] == 0


def test_a_larger_one_is_refused_by_its_declared_length() -> None:
    refused = behind(Middleware(BodyLimits, **LIMITS)).post("/", content=b"x" * 1001)
    assert refused.status_code == 413
    assert "limit of 1 KB" in refused.json()["detail"]


def test_a_larger_one_that_does_not_tell_its_length_is_refused_too() -> None:
    client = behind(Middleware(BodyLimits, **LIMITS))
    assert client.post("/", content=iter([b"x" * 600] * 3)).status_code == 413


def test_files_have_a_limit_of_their_own() -> None:
    client = behind(Middleware(BodyLimits, **LIMITS), endpoint=upload)
    assert client.post("/", files={"a": b"x" * 4000}).json() == {"files": 1}
    assert client.post("/", files={"a": b"x" * 6000}).status_code == 413


def test_files_without_a_declared_length_are_cut_off_where_they_are_too_many() -> None:
    client = behind(Middleware(BodyLimits, **LIMITS), endpoint=upload)
    head = b'--b\r\nContent-Disposition: form-data; name="a"; filename="a"\r\n\r\n'
    headers = {"Content-Type": "multipart/form-data; boundary=b"}
    found = client.post(
        "/", content=iter([head, *[b"x" * 1000] * 9, b"\r\n--b--\r\n"]), headers=headers
    )
    assert found.status_code == 413


@pytest.mark.parametrize("length", ["-1", "1e3", "9" * 400, "x"])
def test_a_length_that_is_none_is_refused(length: str) -> None:
    found = called(BodyLimits(echo_app, **LIMITS), [b""], [(b"content-length", length.encode())])
    assert found in (400, 413)


def test_json_deeper_than_any_request_is_refused() -> None:
    client = behind(Middleware(BodyLimits, **LIMITS))
    deep = "[" * (DEEPEST + 1) + "]" * (DEEPEST + 1)
    assert client.post("/", content=deep).status_code == 400
    assert client.post("/", content='{"a":' * 100 + "1" + "}" * 100).status_code == 400
    assert client.post("/", content="[]" * 400).status_code == 200
    assert client.post("/", content='"' + "[" * 400 + '\\"' + "{" * 200 + '"').status_code == 200


async def echo_app(scope: Any, receive: Any, send: Any) -> None:
    await (await echo(Request(scope, receive)))(scope, receive, send)


def called(
    app: Any, parts: list[bytes], headers: list[tuple[bytes, bytes]], *, pause: float = 0.0
) -> int:
    """The status of a reply to a body that comes in parts; after the last one nothing comes."""
    sent: list[dict[str, Any]] = []
    left = list(parts)

    async def receive() -> dict[str, Any]:
        await asyncio.sleep(pause if left else 60)
        return {"type": "http.request", "body": left.pop(0), "more_body": True}

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {
        "type": "http", "method": "POST", "path": "/", "headers": headers, "query_string": b"",
        "scheme": "http", "server": ("localhost", 80), "state": {},
    }  # fmt: skip
    asyncio.run(app(scope, receive, send))
    return int(sent[0]["status"])


def test_who_stops_sending_is_not_waited_for() -> None:
    limits = {**LIMITS, "client_seconds": 0.05}
    assert called(BodyLimits(echo_app, **limits), [b"x"], []) == 408


def test_who_sends_a_byte_now_and_then_is_not_waited_for_either() -> None:
    limits = {**LIMITS, "client_seconds": 0.1}
    assert called(BodyLimits(echo_app, **limits), [b"x"] * 500, [], pause=0.01) == 408


def test_the_same_holds_for_files() -> None:
    async def whole(scope: Any, receive: Any, send: Any) -> None:
        await Request(scope, receive).body()

    limits = {**LIMITS, "client_seconds": 0.05}
    form = [(b"content-type", b"multipart/form-data; boundary=b")]
    assert called(BodyLimits(whole, **limits), [b"--b"], form) == 408
