"""Leaves out what says the same in another document than the one that the question names."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pincite.document import Span
from pincite.records import Dropped, Hit, Question, Ranking
from pincite.retrieve.routing import DocumentRoutes
from pincite.stages import Retriever

_TWINS = 0.6
"""Share of the words of two passages that stand in both, from which on they say the same."""

_FEWEST_DOCUMENTS = 3
"""Other documents with twins: fewer are copies or versions, and not a kind of document."""

_WORD = re.compile(r"[^\W\d_]+")

TextOf = Callable[[Span], str]


class TwinsLeftOut:
    """A retriever for reports that are alike: names decide where texts cannot.

    Where a question names a document that stands alone among its kind ("Acme Foods", "2018"), that
    document is searched on its own as well. Passages of other documents that say nearly the same as
    one of its passages, numbers aside, are left out: their numbers would answer for another company
    or year. It only happens where several other documents have such passages; elsewhere a title in
    a question does not keep answers away that stand in other documents.
    """

    def __init__(self, retriever: Retriever, routes: DocumentRoutes, text_of: TextOf) -> None:
        self._retriever = retriever
        self._routes = routes
        self._text_of = text_of

    def retrieve(self, question: Question) -> Ranking:
        """As many candidates as the retriever gives, best first, without twins."""
        every = self._retriever.retrieve(question)
        named = self._routes.named(question)
        meant = self._routes.narrowed(question, (d for d, n in named.items() if n.is_alone))
        if meant is None:
            return every
        documents = set(meant.filters.documents)
        others = [hit for hit in every.hits if hit.passage.span.document_id not in documents]
        own = self._retriever.retrieve(meant)
        twins = self._twins(own.hits, others)
        if len({hit.passage.span.document_id for hit in twins}) < _FEWEST_DOCUMENTS:
            return every
        return _without(every, own, twins)

    def _twins(self, own: Sequence[Hit], others: Sequence[Hit]) -> list[Hit]:
        """Those of the others that say the same as one of our own."""
        if not own or not others:
            return []
        texts = [set(_WORD.findall(self._text(hit))) for hit in (*own, *others)]
        words = {word: n for n, word in enumerate(sorted(set().union(*texts)))}
        held = np.zeros((len(texts), len(words)), dtype=np.float32)
        for row, text in enumerate(texts):
            held[row, [words[word] for word in text]] = 1
        shared = _shared(held[: len(own)], held[len(own) :])
        is_twin: NDArray[np.bool_] = np.any(shared >= _TWINS, axis=0)
        return [
            hit for hit, twin in zip(others, is_twin, strict=True) if twin and not hit.must_keep
        ]

    def _text(self, hit: Hit) -> str:
        return self._text_of(hit.passage.span).lower()


def _shared(one: NDArray[np.float32], other: NDArray[np.float32]) -> NDArray[np.float32]:
    """For each pair of rows the words that both hold, as a share of those that either holds."""
    both = one @ other.T
    either = one.sum(axis=1)[:, None] + other.sum(axis=1)[None, :] - both
    shares: NDArray[np.float32] = both / np.maximum(either, 1)
    return shares


def _without(every: Ranking, own: Ranking, twins: Sequence[Hit]) -> Ranking:
    """The named documents' own passages and what is not their twin."""
    lost = {hit.passage.id for hit in twins}
    ours = {hit.passage.id for hit in own.hits}
    others = [hit for hit in every.hits if hit.passage.id not in lost | ours]
    found = sorted((*own.hits, *others), key=lambda hit: (-hit.score, hit.passage.id))
    dropped = [
        Dropped(
            passage=hit.passage,
            reason="says nearly the same as a document that the question names",
            score=hit.score,
            scores=hit.scores,
        )
        for hit in twins
    ]
    most = max(len(own), len(every))
    told = f"{len(twins)} passages of other documents say the same as the one named"
    return replace(
        every,
        hits=tuple(found[:most]),
        dropped=(*every.dropped, *dropped),
        notes=(*every.notes, told),
    )
