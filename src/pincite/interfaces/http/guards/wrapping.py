"""Puts the guards between clients and routes, in the right order."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import structlog
from fastapi import FastAPI
from starlette.middleware.cors import CORSMiddleware
from starlette.types import Scope

from pincite.errors import SettingsError
from pincite.interfaces.http.folder import server_folder
from pincite.interfaces.http.guards.busy import Busy, TimeLimit
from pincite.interfaces.http.guards.keys import Keys
from pincite.interfaces.http.guards.logs import AuditLog, QueryLog
from pincite.interfaces.http.guards.origins import Origins, SecurityHeaders, is_loopback
from pincite.interfaces.http.guards.rates import RATES_FILE, Buckets, RateLimit, address_of, key_of
from pincite.interfaces.http.guards.rights import KeyCheck, Recorded, rule_of
from pincite.interfaces.http.guards.sizes import BodyLimits
from pincite.interfaces.http.observing import Metrics, Observed
from pincite.settings.groups import ServerSettings

_log: structlog.stdlib.BoundLogger = structlog.get_logger("pincite.server")
_KIBIBYTE, _MEBIBYTE = 1024, 1024 * 1024


def check_binding(library: Path, settings: ServerSettings) -> None:
    """Raises SettingsError if others could reach a server that has no keys."""
    folder = server_folder(library, settings)
    if not is_loopback(settings.host) and not Keys(folder):
        raise SettingsError(
            f"server.host = {settings.host!r}: others could reach this server, and there is no key "
            f"yet in {folder}; create one with 'pincite access add --library {library}', or "
            "listen on 127.0.0.1"
        )


def wrap_guards(
    app: FastAPI,
    library: Path,
    settings: ServerSettings,
    *,
    stuck: Callable[[], None] = lambda: None,
) -> None:
    """Add the guards to an app, and the metrics and query log to its state.

    `stuck` is called when a question occupies a thread that will never return.
    """
    folder = server_folder(library, settings)
    metrics, audit = Metrics(), AuditLog(folder) if settings.audit_log else None
    record = _recorder(audit)
    app.state.metrics = metrics
    app.state.query_log = QueryLog(folder) if settings.query_log else None

    # The last one added runs first.
    _limit_work(app, settings, stuck)
    app.add_middleware(Recorded, record=record)
    _check_clients(app, folder, settings, record)
    _check_origins(app, settings)
    app.add_middleware(SecurityHeaders)
    app.add_middleware(Observed, metrics=metrics)


def _limit_work(app: FastAPI, settings: ServerSettings, stuck: Callable[[], None]) -> None:
    """Limit how many questions run at once, and for how long."""
    app.add_middleware(
        TimeLimit,
        works=_works,
        seconds=settings.question_seconds,
        client_seconds=settings.client_seconds,
        stuck=stuck,
    )
    app.add_middleware(
        Busy,
        works=_works,
        max_running=settings.max_running,
        max_waiting=settings.max_waiting,
        max_wait_seconds=settings.max_wait_seconds,
    )


def _check_clients(
    app: FastAPI, folder: Path, settings: ServerSettings, record: Callable[..., None]
) -> None:
    """Check keys, rates and sizes; rates by address before the key check, by key after it."""
    buckets = Buckets(folder / RATES_FILE)
    app.add_middleware(
        BodyLimits,
        max_bytes=settings.max_body_kb * _KIBIBYTE,
        max_upload_bytes=settings.max_upload_mb * _MEBIBYTE,
        client_seconds=settings.client_seconds,
    )
    app.add_middleware(
        RateLimit, buckets=buckets, per_minute=settings.requests_per_minute, name_of=key_of
    )
    app.add_middleware(
        KeyCheck,
        keys=Keys(folder),
        buckets=buckets,
        failures_per_minute=settings.failed_keys_per_minute,
        needs_key=not is_loopback(settings.host),
        record=record,
    )
    app.add_middleware(
        RateLimit,
        buckets=buckets,
        per_minute=settings.address_requests_per_minute,
        name_of=_counted_address,
    )


def _check_origins(app: FastAPI, settings: ServerSettings) -> None:
    """Check host names and the origins of pages."""
    if settings.allowed_origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=settings.allowed_origins,
            allow_methods=["GET", "POST", "DELETE"],
            allow_headers=["Authorization", "Content-Type", "X-API-Key"],
        )
    app.add_middleware(
        Origins,
        host=settings.host,
        hosts=[*settings.allowed_hosts, *_host_of(settings.public_url)],
        origins=settings.allowed_origins,
    )


def _host_of(url: str) -> tuple[str, ...]:
    """The host name in the public URL, if there is one."""
    name = urlsplit(url).hostname
    return (name,) if name else ()


def _counted_address(scope: Scope) -> str:
    """The client's address; empty for probes, and for files of the page: one view loads dozens."""
    is_free = scope["path"].startswith("/page/") or scope["path"] == "/health"
    return "" if is_free else address_of(scope)


def _works(scope: Scope) -> bool:
    return rule_of(scope).works


def _recorder(audit: AuditLog | None) -> Callable[..., None]:
    """A function that writes to the audit log, or to the server's log if that fails."""

    def record(event: str, **fields: Any) -> None:
        if audit is None:
            return
        try:
            audit.add(event, **fields)
        except OSError as error:
            _log.error(
                "audit log cannot be written", problem=str(error), event_lost=event, **fields
            )

    return record
