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
from pincite.retrieve.name_words import NameWord, name_words, names_of

LEAST_CERTAINTY = 0.4
"""Below this it is chance: a question does not name every document it shares a word with."""

_SURE = 0.7
_WORDS_TO_BE_SURE = 2

_FEW = 3
"""Reports of one company and year: the annual one and parts of it."""

_NEARLY = 0.75
"""A name with this part of another's weight in common with a question rivals it."""

_EMPHASIS = 3
"""Power of a word's rarity: a word of one name outweighs several that stand in many."""

_WORDS_REMEMBERED = 4096

_SAME = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Naming:
    """How certain it is, in 0.4..1, that a question names a document.

    `is_sure` if it is 0.7 or more and rests on several numbers or capitalised words. `is_alone` if
    it rests on several of them, no other document has more of them in its name, and at most two
    have nearly as much.
    """

    certainty: float
    is_sure: bool
    is_alone: bool = False


class _Evidence:
    """What each name has in common with a question; arrays have one value for each name.

    `weight` is that of the common words, `marked` that of numbers and capitalised words among
    them and `marked_words` their number. `asked` is the weight of those words of the question that
    stand in any name. Names that are `excluded` are not meant.
    """

    def __init__(self, *, names: int) -> None:
        self.weight = np.zeros(names)
        self.marked = np.zeros(names)
        self.marked_words = np.zeros(names, dtype=np.int64)
        self.excluded = np.zeros(names, dtype=bool)
        self.asked = 0.0

    def add(self, places: NDArray[np.int64], weight: float, word: NameWord) -> None:
        """Count a word for the names that hold it."""
        if len(places):
            is_new = np.ones(len(places), dtype=bool)
            more = np.full(len(places), weight)
            self.add_more(places, more, asked=weight, is_new=is_new, word=word)

    def add_more(
        self,
        places: NDArray[np.int64],
        more: NDArray[np.float64],
        *,
        asked: float,
        is_new: NDArray[np.bool_],
        word: NameWord,
    ) -> None:
        """Count what a word adds in each place; `is_new` where nothing of it was counted yet."""
        self.asked += asked
        self.weight[places] += more
        if word.is_marked:
            self.marked[places] += more
            self.marked_words[places] += is_new


class NamedDocuments:
    """A table of the words in documents' names, made once for a state of the library.

    A word's rarity is ln(N / n) / ln(N): 1 when it stands in the names of one of N documents, 0
    when in all; documents with the same names count as one. A word weighs the third power of its
    rarity. How certain it is that a name is meant, in 0..1, is

        strength x sqrt(share x coverage)

    `share` is the part (by weight) of those words of the question that stand in any name, and
    `coverage` the part of the words of this name, that the two have in common. `strength` is the
    weight of what they have in common, at most 1. Where several numbers and capitalised words are
    in common, the rarity of having nearly as much, to the third power, counts if it is more:
    neither "3M" nor "2018" need be rare, and yet only one report has both.
    """

    def __init__(self, files: Iterable[NamedFile]) -> None:
        self._documents, names = _by_names(files)
        self._owner = np.repeat(np.arange(len(names)), [len(several) for several in names])
        words = [name_words(name) for several in names for name in several]
        self._single = _places((w.term for w in name if not w.parts) for name in words)
        self._pairs = _places((w.term for w in name if w.parts) for name in words)
        self._match = lru_cache(maxsize=_WORDS_REMEMBERED)(self._find)
        self._dated = np.array([any(w.is_year for w in name) for name in words], dtype=bool)
        self._whole = np.zeros(len(words))
        for term, places in self._single.items():
            self._whole[places] += self._find(term)[1]

    def named(self, question: str) -> dict[str, Naming]:
        """Documents that the question names."""
        evidence = self._evidence(question)
        if evidence.asked < _SAME:
            return {}
        as_much = self._as_much(evidence)
        certainty = self._certainty(evidence, as_much)
        most = evidence.marked[~evidence.excluded].max(initial=0.0)
        alone = (as_much > 0) & (as_much <= _FEW) & (evidence.marked >= _NEARLY * most)
        sure = (certainty >= _SURE) & (evidence.marked_words >= _WORDS_TO_BE_SURE)
        found: dict[str, Naming] = {}
        places = np.flatnonzero(certainty >= LEAST_CERTAINTY)
        # The best name of a document comes last and stays.
        for place in places[np.lexsort((certainty[places], sure[places]))]:
            naming = Naming(
                certainty=float(certainty[place]),
                is_sure=bool(sure[place]),
                is_alone=bool(alone[place]),
            )
            found.update(dict.fromkeys(self._documents[self._owner[place]], naming))
        return found

    def _evidence(self, question: str) -> _Evidence:
        evidence = _Evidence(names=len(self._owner))
        words = name_words(question)
        for word in words:
            if not word.parts:
                evidence.add(*self._match(word.term), word)
        for word in words:
            if word.parts:
                self._add_pair(evidence, word)
        years = [self._match(word.term)[0] for word in words if word.is_year]
        if any(map(len, years)):
            # The report of another year is not meant, whatever else it has in common.
            evidence.excluded = self._dated.copy()
            evidence.excluded[np.concatenate(years)] = False
        return evidence

    def _add_pair(self, evidence: _Evidence, pair: NameWord) -> None:
        """What two words weigh as one, less what they have weighed already."""
        places, weight = self._match(pair.term)
        if not len(places):
            return
        known = np.zeros(len(places))
        asked = 0.0
        for part in pair.parts:
            part_places, part_weight = self._match(part)
            known += part_weight * np.isin(places, part_places)
            asked += part_weight
        more = np.maximum(0.0, weight - known)
        evidence.add_more(
            places, more, asked=max(0.0, weight - asked), is_new=known == 0, word=pair
        )

    def _find(self, term: str) -> tuple[NDArray[np.int64], float]:
        """Names with a word, as one or in two, and what it weighs."""
        none = np.zeros(0, dtype=np.int64)
        single, pairs = self._single.get(term, none), self._pairs.get(term, none)
        places = np.union1d(single, pairs) if len(pairs) else single
        return places, self._rarity(places) ** _EMPHASIS if len(places) else 0.0

    def _certainty(self, evidence: _Evidence, as_much: NDArray[np.int64]) -> NDArray[np.float64]:
        share = evidence.weight / evidence.asked
        coverage = np.minimum(1.0, evidence.weight / np.maximum(self._whole, _SAME))
        # How rare it is among documents to have nearly as much, where it is several words.
        combined = np.where(as_much > 0, self._rarity_of(np.maximum(as_much, 1)) ** _EMPHASIS, 0.0)
        strength = np.minimum(1.0, np.maximum(evidence.weight, combined))
        certainty: NDArray[np.float64] = strength * np.sqrt(share * coverage)
        certainty[evidence.excluded] = 0.0
        return certainty

    def _as_much(self, evidence: _Evidence) -> NDArray[np.int64]:
        """How many documents have nearly as much in common as each name, itself included.

        Numbers and capitalised words count; 0 for a name that has not several of them in common.
        """
        counts = np.zeros(len(self._owner), dtype=np.int64)
        several = np.flatnonzero(evidence.marked_words > 1)
        best = np.zeros(len(self._documents))
        meant = several[~evidence.excluded[several]]
        np.maximum.at(best, self._owner[meant], evidence.marked[meant])
        ascending = np.sort(best[best > 0])
        nearly = _NEARLY * evidence.marked[several]
        as_much = len(ascending) - np.searchsorted(ascending, nearly - _SAME)
        counts[several] = np.maximum(as_much, 1)
        return counts

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
