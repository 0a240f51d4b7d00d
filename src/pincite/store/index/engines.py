"""The available lexical engines, and term weights computed from their indexes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Protocol

from pincite.stages import Keys, Scored
from pincite.store.index.lexical_tantivy import LexicalRow, TantivyIndex
from pincite.text.languages import UNKNOWN, counted_languages, language_of


class LexicalStore(Protocol):
    """A lexical index in a folder of its own, which is searched among keys."""

    def __len__(self) -> int: ...
    def document_frequency(self, term: str) -> int: ...  # noqa: D102
    def search(  # noqa: D102
        self,
        terms: Sequence[str],
        *,
        limit: int,
        allowed: Keys | None = None,
        boosts: Mapping[str, float] | None = None,
        required: Sequence[str] = (),
    ) -> list[Scored]: ...

    def add(self, rows: Iterable[LexicalRow]) -> None:
        """Add passages and make them durable."""
        ...

    def without(
        self, is_gone: Callable[[int], bool], folder: Path
    ) -> tuple[LexicalStore, list[bytes]] | None:
        """A copy in another folder without some keys, and the `counted` fields of the removed rows.

        None if the engine cannot copy, and the index must be rebuilt from the catalog.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class LexicalEngine:
    """Opens or creates an index in a folder. `name` identifies everything that changes its scores."""

    name: str
    open: Callable[[Path], LexicalStore]


TANTIVY = LexicalEngine(name="tantivy", open=TantivyIndex)


def bm25s_engine(*, k1: float, b: float) -> LexicalEngine:
    """BM25 with these parameters."""

    def opened(folder: Path) -> LexicalStore:
        # Imported only if it is used.
        from pincite.store.index.lexical_bm25s import Bm25sIndex

        return Bm25sIndex(folder, k1=k1, b=b)

    return LexicalEngine(name=f"bm25s k1={k1:g} b={b:g}", open=opened)


# Term weights.


class IndexTermWeights:
    """Inverse document frequency from the lexical index, scaled to 0..1.

    ln(1 + (N - n + 0.5) / (n + 0.5)), the form BM25 uses (Robertson and Zaragoza 2009), divided by
    its value for a word in no passage.
    """

    def __init__(self, index: LexicalStore, languages: Mapping[str, int] | None = None) -> None:
        """`languages`: number of passages by language."""
        self._index = index
        counts = counted_languages(languages or {UNKNOWN: 0})
        self.languages = sorted(counts, key=lambda name: (-counts[name], name))
        self._passages = len(index)
        self._highest = self._idf(0)
        self.weight = lru_cache(maxsize=10_000)(self._weight)

    def language(self, question: str) -> str:
        """The language detected from the question's words, or else that of most passages."""
        return language_of(question, among=self.languages, otherwise=self.languages[0])

    def _weight(self, term: str) -> float:
        """1 for a word in no passage, near 0 for one in every passage."""
        return self._idf(self._index.document_frequency(term)) / self._highest

    def _idf(self, frequency: int) -> float:
        return math.log(1 + (self._passages - frequency + 0.5) / (frequency + 0.5))
