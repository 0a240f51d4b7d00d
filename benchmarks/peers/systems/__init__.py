"""The systems that are compared, by name. Nothing is imported before it is opened."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

from benchmarks.peers.collection import Passage

Search = Callable[[str, int], list[str]]
"""From a question and a number to ids of passages, best first."""


class System(Protocol):
    """What each module in this folder offers; its constructor loads the model."""

    def ingest(self, passages: Sequence[Passage], vectors: Any | None) -> None:
        """Make passages findable; `vectors` (passages, 384), if given, need not be computed."""
        ...

    def searches(self) -> Mapping[str, Search]:
        """Ways to search that are measured, by name; safe to call from several threads."""
        ...

    def measurements(self) -> dict[str, float]:
        """What else was measured; called last."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """Where a system is, and what its documentation calls for.

    `is_variant`: it is set up otherwise than its documentation shows first.
    """

    module: str
    packages: tuple[str, ...]
    options: Mapping[str, Any] = field(default_factory=dict)
    takes_vectors: bool = True
    is_variant: bool = False
    about: str


SYSTEMS: Mapping[str, Entry] = {
    "pincite": Entry(
        module="pincite",
        packages=("pincite", "openvino", "onnxruntime", "faiss-cpu", "tantivy"),
        takes_vectors=False,
        about="files in a library; BM25 and dense fused, `default` reranks as well",
    ),
    "llamaindex": Entry(
        module="llamaindex",
        packages=("llama-index-core", "sentence-transformers", "torch", "chromadb", "bm25s"),
        about="QueryFusionRetriever over Chroma and BM25Retriever, reciprocal rank fusion",
    ),
    "llamaindex-memory": Entry(
        module="llamaindex",
        options={"store": "memory"},
        is_variant=True,
        packages=("llama-index-core", "sentence-transformers", "torch", "bm25s"),
        about="the same over the vector store of the first example, which is kept in memory",
    ),
    "llamaindex-openvino": Entry(
        module="llamaindex",
        options={"backend": "openvino"},
        is_variant=True,
        packages=("llama-index-core", "sentence-transformers", "optimum-intel", "openvino"),
        about="as `llamaindex`, the encoder run by OpenVINO",
    ),
    "haystack": Entry(
        module="haystack",
        packages=("haystack-ai", "sentence-transformers", "torch"),
        about="BM25 and embedding retrievers joined by reciprocal rank fusion, in memory",
    ),
    "haystack-chroma": Entry(
        module="haystack",
        options={"store": "chroma"},
        is_variant=True,
        packages=("haystack-ai", "chroma-haystack", "chromadb", "sentence-transformers", "torch"),
        about="dense retrieval from a Chroma store on disk, which has no BM25",
    ),
    "chroma": Entry(
        module="chroma",
        packages=("chromadb", "onnxruntime"),
        about="a persistent collection with its default encoder (onnxruntime); dense only",
    ),
    "chroma-torch": Entry(
        module="chroma",
        options={"encoder": "torch"},
        packages=("chromadb", "sentence-transformers", "torch"),
        about="the same with SentenceTransformerEmbeddingFunction",
    ),
    "lancedb": Entry(
        module="lancedb",
        packages=("lancedb", "sentence-transformers", "torch"),
        about="hybrid search of a table with a full-text index, RRFReranker",
    ),
    "txtai": Entry(
        module="txtai",
        packages=("txtai", "transformers", "torch", "faiss-cpu"),
        about="hybrid embeddings with stored content",
    ),
}

OURS = "pincite"


def open_system(name: str, home: Path, weights: Path, *, own_vectors: bool) -> System:
    """Load a system with its model, in a new folder. `own_vectors`: it will encode the passages."""
    entry = SYSTEMS[name]
    module = import_module(f"benchmarks.peers.systems.{entry.module}")
    opened: System = module.open_system(home, weights, own_vectors=own_vectors, **entry.options)
    return opened
