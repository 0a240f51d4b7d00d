"""The server: its routes, and what is wrapped around them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import anyio.to_thread
from fastapi import FastAPI
from starlette.routing import Route

import pincite
from pincite.interfaces.server import exports, openai_api, page_routes
from pincite.interfaces.server.caches import open_cache
from pincite.interfaces.server.folder import server_folder
from pincite.interfaces.server.guards.wrapping import wrap_guards
from pincite.interfaces.server.problems import add_problem_handlers, describe_problems
from pincite.interfaces.server.routes import (
    access,
    conversations,
    documents,
    feedback,
    ingest,
    manual,
    query,
    reference,
    reports,
    state,
    verify,
)
from pincite.interfaces.server.served import Served
from pincite.interfaces.server.streams import Ending
from pincite.plugins import Hook
from pincite.setting_groups import ServerSettings

if TYPE_CHECKING:
    from pincite.interfaces.mcp_server import McpEndpoint

MCP_PATH = "/mcp"
_ROUTES = Hook("routes")
_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_THREADS_BESIDE = 16
"""For what is quick, while as many questions as may are at work."""


def create_app(
    served: Served,
    settings: ServerSettings,
    *,
    closes: bool = False,
    stuck: Callable[[], None] = lambda: None,
) -> FastAPI:
    """The app over one library; with `closes`, the library ends with the app.

    `stuck` is called where a question holds a thread that will not come back.
    """

    tools = _tools(served, settings)

    @asynccontextmanager
    async def life(_: FastAPI) -> AsyncIterator[None]:
        # Routes that are plain functions run in these threads.
        anyio.to_thread.current_default_thread_limiter().total_tokens = (
            settings.max_running + _THREADS_BESIDE
        )
        app.state.ending.listen()
        await anyio.to_thread.run_sync(served.warm_up)
        async with AsyncExitStack() as stack:
            for endpoint in tools:
                await stack.enter_async_context(endpoint.running())
            yield
        if closes:
            await anyio.to_thread.run_sync(served.close)

    app = _App(
        title="Pincite",
        version=pincite.__version__,
        summary="Answers about your own documents, made of exact, checked quotes.",
        # Both load scripts from elsewhere.
        docs_url=None,
        redoc_url=None,
        lifespan=life,
    )
    served.longest_question = settings.max_question_chars
    app.state.served = served
    app.state.settings = settings
    app.state.ending = Ending()
    add_problem_handlers(app)
    for routes in (
        query,
        documents,
        ingest,
        manual,
        conversations,
        reports,
        verify,
        feedback,
        reference,
        state,
        access,
    ):
        app.include_router(routes.router)
    for routes in (openai_api, exports, page_routes):
        app.include_router(routes.router)
    for name in settings.plugins:
        added = _ROUTES.plugin(name).called(served)
        app.include_router(added, prefix=f"/plugins/{name}")
    for endpoint in tools:
        app.router.routes.append(Route(endpoint.path, endpoint=endpoint))
    wrap_guards(app, served.library.path, settings, stuck=stuck)
    folder = server_folder(served.library.path, settings)
    served.cache = open_cache(folder, settings, served.library.catalog, app.state.metrics.looked_up)
    return app


class _App(FastAPI):
    def openapi(self) -> dict[str, Any]:
        """The description of all addresses, each with the form of its errors."""
        return describe_problems(super().openapi())


def _tools(served: Served, settings: ServerSettings) -> list[McpEndpoint]:
    """The tools of the Model Context Protocol, where its package is installed."""
    if find_spec("mcp") is None:
        return []
    from pincite.interfaces.mcp_server import McpEndpoint

    own = urlsplit(settings.public_url).hostname or settings.host
    hosts = dict.fromkeys((*_LOOPBACK, settings.host, own, *settings.allowed_hosts))
    return [
        McpEndpoint(
            served,
            hosts=[*hosts],
            path=MCP_PATH,
            origins=settings.allowed_origins,
            base_url=settings.public_url,
        )
    ]
