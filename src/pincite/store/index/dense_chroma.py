"""A dense index with Chroma, in a folder, without a server; its graph is hnswlib's.

Needs the extra `pincite[chroma]`. Nothing is sent anywhere: telemetry is off, and no embedding
function is set, so that none is downloaded.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pincite.errors import LibraryError
from pincite.stages import Keys, Scored
from pincite.store.index.dense_engine import EXACT_UP_TO_SHARE, Engine

_COLLECTION = "passages"
_ASKED_AT_ONCE = 5_000
"""Ids in one call; Chroma's limit is a little higher."""


class ChromaIndex:
    """Vectors keyed by passage, in a folder that only this object writes."""

    is_worn = False
    sample_size = 0

    def __init__(self, folder: Path, engine: Engine) -> None:
        """Open or create the folder. Raises LibraryError if the extra is not installed."""
        self.engine = engine
        self._folder = folder
        self._client = _open(folder)
        graph = {
            "space": "ip",
            "max_neighbors": engine.links,
            "ef_construction": engine.build_depth,
            "ef_search": engine.search_depth,
            "num_threads": 1,  # With several, the graph would differ each time.
        }
        self._vectors = self._client.get_or_create_collection(
            _COLLECTION, embedding_function=None, configuration={"hnsw": graph}
        )

    def close(self) -> None:
        """Close the files."""
        self._client.close()

    def copy_to(self, folder: Path) -> ChromaIndex:
        """Close this index and open a copy in another folder, to be changed there."""
        self.close()
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self._folder, folder)
        return ChromaIndex(folder, self.engine)

    def __len__(self) -> int:
        return int(self._vectors.count())

    def train(self, vectors: NDArray[np.float32]) -> None:
        """Nothing to do: a graph needs no training."""

    def add(self, keys: Sequence[int], vectors: NDArray[np.float32]) -> None:
        """Add vectors (keys, dimensions), rows of length 1."""
        for start in range(0, len(keys), _ASKED_AT_ONCE):
            part = slice(start, start + _ASKED_AT_ONCE)
            self._vectors.add(ids=[str(key) for key in keys[part]], embeddings=vectors[part])

    def remove(self, ranges: Sequence[tuple[int, int]]) -> None:
        """Remove all keys in the ranges (first, last), both inclusive."""
        for first, last in ranges:
            held = self._held(range(first, last + 1))
            for start in range(0, len(held), _ASKED_AT_ONCE):
                self._vectors.delete(ids=held[start : start + _ASKED_AT_ONCE])

    def search(
        self, vector: NDArray[Any], *, limit: int, allowed: Keys | None = None
    ) -> list[Scored]:
        """The nearest `limit` keys, best first; with few `allowed`, exact among those keys."""
        total = len(self)
        limit = min(limit, total, total if allowed is None else len(allowed))
        if limit == 0:
            return []
        if allowed is not None and len(allowed) <= EXACT_UP_TO_SHARE * total:
            return self._compare(vector, allowed, limit)
        ids = None if allowed is None else self._held(allowed)
        found = self._vectors.query(
            query_embeddings=[np.asarray(vector, dtype=np.float32)],
            n_results=limit,
            ids=ids,
            include=["distances"],
        )
        scored = [
            Scored(key=int(key), score=1 - float(distance))
            for key, distance in zip(found["ids"][0], found["distances"][0], strict=True)
        ]
        if allowed is not None and len(scored) < limit:
            return self._compare(vector, allowed, limit)
        return sorted(scored, key=lambda item: (-item.score, item.key))

    def _held(self, keys: Keys | range) -> list[str]:
        """Ids of the keys that exist; Chroma rejects queries with unknown ids."""
        return [
            held
            for batch in _batches(keys)
            for held in self._vectors.get(ids=batch, include=[])["ids"]
        ]

    def _compare(self, vector: NDArray[Any], allowed: Keys, limit: int) -> list[Scored]:
        """Exact search: compares each allowed vector."""
        scored = []
        for batch in _batches(allowed):
            found = self._vectors.get(ids=batch, include=["embeddings"])
            if found["ids"]:
                scores = np.asarray(found["embeddings"]) @ vector
                keys = map(int, found["ids"])
                scored += [
                    Scored(key=key, score=float(score))
                    for key, score in zip(keys, scores, strict=True)
                ]
        return sorted(scored, key=lambda item: (-item.score, item.key))[:limit]


def _open(folder: Path) -> Any:
    try:
        import chromadb
        from chromadb.config import Settings
    except ImportError as error:
        raise LibraryError(
            "dense.engine is 'chroma', which is not installed: pip install 'pincite[chroma]', or "
            "set dense.engine to 'auto'"
        ) from error
    folder.mkdir(parents=True, exist_ok=True)
    return chromadb.PersistentClient(folder, settings=Settings(anonymized_telemetry=False))


def _batches(keys: Keys | range) -> Iterator[list[str]]:
    for start in range(0, len(keys), _ASKED_AT_ONCE):
        yield [str(key) for key in keys[start : start + _ASKED_AT_ONCE]]
