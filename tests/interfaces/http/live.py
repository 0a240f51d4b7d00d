"""A real server over a library, on a free port of this machine."""

from __future__ import annotations

import gc
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn
from starlette.types import ASGIApp


@contextmanager
def listening(app: ASGIApp, **options: Any) -> Iterator[str]:
    """Its address, while it runs in a thread; `options` are those of uvicorn's Config."""
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="warning", **options))
    started = threading.Event()
    begin = server.startup

    async def startup(*args: object, **named: object) -> None:
        await begin(*args, **named)  # type: ignore[arg-type]
        started.set()

    server.startup = startup  # type: ignore[method-assign]
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        assert started.wait(60), "the server did not start"
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(60)


def forget_browser() -> None:
    """Collect what a closed browser leaves: its driver's process, which no one waits for, would be
    told as a leak of whichever test runs when it is collected."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()
