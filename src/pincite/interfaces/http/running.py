"""Runs the server: starts and stops its processes."""

from __future__ import annotations

import asyncio
import faulthandler
import os
import signal
import time
from collections.abc import Callable
from multiprocessing import parent_process
from multiprocessing.connection import wait
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

import structlog
import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.supervisors import Multiprocess

from pincite.errors import PinciteError
from pincite.interfaces.http.guards.wrapping import check_binding
from pincite.interfaces.http.observing import forget_metrics, log_as_json, prepare_metrics
from pincite.library.library import Library
from pincite.settings.groups import ServerSettings

if TYPE_CHECKING:
    from fastapi import FastAPI

_LIBRARY, _PROFILE = "PINCITE_SERVED_LIBRARY", "PINCITE_SERVED_PROFILE"
_SETTINGS = "PINCITE_SERVED_SETTINGS"
"""Environment variables that pass the library, the profile and the settings to each process."""
_LEAST_HEALTH_SECONDS = 60
"""A busy process may not answer for a while; uvicorn's default would end it after five seconds."""
_TRY_AGAIN_SECONDS = 1.0
_LAST_SECONDS = 10
"""Time for requests in progress when the server shuts down."""


def run(
    library: str,
    folder: Path,
    settings: ServerSettings,
    *,
    profile: str = "",
    on_bound: Callable[[int], None] = lambda _: None,
) -> None:
    """Serve until stopped. Raises SettingsError if others could reach it without a key.

    `library` is the address that every process opens, `folder` that of its local files.
    `on_bound` gets the port, which the system chooses if the setting is 0. Even a single process has a
    supervisor, which replaces it if a question blocks it forever.
    """
    check_binding(folder, settings)
    os.environ[_LIBRARY] = library
    os.environ[_PROFILE] = profile
    os.environ[_SETTINGS] = settings.model_dump_json()
    log_as_json()
    prepare_metrics()
    config = uvicorn.Config(
        "pincite.interfaces.http.running:app",
        factory=True,
        host=settings.host,
        port=settings.port,
        workers=settings.workers,
        http="pincite.interfaces.http.running:ImpatientProtocol",
        timeout_worker_healthcheck=max(_LEAST_HEALTH_SECONDS, round(settings.question_seconds)),
        timeout_graceful_shutdown=_LAST_SECONDS,
        # Forwarded addresses are trusted only from the proxies that the user has named.
        proxy_headers=bool(settings.trusted_proxies),
        forwarded_allow_ips=list(settings.trusted_proxies),
        server_header=False,
        access_log=False,
        log_config=None,
    )
    socket = config.bind_socket()
    # Who opens the address that is printed now waits for the first process, and is not turned away.
    socket.listen(config.backlog)
    on_bound(socket.getsockname()[1])
    try:
        Supervisor(config, sockets=[socket]).run()
    finally:
        socket.close()
        forget_metrics()


class Supervisor(Multiprocess):
    """Replaces a process that dies at once, also while it is being asked whether it lives."""

    def keep_subprocess_alive(self) -> None:
        """As uvicorn does it, which keeps each pipe open at both ends and so waits for the dead."""
        for process in self.processes:
            process.child_conn.close()
        super().keep_subprocess_alive()


def app() -> FastAPI:
    """The app of one process."""
    # The supervisor, which only opens the port, is ready a second earlier without these.
    from pincite.interfaces.http.app import create_app
    from pincite.interfaces.http.served import Served

    log_as_json()
    if supervisor := parent_process():
        Thread(target=_follow, args=(supervisor,), name="follow", daemon=True).start()
    settings = ServerSettings.model_validate_json(os.environ[_SETTINGS])
    ImpatientProtocol.seconds = settings.client_seconds
    return create_app(Served(_opened()), settings, closes=True, stuck=_give_up)


def _follow(supervisor: Any) -> None:
    """End this process when its supervisor has been killed: it would hold the port for nobody."""
    wait([supervisor.sentinel])
    structlog.get_logger("pincite.server").error("the supervisor is gone; this process ends, too")
    signal.raise_signal(signal.SIGTERM)  # As it would have asked for.


def _opened() -> Library:
    """The library. Where it cannot be opened this process says so and ends: another one tries again."""
    profile = os.environ.get(_PROFILE, "")
    try:
        return Library.open(os.environ[_LIBRARY], create=False, profile=profile)
    except PinciteError as error:
        structlog.get_logger("pincite.server").error(
            "the library cannot be opened; it is tried again", problem=str(error)
        )
        time.sleep(_TRY_AGAIN_SECONDS)
        raise SystemExit(1) from None


def _give_up() -> None:
    """End this process, which a question blocks forever. The supervisor starts another one."""
    structlog.get_logger("pincite.server").error(
        "a question does not end; this process ends instead"
    )
    faulthandler.dump_traceback()
    os._exit(1)


# Closes connections whose client does not send a complete request head in time.

_LARGEST_HEAD = 64 * 1024
"""Bytes of a request line and its headers; browsers and proxies send a tenth of this."""


class ImpatientProtocol(HttpToolsProtocol):
    """uvicorn's protocol with limits on the time and size of a request's head.

    uvicorn has none: a client that sends a byte now and then could keep its connection forever.
    Bodies have their own limits (`guards/sizes.py`).
    """

    seconds = 20.0
    """`server.client_seconds`; set on the class, since uvicorn creates the connections itself."""

    _head_bytes = 0
    _is_head_read = False
    _at_the_end: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the first head."""
        super().connection_made(transport)
        self._wait_for_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timer."""
        self._stop_waiting()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Process data, unless the head becomes too large."""
        if not self._is_head_read:
            self._wait_for_head()
            self._head_bytes += len(data)
        super().data_received(data)
        if not self._is_head_read and self._head_bytes > _LARGEST_HEAD:
            self._give_up()

    def on_headers_complete(self) -> None:
        """The head is complete; the body has its own limits."""
        self._stop_waiting()
        self._is_head_read = True
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """Expect the next head."""
        self._is_head_read = False
        super().on_message_complete()

    def _wait_for_head(self) -> None:
        if self._at_the_end is None:
            self._at_the_end = self.loop.call_later(self.seconds, self._give_up)

    def _stop_waiting(self) -> None:
        self._head_bytes = 0
        if self._at_the_end is not None:
            self._at_the_end.cancel()
            self._at_the_end = None

    def _give_up(self) -> None:
        if not self.transport.is_closing():
            self.transport.close()
