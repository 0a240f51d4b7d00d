"""A question that asks several things is answered for each of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from pincite.records import Evidence, Hit, Question, Selection
from pincite.retrieve.parts import question_parts
from pincite.stages import Reranker, Retriever, Selector, Understander

_LEAST_SCORE = 0.5
"""Of a part's sentence: below it no sentence answers (`Signals.faint`)."""

_POINTS = re.compile(
    r"\b(?:it|its|this|that|these|those|they|them|their|he|him|his|she|her|there|then|"
    r"er|sie|es|ihn|ihm|ihr|sein\w*|dies\w*|dort|il|elle|ils|elles|lui|leur|y)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PartsSelector:
    """Adds the best sentence of each part to what was chosen for the whole question.

    "When is payment due and how long does delivery take?": the part that fits the documents better
    would answer alone, since the other's sentences score too far below. A part that points at
    another ("and who pays it?") is compared with what was found for the whole question only.
    """

    selector: Selector
    understander: Understander
    retriever: Retriever
    reranker: Reranker

    def select(self, question: Question, hits: Sequence[Hit]) -> Selection:
        """The selection with those sentences behind it; as it was for a single question."""
        selection = self.selector.select(question, hits)
        found = list(selection.evidence)
        spans = {item.span for item in found}
        for item in self._of_parts(question, hits):
            if item.span not in spans:
                spans.add(item.span)
                found.append(replace(item, id=f"e{len(found) + 1}"))
        return replace(
            selection,
            evidence=tuple(found),
            dropped=tuple(drop for drop in selection.dropped if drop.span not in spans),
        )

    def _of_parts(self, question: Question, hits: Sequence[Hit]) -> Iterator[Evidence]:
        for text in question_parts(question.plain):
            asked = replace(question, text=text, understood=None, notices=())
            part = self.understander.understand(asked)
            near = hits if _POINTS.search(text) else self.retriever.retrieve(part).hits
            chosen = self.selector.select(part, self.reranker.rerank(part, near).hits).evidence
            best = chosen[0].score if chosen else 0.0
            if best >= _LEAST_SCORE:
                yield from (item for item in chosen if item.score == best)
