"""The search results common to all integrations: a text and its location."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pincite.interfaces.forms import passage_text
from pincite.library.library import Library
from pincite.records.flow import Answer


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A passage or a checked quote. `score` is in 0..1; `metadata` has only plain values."""

    id: str
    text: str
    score: float
    metadata: dict[str, Any]


def passages(library: Library, question: str, *, limit: int) -> Iterator[Found]:
    """Passages that may answer, best first; they are candidates, not checked answers."""
    for hit in library.search(question, limit=limit).hits:
        span = hit.passage.span
        yield Found(
            id=hit.passage.id,
            text=passage_text(library, hit.passage),
            score=hit.score,
            metadata={
                "source": library.catalog.source(span.document_id).path,
                "page": hit.passage.page,
                "section": " > ".join(hit.passage.section),
                "start_char_index": span.start,
                "end_char_index": span.end,
                "is_checked_quote": False,
            },
        )


def quotes(answer: Answer, *, limit: int) -> Iterator[Found]:
    """The quotes of an answer, verbatim from their files; none if it abstained."""
    for number, citation in enumerate(answer.citations[:limit], start=1):
        yield Found(
            id=f"{citation.document}:{citation.start}-{citation.end}",
            text=citation.quote,
            score=answer.confidence,
            metadata={
                "source": citation.source,
                "sha256": citation.sha256,
                "page": citation.page,
                "section": citation.section,
                "start_char_index": citation.start,
                "end_char_index": citation.end,
                "citation": number,
                "is_checked_quote": True,
            },
        )


def found(library: Library, question: str, *, limit: int, checked: bool) -> list[Found]:
    """Quotes of the answer with `checked`, otherwise passages."""
    if checked:
        return list(quotes(library.ask(question), limit=limit))
    return list(passages(library, question, limit=limit))
