"""Conversations that are kept: `/v1/query` with `conversation` begins one or goes on with it."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Path

from pincite.interfaces.http.asked import Library, MaySee, Reply

router = APIRouter(prefix="/v1/conversations", tags=["conversations"])

Number = Annotated[int, Path(ge=1, le=2**62, description="the number of a conversation")]


@router.get("")
def conversations(served: Library, allowed: MaySee) -> Reply:
    """Every conversation, the newest first."""
    return {"conversations": served.talks.all(allowed=allowed)}


@router.get("/{number}")
def conversation(number: Number, served: Library, allowed: MaySee) -> Reply:
    """What was asked and answered in one, with permalinks."""
    return served.talks.turns(number, allowed=allowed)


@router.delete("/{number}", status_code=HTTPStatus.NO_CONTENT)
def delete_conversation(number: Number, served: Library, allowed: MaySee) -> None:
    """Forget one."""
    served.talks.delete(number, allowed=allowed)
