"""Routes of the server."""

from __future__ import annotations

from fastapi import APIRouter

from pincite.interfaces.http.asked import MaySee
from pincite.interfaces.http.served import Served


def routes(served: Served) -> APIRouter:
    """`server.plugins = ["titles"]`: GET /plugins/titles, for those collections a client may see."""
    router = APIRouter()

    @router.get("")
    def all_titles(allowed: MaySee) -> list[str]:
        return [file.title for file in served.files(allowed)]

    return router
