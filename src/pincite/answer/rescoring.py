"""Changes the scores of sentences, so that a selector prefers those that surely answer."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import replace

from pincite.records.document import Span
from pincite.records.flow import Evidence, Hit

_LEAD = 0.001
"""How far the best lifted sentence is put above the best of all."""


def scored_sentences(hits: Sequence[Hit]) -> Iterator[tuple[float, Span, Hit]]:
    """Every sentence that has a score, with its hit."""
    for hit in hits:
        for score, span in zip(hit.sentence_scores, hit.passage.sentences, strict=False):
            yield score, span, hit


def lifted(hits: Sequence[Hit], spans: Container[Span], *, least: float = 0.0) -> Sequence[Hit]:
    """The hits with these sentences scored higher, up to 1.

    All are raised by the same amount, so that the best of them is the best of all, and at least
    `least`.
    """
    scores = [(score, span in spans) for score, span, _ in scored_sentences(hits)]
    own = max((score for score, inside in scores if inside), default=None)
    if own is None:
        return hits
    best, is_among = max(scores)
    lift = max(0.0 if is_among else best - own + _LEAD, least - own)
    if lift <= 0:
        return hits
    return [
        rescored(hit, lambda score, span: min(1.0, score + lift) if span in spans else score)
        for hit in hits
    ]


def silenced(hits: Sequence[Hit], spans: Container[Span]) -> Sequence[Hit]:
    """The hits with these sentences scored 0."""
    return [rescored(hit, lambda score, span: 0.0 if span in spans else score) for hit in hits]


def rescored(hit: Hit, score_of: Callable[[float, Span], float]) -> Hit:
    """The hit with `score_of` applied to the score of each sentence."""
    scored = zip(hit.sentence_scores, hit.passage.sentences, strict=False)
    scores = tuple(score_of(score, span) for score, span in scored)
    return hit if scores == hit.sentence_scores else replace(hit, sentence_scores=scores)


# Ids of selected sentences.


def numbered(items: Iterable[Evidence]) -> tuple[Evidence, ...]:
    """The items in their order as `e1`, `e2`, ..., by which drafts cite them."""
    return tuple(replace(item, id=f"e{number}") for number, item in enumerate(items, start=1))
