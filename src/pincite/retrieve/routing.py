"""Prefers the documents that a question names, or looks into these alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from pincite.records import Hit, NamedFile, Question
from pincite.retrieve.named_documents import NamedDocuments
from pincite.stages import Retriever

FilesOf = Callable[[str | None], Iterable[NamedFile]]
"""The files of a collection, or all."""

CERTAIN_ENOUGH_TO_FILTER = 0.7

_COLLECTIONS_REMEMBERED = 64
_QUESTIONS_REMEMBERED = 16


class DocumentRoutes:
    """The documents that questions name; tables of names are made when a collection is first asked."""

    def __init__(self, files_of: FilesOf) -> None:
        self._table = lru_cache(maxsize=_COLLECTIONS_REMEMBERED)(
            lambda collection: NamedDocuments(files_of(collection))
        )
        self._named = lru_cache(maxsize=_QUESTIONS_REMEMBERED)(
            lambda text, collection: self._table(collection).named(text)
        )

    def named(self, question: Question) -> Mapping[str, float]:
        """Documents that the question names, with how certain that is."""
        found: Mapping[str, float] = self._named(question.text, question.collection)
        return found


class NamedDocumentBooster:
    """`weight` x certainty for passages of documents that the question names."""

    name = "documents"

    def __init__(self, routes: DocumentRoutes, *, weight: float) -> None:
        self._routes = routes
        self._weight = weight

    def boosts(self, question: Question, hits: Sequence[Hit]) -> Sequence[float]:
        """What each candidate gains by the name of its document."""
        named = self._routes.named(question)
        return [self._weight * named.get(hit.passage.span.document_id, 0.0) for hit in hits]

    def seen(self, question: Question) -> Mapping[str, float]:
        """The documents named, the most certain first."""
        named = self._routes.named(question)
        return dict(sorted(named.items(), key=lambda item: (-item[1], item[0])))


class NamedDocumentsOnly:
    """A retriever that looks into the documents named with certainty 0.7 or more, if there are any."""

    def __init__(self, retriever: Retriever, routes: DocumentRoutes) -> None:
        self._retriever = retriever
        self._routes = routes

    def retrieve(self, question: Question) -> tuple[Hit, ...]:
        """Candidates from the named documents; from all where none is named."""
        named = self._routes.named(question)
        meant = {document for document, c in named.items() if c >= CERTAIN_ENOUGH_TO_FILTER}
        if question.documents is not None:
            meant &= question.documents
        if not meant:
            return self._retriever.retrieve(question)
        return self._retriever.retrieve(replace(question, documents=frozenset(meant)))
