"""Limits how many questions run at once, and for how long.

A question runs in a thread, which cannot be stopped from outside. Over the time limit, the client gets
an error, but the question keeps its slot until its thread ends: a server under attack becomes full, not
slow. A regular expression in `re` that never ends blocks the whole process; it then misses the
supervisor's pings and is replaced (`time limits` in docs/security.md).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pincite.interfaces.http.guards.sizes import refuse
from pincite.interfaces.http.problems import problem, respond

_RETRY_SECONDS = 2.0


class Busy:
    """Limits concurrent requests; others wait for a slot, and excess ones are refused (503)."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        works: Callable[[Scope], bool],
        max_running: int,
        max_waiting: int,
        max_wait_seconds: float,
    ) -> None:
        """`works`: whether a request needs a slot."""
        self._app = app
        self._works = works
        self._slots = asyncio.Semaphore(max_running)
        self._most = max_running + max_waiting
        self._wait_seconds = max_wait_seconds
        self._inside = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The ASGI interface."""
        if scope["type"] != "http" or not self._works(scope):
            await self._app(scope, receive, send)
            return
        if not await self._got_slot():
            detail = "the server is busy with other questions; try again in a moment"
            await refuse(scope, receive, send, 503, detail, retry_seconds=_RETRY_SECONDS)
            return
        scope.setdefault("state", {})["leave"] = leave = _Once(self._leave)
        try:
            await self._app(scope, receive, send)
        finally:
            if not scope["state"].get("stays"):
                leave()

    async def _got_slot(self) -> bool:
        if self._inside >= self._most:
            return False
        self._inside += 1
        try:
            await asyncio.wait_for(self._slots.acquire(), self._wait_seconds)
        except BaseException as error:
            self._inside -= 1
            if isinstance(error, TimeoutError):
                return False
            raise
        return True

    def _leave(self) -> None:
        self._inside -= 1
        self._slots.release()


class _Once:
    """Calls a function at most once."""

    def __init__(self, act: Callable[[], None]) -> None:
        self._act: Callable[[], None] | None = act

    def __call__(self) -> None:
        act, self._act = self._act, None
        if act is not None:
            act()


class TimeLimit:
    """Replies with 504, or ends a stream with an error, when a question exceeds its time."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        works: Callable[[Scope], bool],
        seconds: float,
        client_seconds: float,
        stuck: Callable[[], None] = lambda: None,
    ) -> None:
        """`client_seconds`: how long a client may read nothing.

        `stuck` is called for a request still running after twice its time: it will not end.
        """
        self._app = app
        self._works = works
        self._seconds = seconds
        self._client_seconds = client_seconds
        self._stuck = stuck
        self._left_behind: set[asyncio.Task[None]] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The ASGI interface."""
        if scope["type"] != "http" or not self._works(scope):
            await self._app(scope, receive, send)
            return
        reply = _Reply(send, self._client_seconds)
        task = asyncio.create_task(self._run(scope, receive, reply))
        try:
            done, _ = await asyncio.wait({task}, timeout=self._seconds)
        except asyncio.CancelledError:
            task.cancel()
            raise
        if done:
            task.result()
            return
        # Not cancelled: that would not stop the thread. The task ends when it next sends something.
        self._leave_behind(task, scope)
        await reply.end_late(
            scope, receive, f"no answer within {self._seconds:g} s; ask a narrower question"
        )

    async def _run(self, scope: Scope, receive: Receive, reply: _Reply) -> None:
        await self._app(scope, receive, reply.send)

    def _leave_behind(self, task: asyncio.Task[None], scope: Scope) -> None:
        """Free the request's slot only when its thread has ended."""
        leave = scope.get("state", {}).get("leave", lambda: None)
        scope.setdefault("state", {})["stays"] = True
        self._left_behind.add(task)
        stuck_timer = asyncio.get_running_loop().call_later(self._seconds, self._stuck)

        def ended(task: asyncio.Task[None]) -> None:
            stuck_timer.cancel()
            self._left_behind.discard(task)
            leave()
            if not task.cancelled():
                task.exception()  # retrieved, so that asyncio does not log it

        task.add_done_callback(ended)


class _Reply:
    """A reply to a client, with a limit on how slowly the client may read."""

    def __init__(self, send: Send, client_seconds: float) -> None:
        self._send = send
        self._seconds = client_seconds
        self._is_begun = False
        self._is_ended = False
        self._is_events = False

    async def send(self, message: Message) -> None:
        """ASGI's `send`. Raises OSError if the client reads nothing or the time is up."""
        if self._is_ended:
            raise BrokenPipeError("the reply has ended")
        if message["type"] == "http.response.start":
            self._is_begun = True
            kind = Headers(raw=message["headers"]).get("content-type", "")
            self._is_events = kind.startswith("text/event-stream")
        try:
            await asyncio.wait_for(self._send(message), self._seconds)
        except TimeoutError as error:
            self._is_ended = True
            raise BrokenPipeError("the client reads nothing") from error

    async def end_late(self, scope: Scope, receive: Receive, detail: str) -> None:
        """Report the timeout in the form that the reply so far allows."""
        self._is_ended = True
        if not self._is_begun:
            await refuse(scope, receive, self._send, 504, detail)
            return
        last = b""
        if self._is_events:
            body = bytes(respond(problem(Request(scope), 504, detail)).body).decode()
            last = f"event: error\ndata: {body}\n\n".encode()
        await self._send({"type": "http.response.body", "body": last, "more_body": False})
