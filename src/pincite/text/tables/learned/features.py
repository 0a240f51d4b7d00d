"""What may tell whether a candidate is what a question asks: features, each a name that is hashed.

A candidate's features come in groups that it shares with others: of its kind, of its filter, of its
column, of the column that ranks, of pairs of these, and of its answer. A group is made once for a
question, and its weight added to each candidate that has it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from pincite.text.tables.learned.candidates import Asked, Candidate, Filter, Named
from pincite.text.tables.learned.indexed import IndexedTable
from pincite.text.tables.phrases import Run, as_words
from pincite.text.tables.tables import quantity

FEATURES = 1 << 20
"""Features that are told apart; two that share a number share a weight."""
NONE = "none"
"""What is asked is not among the candidates."""

_AGGREGATES = ("sum", "average", "difference")


@dataclass(frozen=True, slots=True)
class Weighable:
    """The candidates of a question as numbers.

    `features` are those of all groups, one after the other, and `group_of` tells the group of each.
    `groups` are those of each candidate: [candidate, 7]. `none` are the features of none of them.
    """

    features: NDArray[np.int32]
    group_of: NDArray[np.int32]
    groups: NDArray[np.int32]
    none: NDArray[np.int32]
    count: int


def number_of(feature: str) -> int:
    """The number of a feature."""
    return crc32(feature.encode()) & (FEATURES - 1)


def weighable(
    asked: Asked,
    indexed: IndexedTable,
    named: Sequence[Named],
    found: Sequence[Candidate],
    common: frozenset[str],
) -> Weighable:
    """The features of the candidates; `common` are the stems that many questions have."""
    made = _Groups(asked, indexed, named, common)
    groups = [made.of(candidate) for candidate in found]
    sizes = [len(features) for features in made.groups]
    first = " ".join(asked.words[:1]), " ".join(asked.words[:2])
    return Weighable(
        features=np.array([one for features in made.groups for one in features], np.int32),
        group_of=np.repeat(np.arange(len(sizes), dtype=np.int32), sizes),
        groups=np.array(groups, np.int32).reshape(len(groups), 7),
        none=np.array([number_of(f"{NONE}:{one}") for one in ("", *first)], np.int32),
        count=len(sizes),
    )


class _Groups:
    """Makes each group once."""

    def __init__(
        self,
        asked: Asked,
        indexed: IndexedTable,
        named: Sequence[Named],
        common: frozenset[str],
    ) -> None:
        self._asked = asked
        self._indexed = indexed
        self._named = named
        self._said = f" {' '.join(asked.words)} "
        self._whole_heads = {
            place
            for place, head in enumerate(indexed.heads)
            if head and all(word in asked.stems for word in head)
        }
        self._open: dict[frozenset[int], list[str]] = {}
        self._common = common
        self._first = " ".join(asked.words[:1])
        self._two = " ".join(asked.words[:2])
        self._pairs = [" ".join(pair) for pair in zip(asked.words, asked.words[1:], strict=False)]
        self._places: dict[object, int] = {}
        self.groups: list[list[int]] = []

    def of(self, one: Candidate) -> tuple[int, ...]:
        """The groups of a candidate."""
        chosen = one.filter
        rows = min(chosen.rows.bit_count(), 3)
        kinds = tuple(sorted(named.kind for named in chosen.named))
        used, column, ranked = chosen.used, one.column, one.ranked
        own = {named.column for named in chosen.named}
        is_own = column in own if column is not None else None
        role = "added" if one.kind in _AGGREGATES else "asked"
        unread = self._unread(one, used)
        answer = self._answer(one)
        nothing = self._group(None, lambda: ())
        return (
            self._group(("kind", one.kind), lambda: self._of_kind(one.kind)),
            self._group(("filter", id(chosen)), lambda: self._of_filter(chosen)),
            self._group(
                ("kind of filter", one.kind, chosen.join, rows, kinds),
                lambda: _of_both(one.kind, chosen, rows),
            ),
            nothing
            if column is None
            else self._group((role, column, used), lambda: self._of_column(role, column, used)),
            self._group(
                ("kind of column", one.kind, is_own, column == ranked, column),
                lambda: self._of_kind_and_column(one, is_own=is_own),
            ),
            nothing
            if ranked is None
            else self._group(
                (one.kind, ranked, used), lambda: self._of_ranked(one.kind, ranked, used)
            ),
            self._group(
                ("answer", one.kind, answer, unread),
                lambda: self._of_answer(one.kind, answer, *unread),
            ),
        )

    def _group(self, key: object, made: Callable[[], Iterable[str]]) -> int:
        place = self._places.get(key)
        if place is None:
            place = self._places[key] = len(self.groups)
            self.groups.append([*map(number_of, made())])
        return place

    def _of_kind(self, kind: str) -> Iterator[str]:
        yield f"kind:{kind}"
        for word in (self._two, *dict.fromkeys((*self._asked.words, *self._pairs))):
            yield f"kind:{kind}:{word}"
        yield f"kind:{kind}:^{self._first}"

    def _of_filter(self, chosen: Filter) -> Iterator[str]:
        texts = {p for one in self._named if not one.condition.number for p in range(*one.run)}
        numbers = {p for one in self._named if one.condition.number for p in range(*one.run)}
        yield f"filter:{len(chosen.named)}{chosen.join}"
        yield f"filter:rows:{_size(chosen.rows.bit_count())}"
        yield f"filter:left:{min(3, len(texts - chosen.used))}"
        yield f"filter:numbers left:{bool(numbers - chosen.used)}"
        yield f"filter:all:{chosen.rows == self._indexed.all}"
        for one in chosen.named:
            yield from self._of_named(one, chosen.used)
        if len(chosen.named) == 2:
            one, other = sorted(chosen.named, key=lambda named: named.run)
            between = " ".join(self._asked.words[one.run[1] : other.run[0]][:3])
            yield f"filter:between:{between}:{chosen.join}"
            same = one.column == other.column
            yield f"filter:two:{one.kind}:{other.kind}:{same}:{chosen.join}"

    def _of_named(self, one: Named, used: frozenset[int]) -> Iterator[str]:
        asked, kind = self._asked, one.kind
        head = self._indexed.heads[one.column]
        before, behind = _edge(asked.words, one.run)
        two_before = " ".join(asked.words[max(0, one.run[0] - 2) : one.run[0]])
        two_behind = " ".join(asked.words[one.run[1] : one.run[1] + 2])
        others = [o for o in self._named if o.run == one.run and o.column != one.column]
        more = any(other.rows & ~one.rows for other in others)
        near = asked.around(one.run, 3, 2)
        is_near = any(word in near for word in head)
        yield from (
            f"named:{kind}",
            f"named:{kind}:other columns:{min(len(others), 2)}:{more}",
            f"named:{kind}:length:{min(one.run[1] - one.run[0], 4)}",
            f"named:{kind}:column:{min(one.column, 2)}",
            f"named:{kind}:of:{self._indexed.kinds[one.column]}",
            f"named:{kind}:head:{is_near}:{any(word in asked.stems for word in head)}",
            f"named:{kind}:<{before}",
            f"named:{kind}:<<{two_before}",
            f"named:{kind}:>{behind}",
            f"named:{kind}:>>{two_behind}",
        )
        for word in head:
            yield f"named:{kind}:in:{word}"
            yield f"named:in:{word}:<{before}"
        if one.condition.number is not None:
            yield f"named:{kind}:beside head:{before in head or behind in head}"
            for place in asked.telling:
                if place not in used:
                    yield from (f"named:in:{word}:{asked.stems[place]}" for word in head)

    def _of_column(self, role: str, column: int | None, used: frozenset[int]) -> Iterator[str]:
        assert column is not None
        asked, head = self._asked, self._indexed.heads[column]
        kind = self._indexed.kinds[column]
        places = [asked.stems.index(word) for word in head if word in asked.stems]
        share = "no" if not places else "all" if len(places) == len(head) else "some"
        yield f"{role}:head:{share}"
        if places:
            first, last = min(places), max(places)
            yield f"{role}:head at:{min(first, 3)}:{share}"
            if first:
                yield f"{role}:head:<{asked.words[first - 1]}"
                yield f"{role}:head:<<{' '.join(asked.words[max(0, first - 2) : first])}"
            yield f"{role}:head:>{' '.join(asked.words[last + 1 : last + 2])}"
            if used.issuperset(places):
                yield f"{role}:head is a name"
        else:
            others = sum(
                bool(other) and all(word in asked.stems for word in other)
                for place, other in enumerate(self._indexed.heads)
                if place != column
            )
            yield f"{role}:another head:{min(others, 2)}"
        yield from (f"{role}:{kind}:{words}" for words in ("", self._first, self._two))
        yield f"{role}:place:{min(column, 3)}"
        yield f"{role}:last place:{column == len(self._indexed.heads) - 1}"
        for word in head or [""]:
            yield from (f"{role}:in:{word}:^{words}" for words in ("", self._first, self._two))
            for place in asked.telling:
                if place not in used:
                    yield f"{role}:in:{word}:{asked.stems[place]}"

    def _of_kind_and_column(self, one: Candidate, *, is_own: bool | None) -> Iterator[str]:
        yield f"of:{one.kind}:{is_own}:{one.column == one.ranked}"
        if one.column is not None:
            kind = self._indexed.kinds[one.column]
            yield from (f"of:{one.kind}:{kind}", f"of:{one.kind}:{kind}:{self._two}")
            yield f"of:{one.kind}:{min(one.column, 2)}"

    def _of_ranked(self, kind: str, ranked: int | None, used: frozenset[int]) -> Iterator[str]:
        assert ranked is not None
        yield from self._of_column("ranked", ranked, used)
        for word in (*self._indexed.heads[ranked], f"={self._indexed.kinds[ranked]}"):
            for other in dict.fromkeys(self._asked.words):
                yield f"ranked:{kind}:{word}:{other}"

    def _unread(self, one: Candidate, used: frozenset[int]) -> tuple[int, tuple[str, ...]]:
        """How many other heads the question has whole, and the stems that nothing accounts for."""
        heads = self._indexed.heads
        columns = [column for column in (one.column, one.ranked) if column is not None]
        known = {word for column in columns for word in heads[column]}
        own = {*columns, *(named.column for named in one.filter.named)}
        stems = self._asked.stems
        others = len(self._whole_heads - own)
        if used not in self._open:
            places = (place for place in self._asked.telling if place not in used)
            self._open[used] = [stems[place] for place in places]
        return others, tuple(stem for stem in self._open[used] if stem not in known)

    def _answer(self, one: Candidate) -> tuple[int, bool, str, bool]:
        """How many texts it has, whether one is in the question, of which kind, and of several rows."""
        said = self._said
        is_said = any(f" {_words(text)} " in said for text in one.answer[:3])
        count = len(one.answer)
        return min(count, 4), is_said and count < 4, _kind_of(one.answer[0]), len(one.places) > 1

    def _of_answer(
        self, kind: str, answer: tuple[int, bool, str, bool], heads: int, unread: tuple[str, ...]
    ) -> Iterator[str]:
        count, is_said, value, of_several = answer
        rare = min(sum(word not in self._common for word in unread), 3)
        number = min(len(unread), 6)
        yield from (
            f"answer:{count}",
            f"answer:{count}:{kind}",
            f"answer:{count}:{self._two}",
            f"answer:{count}:{self._first}",
            f"answer:said:{is_said}",
            f"answer:said:{is_said}:{kind}",
            f"answer:{value}:{self._two}",
            f"answer:{value}:{self._first}",
            f"answer:of several:{of_several}:{kind}",
            f"unread:{number}",
            f"unread:{number}:{kind}",
            f"unread:rare:{rare}",
            f"unread:rare:{rare}:{kind}",
            f"unread:rare:{rare}:{number}",
            f"unread:heads:{min(heads, 2)}",
            f"unread:heads:{min(heads, 2)}:{kind}",
        )
        for word in unread:
            if word in self._common:
                yield from (f"unread:{word}", f"unread:{word}:{kind}")


def _of_both(kind: str, chosen: Filter, rows: int) -> Iterator[str]:
    yield f"both:{kind}:{len(chosen.named)}{chosen.join}:{rows}"
    for named in chosen.named:
        yield f"both:{kind}:{named.kind}"


def _edge(words: list[str], run: Run) -> tuple[str, str]:
    before = words[run[0] - 1] if run[0] else "^"
    return before, words[run[1]] if run[1] < len(words) else "$"


def _size(count: int) -> str:
    return str(count) if count < 4 else "4-7" if count < 8 else "many"


@lru_cache(maxsize=50_000)
def _words(text: str) -> str:
    return as_words(text)


@lru_cache(maxsize=50_000)
def _kind_of(text: str) -> str:
    found = quantity(text)
    return "text" if found is None else "date" if found.is_date else "number"
