"""How a guard says no: a problem object, as every other error of the server."""

from __future__ import annotations

import math
from collections.abc import Mapping

from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from pincite.interfaces.server.problems import problem, respond


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
    """Answer instead of the routes. Where it makes sense to ask again, `retry_seconds` says when."""
    told = dict(headers or {})
    if retry_seconds is not None:
        told["Retry-After"] = str(max(1, math.ceil(retry_seconds)))
    await respond(problem(Request(scope), status, detail), told)(scope, receive, send)
