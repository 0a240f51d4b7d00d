"""Finds the documents that a question names.

When many documents are alike (a yearly report from each of a hundred companies), the words of
their texts do not show which one is meant; their names do.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pincite.records.filters import Filters
from pincite.records.flow import Hit, Question
from pincite.text.document_names import (
    PAIR,
    SECOND_NAME,
    YEAR,
    NameTable,
    NameWord,
    hashed,
    name_words,
)

LEAST_CERTAINTY = 0.4
"""Below this a match is chance: a question does not name every document it shares a word with."""

_FEW = 3
"""Reports of one company and year: the annual one and parts of it."""

_NEARLY = 0.75
"""A name that shares this part of another's weight with a question rivals it."""

_EMPHASIS = 3
"""Power of a word's rarity: a word of one name outweighs several common ones."""

_SAME = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Naming:
    """How certain it is, in 0.4..1, that a question names a document.

    `is_alone`: the match rests on several numbers or capitalised words, no other document has more
    of them in its name, and at most two have nearly as many.
    """

    certainty: float
    is_alone: bool = False


class _Evidence:
    """What each name shares with a question; arrays have one value for each name.

    `weight` is the weight of the shared words, `marked` the weight of the numbers and capitalised
    words among them, `marked_words` the count of those. `asked` is the weight of the question's
    words that occur in any name. `excluded` names are not meant.
    """

    def __init__(self, *, names: int) -> None:
        self.weight = np.zeros(names)
        self.marked = np.zeros(names)
        self.marked_words = np.zeros(names, dtype=np.int64)
        self.excluded = np.zeros(names, dtype=bool)
        self.asked = 0.0

    def add(self, found: _Found, word: NameWord) -> None:
        """Count a word for the names that contain it."""
        is_new = np.ones(len(found.names), dtype=bool)
        self.add_more(found, found.weight, asked=found.weight, is_new=is_new, word=word)

    def add_more(
        self,
        found: _Found,
        more: float | NDArray[np.float64],
        *,
        asked: float,
        is_new: NDArray[np.bool_],
        word: NameWord,
    ) -> None:
        """Count what a word adds to each name; `is_new` where no part of it was counted yet."""
        self.asked += asked
        self.weight[found.names] += more
        if word.is_marked:
            self.marked[found.names] += more
            self.marked_words[found.names] += is_new


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Found:
    """The names that contain a word, written as one or as two, ascending; and the word's weight."""

    names: NDArray[np.int64]
    weight: float


