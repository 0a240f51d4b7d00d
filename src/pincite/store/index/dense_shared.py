"""The part that engines have in common which hold the vectors of a library for all its hosts."""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from pincite.records.filters import EVERYWHERE, Scope
from pincite.store.catalog.engine import SqliteStore
from pincite.store.index.dense_engine import Effort, Engine

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from pincite.stages import Scored
    from pincite.store.catalog.store import Store

_LOCK, _PATIENCE_SECONDS = "dense index", 2.0


class ScopedHoldings(Protocol):
    """The part of the catalog that is used by an engine which evaluates scopes itself."""

    @property
    def store(self) -> Store: ...  # noqa: D102
    def meta(self, name: str) -> str: ...  # noqa: D102
    def passage_keys(self) -> list[int]: ...  # noqa: D102
    def documents_in(self, scope: Scope) -> list[str]: ...  # noqa: D102
    def keys_in(self, scope: Scope) -> NDArray[Any] | None: ...  # noqa: D102


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditions:
    """A scope as an engine evaluates it: a passage meets every condition that is not None."""

    keys: tuple[int, ...] | None = None
    documents: list[str] | None = None
    collections: tuple[str, ...] | None = None

    @classmethod
    def of(cls, scope: Scope, catalog: ScopedHoldings) -> Conditions:
        """Names and patterns are looked up here, since they are compared by Pincite's own rules.

        Raises UsageError for filters that match nothing.
        """
        if scope.filters.sections:
            found = catalog.keys_in(scope)
            scope = EVERYWHERE.only(() if found is None else found)
        if scope.filters:
            return cls(keys=scope.keys, documents=catalog.documents_in(scope))
        return cls(keys=scope.keys, collections=scope.collections)


class SharedIndex(ABC):
    """A `DenseIndex` that is shared by all hosts and updated by any of them.

    Adding a vector twice and removing an absent one change nothing, so hosts need no agreement on who
    updates it.
    """

    is_worn = False

    def __init__(
        self, catalog: ScopedHoldings, engine: Engine, *, model: str, dimensions: int
    ) -> None:
        self.engine = engine
        self.effort = Effort()
        self._catalog = catalog
        self._dimensions = dimensions
        # Includes the library's id: others may keep their vectors in the same place.
        made_with = json.dumps([catalog.meta("library_id"), model, dimensions, str(engine)])
        self._digest = hashlib.sha256(made_with.encode()).hexdigest()[:16]

    @contextmanager
    def being_made(self) -> Iterator[None]:
        """Build the index; the block adds every vector that is `missing`. It is not searched before.

        Vectors added by a killed process are kept. Raises LibraryBusy while another host builds it.
        """
        store = self._catalog.store
        busy = "another host is building the index of its vectors; try again later"
        # Whoever builds the index of a library in a folder holds its write lock.
        is_alone = isinstance(store, SqliteStore)
        alone = store.held(_LOCK, patience_seconds=_PATIENCE_SECONDS, busy=busy)
        with nullcontext() if is_alone else alone:
            is_new = not self.is_there()
            if is_new:
                self._begin()
            self._drop_gone()
            yield
            if is_new:
                self._publish()

    @abstractmethod
    def close(self) -> None:
        """Close what was opened."""

    @abstractmethod
    def is_there(self) -> bool:
        """Whether the index exists."""

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def missing(self, keys: Sequence[int]) -> list[int]:
        """The keys that have no vector in the index, ascending."""

    @abstractmethod
    def add(self, keys: Sequence[int], vectors: NDArray[np.float32]) -> None:
        """Add unit vectors (keys, dimensions), except those of passages that no longer exist."""

    @abstractmethod
    def remove(self, ranges: Sequence[tuple[int, int]]) -> None:
        """Remove all keys in the ranges (first, last), both inclusive."""

    @abstractmethod
    def refile(self, documents: Sequence[str], *, known: int) -> None:
        """Note that documents may be in other collections, if they have keys up to `known`."""

    @abstractmethod
    def sweep(self) -> None:
        """Drop the library's indexes of other encoders and settings."""

    @abstractmethod
    def search(
        self, vector: NDArray[Any], *, limit: int, scope: Scope = EVERYWHERE
    ) -> list[Scored]:
        """The nearest `limit` keys in the scope, best first."""

    @abstractmethod
    def _begin(self) -> None:
        """Make room for the vectors, unless a killed process has."""

    @abstractmethod
    def _drop_gone(self) -> None:
        """Remove the vectors of passages that no longer exist."""

    @abstractmethod
    def _publish(self) -> None:
        """Say that the index exists."""
