"""Runs the server: processes that answer, and how they end."""

from __future__ import annotations

import os
from pathlib import Path

import uvicorn
from fastapi import FastAPI

from pincite.interfaces.server.app import create_app
from pincite.interfaces.server.served import Served
from pincite.library import Library
from pincite.setting_groups import ServerSettings

_LIBRARY, _PROFILE = "PINCITE_SERVED_LIBRARY", "PINCITE_SERVED_PROFILE"
"""Tell each process which library it serves."""
_HEALTH_SECONDS = 60
"""A process that is busy does not answer for a while; uvicorn would end it after five seconds."""
_LAST_SECONDS = 10
"""For requests that are being answered when the server is told to end."""


def run(library: Path, settings: ServerSettings, *, profile: str = "") -> None:
    """Serve until told to end."""
    os.environ[_LIBRARY] = str(library.absolute())
    os.environ[_PROFILE] = profile
    uvicorn.run(
        "pincite.interfaces.server.running:app",
        factory=True,
        host=settings.host,
        port=settings.port,
        workers=settings.workers,
        timeout_worker_healthcheck=_HEALTH_SECONDS,
        timeout_graceful_shutdown=_LAST_SECONDS,
        server_header=False,
        access_log=False,
    )


def app() -> FastAPI:
    """The app of one process."""
    opened = Library.open(os.environ[_LIBRARY], create=False, profile=os.environ.get(_PROFILE, ""))
    return create_app(Served(opened), opened.settings.server, closes=True)
