"""Routes for the state of the server and its library."""

from __future__ import annotations

from http import HTTPStatus

from fastapi import APIRouter, Request, Response
from prometheus_client.parser import text_string_to_metric_families

from pincite.interfaces.http.asked import Library, MaySee, Reply
from pincite.interfaces.http.pulse import Pulse

router = APIRouter(tags=["state"])


@router.get("/health", responses={503: {"description": "a required part is missing"}})
async def health(request: Request, response: Response) -> Reply:
    """Whether questions can be answered; 503 if a required part is missing.

    It is what was found within the last second: whatever else the server does, a probe is answered at
    once.

    Damage found by a request is reported until the server restarts: checking for it again would mean
    reading the whole library.
    """
    pulse: Pulse = request.app.state.pulse
    state = dict(pulse.state)
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
