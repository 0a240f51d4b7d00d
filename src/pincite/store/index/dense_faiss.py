"""Nearest neighbours with FAISS (Douze et al. 2024, arXiv:2401.08281): flat, SQ8, IVF and HNSW.

Vectors have length 1, so that the inner product is the cosine. SQ8 keeps a byte for each component;
its scale does not depend on the vectors, so that an index that was updated has the same bytes as one
that was rebuilt.
"""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO

import faiss
import numpy as np
from numpy.typing import NDArray

from pincite.models.vectors import normalised
from pincite.records.files import open_regular
from pincite.stages import Keys, Scored
from pincite.store.index.dense_engine import EXACT_UP_TO_SHARE, Effort, Engine

TRAINED_ON_EACH = 32
"""Vectors for each list of an IVF index."""

WORN_SHARE = 0.2
"""A graph is rebuilt when more than this share of its vectors has been removed."""

TAKEN_OUT_SHARE = 1 / 400
"""If at most this share of an IVF index is allowed, each of these vectors is looked up by its key: the
lists would be read from end to end, 5 ms for a million vectors. A look-up takes a microsecond."""

_ITERATIONS = 8
_SEED = 7
_READ_BYTES = 1 << 20
_HIGHEST = (1 << 63) - 1
_REMOVED = -1
_NO_RESIDUALS = (False,)
"""The lists store the vectors themselves, not residuals, so that one scale fits all."""
_placing = threading.Lock()


