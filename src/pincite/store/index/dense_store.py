"""Builds, opens and changes the dense index of a folder, with any engine."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from pincite.errors import LibraryError
from pincite.settings.groups import DenseSettings
from pincite.stages import Keys, Scored
from pincite.store.index.dense_chroma import ChromaIndex
from pincite.store.index.dense_engine import Effort, Engine, wanted_engine
from pincite.store.index.dense_faiss import FaissIndex
from pincite.store.index.dense_pgvector import PgvectorIndex
from pincite.store.index.dense_qdrant import QdrantIndex
from pincite.store.index.dense_shared import ScopedHoldings, SharedIndex
from pincite.store.index.snapshot import Manifest, write_atomically

_DENSE = "dense-"
_BATCH_VECTORS = 16_384
"""25 MB of vectors with 384 dimensions."""


class StoredVectors(Protocol):
    """A dense index that can be changed."""

    @property
    def engine(self) -> Engine: ...  # noqa: D102
    @property
    def is_worn(self) -> bool: ...  # noqa: D102
    @property
    def sample_size(self) -> int: ...  # noqa: D102
    def __len__(self) -> int: ...
    def close(self) -> None: ...  # noqa: D102
    def train(self, vectors: NDArray[np.float32]) -> None: ...  # noqa: D102
    def add(self, keys: Sequence[int], vectors: NDArray[np.float32]) -> None: ...  # noqa: D102
    def remove(self, ranges: Sequence[tuple[int, int]]) -> None: ...  # noqa: D102
    def search(  # noqa: D102
        self, vector: NDArray[Any], *, limit: int, allowed: Keys | None = None
    ) -> list[Scored]: ...


Vectors: TypeAlias = StoredVectors | SharedIndex
"""Embedded, or shared by all hosts."""


class VectorSource(Protocol):
    """Vectors by passage key; keys without a vector are omitted from both parts of the result."""

    def __call__(self, keys: Sequence[int]) -> tuple[list[int], NDArray[Any]]: ...  # noqa: D102


class DenseStore:
    """The dense index in an index folder, with these settings."""

    def __init__(self, folder: Path, chosen: DenseSettings) -> None:
        self._folder = folder
        self._chosen = chosen

    def wanted(self, vectors: int) -> Engine:
        """The engine for this number of vectors."""
        return wanted_engine(self._chosen, vectors)

    def name_of(self, engine: Engine, generation: int) -> str:
        """The file or folder for an index of this generation."""
        if engine.is_shared:
            return engine.kind
        return f"{_DENSE}{generation}" + ("" if engine.kind == "chroma" else ".faiss")

    def open(self, manifest: Manifest, holdings: ScopedHoldings) -> Vectors:
        """What was published. Raises OSError, RuntimeError or LibraryError if it cannot be used."""
        name, engine = manifest.dense_name, Engine(**manifest.engine)  # type: ignore[arg-type]
        if engine.is_shared:
            shared = self._shared(manifest, engine, holdings)
            if not shared.is_there():
                raise LibraryError(f"{engine.kind} has no index of its vectors")
            return shared
        if engine.kind == "chroma":
            return ChromaIndex(self._folder / name, engine)
        found = FaissIndex.load(self._folder / name, engine)
        found.effort = self._effort
        return found

    @property
    def _effort(self) -> Effort:
        return Effort(lists=self._chosen.nprobe, depth=self._chosen.ef_search)

    def _shared(self, manifest: Manifest, engine: Engine, holdings: ScopedHoldings) -> SharedIndex:
        shared: SharedIndex
        made_with: dict[str, Any] = {"model": manifest.model, "dimensions": manifest.dimensions}
        if engine.kind == "pgvector":
            shared = PgvectorIndex(holdings, engine, **made_with)
        elif self._chosen.engine == "qdrant":
            shared = QdrantIndex(holdings, engine, **made_with, chosen=self._chosen)
        else:  # A manifest may come from someone else; only settings may name a server.
            raise LibraryError("its vectors are on a Qdrant server, and dense.engine is another")
        shared.effort = self._effort
        return shared

    def build(
        self,
        manifest: Manifest,
        holdings: ScopedHoldings,
        keys: Sequence[int],
        vectors_of: VectorSource,
    ) -> Vectors:
        """A new index of these passages, as the manifest describes it."""
        name, engine = manifest.dense_name, Engine(**manifest.engine)  # type: ignore[arg-type]
        if engine.is_shared:
            shared = self._shared(manifest, engine, holdings)
            with shared.being_made():
                self.add(shared, keys, vectors_of)
            return shared
        made: StoredVectors
        if engine.kind == "chroma":
            # A folder of this name was left by a killed run.
            shutil.rmtree(self._folder / name, ignore_errors=True)
            made = ChromaIndex(self._folder / name, engine)
        else:
            made = FaissIndex(manifest.dimensions, engine)
            made.effort = self._effort
        if made.sample_size:
            made.train(vectors_of(_evenly(keys, made.sample_size))[1])
        self.add(made, keys, vectors_of)
        return made

    def add(self, index: Vectors, keys: Sequence[int], vectors_of: VectorSource) -> None:
        """Add passages, a part at a time: a million vectors of 384 dimensions are 1.5 GB."""
        if isinstance(index, SharedIndex):
            keys = index.missing(keys)  # Another host may have added them.
        for start in range(0, len(keys), _BATCH_VECTORS):
            index.add(*vectors_of(keys[start : start + _BATCH_VECTORS]))

    def to_change(self, index: Vectors, name: str) -> Vectors:
        """An index that may be changed without touching what was published."""
        return index.copy_to(self._folder / name) if isinstance(index, ChromaIndex) else index

    def write(self, index: Vectors, name: str) -> list[str]:
        """Put the index in place; gives the files whose checksums count."""
        if not isinstance(index, FaissIndex):
            return []
        content: FaissIndex = index

        def write(file: BinaryIO) -> None:
            content.write_to(file)

        write_atomically(self._folder / name, write)
        return [name]

    def sweep(self, index: Vectors, kept: str) -> None:
        """Remove indexes that no manifest names any more."""
        if isinstance(index, SharedIndex):
            index.sweep()
        # Once all generations were in one file, dense.faiss.
        for stale in self._folder.glob("dense[-.]*"):
            if stale.name == kept:
                continue
            if stale.is_dir():
                shutil.rmtree(stale, ignore_errors=True)
            else:
                stale.unlink(missing_ok=True)


def _evenly(keys: Sequence[int], most: int) -> list[int]:
    """At most `most` of the keys, evenly spaced."""
    places = np.linspace(0, len(keys) - 1, min(most, len(keys))).astype(int)
    return [keys[place] for place in places]
