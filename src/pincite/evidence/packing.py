"""Which passages does a language model read, when its window holds only so many?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias

from pincite.document import Span
from pincite.records import Evidence, Hit, Question, Selection
from pincite.stages import Selector, Sources

Room: TypeAlias = Callable[[Question, Sequence[Evidence]], int]
"""How many tokens a prompt with this context leaves free; below 0: it is too long."""

CountTokens: TypeAlias = Callable[[str], int]


class PackingSelector:
    """Adds to a selection what a model may read: greedily the best passages that still fit.

    A passage that does not fit as a whole gives its best sentences, as many as fit; the next ones
    are tried after it. Only whole sentences are taken, each once, and those of one passage in the
    order in which they stand there. `room` counts with the model's own tokenizer, and with all that
    stands around the evidence; `count_tokens` tells what can be left untried.
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
        """What the inner selector chose, and beside it what the model reads."""
        return replace(
            self._inner.select(question, hits), context=tuple(self._pack(question, hits))
        )

    def _pack(self, question: Question, hits: Sequence[Hit]) -> list[Evidence]:
        packed: list[Evidence] = []
        taken: set[Span] = set()
        passages = 0
        for hit in hits:
            if passages == self._max_passages:
                break
            whole = self._sentences(hit, first=len(taken) + 1, without=taken)
            added = self._that_fit(question, packed, whole)
            if added:
                passages += 1
                packed += added
                taken.update(item.span for item in added)
        return packed

    def _that_fit(
        self, question: Question, packed: Sequence[Evidence], whole: Sequence[Evidence]
    ) -> list[Evidence]:
        if not whole or self._room(question, [*packed, *whole]) >= 0:
            return list(whole)
        left = self._room(question, packed)
        chosen: list[Evidence] = []
        for item in sorted(whole, key=lambda item: (-item.score, item.span.start)):
            if self._count_tokens(item.quote) > left:
                continue
            wanted = sorted([*chosen, item], key=lambda item: item.span.start)
            after = self._room(question, [*packed, *wanted])
            if after >= 0:
                chosen, left = wanted, after
        return chosen

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
