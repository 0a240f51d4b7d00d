"""Observes requests: an id, a JSON log line, Prometheus metrics and an OpenTelemetry span for each.

With several processes the metrics are files in a folder (PROMETHEUS_MULTIPROC_DIR), which
`prepare_metrics` creates before prometheus_client is imported: any process can then report the sum.
"""

from __future__ import annotations

import logging
import os
import re
import shutil
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import structlog
from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

try:
    from opentelemetry import trace as spans

    HAS_SPANS = True
except ImportError:  # Optional: installed with other packages or by the user.
    HAS_SPANS = False

METRICS_FOLDER = "PROMETHEUS_MULTIPROC_DIR"

_MEMORY = "/dev/shm"  # noqa: S108 - the folder is made with mkdtemp, readable by its owner alone
_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_BUCKETS = (0.001, 0.005, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120)
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_log: structlog.stdlib.BoundLogger = structlog.get_logger("pincite.server")


def prepare_metrics() -> None:
    """Create an empty folder for the metrics of all processes. Call once, before they start."""
    if METRICS_FOLDER not in os.environ:
        # The files are mapped: a disk that fills up would kill every process at its next count.
        memory = _MEMORY if os.access(_MEMORY, os.W_OK) else None
        os.environ[METRICS_FOLDER] = tempfile.mkdtemp(prefix="pincite-metrics-", dir=memory)
        return
    folder = Path(os.environ[METRICS_FOLDER])
    folder.mkdir(parents=True, exist_ok=True)
    # Leftovers of an earlier run would be added to ours.
    for file in folder.glob("*.db"):
        file.unlink()


def forget_metrics() -> None:
    """Delete the folder at shutdown."""
    shutil.rmtree(os.environ.get(METRICS_FOLDER, ""), ignore_errors=True)


class Metrics:
    """The metrics of this process; `written` gives those of all."""

    def __init__(self) -> None:
        from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

        self._registry = CollectorRegistry()
        labels = ("route", "method", "status")
        self._requests = Counter(
            "pincite_requests", "Requests answered.", labels, registry=self._registry
        )
        self._seconds = Histogram(
            "pincite_request_seconds",
            "Time from a request to the end of its reply.",
            ("route", "method"),
            buckets=_BUCKETS,
            registry=self._registry,
        )
        self._running = Gauge(
            "pincite_requests_running",
            "Requests in progress.",
            multiprocess_mode="livesum",
            registry=self._registry,
        )
        self._answers = Counter(
            "pincite_answers",
            "Answers by status.",
            ("status",),
            registry=self._registry,
        )
        self._cache = Counter(
            "pincite_cache", "Lookups in the answer cache.", ("result",), registry=self._registry
        )
        self._stages = Histogram(
            "pincite_stage_seconds",
            "Time of each stage of a question.",
            ("stage",),
            buckets=_BUCKETS,
            registry=self._registry,
        )

    @contextmanager
    def request(self) -> Iterator[None]:
        """Count a request as in progress."""
        self._running.inc()
        try:
            yield
        finally:
            self._running.dec()

    def answered(self, route: str, method: str, status: int, seconds: float) -> None:
        """Record an answered request."""
        self._requests.labels(route, method, str(status)).inc()
        self._seconds.labels(route, method).observe(seconds)

    def asked(self, form: Mapping[str, Any]) -> None:
        """Record an answered question: its status and the time of each stage."""
        self._answers.labels(str(form["status"])).inc()
        for stage, milliseconds in form.get("timings", {}).items():
            self._stages.labels(str(stage)).observe(milliseconds / 1000)

    def looked_up(self, result: str) -> None:
        """Record a cache lookup: `memory`, `disk`, `shared`, `stale` or `miss`."""
        self._cache.labels(result).inc()

    def written(self) -> tuple[bytes, str]:
        """The metrics of all processes in Prometheus's text format, and its media type."""
        from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
        from prometheus_client.multiprocess import MultiProcessCollector

        if METRICS_FOLDER not in os.environ:
            return generate_latest(self._registry), CONTENT_TYPE_LATEST
        _forget_the_dead(Path(os.environ[METRICS_FOLDER]))
        together = CollectorRegistry()
        MultiProcessCollector(together)  # type: ignore[no-untyped-call]
        return generate_latest(together), CONTENT_TYPE_LATEST


