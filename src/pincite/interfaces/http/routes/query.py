"""Routes for questions: answers made of checked quotes, passages, counts, and checked texts."""

from __future__ import annotations

from typing import Annotated

from anyio.to_thread import run_sync
from fastapi import APIRouter, Header, Request, Response

from pincite.interfaces.http.asked import (
    BriefBody,
    CheckBody,
    CompareBody,
    CountBody,
    Library,
    MaySee,
    Owner,
    QueryBody,
    Reply,
    SearchBody,
    TimelineBody,
)
from pincite.interfaces.http.observing import record_answer
from pincite.interfaces.http.served import Allowed, Form, Served
from pincite.interfaces.http.streams import Progress, Send, rendered, stream

router = APIRouter(prefix="/v1", tags=["ask"])

_EVENTS = {
    "description": "the answer; with `stream`, the events that docs/server.md lists",
    "content": {"application/json": {}, "text/event-stream": {}},
}


@router.post("/query", responses={200: _EVENTS})
async def query(
    request: Request,
    body: QueryBody,
    served: Library,
    allowed: MaySee,
    owner: Owner,
    accept: Annotated[str, Header()] = "",
) -> Response:
    """Answer with exact quotes, or abstain and say why; as one reply or as a stream of events."""
    if body.stream or "text/event-stream" in accept:

        def work(send: Send) -> None:
            progress = Progress(send, served.telling.to(allowed))
            form = _answer(body, served, allowed, owner, progress)
            record_answer(request, body.question, form)
            progress.done(form)

        return await stream(request, work, request.app.state.ending)
    form = await run_sync(_answer, body, served, allowed, owner)
    await run_sync(record_answer, request, body.question, form)
    return Response(rendered(form), media_type="application/json")


def _answer(
    body: QueryBody,
    served: Served,
    allowed: Allowed,
    owner: str,
    progress: Progress | None = None,
) -> Form:
    return served.ask(
        body.question,
        collection=body.collection,
        filters=body.filters.filters(),
        profile=body.profile,
        conversation=body.conversation,
        debug=body.debug,
        allowed=allowed,
        owner=owner,
        found=progress.found if progress else None,
        watch=progress.watch if progress else None,
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


@router.post("/count")
def count(body: CountBody, served: Library, allowed: MaySee) -> Reply:
    """How often words occur in all documents, with a citation for every mention."""
    return served.count(
        body.words,
        collection=body.collection,
        filters=body.filters.filters(),
        allowed=allowed,
    )


@router.post("/check")
def check(body: CheckBody, served: Library, allowed: MaySee) -> Reply:
    """What the documents say about each statement of a text: supported, contradicted or not found."""
    return served.check(
        body.text,
        collection=body.collection,
        filters=body.filters.filters(),
        allowed=allowed,
    )


@router.post("/compare")
def compare(body: CompareBody, served: Library, allowed: MaySee) -> Reply:
    """What differs between two documents: numbers, dates, duties and negations first."""
    return served.compare(body.before, body.after, allowed=allowed)


@router.post("/timeline")
def timeline(body: TimelineBody, served: Library, allowed: MaySee) -> Reply:
    """The dated statements about something, or of some documents, in order."""
    return served.timeline(body.question, body.collection, body.filters.filters(), allowed=allowed)


@router.post("/brief")
def brief(body: BriefBody, served: Library, allowed: MaySee) -> Reply:
    """A document in its own sentences, every section represented."""
    return served.brief(body.document, body.section, body.share, allowed=allowed)
