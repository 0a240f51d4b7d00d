"""How telling is a word in this library?"""

from __future__ import annotations

import math
from functools import lru_cache

from pincite.index.lexical_tantivy import TantivyIndex


class IndexTermWeights:
    """Inverse document frequency from the lexical index, scaled to 0..1.

    ln(1 + (N - n + 0.5) / (n + 0.5)), the form BM25 uses (Robertson and Zaragoza 2009), divided by
    its value for a word that stands in no passage.
    """

    def __init__(self, index: TantivyIndex) -> None:
        self._index = index
        self._passages = len(index)
        self._highest = self._idf(0)
        self.weight = lru_cache(maxsize=10_000)(self._weight)

    def _weight(self, term: str) -> float:
        """1 for a word that stands nowhere, near 0 for one that stands everywhere."""
        return self._idf(self._index.document_frequency(term)) / self._highest

    def _idf(self, frequency: int) -> float:
        return math.log(1 + (self._passages - frequency + 0.5) / (frequency + 0.5))
