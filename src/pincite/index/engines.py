"""Which program ranks passages by their words?"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from pincite.index.lexical_tantivy import LexicalRow, TantivyIndex
from pincite.stages import LexicalIndex


class LexicalStore(LexicalIndex, Protocol):
    """A lexical index in a folder of its own."""

    def add(self, rows: Iterable[LexicalRow]) -> None:
        """Add passages and make them durable."""
        ...

    def without(
        self, is_gone: Callable[[int], bool], folder: Path
    ) -> tuple[LexicalStore, list[bytes]] | None:
        """A copy in another folder, as if some keys had never been there; what was counted of these.

        None where it has to be made anew from the catalog.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class LexicalEngine:
    """How an index is opened or made in a folder. `name` says what decides over its scores."""

    name: str
    open: Callable[[Path], LexicalStore]


TANTIVY = LexicalEngine(name="tantivy", open=TantivyIndex)


def bm25s_engine(*, k1: float, b: float) -> LexicalEngine:
    """BM25 with these two settings."""

    def opened(folder: Path) -> LexicalStore:
        # Loaded where it is chosen only.
        from pincite.index.lexical_bm25s import Bm25sIndex

        return Bm25sIndex(folder, k1=k1, b=b)

    return LexicalEngine(name=f"bm25s k1={k1:g} b={b:g}", open=opened)
