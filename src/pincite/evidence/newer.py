"""Beside a sentence of an outdated file stands what the newer version says in its place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from pincite.document import Span
from pincite.evidence.numbering import numbered
from pincite.records import Evidence, Hit, Question, Selection
from pincite.stages import Selector, Sources
from pincite.text.versions import (
    Version,
    are_counterparts,
    names_version,
    version_in,
    version_of,
)

_NEAR = 0.15
"""How far below the older sentence the newer one may score."""


class NewerSelector:
    """Adds to what another selector has chosen the counterparts from newer versions of the files.

    They may have been left out as repeats: "approved by the department head" and "approved by the
    supervisor" are nearly the same to an encoder. A counterpart in the same words takes the older
    sentence's place. Versions are told by the names of files alone; where the question names one,
    nothing changes.
    """

    def __init__(self, selector: Selector, sources: Sources) -> None:
        self._selector = selector
        self._sources = sources

    def select(self, question: Question, hits: Sequence[Hit]) -> Selection:
        """The selection with the counterparts behind it."""
        selection = self._selector.select(question, hits)
        found: dict[Span, Evidence] = {}
        beside: list[Evidence] = []
        for item in selection.evidence:
            newer = self._counterpart(question, item, hits)
            shown = item
            if newer is not None and newer.quote == item.quote:
                shown = replace(newer, score=item.score)
            elif newer is not None:
                beside.append(newer)
            found.setdefault(shown.span, shown)
        for item in beside:
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
            if not hit.sentence_scores:  # Not compared with the question: it has no sentence.
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
