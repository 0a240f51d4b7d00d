"""Questions: an answer of checked quotes, or the passages that were found."""

from __future__ import annotations

from fastapi import APIRouter

from pincite.interfaces.server.asked import Library, MaySee, QueryBody, Reply, SearchBody

router = APIRouter(prefix="/v1", tags=["ask"])


@router.post("/query")
def query(body: QueryBody, served: Library, allowed: MaySee) -> Reply:
    """Answer with exact quotes, or refuse and say why."""
    return served.ask(
        body.question,
        collection=body.collection,
        filters=body.filters.filters(),
        profile=body.profile,
        debug=body.debug,
        allowed=allowed,
    )


@router.post("/search")
def search(body: SearchBody, served: Library, allowed: MaySee) -> Reply:
    """The passages that may answer, best first."""
    return served.search(
        body.question,
        limit=body.limit,
        collection=body.collection,
        filters=body.filters.filters(),
        sections=body.sections,
        debug=body.debug,
        allowed=allowed,
    )
