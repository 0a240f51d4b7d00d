"""A small app behind one guard."""

from __future__ import annotations

from typing import Any

from fastapi.testclient import TestClient
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route


async def echo(request: Request) -> JSONResponse:
    """Its body's length, and what guards said of it."""
    body = await request.body()
    state = request.scope.get("state", {})
    plain = {name: _plain(value) for name, value in state.items() if not callable(value)}
    return JSONResponse({"bytes": len(body), **plain})


def _plain(value: Any) -> Any:
    return sorted(value) if isinstance(value, frozenset) else value


def behind(*guards: Middleware, endpoint: Any = echo) -> TestClient:
    """A client of an app that answers every address by `endpoint`, behind these guards."""
    methods = ["GET", "POST", "DELETE", "PUT"]
    app = Starlette(routes=[Route("/{path:path}", endpoint, methods=methods)], middleware=guards)
    return TestClient(app, base_url="http://localhost", client=("10.1.2.3", 5))
