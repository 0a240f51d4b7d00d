"""The route that checks saved answers, reports and single quotes again."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter
from pydantic import Field

from pincite.errors import UsageError
from pincite.interfaces.http.asked import Body, Library, MaySee, Reply
from pincite.interfaces.http.receipts import check

router = APIRouter(prefix="/v1", tags=["verify"])


class VerifyBody(Body):
    """A receipt or a quote to check."""

    receipt: dict[str, Any] | None = Field(
        default=None, description="the whole reply of /v1/query, or what --save or a report wrote"
    )
    quote: Annotated[str, Field(max_length=20_000)] = ""
    document: str = Field(default="", description="id of the only document to search for the quote")
    collection: str | None = None


@router.post("/verify")
def verify(body: VerifyBody, served: Library, allowed: MaySee) -> Reply:
    """Check a receipt against the library's files, or find where these exact words occur."""
    if (body.receipt is None) == (not body.quote):
        raise UsageError("give either a 'receipt' or a 'quote'")
    if body.receipt is not None:
        return check(body.receipt, served, allowed=allowed)
    return served.verify_quote(
        body.quote, document=body.document, collection=body.collection, allowed=allowed
    )
