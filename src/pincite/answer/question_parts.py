"""Selects evidence for each part of a question that asks several things."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from pincite.answer.selectors import numbered
from pincite.records.document import Span
from pincite.records.filters import Filters
from pincite.records.flow import AnsweredPart, Evidence, Hit, Question, Selection
from pincite.records.reasons import Reason, ReasonKind
from pincite.stages import Reranker, Retriever, Selector, Understander
from pincite.text.question_parts import (
    all_ask,
    compared_sides,
    opens_as_question,
    question_parts,
)
from pincite.text.terms import question_terms, terms

_LEAST_SCORE = 0.5
"""A sentence with a lower score does not answer its part (`Signals.faint`)."""

_MOST_PARTS = 8
"""Most parts searched separately; each takes as long as a question."""

_POINTS = re.compile(
    r"\b(?:it|its|this|that|these|those|they|them|their|he|him|his|she|her|there|then|"
    r"er|sie|es|ihn|ihm|ihr|sein\w*|dies\w*|dort|il|elle|ils|elles|lui|leur|y)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PartsSelector:
    """Adds the best sentence of each part to the selection for the whole question.

    "When is payment due and how long does delivery take?": only the part that fits the documents
    better would be answered, since the other's sentences score too far below. A part that refers to
    another ("and who pays it?") is compared only with the hits of the whole question. What the whole
    question excludes, quotes or names applies to its parts: `named` gives the documents that a
    question certainly names. If `is_answered` is true for some parts only, notices
    name those without an answer.
    """

    selector: Selector
    understander: Understander
    retriever: Retriever
    reranker: Reranker
    named: Callable[[Question], Iterable[str]]
    is_answered: Callable[[Question, Sequence[Evidence], Sequence[Hit]], bool]

    def select(self, question: Question, hits: Sequence[Hit]) -> Selection:
        """The selection followed by those sentences; unchanged for a single question.

        Of a comparison, a quote that names both sides answers both, and comes first.
        """
        selection = self.selector.select(question, hits)
        sides = compared_sides(question.plain)
        parts = sides or question_parts(question.plain)
        if selection.is_exact or (not sides and not all_ask(parts)):
            return selection
        both = _of_both(sides, selection.evidence, question.language)
        if both is not None:
            return _led_by(both, selection)
        chosen: dict[str, Sequence[Evidence]] = {}
        computed: list[str] = []
        for text in parts[:_MOST_PARTS]:
            if question.deadline is not None and time.perf_counter() >= question.deadline:
                break
            found = self._chosen_for(question, text, hits)
            if found is None:
                computed.append(text)
            else:
                chosen[text] = found
        if computed and not any(chosen.values()):
            alone = "; ".join(f"'{text}'" for text in computed)
            return Selection(evidence=(), nothing=f"it is computed if it is asked alone: {alone}")
        best = [item for items in chosen.values() for item in _best_of(items)]
        evidence = _once([*selection.evidence, *best])
        lost = (
            [text for text in chosen if not chosen[text]]
            if sides and any(chosen.values())
            else _without_answer(chosen, [item.quote for item in evidence], question)
        )
        answers = [text for text in chosen if text not in lost]
        if (lost or computed) and all(chosen[text] for text in answers):
            # The selection for the whole question may be about the part without an answer.
            evidence = _once([item for text in answers for item in chosen[text]])
        spans = {item.span for item in evidence}
        notices = [f"computed if asked alone: {text}" for text in computed]
        notices += [Reason.of(ReasonKind.PART_MISSING, words=text) for text in lost]
        looked_up = len(chosen) + len(computed)
        if looked_up < len(parts):
            notices.append(
                f"{looked_up} of {len(parts)} parts of the question were looked up on their own"
            )
        return replace(
            selection,
            evidence=evidence,
            dropped=tuple(drop for drop in selection.dropped if drop.span not in spans),
            notices=(*selection.notices, *notices),
            answers="; ".join(answers) if lost or computed else "",
            parts=_answered(chosen, evidence),
        )

    def _chosen_for(
        self, question: Question, text: str, hits: Sequence[Hit]
    ) -> Sequence[Evidence] | None:
        """Searches the documents that the whole question names, then all if they have no answer.

        In "When does vacation expire? What is the hotel limit?" the first part names the vacation
        policy for itself only. None if the answer to the part is computed, and not a quote.
        """
        sure = tuple(sorted(self.named(question)))
        part = part_of(question, text, self.understander)
        within = replace(part, filters=Filters(documents=sure))
        tried = [part] if question.filters or not sure else [within, part]
        for one in tried:
            near = hits if _POINTS.search(text) else self.retriever.retrieve(one).hits
            ranked = self.reranker.rerank(one, near).hits
            selection = self.selector.select(one, ranked)
            if selection.derivation is not None:
                return None
            if found := self._answering(one, selection.evidence, ranked):
                return found
        return ()

    def _answering(
        self, part: Question, chosen: Sequence[Evidence], ranked: Sequence[Hit]
    ) -> Sequence[Evidence]:
        best = chosen[0].score if chosen else 0.0
        return chosen if best >= _LEAST_SCORE and self.is_answered(part, chosen, ranked) else ()


def _of_both(sides: Sequence[str], evidence: Sequence[Evidence], language: str) -> Evidence | None:
    """The best quote that names what only the one side is, and what only the other is."""
    if not sides:
        return None
    first, second = (question_terms(side, language).keys() for side in sides)
    own = (first - second, second - first)
    if not all(own):
        return None
    best_first = sorted(evidence, key=lambda item: -item.score)
    named = ((item, set(terms(item.quote, language))) for item in best_first)
    return next((item for item, said in named if all(names <= said for names in own)), None)


def _led_by(item: Evidence, selection: Selection) -> Selection:
    """The selection with an item first."""
    top = max(other.score for other in selection.evidence)
    return replace(selection, evidence=_once([replace(item, score=top), *selection.evidence]))


def _answered(
    chosen: Mapping[str, Sequence[Evidence]], evidence: Sequence[Evidence]
) -> tuple[AnsweredPart, ...]:
    """Each part with the ids of its evidence, best first; empty if no part has an answer."""
    if not any(chosen.values()):
        return ()
    names = {item.span: item.id for item in evidence}
    return tuple(
        AnsweredPart(
            text=text, evidence_ids=tuple(names[item.span] for item in items if item.span in names)
        )
        for text, items in chosen.items()
    )


def _best_of(chosen: Sequence[Evidence]) -> list[Evidence]:
    """The items with the same score as the first."""
    return [item for item in chosen if item.score == chosen[0].score]


def _once(items: Sequence[Evidence]) -> tuple[Evidence, ...]:
    """Each sentence once, at its first position and with its highest score."""
    found: dict[Span, Evidence] = {}
    for item in items:
        known = found.get(item.span)
        found[item.span] = replace(known, score=max(known.score, item.score)) if known else item
    return numbered(found.values())


def _without_answer(
    chosen: Mapping[str, Sequence[Evidence]], quotes: Sequence[str], question: Question
) -> list[str]:
    """Parts that nothing is said about, if another part has an answer and each of them asks."""
    if not any(chosen.values()) or not all(map(opens_as_question, chosen)):
        return []
    return [text for text in chosen if not chosen[text] and _is_silent_on(text, quotes, question)]


def _is_silent_on(part: str, quotes: Sequence[str], question: Question) -> bool:
    """Whether the quotes say nothing about a part without an answer of its own.

    A part that refers to another ("who approves it?") may be answered with the other.
    """
    if not _POINTS.search(part):
        return True
    asked = question_terms(part, question.language).keys()
    return not any(asked & set(terms(quote, question.language)) for quote in quotes)


def part_of(question: Question, text: str, understander: Understander) -> Question:
    """A part as a question of its own, with the restrictions of the whole question."""
    alone = replace(question, text=text, explain=False, understood=None, notices=())
    part, whole = understander.understand(alone), question.understood
    if part.understood is None or whole is None:
        return part
    understood = replace(
        part.understood, phrases=whole.phrases, excluded=whole.excluded, within=whole.within
    )
    return replace(part, understood=understood)
