"""Do the citations of an answer lead to what a labelled set says is right?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import mean
from typing import TypeAlias

from pincite.evaluate.datasets import GoldQuestion, GoldSpan
from pincite.records import Citation
from pincite.text.exact_words import holds

Names: TypeAlias = Callable[[str], Sequence[str]]
"""Gives the ids in the set of a document of the library."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationShares:
    """Precision and recall of the citations of one answer, each in 0..1 (docs/evaluation.md).

    `precision` and `recall` go by relevant documents; `gold_precision` and `gold_recall` by where
    the answer stands in them, None where the set does not say.
    """

    precision: float
    recall: float
    gold_precision: float | None
    gold_recall: float | None


def holds_gold(
    citations: Sequence[Citation], question: GoldQuestion, names: Names
) -> list[bool] | None:
    """For each citation, whether it covers a gold span; by whole words where there are no spans.

    None where the set does not say where the answer stands.
    """
    if question.spans:
        return [any(_covers(c, span, names) for span in question.spans) for c in citations]
    if question.answers:
        return [any(holds(c.quote, gold) for gold in question.answers) for c in citations]
    return None


def is_right(citations: Sequence[Citation], question: GoldQuestion, names: Names) -> bool:
    """Whether some citation holds the gold; the first is from a relevant document where none is told.

    An answer to a question that has none is wrong.
    """
    if question.answerable is False:
        return False
    found = holds_gold(citations, question, names)
    if found is not None:
        return any(found)
    return any(is_relevant(citation.document, question, names) for citation in citations[:1])


def is_relevant(document: str, question: GoldQuestion, names: Names) -> bool:
    """Whether a document of the library is one that answers the question."""
    return any(name in question.relevant for name in names(document))


def citation_shares(
    citations: Sequence[Citation], question: GoldQuestion, names: Names
) -> CitationShares | None:
    """None where nothing was cited, and where the set has no relevant document."""
    if not citations or not question.relevant:
        return None
    relevant = [is_relevant(citation.document, question, names) for citation in citations]
    cited = {name for citation in citations for name in names(citation.document)}
    held = holds_gold(citations, question, names)
    gold = None if held is None else [a and b for a, b in zip(relevant, held, strict=True)]
    return CitationShares(
        precision=float(mean(relevant)),
        recall=len(cited & question.relevant.keys()) / len(question.relevant),
        gold_precision=None if gold is None else float(mean(gold)),
        gold_recall=None if gold is None else _gold_recall(gold, citations, question, names),
    )


def _gold_recall(
    gold: Sequence[bool], citations: Sequence[Citation], question: GoldQuestion, names: Names
) -> float:
    """Share of the gold places that are covered; gold answers are ways to say one thing."""
    if not question.spans:
        return float(any(gold))
    covered = [
        any(_covers(citation, span, names) for citation in citations for span in place)
        for place in _places(question.spans)
    ]
    return float(mean(covered))


def _places(spans: Sequence[GoldSpan]) -> Iterator[list[GoldSpan]]:
    """Spans that overlap, together: annotators mark one answer in longer and in shorter ways."""
    place: list[GoldSpan] = []
    for span in sorted(spans, key=lambda one: (one.document, one.start)):
        reached = max((one.end for one in place if one.document == span.document), default=-1)
        if place and span.start >= reached:
            yield place
            place = []
        place.append(span)
    if place:
        yield place


def _covers(citation: Citation, span: GoldSpan, names: Names) -> bool:
    return (
        span.document in names(citation.document)
        and citation.start <= span.start
        and span.end <= citation.end
    )
