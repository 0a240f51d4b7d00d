"""How the server and its library are."""

from __future__ import annotations

from http import HTTPStatus

from fastapi import APIRouter, Response

from pincite.interfaces.server.asked import Library, MaySee, Reply

router = APIRouter(tags=["state"])


@router.get("/health")
def health(served: Library, response: Response) -> Reply:
    """Whether questions can be answered; 503 where a part that is needed is missing."""
    told = served.health()
    if told["problems"]:
        response.status_code = HTTPStatus.SERVICE_UNAVAILABLE
    return told


@router.get("/v1/stats")
def stats(served: Library, allowed: MaySee) -> Reply:
    """What the library holds, in numbers."""
    return served.status(allowed=allowed)