class NamedDocuments:
    """Finds the documents of a table that a question names.

    A word's rarity is ln(N / n) / ln(N): 1 when it occurs in the names of one of N documents, 0
    when in all; documents with the same names count as one. A word's weight is the third power of
    its rarity. The certainty that a name is meant, in 0..1, is

        strength x sqrt(share x coverage)

    Both parts are by weight: `share` is the shared part of those words of the question that occur
    in any name, `coverage` the shared part of this name's words. `strength` is the weight of the
    shared words, at most 1. If several numbers and capitalised words are shared, the rarity of
    sharing nearly as much, to the third power, counts when it is higher: "3M" and "2018" may both
    be common, and yet only one report has both.
    """

    def __init__(self, table: NameTable) -> None:
        self._table = table
        self._by_called = np.argsort(table.called, kind="stable")
        # The words of one name are adjacent.
        second = (table.kinds & SECOND_NAME).astype(bool)
        is_first = _is_new(table.owners) | _is_new(second)
        names = np.cumsum(is_first) - 1
        # For each name: the hash that its documents are called by, and a number for that.
        self._owners = table.owners[is_first]
        self._owner = np.cumsum(_is_new(self._owners)) - 1
        self._documents = int(self._owner[-1]) + 1 if len(self._owner) else 0

        # For each term the names that contain it: those of term `n` start at `starts[n]`.
        by_term = np.argsort(table.words, kind="stable")
        held = _is_new(table.words[by_term]) | _is_new(names[by_term])  # As one word or in two.
        by_term = by_term[held]
        is_first = _is_new(table.words[by_term])
        self._names = names[by_term]
        self._terms = table.words[by_term][is_first]
        self._starts = np.flatnonzero(np.append(is_first, True))
        # Names are sorted by owner, so a term's owners are counted where they change.
        is_owner = is_first | _is_new(self._owner[self._names])
        held_by = np.add.reduceat(is_owner, self._starts[:-1]) if len(self._terms) else is_owner
        self._weights = self._rarity_of(held_by.astype(np.int64)) ** _EMPHASIS

        is_single = (table.kinds & PAIR) == 0
        weights = self._weights[np.searchsorted(self._terms, table.words[is_single])]
        self._whole = np.bincount(names[is_single], weights=weights, minlength=len(self._owners))
        self._dated = np.zeros(len(self._owners), dtype=bool)
        self._dated[names[(table.kinds & YEAR) != 0]] = True

    def named(self, question: str) -> dict[str, Naming]:
        """The documents that the question names, by id."""
        evidence = self._evidence(question)
        if evidence.asked < _SAME:
            return {}
        as_much = self._as_much(evidence)
        certainty = self._certainty(evidence, as_much)
        most = evidence.marked[~evidence.excluded].max(initial=0.0)
        alone = (as_much > 0) & (as_much <= _FEW) & (evidence.marked >= _NEARLY * most)
        found: dict[str, Naming] = {}
        places = np.flatnonzero(certainty >= LEAST_CERTAINTY)
        # The best name of a document comes last and stays.
        for place in places[np.argsort(certainty[places], kind="stable")]:
            naming = Naming(
                certainty=float(certainty[place]),
                is_alone=bool(alone[place]),
            )
            found.update(dict.fromkeys(self._documents_of(int(place)), naming))
        return found

    def _documents_of(self, name: int) -> list[str]:
        """The documents that have this name."""
        called = self._table.called
        first, end = (
            np.searchsorted(called, self._owners[name], side, sorter=self._by_called)
            for side in ("left", "right")
        )
        return [self._table.documents[row] for row in self._by_called[first:end].tolist()]

    def _evidence(self, question: str) -> _Evidence:
        evidence = _Evidence(names=len(self._owners))
        words = name_words(question)
        found = {term: self._find(term) for word in words for term in (word.term, *word.parts)}
        for word in words:
            if not word.parts:
                evidence.add(found[word.term], word)
        for word in words:
            if word.parts:
                _add_pair(evidence, word, found)
        years = [found[word.term].names for word in words if word.is_year]
        if any(map(len, years)):
            # The report of another year is not meant, whatever else matches.
            evidence.excluded = self._dated.copy()
            evidence.excluded[np.concatenate(years)] = False
        return evidence

    def _find(self, term: str) -> _Found:
        key = np.uint64(hashed(term))
        place = int(np.searchsorted(self._terms, key))
        if place == len(self._terms) or self._terms[place] != key:
            return _Found(names=np.zeros(0, dtype=np.int64), weight=0.0)
        names = self._names[self._starts[place] : self._starts[place + 1]]
        return _Found(names=names, weight=float(self._weights[place]))

    def _certainty(self, evidence: _Evidence, as_much: NDArray[np.int64]) -> NDArray[np.float64]:
        certainty = np.zeros(len(self._owners))
        places = np.flatnonzero((evidence.weight > 0) & ~evidence.excluded)
        weight, as_much = evidence.weight[places], as_much[places]
        share = weight / evidence.asked
        coverage = np.minimum(1.0, weight / np.maximum(self._whole[places], _SAME))
        # How rare it is among documents to share nearly as much, for several words.
        combined = np.where(as_much > 0, self._rarity_of(np.maximum(as_much, 1)) ** _EMPHASIS, 0.0)
        strength = np.minimum(1.0, np.maximum(weight, combined))
        certainty[places] = strength * np.sqrt(share * coverage)
        return certainty

    def _as_much(self, evidence: _Evidence) -> NDArray[np.int64]:
        """How many documents share nearly as much with the question as each name, itself included.

        Numbers and capitalised words count; 0 for a name that does not share several of them.
        """
        counts = np.zeros(len(self._owners), dtype=np.int64)
        several = np.flatnonzero(evidence.marked_words > 1)
        best = np.zeros(self._documents)
        meant = several[~evidence.excluded[several]]
        np.maximum.at(best, self._owner[meant], evidence.marked[meant])
        ascending = np.sort(best[best > 0])
        nearly = _NEARLY * evidence.marked[several]
        as_much = len(ascending) - np.searchsorted(ascending, nearly - _SAME)
        counts[several] = np.maximum(as_much, 1)
        return counts

    def _rarity_of(self, counts: NDArray[np.int64]) -> NDArray[np.float64]:
        if self._documents < 2:
            return np.zeros(len(counts))
        rarity: NDArray[np.float64] = 1 - np.log(counts) / math.log(self._documents)
        return rarity


