"""Searches the embedded indexes within a scope: the catalog tells its keys, which they take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pincite.records.filters import EVERYWHERE, Scope
from pincite.stages import KeysIn, Scored
from pincite.store.index.dense_store import StoredVectors
from pincite.store.index.engines import LexicalStore

if TYPE_CHECKING:
    from numpy.typing import NDArray


class ScopedDense:
    """A `DenseIndex` over vectors that only know keys."""

    def __init__(self, index: StoredVectors, keys_in: KeysIn) -> None:
        self._index = index
        self._keys_in = keys_in

    def search(
        self, vector: NDArray[Any], *, limit: int, scope: Scope = EVERYWHERE
    ) -> list[Scored]:
        """The best `limit` keys in the scope, best first."""
        return self._index.search(vector, limit=limit, allowed=self._keys_in(scope))


class ScopedLexical:
    """A `LexicalIndex` over words that only know keys."""

    def __init__(self, index: LexicalStore, keys_in: KeysIn) -> None:
        self._index = index
        self._keys_in = keys_in
        self.document_frequency = index.document_frequency

    def __len__(self) -> int:
        return len(self._index)

    def search(
        self,
        terms: Sequence[str],
        *,
        limit: int,
        scope: Scope = EVERYWHERE,
        boosts: Mapping[str, float] | None = None,
        required: Sequence[str] = (),
    ) -> list[Scored]:
        """The best `limit` keys in the scope by BM25, best first."""
        return self._index.search(
            terms, limit=limit, allowed=self._keys_in(scope), boosts=boosts, required=required
        )
