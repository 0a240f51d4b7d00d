"""What the library holds, and what stands behind a citation."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query

from pincite.interfaces.server.asked import Library, MaySee, Reply

router = APIRouter(prefix="/v1", tags=["documents"])

DocumentId = Annotated[str, Path(pattern="^[0-9a-f]{16}$", description="a document's id")]
Place = Annotated[int, Query(ge=0, le=2**31, description="in characters")]


@router.get("/citations/{identity}")
def citation(identity: str, served: Library, allowed: MaySee) -> Reply:
    """Check one citation again, now: verified, changed, gone or unknown."""
    return served.citation(identity, allowed=allowed)


@router.get("/documents")
def documents(served: Library, allowed: MaySee, collection: str | None = None) -> Reply:
    """Every file, with how much of it can be found."""
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
