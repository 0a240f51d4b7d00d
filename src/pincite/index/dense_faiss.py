"""Exact nearest neighbours with FAISS (Douze et al. 2024, arXiv:2401.08281)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import faiss
import numpy as np
from numpy.typing import NDArray

from pincite.stages import Scored


class FaissIndex:
    """A flat inner-product index of unit vectors (inner product = cosine), keyed by passage."""

    def __init__(self, dimensions: int) -> None:
        self._index: faiss.Index = faiss.IndexIDMap2(faiss.IndexFlatIP(dimensions))

    @classmethod
    def load(cls, path: Path) -> FaissIndex:
        """Read an index from a file. Raises OSError or RuntimeError when it is damaged."""
        loaded = cls.__new__(cls)
        # Through bytes: FAISS' own file reader does not take every path name.
        content = np.frombuffer(path.read_bytes(), dtype=np.uint8)
        loaded._index = faiss.deserialize_index(content)
        return loaded

    def serialised(self) -> bytes:
        """The index as bytes for `load`."""
        content: bytes = faiss.serialize_index(self._index).tobytes()
        return content

    def __len__(self) -> int:
        return int(self._index.ntotal)

    def add(self, keys: Sequence[int], vectors: NDArray[np.float32]) -> None:
        """Add vectors (keys, dimensions), rows of length 1."""
        if len(keys):
            self._index.add_with_ids(
                np.ascontiguousarray(vectors), np.asarray(keys, dtype=np.int64)
            )

    def remove(self, ranges: Sequence[tuple[int, int]]) -> None:
        """Remove all keys in the ranges (first, last), both inclusive."""
        for first, last in ranges:
            self._index.remove_ids(faiss.IDSelectorRange(first, last + 1))

    def search(
        self, vector: NDArray[Any], *, limit: int, allowed: Sequence[int] | None = None
    ) -> list[Scored]:
        """The nearest `limit` keys, best first; with `allowed`, exact among those keys."""
        limit = min(limit, len(self))
        if limit == 0:
            return []
        parameters = None
        if allowed is not None:
            selector = faiss.IDSelectorBatch(np.asarray(allowed, dtype=np.int64))
            parameters = faiss.SearchParameters(sel=selector)  # type: ignore[call-arg]  # SWIG takes fields by name
        query = np.ascontiguousarray(vector[None, :], dtype=np.float32)
        scores, keys = self._index.search(query, limit, params=parameters)
        return [
            Scored(key=int(key), score=float(score))
            for key, score in zip(keys[0], scores[0], strict=True)
            if key >= 0
        ]
