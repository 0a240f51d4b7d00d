"""LlamaIndex: a vector index and BM25 behind QueryFusionRetriever.

As documented at developers.llamaindex.ai/python/examples/retrievers/bm25_retriever ("Hybrid
Retriever with BM25 + Chroma") and .../retrievers/reciprocal_rerank_fusion. `num_queries=1`: no
language model rewrites the question. The encoder is HuggingFaceEmbedding with its defaults
(developers.llamaindex.ai/python/examples/embeddings/huggingface, which also names the backends).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Any

import chromadb
import Stemmer
from llama_index.core import StorageContext, VectorStoreIndex
from llama_index.core.llms import MockLLM
from llama_index.core.retrievers import QueryFusionRetriever
from llama_index.core.retrievers.fusion_retriever import FUSION_MODES
from llama_index.core.schema import QueryBundle, TextNode
from llama_index.embeddings.huggingface import HuggingFaceEmbedding
from llama_index.retrievers.bm25 import BM25Retriever
from llama_index.vector_stores.chroma import ChromaVectorStore

from benchmarks.peers.collection import Passage
from benchmarks.peers.systems import Search


class LlamaIndex:
    """Nodes are ingested as they are: no splitter."""

    def __init__(self, home: Path, weights: Path, store: str, backend: str) -> None:
        self._encoder = HuggingFaceEmbedding(
            model_name=str(weights), device="cpu", backend=backend, model_kwargs={}
        )
        self._encoder.get_query_embedding("ready")
        # Asked from two threads at once, this backend fails with "Infer Request is busy".
        self._one_at_a_time = Lock() if backend == "openvino" else None
        self._storage = StorageContext.from_defaults()
        if store == "chroma":
            client = chromadb.PersistentClient(path=str(home / "chroma"))
            collection = client.create_collection("passages")
            self._storage = StorageContext.from_defaults(
                vector_store=ChromaVectorStore(chroma_collection=collection)
            )

    def ingest(self, passages: Sequence[Passage], vectors: Any | None) -> None:
        """Both indexes."""
        self._nodes = [TextNode(id_=passage.id, text=passage.text) for passage in passages]
        if vectors is not None:
            for node, vector in zip(self._nodes, vectors, strict=True):
                node.embedding = vector.tolist()
        self._index = VectorStoreIndex(
            nodes=self._nodes, storage_context=self._storage, embed_model=self._encoder
        )
        self._lexical = BM25Retriever.from_defaults(
            nodes=self._nodes, stemmer=Stemmer.Stemmer("english"), language="english"
        )

    def searches(self) -> Mapping[str, Search]:
        """The fused list."""
        return {"hybrid": self._search}

    def _search(self, text: str, depth: int) -> list[str]:
        question = QueryBundle(text)
        if self._one_at_a_time:
            with self._one_at_a_time:
                question.embedding = self._encoder.get_query_embedding(text)
        return [found.node.node_id for found in self._fused(depth).retrieve(question)]

    @lru_cache(maxsize=1)  # noqa: B019 - lives as long as the process
    def _fused(self, depth: int) -> QueryFusionRetriever:
        self._lexical.similarity_top_k = depth
        return QueryFusionRetriever(
            [self._index.as_retriever(similarity_top_k=depth), self._lexical],
            llm=MockLLM(),
            similarity_top_k=depth,
            num_queries=1,
            mode=FUSION_MODES.RECIPROCAL_RANK,
            use_async=False,
        )

    def measurements(self) -> dict[str, float]:
        """Nothing more."""
        return {}


def open_system(
    home: Path, weights: Path, *, own_vectors: bool, store: str = "chroma", backend: str = "torch"
) -> LlamaIndex:
    """With Chroma as the vector store, or the one in memory that comes with the core."""
    del own_vectors
    return LlamaIndex(home, weights, store, backend)