class FaissIndex:
    """Vectors keyed by passage. In a graph, removed vectors remain but are never found."""

    def __init__(self, dimensions: int, engine: Engine | None = None) -> None:
        self.engine = engine or Engine(kind="flat")
        self.effort = Effort()
        inner = _empty(dimensions, self.engine)
        # IVF lists store keys themselves; only so can vectors be removed.
        is_keyed = self.engine.kind == "ivf"
        self._index: Any = inner if is_keyed else faiss.IndexIDMap(inner)
        self._gone = 0

    @classmethod
    def load(cls, path: Path, engine: Engine | None = None) -> FaissIndex:
        """Read an index from a file. Raises OSError or RuntimeError if it is damaged."""
        loaded = cls.__new__(cls)
        loaded.engine, loaded.effort = engine or Engine(kind="flat"), Effort()
        # Through a Python file, because FAISS does not accept every path name; in pieces, so that
        # peak memory is that of the index.
        with open_regular(path) as file:
            reader = faiss.PyCallbackIOReader(file.read, _READ_BYTES)
            loaded._index = faiss.read_index(reader)
        loaded._gone = 0
        if loaded.engine.kind == "hnsw":
            keys = faiss.vector_to_array(loaded._index.id_map)
            loaded._gone = int(np.count_nonzero(keys == _REMOVED))
        return loaded

    def write_to(self, file: BinaryIO) -> None:
        """Write the index for `load`."""
        self._forget_places()
        faiss.write_index(self._index, faiss.PyCallbackIOWriter(file.write))

    def close(self) -> None:
        """Nothing to do: the file was read whole and closed."""

    def __len__(self) -> int:
        return int(self._index.ntotal) - self._gone

    @property
    def is_worn(self) -> bool:
        """Whether so many vectors were removed that the index should be rebuilt."""
        return self._gone > WORN_SHARE * int(self._index.ntotal)

    @property
    def sample_size(self) -> int:
        """How many vectors `train` needs; 0 for engines without training."""
        return TRAINED_ON_EACH * self.engine.lists

    def train(self, vectors: NDArray[np.float32]) -> None:
        """Compute the centres of the lists; the same vectors give the same centres."""
        if self.engine.kind == "ivf":
            _train_lists(self._index, vectors)

    def add(self, keys: Sequence[int], vectors: NDArray[np.float32]) -> None:
        """Add vectors (keys, dimensions), rows of length 1."""
        if len(keys):
            faiss.omp_set_num_threads(os.cpu_count() or 1)
            self._index.add_with_ids(
                np.ascontiguousarray(vectors), np.asarray(keys, dtype=np.int64)
            )

    def remove(self, ranges: Sequence[tuple[int, int]]) -> None:
        """Remove all keys in the ranges (first, last), both inclusive."""
        if not ranges:
            return
        self._forget_places()
        # All at once, because each removal scans the whole index.
        keys = np.concatenate([np.arange(first, last + 1) for first, last in ranges])
        if self.engine.kind == "hnsw":
            self._forget(keys)
        else:
            self._index.remove_ids(faiss.IDSelectorBatch(keys))

    def search(
        self, vector: NDArray[Any], *, limit: int, allowed: Keys | None = None
    ) -> list[Scored]:
        """The nearest `limit` keys, best first; with few `allowed`, exact among those keys."""
        limit = min(limit, len(self), len(self) if allowed is None else len(allowed))
        if limit == 0:
            return []
        # A single query cannot be parallelised; waiting for other threads would cost most of its time.
        faiss.omp_set_num_threads(1)
        query = np.ascontiguousarray(vector[None, :], dtype=np.float32)
        share, selector, _bits = 1.0, None, None
        if allowed is not None:
            if self.engine.kind == "ivf" and len(allowed) <= TAKEN_OUT_SHARE * len(self):
                found = self._compared(query[0], limit, np.asarray(allowed, dtype=np.int64))
                if found is not None:
                    return found
            _bits = np.packbits(_flags(allowed), bitorder="little")  # FAISS keeps a pointer to them
            share, selector = len(allowed) / len(self), faiss.IDSelectorBitmap(_bits)
        elif self._gone:
            selector = faiss.IDSelectorRange(0, _HIGHEST)
        found = self._search(query, limit, selector, share=share)
        if len(found) < limit and not self._compares_all(share):
            # The allowed vectors are far from the question, outside the lists that were searched.
            found = self._search(query, limit, selector, share=0.0)
        return found

    def _search(
        self, query: NDArray[np.float32], limit: int, selector: Any, *, share: float
    ) -> list[Scored]:
        """Search among the selected keys, which are this share of all; 0 compares all of them."""
        index, keys_of = self._index, None
        parameters = faiss.SearchParameters(sel=selector)
        if self.engine.kind == "ivf":
            parameters = faiss.SearchParametersIVF(sel=selector, nprobe=self._probes(share))
        elif self.engine.kind == "hnsw" and self._compares_all(share):
            # The vectors alone, without their graph; these have positions instead of keys.
            index, keys_of = faiss.downcast_index(index.index).storage, index.id_map
            translated = faiss.IDSelectorTranslated(keys_of, selector) if selector else None
            parameters = faiss.SearchParameters(sel=translated)
        elif self.engine.kind == "hnsw":
            depth = round(self.effort.depth / share)
            parameters = faiss.SearchParametersHNSW(sel=selector, efSearch=depth)
        scores, keys = index.search(query, limit, params=parameters)
        return [
            Scored(key=int(keys_of.at(int(key)) if keys_of else key), score=float(score))
            for key, score in zip(keys[0], scores[0], strict=True)
            if key >= 0
        ]

    def _probes(self, share: float) -> int:
        """How many lists to search when this share of the vectors is allowed.

        The nearest of fewer vectors are further away. With the root of the share, as many of them are
        found as without a filter (docs/decisions/0004).
        """
        total = int(self._index.nlist)
        return total if not share else min(total, round(self.effort.lists_of(total) / share**0.5))

    def _compares_all(self, share: float) -> bool:
        """Whether a search compares all allowed vectors, when they are this share."""
        if self.engine.kind == "ivf":
            return self._probes(share) == int(self._index.nlist)
        return share <= EXACT_UP_TO_SHARE

    def _compared(
        self, query: NDArray[np.float32], limit: int, keys: NDArray[np.int64]
    ) -> list[Scored] | None:
        """The nearest of these keys, by comparing each; None if one of them has no vector."""
        with _placing:
            if self._index.direct_map.type == faiss.DirectMap.NoMap:
                # 0.1 s and 40 MB for a million vectors, at the first such search.
                self._index.set_direct_map_type(faiss.DirectMap.Hashtable)
        try:
            scores = self._index.reconstruct_batch(keys) @ query
        except RuntimeError:
            return None
        best = np.argsort(-scores, kind="stable")[:limit]
        return [Scored(key=int(keys[place]), score=float(scores[place])) for place in best]

    def _forget_places(self) -> None:
        """Places change when vectors are removed, and do not belong into the file."""
        if self.engine.kind == "ivf":
            self._index.set_direct_map_type(faiss.DirectMap.NoMap)

    def _forget(self, gone: NDArray[np.int64]) -> None:
        keys = faiss.vector_to_array(self._index.id_map)
        keys[np.isin(keys, gone)] = _REMOVED
        faiss.copy_array_to_vector(keys, self._index.id_map)
        self._gone = int(np.count_nonzero(keys == _REMOVED))


