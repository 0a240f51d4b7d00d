"""Leaves out near-duplicates from documents other than the one that the question names."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pincite.records.document import Span
from pincite.records.flow import Dropped, Hit, Question, Ranking
from pincite.retrieve.named_documents import DocumentRoutes
from pincite.stages import Retriever

_TWINS = 0.6
"""Two passages are twins when at least this share of their words occurs in both."""

_FEWEST_DOCUMENTS = 3
"""Other documents with twins: fewer are copies or versions, not a kind of document."""

_WORD = re.compile(r"[^\W\d_]+")

_LOOKED_AT = 20
"""Best candidates of any document: if they are not alike, nothing else is looked up."""

TextOf = Callable[[Span], str]


class TwinsLeftOut:
    """A retriever for reports that are alike: names decide where texts cannot.

    If a question names a document that is unique among its kind ("Acme Foods", "2018"), that document
    is also searched on its own. Passages of other documents that say nearly the same as one of its
    passages, numbers aside, are left out: their numbers would answer for another company or year.
    This happens only if several other documents have such passages; otherwise a title in a question
    would suppress answers from other documents.
    """

    def __init__(self, retriever: Retriever, routes: DocumentRoutes, text_of: TextOf) -> None:
        self._retriever = retriever
        self._routes = routes
        self._text_of = text_of

    def retrieve(self, question: Question) -> Ranking:
        """As many candidates as the retriever returns, best first, without twins."""
        every = self._retriever.retrieve(question)
        named = self._routes.named(question)
        meant = self._routes.narrowed(question, (d for d, n in named.items() if n.is_alone))
        if meant is None or not self._are_alike(every.hits[:_LOOKED_AT]):
            return every
        documents = set(meant.filters.documents)
        others = [hit for hit in every.hits if hit.passage.span.document_id not in documents]
        own = self._retriever.retrieve(meant)
        twins = self._twins(own.hits, others)
        if len({hit.passage.span.document_id for hit in twins}) < _FEWEST_DOCUMENTS:
            return every
        return _without(every, own, twins)

    def _are_alike(self, hits: Sequence[Hit]) -> bool:
        """Whether one of the passages has twins in several other documents."""
        documents = np.array([hit.passage.span.document_id for hit in hits])
        alike = self._shared(hits, hits) >= _TWINS
        return any(
            len(set(documents[row]) - {document}) >= _FEWEST_DOCUMENTS
            for row, document in zip(alike, documents, strict=True)
        )

    def _twins(self, own: Sequence[Hit], others: Sequence[Hit]) -> list[Hit]:
        """The hits in `others` that say the same as one in `own`."""
        is_twin = np.any(self._shared(own, others) >= _TWINS, axis=0)
        return [
            hit
            for hit, twin in zip(others, is_twin.tolist(), strict=True)
            if twin and not hit.must_keep
        ]

    def _shared(self, ones: Sequence[Hit], others: Sequence[Hit]) -> NDArray[np.float32]:
        """Jaccard similarity of the words of each pair of passages: one row per hit of `ones`."""
        texts = {hit.passage.id: set(_WORD.findall(self._text(hit))) for hit in (*ones, *others)}
        words = {word: n for n, word in enumerate(sorted(set().union(*texts.values())))}
        held = np.zeros((len(ones) + len(others), len(words)), dtype=np.float32)
        for row, hit in enumerate((*ones, *others)):
            held[row, [words[word] for word in texts[hit.passage.id]]] = 1
        one, other = held[: len(ones)], held[len(ones) :]
        both = one @ other.T
        either = one.sum(axis=1)[:, None] + other.sum(axis=1)[None, :] - both
        shares: NDArray[np.float32] = both / np.maximum(either, 1)
        return shares

    def _text(self, hit: Hit) -> str:
        return self._text_of(hit.passage.span).lower()


def _without(every: Ranking, own: Ranking, twins: Sequence[Hit]) -> Ranking:
    """The named documents' own passages, and others that are not their twins."""
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
    note = f"{len(twins)} passages of other documents say the same as the one named"
    return replace(
        every,
        hits=tuple(found[:most]),
        dropped=(*every.dropped, *dropped),
        notes=(*every.notes, note),
    )
