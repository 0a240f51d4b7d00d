"""Prefers the documents that a question names, or looks into these alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from pincite.filters import Filters
from pincite.records import Hit, Question, Ranking
from pincite.retrieve.named_documents import NamedDocuments, Naming
from pincite.stages import Retriever
from pincite.text.name_table import NameTable

TableOf = Callable[[str | None], NameTable]
"""The names of a collection's documents, or of all."""

CERTAIN_ENOUGH_TO_FILTER = 0.7

_COLLECTIONS_REMEMBERED = 64
_QUESTIONS_REMEMBERED = 16


class DocumentRoutes:
    """The documents that questions name; a collection's names are weighed when it is first asked."""

    def __init__(self, table_of: TableOf) -> None:
        self._table = lru_cache(maxsize=_COLLECTIONS_REMEMBERED)(
            lambda collection: NamedDocuments(table_of(collection))
        )
        self._named = lru_cache(maxsize=_QUESTIONS_REMEMBERED)(
            lambda text, collection: self._table(collection).named(text)
        )

    def named(self, question: Question) -> Mapping[str, Naming]:
        """Documents that the question names, with how certain that is."""
        found: Mapping[str, Naming] = self._named(question.plain, question.collection)
        return found

    def narrowed(self, question: Question, documents: Iterable[str]) -> Question | None:
        """The question asked of some documents alone; None for none, and where it has filters.

        Who filters has said where to look.
        """
        meant = tuple(sorted(documents))
        if not meant or question.filters:
            return None
        return replace(question, filters=Filters(documents=meant))


class NamedDocumentBooster:
    """`weight` x certainty for passages of documents that the question names."""

    name = "documents"

    def __init__(self, routes: DocumentRoutes, *, weight: float) -> None:
        self._routes = routes
        self._weight = weight

    def boosts(self, question: Question, hits: Sequence[Hit]) -> Sequence[float]:
        """What each candidate gains by the name of its document."""
        named = {
            document: self._weight * naming.certainty
            for document, naming in self._routes.named(question).items()
        }
        return [named.get(hit.passage.span.document_id, 0.0) for hit in hits]

    def seen(self, question: Question) -> Mapping[str, float]:
        """The documents named, the most certain first."""
        named = self._routes.named(question)
        certainties = {document: naming.certainty for document, naming in named.items()}
        return dict(sorted(certainties.items(), key=lambda item: (-item[1], item[0])))


class NamedDocumentsFirst:
    """A retriever that looks into the documents surely named once more, and into these alone.

    Their passages have the scores of that search, in which they are not compared with the same
    sentences of other reports; those of other documents stay as they are.
    """

    def __init__(self, retriever: Retriever, routes: DocumentRoutes) -> None:
        self._retriever = retriever
        self._routes = routes

    def retrieve(self, question: Question) -> Ranking:
        """As many candidates as the retriever gives, best first."""
        every = self._retriever.retrieve(question)
        named = self._routes.named(question)
        sure = self._routes.narrowed(question, (d for d, n in named.items() if n.is_sure))
        if sure is None:
            return every
        own = self._retriever.retrieve(sure)
        documents = set(sure.filters.documents)
        others = (h for h in every.hits if h.passage.span.document_id not in documents)
        found = sorted((*own.hits, *others), key=lambda hit: (-hit.score, hit.passage.id))
        return replace(every, hits=tuple(found[: max(len(own), len(every))]))


class NamedDocumentsOnly:
    """A retriever that looks into the documents named with certainty 0.7 or more, if there are any."""

    def __init__(self, retriever: Retriever, routes: DocumentRoutes) -> None:
        self._retriever = retriever
        self._routes = routes

    def retrieve(self, question: Question) -> Ranking:
        """Candidates from the named documents; from all where none is named."""
        named = self._routes.named(question)
        certain = (d for d, n in named.items() if n.certainty >= CERTAIN_ENOUGH_TO_FILTER)
        return self._retriever.retrieve(self._routes.narrowed(question, certain) or question)
