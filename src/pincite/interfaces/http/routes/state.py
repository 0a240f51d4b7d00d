"""Routes for the state of the server and its library."""

from __future__ import annotations

from functools import cache
from http import HTTPStatus

from anyio import CapacityLimiter
from anyio.to_thread import run_sync
from fastapi import APIRouter, Request, Response
from prometheus_client.parser import text_string_to_metric_families

from pincite.interfaces.http.asked import Library, MaySee, Reply
from pincite.interfaces.http.served import Served

router = APIRouter(tags=["state"])


@cache
def _threads_for_probes() -> CapacityLimiter:
    return CapacityLimiter(2)


@router.get("/health", responses={503: {"description": "a required part is missing"}})
async def health(request: Request, response: Response) -> Reply:
    """Whether questions can be answered; 503 if a required part is missing.

    It has threads of its own: whatever else the server does, a probe is answered at once.

    Damage found by a request is reported until the server restarts: checking for it again would mean
    reading the whole library.
    """
    served: Served = request.app.state.served
    state = await run_sync(served.health, limiter=_threads_for_probes())
    if damage := getattr(request.app.state, "damage", ""):
        state |= {"status": "failing", "problems": [*state["problems"], damage]}
    if state["problems"]:
        response.status_code = HTTPStatus.SERVICE_UNAVAILABLE
    return state


@router.get("/v1/stats")
def stats(served: Library, allowed: MaySee) -> Reply:
    """The library's size: documents, passages, pages and collections."""
    return served.status(allowed=allowed)


@router.get("/v1/config")
def config(served: Library) -> Reply:
    """The settings that affect answers, and the profiles that a question may name."""
    return served.config()


@router.get("/v1/metrics")
def metrics(request: Request) -> Reply:
    """The metrics since the server started, as JSON; `/metrics` gives the same to Prometheus."""
    counted = getattr(request.app.state, "metrics", None)
    written = counted.written()[0].decode() if counted is not None else ""
    return {
        "metrics": [
            {"name": sample.name, "labels": sample.labels, "value": sample.value}
            for family in text_string_to_metric_families(written)
            for sample in family.samples
            if not sample.name.endswith(("_bucket", "_created"))
        ]
    }
