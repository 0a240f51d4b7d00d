"""Routes for tables: the same questions of each document, every cell with its quote."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Response
from pydantic import Field

from pincite.errors import UsageError
from pincite.interfaces.http.asked import BaseUrl, Body, Library, MaySee, Reply
from pincite.report.sheets.files import sheet_bytes
from pincite.report.sheets.sheet import Column, parse_columns, shipped_columns, table_names

router = APIRouter(prefix="/v1/tables", tags=["tables"])

_KINDS = {
    "json": "application/json",
    "csv": "text/csv; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "html": "text/html; charset=utf-8",
}
_FILE: dict[int | str, dict[str, Any]] = {
    200: {"description": "the table", "content": {kind: {} for kind in _KINDS.values()}}
}
Line = Annotated[str, Field(min_length=1, max_length=2_200)]


class TableBody(Body):
    """A shipped table, or the client's own questions; of all documents or of some."""

    table: str = Field(default="", description="a name that GET /v1/tables lists")
    questions: Annotated[tuple[Line, ...], Field(max_length=100)] = Field(
        default=(), description="lines such as 'Rent [number]: What is the monthly rent?'"
    )
    documents: tuple[str, ...] = Field(
        default=(), description="names, ends of paths, patterns or ids; empty: all"
    )
    collection: str | None = None
    format: Literal["json", "csv", "xlsx", "html"] = "json"


@router.get("")
def tables() -> Reply:
    """The questions that are shipped."""
    return {
        "tables": [
            {"name": name, "columns": [asdict(column) for column in shipped_columns(name)]}
            for name in table_names()
        ]
    }


@router.post("", response_class=Response, responses=_FILE)
def table(body: TableBody, served: Library, allowed: MaySee, base: BaseUrl) -> Response:
    """Ask the questions of each document: a row each, with quotes or reasons."""
    made = served.table(
        _columns(body), documents=body.documents, collection=body.collection, allowed=allowed
    )
    content = sheet_bytes(made, f".{body.format}", server=base)
    headers = {"Content-Disposition": f'attachment; filename="table.{body.format}"'}
    return Response(content, media_type=_KINDS[body.format], headers=headers)


def _columns(body: TableBody) -> tuple[Column, ...]:
    if bool(body.table) == bool(body.questions):
        raise UsageError("give either a 'table' or 'questions'")
    if body.table:
        return shipped_columns(body.table)
    return parse_columns(body.questions, "questions")
