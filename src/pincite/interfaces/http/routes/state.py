"""How the server and its library are."""

from __future__ import annotations

from http import HTTPStatus

from fastapi import APIRouter, Request, Response
from prometheus_client.parser import text_string_to_metric_families

from pincite.interfaces.http.asked import Library, MaySee, Reply

router = APIRouter(tags=["state"])


@router.get("/health", responses={503: {"description": "a part that is needed is missing"}})
def health(served: Library, request: Request, response: Response) -> Reply:
    """Whether questions can be answered; 503 where a part that is needed is missing.

    Damage that a request met is told until the server is started again: to look for it takes as
    long as to read the whole library.
    """
    told = served.health()
    if damage := getattr(request.app.state, "damage", ""):
        told |= {"status": "failing", "problems": [*told["problems"], damage]}
    if told["problems"]:
        response.status_code = HTTPStatus.SERVICE_UNAVAILABLE
    return told


@router.get("/v1/stats")
def stats(served: Library, allowed: MaySee) -> Reply:
    """What the library holds, in numbers."""
    return served.status(allowed=allowed)


@router.get("/v1/config")
def config(served: Library) -> Reply:
    """The settings that answers are made with, and the profiles that a question may name."""
    return served.config()


@router.get("/v1/metrics")
def metrics(request: Request) -> Reply:
    """What was counted since the server began, as JSON; `/metrics` tells Prometheus the same."""
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