def _empty(dimensions: int, engine: Engine) -> faiss.Index:
    """An empty index. Raises ValueError for an unknown kind of engine."""
    product, bytes_ = faiss.METRIC_INNER_PRODUCT, faiss.ScalarQuantizer.QT_8bit_uniform
    index: faiss.Index
    if engine.kind == "flat":
        return faiss.IndexFlatIP(dimensions)
    if engine.kind == "sq8":
        index = faiss.IndexScalarQuantizer(dimensions, bytes_, product)
        _scale(index)
        index.is_trained = True
        return index
    if engine.kind == "ivf":
        centres = faiss.IndexFlatIP(dimensions)
        index = faiss.IndexIVFScalarQuantizer(
            centres, dimensions, engine.lists, bytes_, product, *_NO_RESIDUALS
        )
        centres.this.disown()
        index.own_fields = True
        return index
    if engine.kind == "hnsw":
        index = faiss.IndexHNSWSQ(dimensions, bytes_, engine.links, product)
        index.hnsw.efConstruction = engine.build_depth
        _scale(faiss.downcast_index(index.storage))
        index.storage.is_trained = index.is_trained = True
        return index
    raise ValueError(f"'{engine.kind}' is not a FAISS engine; expected flat, sq8, ivf or hnsw")


def _scale(index: Any) -> None:
    """Set the scale to six standard deviations of a component of a random unit vector.

    Larger components are clipped; among MiniLM's (95,000 sentences and passages) there are none.
    """
    reach = min(1.0, 6 / math.sqrt(index.d))
    faiss.copy_array_to_vector(np.array([-reach, 2 * reach], dtype=np.float32), index.sq.trained)


def _train_lists(index: faiss.IndexIVF, vectors: NDArray[np.float32]) -> None:
    faiss.omp_set_num_threads(os.cpu_count() or 1)
    centres = np.ascontiguousarray(vectors, dtype=np.float32)
    if len(vectors) < index.nlist:
        # Too few to cluster: each becomes a centre, and random directions are the others.
        random = np.random.default_rng(_SEED).standard_normal((index.nlist - len(vectors), index.d))
        centres = np.vstack([centres, normalised(random).astype(np.float32)])
    else:
        means = faiss.Kmeans(
            index.d,
            index.nlist,
            niter=_ITERATIONS,
            spherical=True,
            seed=_SEED,
            min_points_per_centroid=1,
            max_points_per_centroid=TRAINED_ON_EACH,
        )
        means.train(centres)
        centres = means.centroids
    faiss.downcast_index(index.quantizer).add(centres)
    _scale(index)
    index.is_trained = True


def _flags(keys: Keys) -> NDArray[np.bool_]:
    """A flag for each key from 0 to the highest, True for allowed ones."""
    allowed = np.asarray(keys, dtype=np.int64)
    flags = np.zeros(int(allowed.max(initial=-1)) + 1, dtype=bool)
    flags[allowed] = True
    return flags
