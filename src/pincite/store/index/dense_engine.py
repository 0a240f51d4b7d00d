"""Which engine holds the vectors of a library of this size?

Recall and times: docs/decisions/0004. One core, 384 dimensions: `flat` needs 11 ms for 100,000 vectors,
`sq8` 4 ms, `ivf` 9 ms for 1,000,000; `flat` takes four times the memory of the others.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass

from pincite.settings.groups import DenseSettings

EXACT_UP_TO_SHARE = 0.1
"""Of the vectors, where an approximate engine compares every allowed one: below it that costs less
than a search of the graph or the lists."""

_LEAST_LISTS, _MOST_LISTS = 16, 65_536
_LISTS_LOOKED_INTO = 8
"""One list of so many, where `dense.nprobe` does not say. Of 20,000 real vectors it finds 0.98 of the
ten nearest (a sixteenth 0.96, all lists 0.99) and is still six times as fast as comparing all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """What an index is built with: another engine than wanted means building it anew.

    `lists` is for ivf, `links` and `build_depth` are for hnsw, chroma and pgvector, `search_depth` for
    chroma, which keeps it with the vectors; 0 elsewhere.
    """

    kind: str
    lists: int = 0
    links: int = 0
    build_depth: int = 0
    search_depth: int = 0

    def __str__(self) -> str:
        given = [f"{name} {value}" for name, value in asdict(self).items() if value]
        return ", ".join(map(str, given)).removeprefix("kind ").replace("_", " ")


@dataclass(frozen=True, slots=True, kw_only=True)
class Effort:
    """How hard a search tries; it may change from one opening to the next."""

    lists: int = 0
    """Looked into, for ivf; 0: an eighth."""
    depth: int = 128
    """Candidates kept while walking the graph, for hnsw and pgvector."""

    def lists_of(self, total: int) -> int:
        """Lists to look into of so many."""
        return min(total, self.lists or max(1, total // _LISTS_LOOKED_INTO))


def wanted_engine(chosen: DenseSettings, vectors: int) -> Engine:
    """What the settings mean for so many vectors."""
    kind = _by_size(chosen, vectors) if chosen.engine == "auto" else chosen.engine
    if kind == "ivf":
        return Engine(kind=kind, lists=chosen.nlist or _lists_for(vectors))
    if kind in ("hnsw", "chroma", "pgvector"):
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
    """About twice the square root, a power of two: so a library is seldom clustered anew."""
    power = round(math.log2(2 * math.sqrt(vectors or 1)))
    return min(_MOST_LISTS, max(_LEAST_LISTS, 1 << power))
