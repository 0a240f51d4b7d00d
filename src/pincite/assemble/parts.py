"""A question that asks several things is answered for each of them."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from pincite.filters import Filters
from pincite.records import Evidence, Hit, Question, Selection
from pincite.retrieve.parts import all_ask, question_parts
from pincite.retrieve.routing import CERTAIN_ENOUGH_TO_FILTER
from pincite.stages import Reranker, Retriever, Selector, Understander

_LEAST_SCORE = 0.5
"""Of a part's sentence: below it no sentence answers (`Signals.faint`)."""

_MOST_PARTS = 8
"""Looked up on their own: each takes as long as a question."""

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
    another ("and who pays it?") is compared with what was found for the whole question only. What
    the whole question excludes, quotes or names holds for its parts: `named` gives the documents
    that a question names, with how certain that is.
    """

    selector: Selector
    understander: Understander
    retriever: Retriever
    reranker: Reranker
    named: Callable[[Question], Mapping[str, float]]

    def select(self, question: Question, hits: Sequence[Hit]) -> Selection:
        """The selection with those sentences behind it; as it was for a single question."""
        selection = self.selector.select(question, hits)
        parts = question_parts(question.plain)
        if not all_ask(parts):
            return selection
        found = {item.span: item for item in selection.evidence}
        looked_up = 0
        for text in parts[:_MOST_PARTS]:
            if question.deadline is not None and time.perf_counter() >= question.deadline:
                break
            looked_up += 1
            for item in self._best_of(question, text, hits):
                found.setdefault(item.span, replace(item, id=f"e{len(found) + 1}"))
        told = f"{looked_up} of {len(parts)} parts of the question were looked up on their own"
        return replace(
            selection,
            evidence=tuple(found.values()),
            dropped=tuple(drop for drop in selection.dropped if drop.span not in found),
            notices=(*selection.notices, *([told] if looked_up < len(parts) else [])),
        )

    def _best_of(self, question: Question, text: str, hits: Sequence[Hit]) -> list[Evidence]:
        """In the documents that the whole question names, else, where they are silent, in all.

        In "When does vacation expire? What is the hotel limit?" the first part names the vacation
        policy, for itself alone.
        """
        named = self.named(question).items()
        sure = tuple(sorted(d for d, sure in named if sure >= CERTAIN_ENOUGH_TO_FILTER))
        part = part_of(question, text, self.understander)
        if question.filters or not sure:
            return self._of_part(part, hits)
        within = replace(part, filters=Filters(documents=sure))
        return self._of_part(within, hits) or self._of_part(part, hits)

    def _of_part(self, part: Question, hits: Sequence[Hit]) -> list[Evidence]:
        near = hits if _POINTS.search(part.text) else self.retriever.retrieve(part).hits
        chosen = self.selector.select(part, self.reranker.rerank(part, near).hits).evidence
        best = chosen[0].score if chosen else 0.0
        return [item for item in chosen if item.score == best and best >= _LEAST_SCORE]


def part_of(question: Question, text: str, understander: Understander) -> Question:
    """A part as a question of its own, which may find nothing that the whole one may not."""
    alone = replace(question, text=text, explain=False, understood=None, notices=())
    part, whole = understander.understand(alone), question.understood
    if part.understood is None or whole is None:
        return part
    understood = replace(
        part.understood, phrases=whole.phrases, excluded=whole.excluded, within=whole.within
    )
    return replace(part, understood=understood)
