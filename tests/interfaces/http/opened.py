"""Settings of servers under test."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from starlette.types import ASGIApp, Receive, Scope, Send

from pincite.interfaces.http.guards.keys import Keys
from pincite.settings.groups import ServerSettings


def open_settings(**more: Any) -> ServerSettings:
    """Those by default, for a client that calls the server `testserver`, more often than a guest."""
    unlimited = {"address_requests_per_minute": 0, "requests_per_minute": 0}
    return ServerSettings(**{"allowed_hosts": ("testserver",), **unlimited, **more})


def key_for(folder: Path, collection: str) -> str:
    """A key of the server that keeps its own in this folder; it may see one collection."""
    folder.mkdir(exist_ok=True)
    return Keys(folder).add("guest", scopes=["ask", "ingest"], collections=[collection]).written


def with_key(app: ASGIApp, key: str) -> ASGIApp:
    """The app, as it is to a client that gives this key with every request."""

    async def called(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            scope["headers"] = [*scope["headers"], (b"authorization", f"Bearer {key}".encode())]
        await app(scope, receive, send)

    return called
