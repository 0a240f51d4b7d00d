"""Routes compatible with three other systems, so that clients written for them keep working."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Request
from pydantic import Field

from pincite.interfaces.http.asked import Body, Library, MaySee, Reply
from pincite.interfaces.http.observing import record_answer
from pincite.interfaces.http.served import Allowed, Form, Served
from pincite.records.filters import Filters

router = APIRouter(tags=["other systems"])

_NO_ANSWER = "The documents do not answer this."
_PREVIEW_CHARS = 500


class ApiSearchBody(Body):
    """A search and, on request, an answer."""

    query: str
    top_k: Annotated[int, Field(ge=1, le=100)] = 5
    generate_answer: bool = False
    document: str | None = Field(default=None, description="search only this document")


class AnswerBody(Body):
    """A question; `company_name` is the collection."""

    question: str
    company_name: str | None = None
    debug: bool = False


@router.post("/api/search")
def api_search(request: Request, body: ApiSearchBody, served: Library, allowed: MaySee) -> Reply:
    """Passages with their scores; with `generate_answer`, an answer made of checked quotes."""
    filters = Filters.parse(documents=[_pattern(body.document)] if body.document else None)
    found = served.search(
        body.query, limit=body.top_k, filters=filters, debug=True, allowed=allowed
    )
    scores = _scores(found["trace"])
    reply: Form = {
        "query": body.query,
        "count": len(found["hits"]),
        "results": [_result(hit, scores.get(hit["passage_id"], {})) for hit in found["hits"]],
    }
    if body.generate_answer:
        form = served.ask(body.query, filters=filters, allowed=allowed)
        record_answer(request, body.query, form)
        reply |= {"answer": form["text"] or _NO_ANSWER, "citations": form["citations"]}
        reply["links"] = form["links"]
    return reply


@router.get("/api/stats")
def api_stats(served: Library, allowed: MaySee) -> Reply:
    """What the library contains, and how it is searched."""
    files = served.files(allowed)
    encoder = served.library.encoder()
    return {
        "total_chunks": sum(file.passages for file in files),
        "total_documents": len(files),
        "documents": [served.telling.to(allowed)(file.path) for file in files],
        "embedding_dimension": encoder.dimensions if encoder else 0,
        "index_type": served.library.settings.dense.engine,
        "similarity_metric": "cosine",
    }


@router.post("/answer")
def answer(request: Request, body: AnswerBody, served: Library, allowed: MaySee) -> Reply:
    """The text of an answer; with `debug`, its sources."""
    form = served.ask(
        body.question, collection=body.company_name, debug=body.debug, allowed=allowed
    )
    record_answer(request, body.question, form)
    reply: Form = {
        **({"company_name": body.company_name} if body.company_name else {}),
        "question": body.question,
        "answer": form["text"] or _NO_ANSWER,
    }
    return {**reply, **_debug(body, form, served, allowed)} if body.debug else reply


def _debug(body: AnswerBody, form: Form, served: Served, allowed: Allowed) -> Form:
    found = served.search(body.question, collection=body.company_name, allowed=allowed)
    preview = " ".join(hit["text"] for hit in found["hits"])
    return {
        "sources": [
            {"chunk_id": hit["passage_id"], "section": hit["section"]} for hit in found["hits"]
        ],
        "retrieved_chunks_count": len(found["hits"]),
        "retrieved_context_preview": preview[:_PREVIEW_CHARS],
        "status": form["status"],
        "confidence": form["confidence"],
        "reasons": form["reasons"],
        "citations": form["citations"],
        "links": form["links"],
    }


def _pattern(document: str) -> str:
    """A pattern for a document's name, which the other system gives without its suffix."""
    return document if "." in document or "*" in document else f"{document}*"


def _scores(trace: Form) -> dict[str, dict[str, Any]]:
    """The scores of each remaining passage by stage."""
    return {
        hit["passage_id"]: hit["scores"] for stage in trace["stages"] for hit in stage["kept"]
        if "scores" in hit
    }  # fmt: skip


def _result(hit: Form, scores: dict[str, Any]) -> Form:
    return {
        "rank": hit["rank"],
        "chunk_id": hit["passage_id"],
        "doc_name": hit["source"].rpartition("/")[2].rpartition(".")[0] or hit["source"],
        "page": hit["page"],
        "section": hit["section"],
        "text": hit["text"],
        "score": hit["score"],
        "similarity": scores.get("dense"),
        "rerank_score": scores.get("late_interaction"),
    }
