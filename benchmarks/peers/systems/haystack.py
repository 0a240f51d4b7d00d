"""Haystack: a pipeline of two retrievers and a joiner.

As in the tutorial at haystack.deepset.ai/tutorials/33_hybrid_retrieval, with the join mode that
docs.haystack.deepset.ai/docs/documentjoiner gives for ranked lists (reciprocal rank fusion) instead
of a cross-encoder. The store in memory is the only embedded one with BM25; its page advises against
it in production, so a persistent Chroma store is measured as well (docs/chromadocumentstore).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from haystack import Document, Pipeline
from haystack.components.joiners import DocumentJoiner
from haystack.components.retrievers.in_memory import (
    InMemoryBM25Retriever,
    InMemoryEmbeddingRetriever,
)
from haystack.components.writers import DocumentWriter
from haystack.document_stores.in_memory import InMemoryDocumentStore
from haystack_integrations.components.embedders.sentence_transformers import (
    SentenceTransformersDocumentEmbedder,
    SentenceTransformersTextEmbedder,
)

from benchmarks.peers.collection import Passage
from benchmarks.peers.systems import Search


class Haystack:
    """One pipeline to index, one to ask."""

    def __init__(self, home: Path, weights: Path, store: str) -> None:
        self._documents = SentenceTransformersDocumentEmbedder(
            model=str(weights), progress_bar=False
        )
        self._documents.warm_up()
        question = SentenceTransformersTextEmbedder(model=str(weights), progress_bar=False)
        self._asking = Pipeline()
        self._asking.add_component("encoder", question)
        self._is_hybrid = store == "memory"
        if self._is_hybrid:
            self._store: Any = InMemoryDocumentStore(embedding_similarity_function="cosine")
            self._ask_both()
        else:
            self._ask_chroma(home)
        self._asking.warm_up()

    def _ask_both(self) -> None:
        store, asking = self._store, self._asking
        asking.add_component("dense", InMemoryEmbeddingRetriever(document_store=store))
        asking.add_component("bm25", InMemoryBM25Retriever(document_store=store))
        asking.add_component("joiner", DocumentJoiner(join_mode="reciprocal_rank_fusion"))
        asking.connect("encoder.embedding", "dense.query_embedding")
        asking.connect("dense", "joiner")
        asking.connect("bm25", "joiner")

    def _ask_chroma(self, home: Path) -> None:
        from haystack_integrations.components.retrievers.chroma import ChromaEmbeddingRetriever
        from haystack_integrations.document_stores.chroma import ChromaDocumentStore

        self._store = ChromaDocumentStore(
            persist_path=str(home / "chroma"), distance_function="cosine"
        )
        self._asking.add_component("dense", ChromaEmbeddingRetriever(document_store=self._store))
        self._asking.connect("encoder.embedding", "dense.query_embedding")

    def ingest(self, passages: Sequence[Passage], vectors: Any | None) -> None:
        """Embedder and writer; the writer alone when vectors are given."""
        documents = [Document(id=passage.id, content=passage.text) for passage in passages]
        indexing = Pipeline()
        indexing.add_component("writer", DocumentWriter(document_store=self._store))
        if vectors is not None:
            for document, vector in zip(documents, vectors, strict=True):
                document.embedding = vector.tolist()
            indexing.run({"writer": {"documents": documents}})
            return
        indexing.add_component("encoder", self._documents)
        indexing.connect("encoder", "writer")
        indexing.run({"encoder": {"documents": documents}})

    def searches(self) -> Mapping[str, Search]:
        """Hybrid where the store can."""
        return {"hybrid" if self._is_hybrid else "dense": self._search}

    def _search(self, text: str, depth: int) -> list[str]:
        asked: dict[str, dict[str, Any]] = {"encoder": {"text": text}, "dense": {"top_k": depth}}
        if self._is_hybrid:
            asked |= {"bm25": {"query": text, "top_k": depth}, "joiner": {"top_k": depth}}
        found = self._asking.run(asked)["joiner" if self._is_hybrid else "dense"]
        return [document.id for document in found["documents"]]

    def measurements(self) -> dict[str, float]:
        """Nothing more."""
        return {}


def open_system(home: Path, weights: Path, *, own_vectors: bool, store: str = "memory") -> Haystack:
    """With the store in memory, or Chroma."""
    del own_vectors
    return Haystack(home, weights, store)
