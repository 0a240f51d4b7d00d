"""Routes for the page's session cookie and for Prometheus metrics."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from pincite.ingest.detect import known_labels, readable_list
from pincite.interfaces.http.asked import MaySee, Reply
from pincite.interfaces.http.guards.rights import KEY_COOKIE, written_key

router = APIRouter(tags=["state"])


@router.get("/v1/session")
def session(request: Request, allowed: MaySee) -> Reply:
    """What this request's key may do: its scopes and collections (null: all); what is read."""
    return {
        "scopes": sorted(request.state.scopes),
        "collections": None if allowed is None else sorted(allowed),
        "formats": known_labels(),
        "suffixes": readable_list().split(),
    }


@router.post("/v1/session")
def open_session(request: Request, response: Response, allowed: MaySee) -> Reply:
    """Store this request's key in a cookie for the page, which scripts cannot read.

    Other pages cannot use it: their requests do not carry it and are refused because of their origin.
    """
    key = written_key(request.scope)
    if key:
        response.set_cookie(
            KEY_COOKIE,
            key,
            httponly=True,
            samesite="strict",
            secure=request.url.scheme == "https",
        )
    return session(request, allowed)


@router.delete("/v1/session")
def close_session(response: Response) -> Reply:
    """Delete the cookie."""
    response.delete_cookie(KEY_COOKIE, httponly=True, samesite="strict")
    return {}


@router.get("/metrics", response_class=Response)
def metrics(request: Request) -> Response:
    """The metrics of all processes in Prometheus's text format."""
    content, kind = request.app.state.metrics.written()
    return Response(content, media_type=kind)