def _forget_the_dead(folder: Path) -> None:
    """Remove the gauges of processes that have ended."""
    for file in folder.glob("gauge_live*_*.db"):
        process = file.stem.rpartition("_")[2]
        try:
            os.kill(int(process), 0)
        except ProcessLookupError:
            file.unlink(missing_ok=True)
        except (OSError, ValueError):  # It is alive but not ours, or the file is something else.
            continue


def log_as_json() -> None:
    """Write every log line, uvicorn's included, as a JSON object to standard error."""
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    rendered = structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=shared,
        processors=[
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            # Without the frames' variables: they hold keys, questions and documents.
            structlog.processors.ExceptionRenderer(
                structlog.tracebacks.ExceptionDictTransformer(show_locals=False)
            ),
            structlog.processors.JSONRenderer(),
        ],
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(rendered)
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.INFO)
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access"):
        logger = logging.getLogger(name)
        logger.handlers[:] = []
        logger.propagate = name != "uvicorn.access"  # `_log_request` writes these lines.
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )


class Observed:
    """Middleware that gives each request an id and records how it ended."""

    def __init__(self, app: ASGIApp, *, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The ASGI interface."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        identity = request_id(Headers(scope=scope).get("x-request-id", ""))
        scope.setdefault("state", {})["request_id"] = identity
        began, status = time.perf_counter(), 500

        async def with_id(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)["X-Request-ID"] = identity
            await send(message)

        with (
            structlog.contextvars.bound_contextvars(request_id=identity),
            self._metrics.request(),
            _span(scope) as span,
        ):
            try:
                await self._app(scope, receive, with_id)
            finally:
                seconds = time.perf_counter() - began
                route = route_of(scope)
                self._metrics.answered(route, _method(scope), status, seconds)
                span.set_attribute("http.route", route)
                span.set_attribute("http.response.status_code", status)
                _log_request(scope, route, status, seconds)


def record_answer(
    request: Request, question: str, form: Mapping[str, Any], *, app: Starlette | None = None
) -> None:
    """Record an answered question in the metrics and, if there is one, in the query log.

    `app` is the server if the request was answered by an app mounted in it.
    """
    server = (app or request.app).state
    server.metrics.asked(form)
    log = server.query_log
    if log is None:
        return
    state = request.scope["state"]
    try:
        log.add(
            question,
            status=form["status"],
            ms=round(sum(form["timings"].values()), 1),
            key=state.get("key_id", ""),
            request_id=state.get("request_id", ""),
        )
    except OSError as error:
        _log.error("query log cannot be written", problem=str(error))


def request_id(given: str) -> str:
    """The id from a client or proxy if it is safe in logs and headers, otherwise a new one."""
    return given if _REQUEST_ID.fullmatch(given) else uuid.uuid4().hex


def route_of(scope: Scope) -> str:
    """The pattern of the matched route, never text from the client; `none` if none matched."""
    route = getattr(scope.get("route"), "path", "")
    return str(route) or "none"


def _method(scope: Scope) -> str:
    return scope["method"] if scope["method"] in _METHODS else "other"


def _log_request(scope: Scope, route: str, status: int, seconds: float) -> None:
    _log.info(
        "request",
        method=_method(scope),
        route=route,
        # Without the query string, which may contain a question.
        path=scope["path"][:200],
        status=status,
        ms=round(seconds * 1000, 1),
        key=scope["state"].get("key_id", ""),
        address=(scope.get("client") or ("",))[0],
    )


class _NoSpan:
    def set_attribute(self, name: str, value: object) -> None:
        """Do nothing."""


@contextmanager
def _span(scope: Scope) -> Iterator[Any]:
    """An OpenTelemetry span; it is exported only if the user has configured an exporter."""
    if not HAS_SPANS:
        yield _NoSpan()
        return
    with spans.get_tracer("pincite").start_as_current_span(
        f"{_method(scope)} request",
        kind=spans.SpanKind.SERVER,
        attributes={"http.request.method": _method(scope)},
    ) as span:
        yield span
