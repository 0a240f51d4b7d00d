"""Routes for saved conversations; `/v1/query` with `conversation` starts or continues one."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Path, Query

from pincite.interfaces.http.asked import Library, MaySee, Owner, Reply

router = APIRouter(prefix="/v1/conversations", tags=["conversations"])

Number = Annotated[int, Path(ge=1, le=2**62, description="the number of a conversation")]


@router.get("")
def conversations(
    served: Library,
    allowed: MaySee,
    owner: Owner,
    before: Annotated[int | None, Query(ge=1, le=2**62, description="older than this one")] = None,
    limit: Annotated[int, Query(ge=1, le=1000, description="at most so many")] = 100,
) -> Reply:
    """The conversations that this key began, newest first, and whether there are `more`, older ones."""
    return served.talks.page(allowed=allowed, owner=owner, before=before, most=limit)


@router.get("/{number}")
def conversation(number: Number, served: Library, allowed: MaySee, owner: Owner) -> Reply:
    """The questions and answers of a conversation, with permalinks."""
    return served.talks.turns(number, allowed=allowed, owner=owner)


@router.delete("/{number}", status_code=HTTPStatus.NO_CONTENT)
def delete_conversation(number: Number, served: Library, allowed: MaySee, owner: Owner) -> None:
    """Delete a conversation."""
    served.talks.delete(number, allowed=allowed, owner=owner)
