"""Where several quotes are wanted, what is said of the same thing stands beside the best one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from pincite.document import Span
from pincite.evidence.numbering import numbered
from pincite.evidence.table_heads import is_table_head
from pincite.records import Evidence, Hit, Question, Selection
from pincite.stages import Selector, Sources
from pincite.text.remarks import is_remark
from pincite.text.terms import terms

_LEAST_SHARE = 0.5
"""Of the words of the question: a sentence of other passages with fewer is about something else."""

_LEAST_SCORE = 0.5
"""Of the best quote's score."""


class SupportingSelector:
    """Adds sentences to what another selector has chosen until there are `least` of them.

    One goes on from the best one in its paragraph, others have half of the words of the question.
    What is about something else is never added: an answer may have fewer.
    """

    def __init__(self, selector: Selector, sources: Sources, *, least: int) -> None:
        self._selector = selector
        self._sources = sources
        self._least = least

    def select(self, question: Question, hits: Sequence[Hit]) -> Selection:
        """The selection with those sentences behind it, best first."""
        selection = self._selector.select(question, hits)
        chosen = selection.evidence
        missing = self._least - len(chosen)
        if not chosen or missing <= 0:
            return selection
        best = max(chosen, key=lambda item: item.score)
        quotes = {item.quote for item in chosen}
        found: dict[str, Evidence] = {}
        for item in sorted(self._near(question, best, hits), key=lambda item: -item.score):
            if item.quote not in quotes:
                found.setdefault(item.quote, item)
        added = [*found.values()][:missing]
        spans = {item.span for item in added}
        return replace(
            selection,
            evidence=numbered([*chosen, *added]),
            dropped=tuple(drop for drop in selection.dropped if drop.span not in spans),
        )

    def _near(self, question: Question, best: Evidence, hits: Sequence[Hit]) -> Iterator[Evidence]:
        asked = frozenset(terms(question.asked, question.language))
        for hit in hits:
            for span, score in zip(hit.passage.sentences, hit.sentence_scores, strict=False):
                if score < _LEAST_SCORE * best.score or _is_read_before(span, best.span):
                    continue
                quote = self._sources.text_of(span)
                if quote.rstrip().endswith(("?", "？")) or is_remark(quote):
                    continue
                shared = asked.intersection(terms(quote, question.language))
                if len(shared) < _LEAST_SHARE * len(asked) and not self._goes_on(span, best.span):
                    continue
                document = self._sources.document(span.document_id)
                if not is_table_head(document, hit.passage, span):
                    # What supports is read behind what it supports.
                    yield Evidence(
                        id="",
                        span=span,
                        quote=quote,
                        passage=hit.passage,
                        score=min(score, best.score),
                    )

    def _goes_on(self, span: Span, best: Span) -> bool:
        """Whether it is the next sentence of the same paragraph."""
        if span.document_id != best.document_id or span.start < best.end:
            return False
        document = self._sources.document(span.document_id)
        is_next = not document.text[best.end : span.start].strip()
        return is_next and len(document.blocks_in(best.start, span.end)) == 1


def _is_read_before(span: Span, best: Span) -> bool:
    return span.document_id == best.document_id and span.start < best.start
