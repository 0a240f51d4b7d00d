"""LanceDB: hybrid search of a table.

docs.lancedb.com/search/hybrid-search: an embedding function of the registry fills the vectors, the
text column has a full-text index, reciprocal rank fusion is the default reranker. No vector index:
docs.lancedb.com/indexing/vector-index calls it unnecessary at up to about 100,000 rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import lancedb
import pyarrow as pa
from lancedb.embeddings import EmbeddingFunctionConfig, get_registry
from lancedb.rerankers import RRFReranker

from benchmarks.peers.collection import Passage
from benchmarks.peers.systems import Search

DIMENSIONS = 384


class LanceDB:
    """One table: id, text, vector."""

    def __init__(self, home: Path, weights: Path) -> None:
        encoder = get_registry().get("sentence-transformers").create(name=str(weights))
        encoder.generate_embeddings(["ready"])
        self._table = lancedb.connect(str(home / "lance")).create_table(
            "passages",
            schema=pa.schema(
                [
                    ("id", pa.string()),
                    ("text", pa.string()),
                    ("vector", pa.list_(pa.float32(), DIMENSIONS)),
                ]
            ),
            embedding_functions=[
                EmbeddingFunctionConfig(
                    source_column="text", vector_column="vector", function=encoder
                )
            ],
        )
        self._reranker = RRFReranker()

    def ingest(self, passages: Sequence[Passage], vectors: Any | None) -> None:
        """Rows, then the full-text index."""
        rows = [{"id": passage.id, "text": passage.text} for passage in passages]
        if vectors is not None:
            rows = [row | {"vector": vector} for row, vector in zip(rows, vectors, strict=True)]
        self._table.add(rows)
        self._table.create_fts_index("text")

    def searches(self) -> Mapping[str, Search]:
        """Both, fused."""
        return {"hybrid": self._search}

    def _search(self, text: str, depth: int) -> list[str]:
        found = (
            self._table.search(text, query_type="hybrid")
            .rerank(self._reranker)
            .limit(depth)
            .select(["id", "text"])
            .to_list()
        )
        return [row["id"] for row in found]

    def measurements(self) -> dict[str, float]:
        """Nothing more."""
        return {}


def open_system(home: Path, weights: Path, *, own_vectors: bool) -> LanceDB:
    """A table on disk."""
    del own_vectors
    return LanceDB(home, weights)
