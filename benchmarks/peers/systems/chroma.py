"""Chroma: a persistent collection.

docs.trychroma.com/docs/embeddings/embedding-functions: the default encoder is all-MiniLM-L6-v2 run
by onnxruntime, and sentence-transformers is offered as well. Only dense search: sparse and hybrid
search need Chroma Cloud (docs.trychroma.com/cloud/schema/sparse-vector-search).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import chromadb
from chromadb.utils.batch_utils import create_batches
from chromadb.utils.embedding_functions import (
    ONNXMiniLM_L6_V2,
    SentenceTransformerEmbeddingFunction,
)

from benchmarks.peers.collection import Passage
from benchmarks.peers.systems import Search
from benchmarks.peers.weights import onnx_folder


class Chroma:
    """Cosine distance, the rest as it comes."""

    def __init__(self, home: Path, encoder: Any) -> None:
        encoder(["ready"])
        self._client = chromadb.PersistentClient(path=str(home / "chroma"))
        self._collection = self._client.create_collection(
            "passages",
            embedding_function=encoder,
            configuration={"hnsw": {"space": "cosine"}},
        )

    def ingest(self, passages: Sequence[Passage], vectors: Any | None) -> None:
        """In batches of the size the client allows, made by its own function."""
        for batch in create_batches(
            api=self._client,
            ids=[passage.id for passage in passages],
            documents=[passage.text for passage in passages],
            embeddings=None if vectors is None else vectors.tolist(),
        ):
            ids, embeddings, _, documents = batch
            self._collection.add(ids=ids, documents=documents, embeddings=embeddings)

    def searches(self) -> Mapping[str, Search]:
        """Nearest neighbours."""
        return {"dense": self._search}

    def _search(self, text: str, depth: int) -> list[str]:
        return self._collection.query(query_texts=[text], n_results=depth)["ids"][0]

    def measurements(self) -> dict[str, float]:
        """Nothing more."""
        return {}


def open_system(home: Path, weights: Path, *, own_vectors: bool, encoder: str = "onnx") -> Chroma:
    """With the default encoder, or sentence-transformers."""
    del own_vectors
    if encoder == "torch":
        return Chroma(home, SentenceTransformerEmbeddingFunction(model_name=str(weights)))
    # Where the download would be: the same weights in the same format.
    ONNXMiniLM_L6_V2.DOWNLOAD_PATH = onnx_folder(weights).parent
    return Chroma(home, ONNXMiniLM_L6_V2())
