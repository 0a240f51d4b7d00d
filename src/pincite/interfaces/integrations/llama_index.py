"""A retriever and a query engine for LlamaIndex (extra `llama-index`)."""

from __future__ import annotations

from typing import Any

from llama_index.core.base.base_query_engine import BaseQueryEngine
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.base.response.schema import Response
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

from pincite.interfaces.integrations.found import Found, found, quotes
from pincite.library.library import Library

_MOST_QUOTES = 100


class PinciteRetriever(BaseRetriever):
    """Passages of a library or, with `checked`, the quotes of its answer, none if it abstains.

    The library must be open; the caller closes it.
    """

    def __init__(self, library: Library, *, limit: int = 5, checked: bool = False) -> None:
        super().__init__()
        self._library = library
        self._limit = limit
        self._checked = checked

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        question = query_bundle.query_str
        return [
            _node(one)
            for one in found(self._library, question, limit=self._limit, checked=self._checked)
        ]


class PinciteQueryEngine(BaseQueryEngine):
    """Answers made of checked quotes. If the library abstains, `response` says why, there are no source
    nodes, and `metadata["status"]` is `abstained`."""

    def __init__(self, library: Library) -> None:
        super().__init__(callback_manager=None)
        self._library = library

    def _query(self, query_bundle: QueryBundle) -> Response:
        answer = self._library.ask(query_bundle.query_str)
        return Response(
            response=answer.text or "; ".join(answer.reasons),
            source_nodes=[_node(one) for one in quotes(answer, limit=_MOST_QUOTES)],
            metadata={
                "status": str(answer.status),
                "confidence": answer.confidence,
                "reasons": list(answer.reasons),
            },
        )

    async def _aquery(self, query_bundle: QueryBundle) -> Response:
        return self._query(query_bundle)

    def _get_prompt_modules(self) -> dict[str, Any]:
        return {}


def _node(one: Found) -> NodeWithScore:
    return NodeWithScore(
        node=TextNode(id_=one.id, text=one.text, metadata=one.metadata), score=one.score
    )
