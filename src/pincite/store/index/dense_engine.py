"""Chooses the engine for the vectors of a library by its size and settings.

Recall and times: docs/decisions/0004. One core, 384 dimensions: `flat` needs 11 ms for 100,000 vectors,
`sq8` 4 ms, `ivf` 9 ms for 1,000,000; `flat` takes four times the memory of the others.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass

from pincite.settings.groups import DenseSettings

EXACT_UP_TO_SHARE = 0.1
"""If at most this share of the vectors is allowed, an approximate engine compares each of them: that
costs less than a search of the graph or the lists."""

_LEAST_LISTS, _MOST_LISTS = 16, 65_536
_LISTS_PER_PROBE = 8
"""Without `dense.nprobe`, one list in eight is searched. On 20,000 real vectors this finds 0.98 of the
ten nearest (one in sixteen 0.96, all lists 0.99) and is six times as fast as comparing all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """The kind and parameters an index is built with; if others are wanted, it is rebuilt.

    `lists` is for ivf, `links` and `build_depth` are for the engines with a graph, `search_depth` for
    chroma, which keeps it with the vectors; 0 elsewhere.
    """

    kind: str
    lists: int = 0
    links: int = 0
    build_depth: int = 0
    search_depth: int = 0

    @property
    def is_shared(self) -> bool:
        """Whether one index serves all hosts of the library."""
        return self.kind in ("pgvector", "qdrant")

    def __str__(self) -> str:
        given = [f"{name} {value}" for name, value in asdict(self).items() if value]
        return ", ".join(map(str, given)).removeprefix("kind ").replace("_", " ")


@dataclass(frozen=True, slots=True, kw_only=True)
class Effort:
    """Search parameters, which need no rebuild when they change."""

    lists: int = 0
    """Lists to search, for ivf; 0: one in eight."""
    depth: int = 128
    """Candidates kept while walking the graph, for hnsw, pgvector and qdrant."""

    def lists_of(self, total: int) -> int:
        """How many of `total` lists to search."""
        return min(total, self.lists or max(1, total // _LISTS_PER_PROBE))


def wanted_engine(chosen: DenseSettings, vectors: int) -> Engine:
    """The engine that the settings ask for, with this number of vectors."""
    kind = _by_size(chosen, vectors) if chosen.engine == "auto" else chosen.engine
    if kind == "ivf":
        return Engine(kind=kind, lists=chosen.nlist or _lists_for(vectors))
    if kind in ("hnsw", "chroma", "pgvector", "qdrant"):
        depth = chosen.ef_search if kind == "chroma" else 0
        return Engine(
            kind=kind, links=chosen.m, build_depth=chosen.ef_construction, search_depth=depth
        )
    return Engine(kind=kind)


def _by_size(chosen: DenseSettings, vectors: int) -> str:
    if vectors <= chosen.flat_up_to:
        return "flat"
    return "sq8" if vectors <= chosen.sq8_up_to else "ivf"


def _lists_for(vectors: int) -> int:
    """About twice the square root, as a power of two, so that a growing library is rarely rebuilt."""
    power = round(math.log2(2 * math.sqrt(vectors or 1)))
    return min(_MOST_LISTS, max(_LEAST_LISTS, 1 << power))
