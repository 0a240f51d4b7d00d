"""Serves the web page: its files, and routes that only the page uses (docs/page.md)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request, Response

from pincite.interfaces.http.asked import Library, MaySee, Reply
from pincite.interfaces.http.guards.rights import VIEWS
from pincite.interfaces.http.problems import not_found
from pincite.records.document import Block, Document, Range

router = APIRouter()

POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
    )
)
"""The content security policy: load from this server only, and never interpret text as code."""

_HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    # Revalidated each time, so that a new version shows its own page; the ETag makes it cheap.
    "Cache-Control": "no-cache",
}
_KINDS = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}
_SHELL = "index.html"
_PAGE = ["GET", "HEAD"]
_MOST_CHARACTERS = 100_000
"""Most characters of a document in one reply."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _File:
    content: bytes
    kind: str
    tag: str


@lru_cache(maxsize=1)
def _files() -> Mapping[str, _File]:
    """All files of the page, in memory: a requested name never reaches the disk."""
    found = {}
    for entry in files("pincite.interfaces.http").joinpath("page").iterdir():
        kind = _KINDS.get(entry.name.rpartition(".")[2])
        if kind:
            content = entry.read_bytes()
            tag = f'"{hashlib.sha256(content).hexdigest()[:20]}"'
            found[entry.name] = _File(content=content, kind=kind, tag=tag)
    return found


def shell(request: Request) -> Response:
    """The page; its script shows the view for the address."""
    return _sent(request, _files()[_SHELL])


for _view in VIEWS:
    router.api_route(_view, methods=_PAGE, include_in_schema=False)(shell)


def nowhere(request: Request) -> Response | None:
    """The page with the status 404, for a browser at an unknown address; None for other clients."""
    accepted = request.headers.get("accept", "")
    if request.method not in _PAGE or "text/html" not in accepted:
        return None
    shown = _files()[_SHELL]
    return Response(shown.content, status_code=404, media_type=shown.kind, headers=_HEADERS)


@router.api_route("/page/{name}", methods=_PAGE, include_in_schema=False)
def part_of_page(name: str, request: Request) -> Response:
    """A script, style sheet or image of the page."""
    found = _files().get(name)
    if found is None or name == _SHELL:
        raise not_found("the page has no such file")
    return _sent(request, found)


def _sent(request: Request, file: _File) -> Response:
    headers = {**_HEADERS, "ETag": file.tag}
    if request.headers.get("if-none-match") == file.tag:
        return Response(status_code=304, headers=headers)
    return Response(file.content, media_type=file.kind, headers=headers)


# --- Problems of the library -----------------------------------------------------------------------


@router.get("/v1/problems", tags=["documents"])
def problems(served: Library, allowed: MaySee) -> Reply:
    """Files that could not be read, and kept answers whose quotes are no longer there."""
    catalog = served.library.catalog
    scopes = [None] if allowed is None else sorted(allowed)
    names = served.telling.to(allowed)
    failed = [
        {
            "name": (name := names(problem.path)),
            "reason": names.message(problem.reason.replace(problem.path, name)),
        }
        for scope in scopes
        for problem in catalog.failures(scope)
    ]
    stale = [
        {"question": kept.form["question"], "kept_at": kept.kept_at, "quotes": len(kept.stale)}
        for kept in catalog.history.entries()
        if kept.stale and (allowed is None or kept.collection in allowed)
    ]
    return {"failed": failed, "stale": stale}


# --- The text of a document with its layout --------------------------------------------------

Place = Annotated[int, Query(ge=0, le=2**31, description="in characters")]


@router.get("/v1/documents/{document_id}/blocks", tags=["documents"])
def blocks(
    document_id: Annotated[str, Path(pattern="^[0-9a-f]{16}$")],
    served: Library,
    allowed: MaySee,
    start: Place = 0,
    end: Place = 10_000,
) -> Reply:
    """A range of a document's text with its headings, paragraphs, list items and table cells.

    The range is widened to whole blocks and cut to the maximum length of a reply.
    """
    document = served.held(document_id, allowed).document
    first, last = _widened(document, start, end)
    return {
        "start": first,
        "end": last,
        "length": len(document.text),
        "text": document.text[first:last],
        "blocks": list(_block_forms(document, first, last)),
    }


def _widened(document: Document, start: int, end: int) -> Range:
    start = min(start, len(document.text))
    end = min(max(start, end), start + _MOST_CHARACTERS, len(document.text))
    inside = document.blocks_in(start, end)
    if not inside:
        return start, end
    first, last = min(start, inside[0].start), max(end, inside[-1].end)
    return (first, last) if last - first <= 2 * _MOST_CHARACTERS else (start, end)


def _block_forms(document: Document, first: int, last: int) -> Iterator[dict[str, Any]]:
    for block in document.blocks_in(first, last):
        start, end = max(block.start, first), min(block.end, last)
        form: dict[str, Any] = {"start": start, "end": end, "kind": str(block.kind)}
        if block.place:
            form["place"] = block.place
        if block.cells and (start, end) == (block.start, block.end):
            form["cells"] = list(_cell_forms(block))
        yield form


def _cell_forms(block: Block) -> Iterator[dict[str, Any]]:
    """Cells from left to right; `head` marks row and column headers."""
    heads_row = {head for cell in block.cells for head in cell.row_headers}
    is_head_row = not any(cell.column_headers or cell.row_headers for cell in block.cells)
    for cell in block.cells:
        is_head = is_head_row or (cell.start, cell.end) in heads_row
        form: dict[str, Any] = {"start": cell.start, "end": cell.end, "head": is_head}
        yield {**form, "place": cell.place} if cell.place else form
