"""How much is done at once, and for how long?

A question is worked on in a thread, which nobody can stop from outside. So what takes too long is
answered in time and keeps its place until it really ends: a server under attack becomes full, and not
slow. A pattern inside `re` that does not end holds the whole process; it then answers none of the
supervisor's pings and is replaced by a new one (`time limits` in docs/security.md).
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pincite.interfaces.http.guards.sizes import refuse
from pincite.interfaces.http.problems import problem

_RETRY_SECONDS = 2.0


class Busy:
    """Lets few requests work at once; others wait for a place, and further ones are refused (503)."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        works: Callable[[Scope], bool],
        max_running: int,
        max_waiting: int,
        max_wait_seconds: float,
    ) -> None:
        """`works`: whether a request is one that needs a place."""
        self._app = app
        self._works = works
        self._places = asyncio.Semaphore(max_running)
        self._most = max_running + max_waiting
        self._wait_seconds = max_wait_seconds
        self._inside = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """As ASGI has it."""
        if scope["type"] != "http" or not self._works(scope):
            await self._app(scope, receive, send)
            return
        if not await self._has_place():
            told = "the server is busy with other questions; ask again"
            await refuse(scope, receive, send, 503, told, retry_seconds=_RETRY_SECONDS)
            return
        scope.setdefault("state", {})["leave"] = leave = _Once(self._leave)
        try:
            await self._app(scope, receive, send)
        finally:
            if not scope["state"].get("stays"):
                leave()

    async def _has_place(self) -> bool:
        if self._inside >= self._most:
            return False
        self._inside += 1
        try:
            await asyncio.wait_for(self._places.acquire(), self._wait_seconds)
        except BaseException as error:
            self._inside -= 1
            if isinstance(error, TimeoutError):
                return False
            raise
        return True

    def _leave(self) -> None:
        self._inside -= 1
        self._places.release()


class _Once:
    """Does something the first time it is called."""

    def __init__(self, act: Callable[[], None]) -> None:
        self._act: Callable[[], None] | None = act

    def __call__(self) -> None:
        act, self._act = self._act, None
        if act is not None:
            act()


class TimeLimit:
    """Answers in time (504), or ends a stream with an error, whatever the thread behind it does."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        works: Callable[[Scope], bool],
        seconds: float,
        client_seconds: float,
        stuck: Callable[[], None] = lambda: None,
    ) -> None:
        """`client_seconds` may pass while a client takes nothing.

        `stuck` is called for a request that has not ended after twice its time: what holds it will
        not end.
        """
        self._app = app
        self._works = works
        self._seconds = seconds
        self._client_seconds = client_seconds
        self._stuck = stuck
        self._left_behind: set[asyncio.Task[None]] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """As ASGI has it."""
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
        # Not cancelled: that would only end the waiting for the thread. Its next word ends it.
        self._leave_behind(task, scope)
        await reply.end_late(
            scope, receive, f"no answer within {self._seconds:g} s; ask less at once"
        )

    async def _run(self, scope: Scope, receive: Receive, reply: _Reply) -> None:
        await self._app(scope, receive, reply.send)

    def _leave_behind(self, task: asyncio.Task[None], scope: Scope) -> None:
        """Its place is free when its thread has ended, and not before."""
        leave = scope.get("state", {}).get("leave", lambda: None)
        scope.setdefault("state", {})["stays"] = True
        self._left_behind.add(task)
        last_look = asyncio.get_running_loop().call_later(self._seconds, self._stuck)

        def ended(task: asyncio.Task[None]) -> None:
            last_look.cancel()
            self._left_behind.discard(task)
            leave()
            if not task.cancelled():
                task.exception()  # looked at: nobody waits for it any more

        task.add_done_callback(ended)


class _Reply:
    """What goes back to a client, which has to take it."""

    def __init__(self, send: Send, client_seconds: float) -> None:
        self._send = send
        self._seconds = client_seconds
        self._is_begun = False
        self._is_ended = False
        self._is_events = False

    async def send(self, message: Message) -> None:
        """As ASGI has it. Raises OSError when the client takes nothing, or time is over."""
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
            raise BrokenPipeError("the client takes nothing") from error

    async def end_late(self, scope: Scope, receive: Receive, told: str) -> None:
        """Say that time is over, in the way that what was sent so far allows."""
        self._is_ended = True
        if not self._is_begun:
            await refuse(scope, receive, self._send, 504, told)
            return
        last = b""
        if self._is_events:
            body = json.dumps(problem(Request(scope), 504, told))
            last = f"event: error\ndata: {body}\n\n".encode()
        await self._send({"type": "http.response.body", "body": last, "more_body": False})
