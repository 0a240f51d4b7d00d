"""How telling is a word in this library?"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache

from pincite.index.engines import LexicalStore
from pincite.text.languages import UNKNOWN, language_of


class IndexTermWeights:
    """Inverse document frequency from the lexical index, scaled to 0..1.

    ln(1 + (N - n + 0.5) / (n + 0.5)), the form BM25 uses (Robertson and Zaragoza 2009), divided by
    its value for a word that stands in no passage.
    """

    def __init__(self, index: LexicalStore, languages: Mapping[str, int] | None = None) -> None:
        """`languages`: how many passages are in each."""
        self._index = index
        counts = languages or {UNKNOWN: 0}
        self.languages = sorted(counts, key=lambda name: (-counts[name], name))
        self._passages = len(index)
        self._highest = self._idf(0)
        self.weight = lru_cache(maxsize=10_000)(self._weight)

    def language(self, question: str) -> str:
        """The language a question shows by its words; else the one most passages are in."""
        return language_of(question, among=self.languages, otherwise=self.languages[0])

    def _weight(self, term: str) -> float:
        """1 for a word that stands nowhere, near 0 for one that stands everywhere."""
        return self._idf(self._index.document_frequency(term)) / self._highest

    def _idf(self, frequency: int) -> float:
        return math.log(1 + (self._passages - frequency + 0.5) / (frequency + 0.5))
