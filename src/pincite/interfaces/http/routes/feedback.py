"""Routes for feedback on answers, stored in the library for calibration and labelled sets."""

from __future__ import annotations

from dataclasses import asdict
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import APIRouter, Path
from pydantic import Field, StrictBool

from pincite.interfaces.http.asked import Body, Library, MaySee, Reply
from pincite.interfaces.http.problems import not_found
from pincite.store.catalog.feedback import Judgement
from pincite.verify.receipts.permalinks import Permalink

router = APIRouter(prefix="/v1/feedback", tags=["feedback"])

_MOST_CITATIONS = 200
Words = Annotated[str, Field(max_length=10_000)]


class FeedbackBody(Body):
    """Feedback on an answer."""

    question: Annotated[str, Field(min_length=1, max_length=10_000)]
    helpful: StrictBool
    correction: Words = Field(default="", description="what the answer should have been")
    comment: Words = ""
    collection: str | None = None
    answer: dict[str, Any] = Field(
        default={}, description="the reply of /v1/query that it refers to"
    )


@router.post("", status_code=HTTPStatus.CREATED)
def give(body: FeedbackBody, served: Library, allowed: MaySee) -> Reply:
    """Report whether an answer helped, and what it should have been."""
    judgement = Judgement(
        question=body.question,
        helpful=body.helpful,
        collection=served.scope(body.collection, allowed),
        correction=body.correction,
        comment=body.comment,
        answer=_kept_of(body.answer),
    )
    return {"feedback": served.library.catalog.feedback.keep(judgement)}


@router.get("")
def every(served: Library, allowed: MaySee) -> Reply:
    """All feedback, also as a labelled set: rows for `queries.jsonl` and the judged documents.

    Documents cited by a helpful answer are relevant to its question; those cited by an unhelpful one
    are not.
    """
    found = served.library.catalog.feedback.all(allowed)
    labels = [
        {"query_id": str(one.number), "doc_id": document, "score": int(one.helpful)}
        for one in found
        for document in dict.fromkeys(_documents(one))
    ]
    return {
        "feedback": [asdict(one) for one in found],
        "queries": [{"id": str(one.number), "text": one.question} for one in found],
        "labels": labels,
    }


@router.delete("/{number}", status_code=HTTPStatus.NO_CONTENT)
def forget(number: Annotated[int, Path(ge=1, le=2**62)], served: Library, allowed: MaySee) -> None:
    """Delete one feedback."""
    kept = served.library.catalog.feedback
    if number not in {one.number for one in kept.all(allowed)} or not kept.delete(number):
        raise not_found(f"there is no feedback {number}")


def _kept_of(answer: dict[str, Any]) -> dict[str, Any]:
    """The useful and validated part of an answer from a client; nothing else is stored."""
    links = answer.get("links")
    known = [link for link in links if isinstance(link, dict)] if isinstance(links, list) else []
    ids = [link.get("id") for link in known]
    status, confidence = answer.get("status"), answer.get("confidence")
    return {
        "status": status if status in ("answered", "abstained") else "",
        "confidence": confidence if isinstance(confidence, (int, float)) else None,
        "citations": [
            one for one in ids[:_MOST_CITATIONS] if isinstance(one, str) and Permalink.parsed(one)
        ],
    }


def _documents(one: Judgement) -> list[str]:
    links = (Permalink.parsed(identity) for identity in one.answer["citations"])
    return [link.document for link in links if link is not None]
