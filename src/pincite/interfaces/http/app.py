"""Builds the server's app: its routes and the middleware around them."""

from __future__ import annotations

import gc
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import anyio.to_thread
from fastapi import FastAPI
from starlette.routing import Route

import pincite
from pincite.interfaces.http import exports, openai_api, page_routes
from pincite.interfaces.http.caches import open_cache
from pincite.interfaces.http.folder import server_folder
from pincite.interfaces.http.guards.wrapping import wrap_guards
from pincite.interfaces.http.observing import record_answer
from pincite.interfaces.http.problems import add_problem_handlers, describe_problems
from pincite.interfaces.http.pulse import Pulse
from pincite.interfaces.http.routes import (
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
    tables,
    verify,
)
from pincite.interfaces.http.served import Served
from pincite.interfaces.http.streams import Ending
from pincite.settings.groups import ServerSettings
from pincite.settings.plugins import Hook

if TYPE_CHECKING:
    from pincite.interfaces.mcp import McpEndpoint

MCP_PATH = "/mcp"
_ROUTES = Hook("routes")
_ROUTED = (
    query,
    documents,
    ingest,
    manual,
    conversations,
    reports,
    tables,
    verify,
    feedback,
    reference,
    state,
    access,
    openai_api,
    exports,
    page_routes,
)
_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_THREADS_BESIDE = 16
"""Threads for quick requests while the maximum number of questions is running."""


def create_app(
    served: Served,
    settings: ServerSettings,
    *,
    closes: bool = False,
    stuck: Callable[[], None] = lambda: None,
) -> FastAPI:
    """The app for one library; with `closes`, the library is closed when the app ends.

    `stuck` is called when a question occupies a thread that will never return.
    """

    app = _App(
        title="Pincite",
        version=pincite.__version__,
        summary="Answers about your own documents, made of exact, checked quotes.",
        # Both pages load scripts from other hosts.
        docs_url=None,
        redoc_url=None,
        lifespan=partial(_life, closes=closes),
    )
    served.longest_question = settings.max_question_chars
    app.state.served = served
    app.state.settings = settings
    app.state.ending = Ending()
    app.state.tools = _tools(app, served, settings)
    add_problem_handlers(app, page_routes.nowhere)
    _add_routes(app, served, settings)
    wrap_guards(app, served.library.path, settings, stuck=stuck)
    folder = server_folder(served.library.path, settings)
    served.cache = open_cache(folder, settings, served.library.catalog, app.state.metrics.looked_up)
    return app


@asynccontextmanager
async def _life(app: FastAPI, *, closes: bool) -> AsyncIterator[None]:
    """Startup and shutdown of the app."""
    # Routes that are plain functions run in these threads.
    anyio.to_thread.current_default_thread_limiter().total_tokens = (
        app.state.settings.max_running + _THREADS_BESIDE
    )
    app.state.ending.listen()
    served: Served = app.state.served
    await anyio.to_thread.run_sync(served.warm_up)
    pulse = app.state.pulse = await anyio.to_thread.run_sync(Pulse, served.health)
    pulse.begin()
    if closes:  # The process is the app's own.
        _leave_out_of_collections()
    async with AsyncExitStack() as stack:
        for endpoint in app.state.tools:
            await stack.enter_async_context(endpoint.running())
        yield
    await anyio.to_thread.run_sync(pulse.end)
    await anyio.to_thread.run_sync(served.close if closes else served.stop_drawing)


def _leave_out_of_collections() -> None:
    """Let the garbage collector pass over everything that has been loaded.

    A full collection of it stops all threads for 150 ms (217,000 objects; AMD EPYC).
    """
    gc.collect()
    gc.freeze()


def _add_routes(app: FastAPI, served: Served, settings: ServerSettings) -> None:
    """Add Pincite's own routes, those of the plugins in the settings, and the MCP endpoint."""
    for module in _ROUTED:
        app.include_router(module.router)
    for name in settings.plugins:
        added = _ROUTES.plugin(name).called(served)
        app.include_router(added, prefix=f"/plugins/{name}")
    for endpoint in app.state.tools:
        app.router.routes.append(Route(endpoint.path, endpoint=endpoint))


class _App(FastAPI):
    def openapi(self) -> dict[str, Any]:
        """The OpenAPI description, with the error format of every operation."""
        return describe_problems(super().openapi())


def _tools(app: FastAPI, served: Served, settings: ServerSettings) -> list[McpEndpoint]:
    """The Model Context Protocol endpoint, if its package is installed."""
    if find_spec("mcp") is None:
        return []
    from pincite.interfaces.mcp import McpEndpoint

    own = urlsplit(settings.public_url).hostname or settings.host
    hosts = dict.fromkeys((*_LOOPBACK, settings.host, own, *settings.allowed_hosts))
    return [
        McpEndpoint(
            served,
            hosts=[*hosts],
            path=MCP_PATH,
            origins=settings.allowed_origins,
            base_url=settings.public_url,
            record=partial(record_answer, app=app),
        )
    ]
