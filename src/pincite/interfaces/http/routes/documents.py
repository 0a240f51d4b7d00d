"""Routes for the library's documents and for citations."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Response

from pincite.interfaces.http.asked import Library, MaySee, Reply

router = APIRouter(prefix="/v1", tags=["documents"])

DocumentId = Annotated[str, Path(pattern="^[0-9a-f]{16}$", description="a document's id")]
PageNumber = Annotated[int, Path(ge=1, le=10**6, description="pages count from 1")]
Place = Annotated[int, Query(ge=0, le=2**31, description="in characters")]

_PNG: dict[int | str, dict[str, Any]] = {
    200: {"content": {"image/png": {}}, "description": "the page"}
}


@router.get("/citations/{identity}")
def citation(identity: str, served: Library, allowed: MaySee) -> Reply:
    """Check one citation again now: verified, changed, gone or unknown."""
    return served.citation(identity, allowed=allowed)


@router.get("/documents")
def documents(served: Library, allowed: MaySee, collection: str | None = None) -> Reply:
    """Every file, with its coverage."""
    return {"documents": served.documents(collection=collection, allowed=allowed)}


@router.get("/documents/{document_id}")
def document(document_id: DocumentId, served: Library, allowed: MaySee) -> Reply:
    """One document, its files and its pages."""
    return served.document(document_id, allowed=allowed)


@router.get("/documents/{document_id}/text")
def text(
    document_id: DocumentId,
    served: Library,
    allowed: MaySee,
    start: Place = 0,
    end: Place | None = None,
) -> Reply:
    """A range of a document's text."""
    return served.text(document_id, start=start, end=end, allowed=allowed)


@router.get("/documents/{document_id}/boxes")
def boxes(
    document_id: DocumentId, served: Library, allowed: MaySee, start: Place, end: Place
) -> Reply:
    """The position of a text range on its pages: a box for each line, in points."""
    return {"boxes": served.boxes(document_id, start=start, end=end, allowed=allowed)}


@router.get("/documents/{document_id}/pages/{number}.png", response_class=Response, responses=_PNG)
def picture(
    document_id: DocumentId,
    number: PageNumber,
    served: Library,
    allowed: MaySee,
    scale: Annotated[float, Query(ge=0.25, le=4, description="pixels for each point")] = 1.5,
) -> Response:
    """A page of a PDF as an image."""
    drawn = served.picture(document_id, number, scale=scale, allowed=allowed)
    # A document's id is derived from its bytes, so the image never changes.
    headers = {"Cache-Control": "private, max-age=3600, immutable"}
    return Response(drawn, media_type="image/png", headers=headers)


@router.get("/documents/{document_id}/pages/{number}")
def page(
    document_id: DocumentId,
    number: PageNumber,
    served: Library,
    allowed: MaySee,
    words: Annotated[bool, Query(description="add the position of each word")] = False,
) -> Reply:
    """One page: its size in points, its text range and, on request, its words."""
    return served.page(document_id, number, words=words, allowed=allowed)


@router.delete("/documents/{document_id}")
def delete(
    document_id: DocumentId, served: Library, allowed: MaySee, collection: str | None = None
) -> Reply:
    """Remove a document from one collection, or from all that the client may see."""
    return served.remove(document_id, collection=collection, allowed=allowed)
