"""Selects the passages that fit into the context window of a language model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias

from pincite.records.document import Span
from pincite.records.flow import Evidence, Hit, Question, Selection
from pincite.stages import Selector, Sources

Room: TypeAlias = Callable[[Question, Sequence[Evidence]], int]
"""Tokens that a prompt with this context leaves free; negative if it is too long."""

CountTokens: TypeAlias = Callable[[str], int]


_TRIED_FOR_EACH = 3
"""Passages tried for each that may be read; later ones are not worth counting."""


class PackingSelector:
    """Adds to a selection the context for a model: greedily the best passages that still fit.

    A passage that does not fit as a whole contributes as many of its best sentences as fit; then the
    next passages are tried. Only whole sentences are taken, each once, and those of one passage in
    their original order. `room` counts with the model's own tokenizer and includes the prompt around
    the evidence; `count_tokens` shows what need not be tried.
    """

    def __init__(
        self,
        inner: Selector,
        sources: Sources,
        *,
        room: Room,
        count_tokens: CountTokens,
        max_passages: int,
    ) -> None:
        self._inner = inner
        self._sources = sources
        self._room = room
        self._count_tokens = count_tokens
        self._max_passages = max_passages

    def select(self, question: Question, hits: Sequence[Hit]) -> Selection:
        """The selection of the inner selector, with the context for the model."""
        return replace(
            self._inner.select(question, hits), context=tuple(self._pack(question, hits))
        )

    def _pack(self, question: Question, hits: Sequence[Hit]) -> list[Evidence]:
        packed: list[Evidence] = []
        taken: set[Span] = set()
        passages = 0
        left = self._room(question, packed)
        for hit in hits[: _TRIED_FOR_EACH * self._max_passages]:
            if passages == self._max_passages or left <= 0:
                break
            whole = self._sentences(hit, first=len(taken) + 1, without=taken)
            added, left = self._that_fit(question, packed, whole, left)
            if added:
                passages += 1
                packed += added
                taken.update(item.span for item in added)
        return packed

    def _that_fit(
        self, question: Question, packed: Sequence[Evidence], whole: Sequence[Evidence], left: int
    ) -> tuple[list[Evidence], int]:
        """The sentences of a passage that fit, and the number of tokens left after them."""
        tokens = {item.span: self._count_tokens(item.quote) for item in whole}
        if whole and sum(tokens.values()) <= left:
            after = self._room(question, [*packed, *whole])
            if after >= 0:
                return list(whole), after
        chosen: list[Evidence] = []
        for item in sorted(whole, key=lambda item: (-item.score, item.span.start)):
            if tokens[item.span] > left:
                continue
            wanted = sorted([*chosen, item], key=lambda item: item.span.start)
            after = self._room(question, [*packed, *wanted])
            if after >= 0:
                chosen, left = wanted, after
        return chosen, left

    def _sentences(self, hit: Hit, *, first: int, without: set[Span]) -> list[Evidence]:
        scores = hit.sentence_scores or (hit.score,) * len(hit.passage.sentences)
        new = [
            (span, score)
            for span, score in zip(hit.passage.sentences, scores, strict=False)
            if span not in without
        ]
        return [
            Evidence(
                id=f"s{number}",
                span=span,
                quote=self._sources.text_of(span),
                passage=hit.passage,
                score=score,
            )
            for number, (span, score) in enumerate(new, start=first)
        ]
