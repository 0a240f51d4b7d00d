"""Does it still hold? Saved answers, reports and single quotes."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter
from pydantic import Field

from pincite.errors import UsageError
from pincite.interfaces.http.asked import Body, Library, MaySee, Reply
from pincite.interfaces.http.receipts import check

router = APIRouter(prefix="/v1", tags=["verify"])


class VerifyBody(Body):
    """A receipt, or a quote."""

    receipt: dict[str, Any] | None = Field(
        default=None, description="the whole reply of /v1/query, or what --save or a report wrote"
    )
    quote: Annotated[str, Field(max_length=20_000)] = ""
    document: str = Field(
        default="", description="look for the quote in this document alone, by id"
    )
    collection: str | None = None


@router.post("/verify")
def verify(body: VerifyBody, served: Library, allowed: MaySee) -> Reply:
    """Check a receipt against the files of the library, or where these very words stand."""
    if (body.receipt is None) == (not body.quote):
        raise UsageError("give either a 'receipt' or a 'quote'")
    if body.receipt is not None:
        return check(body.receipt, served, allowed=allowed)
    return served.verify_quote(
        body.quote, document=body.document, collection=body.collection, allowed=allowed
    )
