"""Adds supporting sentences, and newer versions of chosen ones, to a selection."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from pincite.answer.rescoring import numbered
from pincite.records.document import Span
from pincite.records.flow import Evidence, Hit, Question, Selection
from pincite.stages import Selector, Sources
from pincite.text.remarks import is_remark
from pincite.text.terms import terms
from pincite.text.versions import Version, are_counterparts, names_version, version_in, version_of

_LEAST_SHARE = 0.5
"""A sentence with a smaller share of the question's words is about something else."""

_LEAST_SCORE = 0.5
"""Least score, as a share of the best quote's score."""


class SupportingSelector:
    """Adds sentences to another selector's selection until there are `least` of them.

    Each continues the best one in its paragraph, or contains half of the words of the question.
    Sentences about something else are never added, so an answer may have fewer.
    """

    def __init__(self, selector: Selector, sources: Sources, *, least: int) -> None:
        self._selector = selector
        self._sources = sources
        self._least = least

    def select(self, question: Question, hits: Sequence[Hit]) -> Selection:
        """The selection followed by those sentences, best first."""
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
                if len(shared) < _LEAST_SHARE * len(asked) and not self._continues(span, best.span):
                    continue
                # A supporting sentence comes after the one it supports.
                yield Evidence(
                    id="",
                    span=span,
                    quote=quote,
                    passage=hit.passage,
                    score=min(score, best.score),
                )

    def _continues(self, span: Span, best: Span) -> bool:
        """Whether it is the next sentence of the same paragraph."""
        if span.document_id != best.document_id or span.start < best.end:
            return False
        document = self._sources.document(span.document_id)
        is_next = not document.text[best.end : span.start].strip()
        return is_next and len(document.blocks_in(best.start, span.end)) == 1


def _is_read_before(span: Span, best: Span) -> bool:
    return span.document_id == best.document_id and span.start < best.start


# Counterparts of chosen sentences in newer versions of their files.

_NEAR = 0.15
"""How far below the older sentence the newer one may score."""


class NewerSelector:
    """Adds counterparts from newer versions of the files to another selector's selection.

    They may have been dropped as repeats: "approved by the department head" and "approved by the
    supervisor" are nearly the same to an encoder. A counterpart in the same words replaces the older
    sentence. Versions are recognised by file names alone; if the question names one, nothing
    changes.
    """

    def __init__(self, selector: Selector, sources: Sources) -> None:
        self._selector = selector
        self._sources = sources

    def select(self, question: Question, hits: Sequence[Hit]) -> Selection:
        """The selection followed by the counterparts."""
        selection = self._selector.select(question, hits)
        found: dict[Span, Evidence] = {}
        counterparts: list[Evidence] = []
        for item in selection.evidence:
            newer = self._counterpart(question, item, hits)
            shown = item
            if newer is not None and newer.quote == item.quote:
                shown = replace(newer, score=item.score)
            elif newer is not None:
                counterparts.append(newer)
            found.setdefault(shown.span, shown)
        for item in counterparts:
            found.setdefault(item.span, item)
        evidence = numbered(found.values())
        return replace(
            selection,
            evidence=evidence,
            dropped=tuple(drop for drop in selection.dropped if drop.span not in found),
        )

    def _counterpart(
        self, question: Question, item: Evidence, hits: Sequence[Hit]
    ) -> Evidence | None:
        """The best sentence of the newest version that says it differently, or in the same words."""
        here = version_in(self._sources, item.span.document_id, question.collection)
        if here is None or names_version(question.text, here):
            return None
        candidates: list[tuple[Version, Evidence]] = []
        for hit in hits:
            if not hit.sentence_scores:  # It was not compared with the question.
                continue
            there = version_of(self._path(question, hit.passage.span))
            if there is None or not there.is_of(here) or there.numbers <= here.numbers:
                continue
            if names_version(question.text, there):
                return None
            candidates += [(there, other) for other in self._alike(item, hit)]
        best = max(candidates, key=lambda one: (one[0].numbers, one[1].score), default=None)
        return best[1] if best else None

    def _alike(self, item: Evidence, hit: Hit) -> Iterator[Evidence]:
        for span, score in zip(hit.passage.sentences, hit.sentence_scores, strict=False):
            if score < item.score - _NEAR:
                continue
            quote = self._sources.text_of(span)
            if are_counterparts(item.quote, quote):
                yield Evidence(id="", span=span, quote=quote, passage=hit.passage, score=score)

    def _path(self, question: Question, span: Span) -> str:
        return self._sources.source(span.document_id, question.collection).path
