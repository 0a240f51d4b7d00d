"""Limits the size of requests, the nesting of their JSON and the time they take to arrive."""

from __future__ import annotations

import asyncio
import json
import math
import re
import time
from collections.abc import Mapping
from itertools import accumulate

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pincite.interfaces.http.problems import problem, respond


async def refuse(
    scope: Scope,
    receive: Receive,
    send: Send,
    status: int,
    detail: str,
    *,
    retry_seconds: float | None = None,
    headers: Mapping[str, str] | None = None,
) -> None:
    """Reply with a problem object instead of calling the routes. `retry_seconds` sets Retry-After."""
    all_headers = dict(headers or {})
    if retry_seconds is not None:
        all_headers["Retry-After"] = str(max(1, math.ceil(retry_seconds)))
    await respond(problem(Request(scope), status, detail), all_headers)(scope, receive, send)


DEEPEST = 64
"""Levels of lists and objects in a request; Python's only limit is the thread's stack."""

_SLOWEST_BYTES = 16_384
"""Bytes a second, on average: slower than any usable connection."""
_STRING = re.compile(rb'"(?:[^"\\]|\\.)*+"?', re.DOTALL)
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_BRACKET = re.compile(rb"[\[\]{}]")


class _Refused(Exception):
    def __init__(self, status: int, detail: str) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail


class BodyLimits:
    """Refuses bodies that are too large (413), too deeply nested (400) or too slow (408).

    A body without files is read completely first: until then a slow client costs only its connection.
    """

    def __init__(
        self, app: ASGIApp, *, max_bytes: int, max_upload_bytes: int, client_seconds: float
    ) -> None:
        """`client_seconds`: how long a client may send nothing."""
        self._app = app
        self._most = max_bytes
        self._most_of_upload = max_upload_bytes
        self._seconds = client_seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The ASGI interface."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        has_files = headers.get("content-type", "").lower().startswith("multipart/form-data")
        most = self._most_of_upload if has_files else self._most
        body = _Body(receive, most=most, seconds=self._seconds)
        try:
            body.check_declared(headers.get("content-length", ""))
            if not has_files:
                whole = await body.read()
                check_depth(whole)
                check_characters(whole)
                await self._app(scope, _once(whole, receive), send)
                return
        except _Refused as refused:
            await refuse(scope, receive, send, refused.status, refused.detail)
            return
        await self._pass_on(scope, body, send)

    async def _pass_on(self, scope: Scope, body: _Body, send: Send) -> None:
        """Pass files on as they arrive; over the limit, reply instead of the routes."""
        is_answered = False

        async def unless_refused(message: Message) -> None:
            nonlocal is_answered
            if body.refused is None or is_answered:
                is_answered = True
                await send(message)

        try:
            await self._app(scope, body.receive, unless_refused)
        except _Refused:
            pass
        finally:
            if body.refused is not None and not is_answered:
                refused = body.refused
                await refuse(scope, body.receive, send, refused.status, refused.detail)


class _Body:
    """A request's body, read within the limits."""

    def __init__(self, receive: Receive, *, most: int, seconds: float) -> None:
        self._receive = receive
        self._most = most
        self._seconds = seconds
        self._began = time.monotonic()
        self._got = 0
        self._is_complete = False
        self.refused: _Refused | None = None

    def check_declared(self, length: str) -> None:
        """Raises _Refused for a Content-Length that is too large or not a number."""
        if length and not (length.isascii() and length.isdigit()):
            raise _Refused(400, "Content-Length is not a number")
        if length and (len(length) > 18 or int(length) > self._most):
            raise self._too_large()

    async def read(self) -> bytes:
        """The whole body. Raises _Refused."""
        parts = []
        while not self._is_complete:
            message = await self.receive()
            if message["type"] == "http.disconnect":
                break
            parts.append(message.get("body", b""))
        return b"".join(parts)

    async def receive(self) -> Message:
        """The next part. Raises _Refused."""
        if self._is_complete:
            return await self._receive()
        try:
            message = await asyncio.wait_for(self._receive(), self._seconds)
            self._count(message)
        except TimeoutError:
            self.refused = self._too_slow()
        if self.refused is not None:
            raise self.refused
        return message

    def _count(self, message: Message) -> None:
        self._got += len(message.get("body", b""))
        self._is_complete = message["type"] != "http.request" or not message.get("more_body")
        if self._got > self._most:
            self.refused = self._too_large()
        allowed = self._seconds + self._got / _SLOWEST_BYTES
        if not self._is_complete and time.monotonic() - self._began > allowed:
            self.refused = self._too_slow()

    def _too_large(self) -> _Refused:
        return _Refused(413, f"the request is larger than the limit of {self._most / 1024:,.0f} KB")

    def _too_slow(self) -> _Refused:
        return _Refused(408, "the request arrives too slowly; nothing was done")


def check_depth(content: bytes) -> None:
    """Raises _Refused for JSON nested deeper than any request needs."""
    if content.count(b"[") + content.count(b"{") <= DEEPEST:
        return
    brackets = _BRACKET.findall(_STRING.sub(b"", content))
    depths = accumulate(1 if one in b"[{" else -1 for one in brackets)
    if any(depth > DEEPEST for depth in depths):
        raise _Refused(400, f"the request is nested deeper than {DEEPEST} levels")


def check_characters(content: bytes) -> None:
    """Raises _Refused for JSON with half of a surrogate pair, which is no character.

    JSON can write one, but nothing can be done with it: it has no form in UTF-8.
    """
    if not _SURROGATE.search(content):
        return
    try:
        json.dumps(json.loads(content), ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        half = f"\\u{ord(error.object[error.start]):04x}"
        raise _Refused(
            400, f"the request has {half}, half of a surrogate pair; expected whole characters"
        ) from None
    except ValueError:
        return  # Whoever reads the body says what is wrong with it.


def _once(body: bytes, receive: Receive) -> Receive:
    """A `receive` that gives the body already read, then the client's further messages."""
    is_given = False

    async def replay() -> Message:
        nonlocal is_given
        if is_given:
            return await receive()
        is_given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay
