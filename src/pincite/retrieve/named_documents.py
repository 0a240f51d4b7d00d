"""Which documents does a question name?

Where many documents are alike (a report a year from each of a hundred companies), the words of
their texts do not say which one is meant; their names do.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from pincite.records import NamedFile
from pincite.retrieve.name_words import name_words, names_of

LEAST_CERTAINTY = 0.4
"""Below this it is chance: a question does not name every document it shares a word with."""

_EMPHASIS = 3
"""Power of a word's rarity: a word of one name outweighs several that stand in many."""

_WORDS_REMEMBERED = 4096

_SAME = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class _Evidence:
    """What each name has in common with a question; arrays have one value for each name.

    `weight` is that of the common words, `marked` that of numbers and capitalised words among
    them and `marked_words` their number. `asked` is the weight of those words of the question that
    stand in any name.
    """

    weight: NDArray[np.float64]
    marked: NDArray[np.float64]
    marked_words: NDArray[np.int64]
    asked: float


class NamedDocuments:
    """A table of the words in documents' names, made once for a state of the library.

    A word's rarity is ln(N / n) / ln(N): 1 when it stands in the names of one of N documents, 0
    when in all; documents with the same names count as one. A word weighs the third power of its
    rarity. How certain it is that a name is meant, in 0..1, is

        strength x sqrt(share x coverage)

    `share` is the part (by weight) of those words of the question that stand in any name, and
    `coverage` the part of the words of this name, that the two have in common. `strength` is the
    weight of what they have in common, at most 1. Where several numbers and capitalised words are
    in common, the rarity of having as much, to the third power, counts if it is more: neither "3M"
    nor "2018" need be rare, and yet only one report has both.
    """

    def __init__(self, files: Iterable[NamedFile]) -> None:
        self._documents, names = _by_names(files)
        self._owner = np.repeat(np.arange(len(names)), [len(several) for several in names])
        words = [name_words(name) for several in names for name in several]
        self._single = _places((w.term for w in name if not w.is_pair) for name in words)
        self._pairs = _places((w.term for w in name if w.is_pair) for name in words)
        whole = np.zeros(len(words))
        for places in self._single.values():
            whole[places] += self._rarity(places) ** _EMPHASIS
        self._whole = whole
        self._match = lru_cache(maxsize=_WORDS_REMEMBERED)(self._find)

    def named(self, question: str) -> dict[str, float]:
        """Documents that the question names, with how certain that is, 0.4 or more."""
        evidence = self._evidence(question)
        if evidence.asked < _SAME:
            return {}
        certainty = self._certainty(evidence)
        found: dict[str, float] = {}
        for place in np.flatnonzero(certainty >= LEAST_CERTAINTY):
            for document_id in self._documents[self._owner[place]]:
                found[document_id] = max(found.get(document_id, 0.0), float(certainty[place]))
        return found

    def _evidence(self, question: str) -> _Evidence:
        weight = np.zeros(len(self._owner))
        marked = np.zeros(len(self._owner))
        marked_words = np.zeros(len(self._owner), dtype=np.int64)
        asked = 0.0
        for word in name_words(question):
            places, gained = self._match(word.term, is_pair=word.is_pair)
            if not len(places):
                continue
            asked += gained
            weight[places] += gained
            if word.is_marked:
                marked[places] += gained
                marked_words[places] += 1
        return _Evidence(weight=weight, marked=marked, marked_words=marked_words, asked=asked)

    def _find(self, term: str, *, is_pair: bool) -> tuple[NDArray[np.int64], float]:
        """Names with a word of a question, and what it weighs."""
        places = self._holding(term, is_pair=is_pair)
        return places, self._rarity(places) ** _EMPHASIS if len(places) else 0.0

    def _holding(self, term: str, *, is_pair: bool) -> NDArray[np.int64]:
        """Names with a word. Two pairs are no match, since their words are matches already."""
        none = np.zeros(0, dtype=np.int64)
        single, pairs = self._single.get(term, none), self._pairs.get(term, none)
        if is_pair or not len(pairs):
            return single
        return np.union1d(single, pairs) if len(single) else pairs

    def _certainty(self, evidence: _Evidence) -> NDArray[np.float64]:
        share = evidence.weight / evidence.asked
        coverage = np.minimum(1.0, evidence.weight / np.maximum(self._whole, _SAME))
        strength = np.minimum(1.0, np.maximum(evidence.weight, self._combined(evidence)))
        certainty: NDArray[np.float64] = strength * np.sqrt(share * coverage)
        return certainty

    def _combined(self, evidence: _Evidence) -> NDArray[np.float64]:
        """How rare it is among documents to have as much, where it is more than one word."""
        combined = np.zeros(len(self._owner))
        several = np.flatnonzero(evidence.marked_words > 1)
        best = np.zeros(len(self._documents))
        np.maximum.at(best, self._owner[several], evidence.marked[several])
        ascending = np.sort(best[best > 0])
        as_much = len(ascending) - np.searchsorted(ascending, evidence.marked[several] - _SAME)
        combined[several] = self._rarity_of(np.maximum(as_much, 1)) ** _EMPHASIS
        return combined

    def _rarity(self, places: NDArray[np.int64]) -> float:
        return float(self._rarity_of(np.array([len(np.unique(self._owner[places]))]))[0])

    def _rarity_of(self, counts: NDArray[np.int64]) -> NDArray[np.float64]:
        documents = len(self._documents)
        if documents < 2:
            return np.zeros(len(counts))
        rarity: NDArray[np.float64] = 1 - np.log(counts) / math.log(documents)
        return rarity


def _by_names(files: Iterable[NamedFile]) -> tuple[list[list[str]], list[tuple[str, ...]]]:
    """Documents with the same names together, and these names."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for file in files:
        names = names_of(file.path, file.title)
        if names:
            groups.setdefault(names, []).append(file.document_id)
    return list(groups.values()), list(groups)


def _places(names: Iterable[Iterable[str]]) -> dict[str, NDArray[np.int64]]:
    """For each word, the numbers of the names that hold it, ascending."""
    places: dict[str, list[int]] = {}
    for number, words in enumerate(names):
        for word in words:
            places.setdefault(word, []).append(number)
    return {word: np.array(found, dtype=np.int64) for word, found in places.items()}
