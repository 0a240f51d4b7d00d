from __future__ import annotations

import asyncio
import threading
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, StreamingResponse
from starlette.routing import Route

from pincite.interfaces.http.guards.busy import Busy, TimeLimit


class Work:
    """A route that works in a thread until it is let go."""

    def __init__(self) -> None:
        self.goes_on = threading.Event()
        self.running = 0
        self.most = 0
        self._lock = threading.Lock()

    def work(self) -> None:
        with self._lock:
            self.running += 1
            self.most = max(self.most, self.running)
        self.goes_on.wait(30)
        with self._lock:
            self.running -= 1

    async def route(self, request: Request) -> JSONResponse:
        del request
        await run_in_threadpool(self.work)
        return JSONResponse({})


async def stream(request: Request) -> StreamingResponse:
    del request

    async def events() -> Any:
        yield b"event: retrieval\ndata: {}\n\n"
        await asyncio.sleep(60)

    return StreamingResponse(events(), media_type="text/event-stream")


def app(work: Work, *guards: Middleware) -> httpx.AsyncClient:
    routes = [
        Route("/ask", work.route),
        Route("/stream", stream),
        Route("/free", lambda _: JSONResponse({})),
    ]
    made = Starlette(routes=routes, middleware=guards)
    return httpx.AsyncClient(
        transport=httpx.ASGITransport(app=made), base_url="http://localhost", timeout=30
    )


def works(scope: Any) -> bool:
    return scope["path"] != "/free"


def busy(running: int, waiting: int, seconds: float) -> Middleware:
    return Middleware(
        Busy, works=works, max_running=running, max_waiting=waiting, max_wait_seconds=seconds
    )


def limit(seconds: float, **more: Any) -> Middleware:
    return Middleware(TimeLimit, works=works, seconds=seconds, client_seconds=20, **more)


def test_no_more_run_at_once_than_may_and_no_more_wait() -> None:
    work = Work()

    async def scene() -> list[httpx.Response]:
        async with app(work, busy(2, 3, 30)) as client:
            asked = [asyncio.create_task(client.get("/ask")) for _ in range(8)]
            refused, _ = await asyncio.wait(asked, return_when=asyncio.FIRST_COMPLETED)
            while len(refused) < 3:
                refused, _ = await asyncio.wait(asked, timeout=0.05)
            assert (await client.get("/free")).status_code == 200
            while work.running < 2:  # a thread may take its time to begin
                await asyncio.sleep(0.01)
            work.goes_on.set()
            return [await one for one in asked]

    found = asyncio.run(scene())
    codes = [one.status_code for one in found]
    assert sorted(codes) == [200] * 5 + [503] * 3
    assert {one.headers["retry-after"] for one in found if one.status_code == 503} == {"2"}
    assert work.most == 2


def test_who_has_waited_long_enough_is_told_to_come_back() -> None:
    work = Work()

    async def scene() -> int:
        async with app(work, busy(1, 5, 0.05)) as client:
            first = asyncio.create_task(client.get("/ask"))
            await asyncio.sleep(0.01)
            second = await client.get("/ask")
            work.goes_on.set()
            await first
            return second.status_code

    assert asyncio.run(scene()) == 503


def test_a_question_is_answered_in_time_and_keeps_its_place_until_it_really_ends() -> None:
    work = Work()

    async def scene() -> list[int]:
        async with app(work, busy(1, 0, 0.2), limit(0.05)) as client:
            late = await client.get("/ask")
            full = await client.get("/ask")
            work.goes_on.set()
            while work.running:
                await asyncio.sleep(0.01)
            await asyncio.sleep(0.05)
            again = await client.get("/ask")
            return [late.status_code, full.status_code, again.status_code]

    assert asyncio.run(scene()) == [504, 503, 200]


def test_a_question_that_never_ends_is_told_of() -> None:
    work, told = Work(), threading.Event()

    async def scene() -> None:
        async with app(work, limit(0.05, stuck=told.set)) as client:
            await client.get("/ask")
            while not told.is_set():
                await asyncio.sleep(0.01)
            work.goes_on.set()

    asyncio.run(asyncio.wait_for(scene(), 20))


def test_a_stream_that_takes_too_long_ends_with_an_error() -> None:
    async def scene() -> str:
        async with app(Work(), limit(0.1)) as client:
            return (await client.get("/stream")).text

    found = asyncio.run(scene())
    assert "event: retrieval" in found
    assert 'event: error\ndata: {"type":"urn:pincite:problem:gateway-timeout"' in found


def test_a_client_that_takes_nothing_is_left() -> None:
    async def route(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def takes_nothing(message: Any) -> None:
        await asyncio.sleep(60)

    async def gives_nothing() -> dict[str, Any]:
        await asyncio.sleep(60)
        return {}

    guard = TimeLimit(route, works=lambda _: True, seconds=30, client_seconds=0.05)
    scope = {"type": "http", "path": "/ask", "method": "GET", "state": {}, "headers": []}
    with pytest.raises(BrokenPipeError):
        asyncio.run(guard(scope, gives_nothing, takes_nothing))
