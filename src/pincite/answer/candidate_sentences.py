"""The scored sentences of hits, without those about another thing of the same series."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from pincite.records.document import BlockKind, Span
from pincite.records.flow import Dropped, Hit, Passage, Question
from pincite.stages import Sources
from pincite.text.as_read import statement_key
from pincite.text.details import details, identifiers

_PROSE = {BlockKind.PARAGRAPH, BlockKind.CODE, BlockKind.CAPTION}

Scored: TypeAlias = tuple[float, Span, int, Hit]
"""The score of a sentence, its span, its index in its passage, and the hit."""


def that_may_answer(
    question: Question, hits: Sequence[Hit], sources: Sources
) -> tuple[list[Scored], list[Dropped]]:
    """The sentences that may answer, best first, and those that were left out with the reason.

    If a sentence names the thing that is asked for, sentences about others of its series answer
    nothing: table rows may differ only in their number, which an encoder does not see.
    """
    scored = sorted(_scored(hits), key=lambda entry: (-entry[0], entry[1]))
    asked = identifiers(details(question.asked))
    if not asked:
        return scored, []
    named = [identifiers(details(_read(span, hit, sources))) for _, span, _, hit in scored]
    if not any(asked.keys() & found for found in named):
        return scored, []
    series = set(asked.values())
    is_other = [
        not asked.keys() & found and bool(series.intersection(found.values())) for found in named
    ]
    dropped = [
        dropped_as(hit.passage, span, score, f"names none of: {', '.join(sorted(asked))}")
        for (score, span, _, hit), other in zip(scored, is_other, strict=True)
        if other
    ]
    return [entry for entry, other in zip(scored, is_other, strict=True) if not other], dropped


def said_once(
    scored: Sequence[Scored], sources: Sources, margin: float
) -> tuple[list[Scored], list[Dropped]]:
    """Of prose that several files have word for word, the best scored is kept; the others are dropped.

    Sentences more than `margin` below the best are not looked at. List items and table rows in the
    same words may mean something else in another file.
    """
    kept: list[Scored] = []
    dropped: list[Dropped] = []
    said: dict[str, str] = {}
    for entry in scored:
        score, span, _, hit = entry
        if score < scored[0][0] - margin:
            kept.append(entry)
            continue
        document = sources.document(span.document_id)
        kinds = {block.kind for block in document.blocks_in(span.start, span.end)}
        key = statement_key(sources.text_of(span), document.media_type)
        if kinds <= _PROSE and said.setdefault(key, document.id) != document.id:
            dropped.append(
                dropped_as(hit.passage, span, score, "another file says this word for word")
            )
        else:
            kept.append(entry)
    return kept, dropped


def _scored(hits: Sequence[Hit]) -> list[Scored]:
    return [
        (score, span, row, hit)
        for hit in hits
        for row, (score, span) in enumerate(
            zip(hit.sentence_scores, hit.passage.sentences, strict=False)
        )
    ]


def _read(span: Span, hit: Hit, sources: Sources) -> str:
    """A sentence with the headings above it."""
    return " \n ".join([*hit.passage.section, sources.text_of(span)])


def dropped_as(passage: Passage, span: Span, score: float, reason: str) -> Dropped:
    """A sentence that was left out."""
    return Dropped(passage=passage, span=span, score=score, reason=reason)