def _add_pair(evidence: _Evidence, pair: NameWord, found: Mapping[str, _Found]) -> None:
    """Add the weight of two words as one, minus what was counted for each."""
    both = found[pair.term]
    if not len(both.names):
        return
    known = np.zeros(len(both.names))
    asked = 0.0
    for part in pair.parts:
        known += found[part].weight * _are_in(found[part].names, both.names)
        asked += found[part].weight
    more = np.maximum(0.0, both.weight - known)
    evidence.add_more(both, more, asked=max(0.0, both.weight - asked), is_new=known == 0, word=pair)


def _is_new(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Whether each value differs from the one before it; the first always does."""
    return np.append(np.ones(len(values[:1]), dtype=bool), values[1:] != values[:-1])


def _are_in(ascending: NDArray[np.int64], sought: NDArray[np.int64]) -> NDArray[np.bool_]:
    places = np.searchsorted(ascending, sought)
    padded = np.append(ascending, -1)
    found: NDArray[np.bool_] = padded[places] == sought
    return found


# Boosting the documents that a question names.

TableOf = Callable[[str | None], NameTable]
"""The names of a collection's documents, or of all documents."""

CERTAIN_ENOUGH_TO_FILTER = 0.7

_COLLECTIONS_REMEMBERED = 64
_QUESTIONS_REMEMBERED = 16


class DocumentRoutes:
    """Caches the documents that questions name; a collection's names are weighed on first use."""

    def __init__(self, table_of: TableOf) -> None:
        self._table = lru_cache(maxsize=_COLLECTIONS_REMEMBERED)(
            lambda collection: NamedDocuments(table_of(collection))
        )
        self._named = lru_cache(maxsize=_QUESTIONS_REMEMBERED)(
            lambda text, collection: self._table(collection).named(text)
        )

    def named(self, question: Question) -> Mapping[str, Naming]:
        """The documents that the question names, with the certainty of each."""
        found: Mapping[str, Naming] = self._named(question.plain, question.collection)
        return found

    def narrowed(self, question: Question, documents: Iterable[str]) -> Question | None:
        """The question limited to these documents; None without any, and when it has filters.

        Filters already say where to look.
        """
        meant = tuple(sorted(documents))
        if not meant or question.filters:
            return None
        return replace(question, filters=Filters(documents=meant))


class NamedDocumentBooster:
    """Adds `weight` x certainty to passages of documents that the question names."""

    name = "documents"

    def __init__(self, routes: DocumentRoutes, *, weight: float) -> None:
        self._routes = routes
        self._weight = weight

    def boosts(self, question: Question, hits: Sequence[Hit]) -> Sequence[float]:
        """The boost of each candidate for the name of its document."""
        named = {
            document: self._weight * naming.certainty
            for document, naming in self._routes.named(question).items()
        }
        return [named.get(hit.passage.span.document_id, 0.0) for hit in hits]

    def diagnostics(self, question: Question) -> Mapping[str, float]:
        """The named documents, the most certain first."""
        named = self._routes.named(question)
        certainties = {document: naming.certainty for document, naming in named.items()}
        return dict(sorted(certainties.items(), key=lambda item: (-item[1], item[0])))
