"""Checks whether a statement is one quote with words deleted only where that is safe.

A badly shortened sentence says something else in the same words and order: "took this photograph of
Ann" becomes "took Ann", "the legal wife of Lee has filed" becomes "Lee has filed". So words may be
left out only between two clause boundaries, or if they carry no meaning. A part that withdraws the
rest of its sentence may never be left out ("..., a rumour that he denies").
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from math import ceil
from typing import NamedTuple

from pincite.settings.toml_files import shipped
from pincite.text.terms import stem
from pincite.verify.statements.names import is_acronym
from pincite.verify.statements.wording import FRAMES, Word

_LONG_ENOUGH = 6
_SAME_LETTERS = 0.75
_SIDE_BY_SIDE = 0.5
"""Bonus, in words, for two words that are adjacent in both statement and quote."""
_FEWEST_WORDS = 2
_MOST_DROPPED = 1
"""Content words that a paraphrase may leave out in one place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Seam:
    """The words between two shared words, in the statement (`added`) and the quote (`dropped`).

    `is_open` if both of its ends are clause boundaries of the quote.
    """

    added: Sequence[Word]
    dropped: Sequence[Word]
    is_open: bool


def changed_words(
    said: Sequence[Word],
    quote: Sequence[Word],
    language: str,
    *,
    given: Collection[str],
    is_from_start: bool = False,
) -> list[Word]:
    """The words in which a statement differs from the quote, or that it must not leave out.

    Empty if it is cut out of the quote; with `is_from_start`, from its beginning on. Words with a
    key in `given` (those of the headings above the quote) may appear anywhere in the statement, and
    so may numbers, which are compared elsewhere.
    """
    own = [part for word in said for part in parts_of(word, language)]
    there = [part for word in quote for part in parts_of(word, language)]
    shared = shared_words(own, there)
    if not shared:
        return own
    cutter = _Cutter(cutting_words(language), given)
    (first, start), (last, end) = shared[0], shared[-1]
    before, after = there[:start], there[end + 1 :]
    changed = [word for word in (*own[:first], *own[last + 1 :]) if cutter.is_new(word)]
    for seam in _seams(own, there, shared):
        changed += cutter.changed(seam)
    may_begin = cutter.may_begin(
        before, there[start], is_named=first > 0, is_from_start=is_from_start
    )
    changed += [] if may_begin else before[-1:]
    changed += [] if cutter.may_end(own, there[end], after) else after[:1]
    return changed or _withdrawn(own, there, shared, language)


def unsafe_cuts(said: Sequence[Word], quote: Sequence[Word], language: str) -> list[Word]:
    """The words of a quote that a statement must not leave out, whatever it puts for the others.

    Words with others in their place, and single ones, are a paraphrase, which is judged elsewhere.
    """
    shared = shared_words(said, quote)
    if not shared:
        return [*quote]
    cutter = _Cutter(cutting_words(language), ())
    first, start = shared[0]
    before = quote[:start]
    lost: list[Word] = []
    for seam in _seams(said, quote, shared):
        added, dropped = (
            [word for word in words if word.is_content] for words in (seam.added, seam.dropped)
        )
        is_close = len(dropped) <= len(added) + _MOST_DROPPED
        lost += [] if seam.is_open or is_close else dropped
    may_begin = cutter.may_begin(before, quote[start], is_named=first > 0, is_from_start=False)
    lost += [] if may_begin else before[-1:]
    return lost or _withdrawn(said, quote, shared, language)


def withdrawing_words(said: Sequence[Word], quote: Sequence[Word], language: str) -> list[Word]:
    """The words of a quote that a statement leaves out, and that withdraw what it keeps."""
    shared = shared_words(said, quote)
    return _withdrawn(said, quote, shared, language) if shared else []


def joined_clauses(words: Sequence[Word], language: str) -> list[list[Word]]:
    """Splits a statement where "and", "but" or the like begins another clause."""
    joining = cutting_words(language).joining
    parts: list[list[Word]] = [[]]
    for word in words:
        begins = bool(parts[-1]) and word.clause != parts[-1][-1].clause and word.folded in joining
        if begins:
            parts.append([])
        parts[-1].append(word)
    is_each_enough = all(sum(word.is_content for word in part) >= _FEWEST_WORDS for part in parts)
    return parts if is_each_enough else [[*words]]


def is_same(key: str, other: str) -> bool:
    """Whether two keys are forms of one word: `electric` and `electrical`."""
    if key == other:
        return True
    if min(len(key), len(other)) < _LONG_ENOUGH:
        return False
    letters = max(_LONG_ENOUGH, ceil(_SAME_LETTERS * max(len(key), len(other))))
    return other.startswith(key[:letters])


def parts_of(word: Word, language: str) -> Iterator[Word]:
    """The parts of a compound word, since "six-cylinder" is also written "six cylinder"."""
    parts = word.folded.replace("/", "-").split("-")
    if len(parts) == 1:
        yield word
    else:
        yield from (replace(word, folded=part, key=stem(part, language)) for part in parts if part)


def shared_words(said: Sequence[Word], quote: Sequence[Word]) -> list[tuple[int, int]]:
    """Index pairs of the longest common subsequence that prefers adjacent words of one clause."""
    best = [[0.0] * (len(quote) + 1) for _ in range(len(said) + 1)]
    ending = [[0.0] * (len(quote) + 1) for _ in range(len(said) + 1)]
    for n, word in enumerate(said, start=1):
        for m, other in enumerate(quote, start=1):
            if is_same(word.key, other.key):
                follows = ending[n - 1][m - 1]
                adjacent = follows + _adjacency(quote, m - 1) if follows else 0.0
                ending[n][m] = 1 + max(best[n - 1][m - 1], adjacent)
            best[n][m] = max(ending[n][m], best[n - 1][m], best[n][m - 1])
    found: list[tuple[int, int]] = []
    n, m, is_adjacent = len(said), len(quote), False
    while n and m:
        if ending[n][m] and (is_adjacent or ending[n][m] == best[n][m]):
            found.append((n - 1, m - 1))
            n, m = n - 1, m - 1
            is_adjacent = ending[n + 1][m + 1] == 1 + ending[n][m] + _adjacency(quote, m)
        elif best[n][m] == best[n - 1][m]:
            n -= 1
        else:
            m -= 1
    return found[::-1]


def _adjacency(quote: Sequence[Word], place: int) -> float:
    """What it counts that a shared word follows another: half as much from another clause."""
    is_one_clause = place > 0 and quote[place].clause == quote[place - 1].clause
    return _SIDE_BY_SIDE if is_one_clause else _SIDE_BY_SIDE / 2


def _seams(
    said: Sequence[Word], quote: Sequence[Word], shared: Sequence[tuple[int, int]]
) -> Iterator[_Seam]:
    for (n, m), (next_n, next_m) in pairwise(shared):
        is_open = quote[m].clause != quote[m + 1].clause and (
            quote[next_m - 1].clause != quote[next_m].clause
        )
        yield _Seam(added=said[n + 1 : next_n], dropped=quote[m + 1 : next_m], is_open=is_open)


def _withdrawn(
    said: Sequence[Word], quote: Sequence[Word], shared: Sequence[tuple[int, int]], language: str
) -> list[Word]:
    """Words left out that withdraw what the statement keeps of their sentence."""
    start, end = shared[0][1], shared[-1][1]
    kept = {quote[place].sentence for _, place in shared}
    parts = [seam.dropped for seam in _seams(said, quote, shared) if seam.is_open]
    parts.append(quote[end + 1 :])
    if start and quote[start - 1].folded not in cutting_words(language).joining:
        parts.append(quote[:start])
    found = []
    for part in parts:
        found += withdrawn_by([word for word in part if word.sentence in kept], language)
    return found


class _Cutter:
    """Rules of one language: what may be left out or inserted, and where statements begin and end."""

    def __init__(self, words: CuttingWords, given: Collection[str]) -> None:
        self._words = words
        self._given = given

    def changed(self, seam: _Seam) -> list[Word]:
        """The words changed at a seam."""
        added = [word for word in seam.added if not self._is_given(word)]
        dropped = [word for word in seam.dropped if not self._is_light(word)]
        names_more = not dropped and any(map(self._is_checked_elsewhere, seam.added))
        if seam.is_open or names_more:
            # "is" or "and" may replace a comma, and "of" may introduce a name from the heading.
            return [word for word in added if word.is_content]
        if len(added) == len(dropped) and all(map(self._may_replace, added, dropped)):
            return []
        is_short_form = len(added) == 1 and is_acronym(added[0], dropped)
        return [] if is_short_form else [*added, *dropped]

    def is_new(self, word: Word) -> bool:
        """Whether a content word is neither in the quote nor otherwise given."""
        return word.is_content and not self._is_given(word)

    def may_begin(
        self, before: Sequence[Word], first: Word, *, is_named: bool, is_from_start: bool
    ) -> bool:
        """Whether a statement may leave out the words before its first word.

        `is_named` if it names its own subject, `is_from_start` if it must leave out nothing.
        """
        clause = [word for word in before if is_from_start or word.clause == first.clause]
        passed = self._words.articles | self._words.joining | self._words.leading
        if is_named:
            passed |= self._words.pronouns
        left_out = clause if is_named or is_from_start else clause[-1:]
        return all(word.folded in passed for word in left_out)

    def may_end(self, said: Sequence[Word], last: Word, after: Sequence[Word]) -> bool:
        """Whether a statement may leave out the words after its last word."""
        if not after or last.clause != after[0].clause:
            return True
        words = {word.folded for word in said}
        if after[0].folded in self._words.joining:
            return not words & self._words.paired
        selects = words & self._words.selecting or any(map(self._is_superlative, words))
        is_event = bool(words & self._words.past) and not selects
        return is_event and after[0].folded in self._words.place_or_time

    def _may_replace(self, word: Word, other: Word) -> bool:
        within = self._words.within
        return word.folded in within and other.folded in within

    def _is_given(self, word: Word) -> bool:
        return self._is_light(word) or word.folded in FRAMES or self._is_checked_elsewhere(word)

    def _is_light(self, word: Word) -> bool:
        is_acronym_too = len(word.text) > 1 and word.text.isupper()
        is_light = word.folded in self._words.articles or word.folded in self._words.light
        return is_light and not is_acronym_too

    def _is_checked_elsewhere(self, word: Word) -> bool:
        """Whether a heading contains the word, or it is a number, which other checks compare."""
        is_number = any(map(str.isdigit, word.folded))
        return is_number or any(is_same(word.key, key) for key in self._given)

    def _is_superlative(self, word: str) -> bool:
        return len(word) >= _LONG_ENOUGH and word.endswith(self._words.superlatives)


# The function words at which a sentence can be cut, in each language.


@dataclass(frozen=True, slots=True, kw_only=True)
class CuttingWords:
    """Folded words of one language.

    `articles`, and `light` words such as "that" and "also", may be left out or inserted anywhere.
    `joining` words begin or end the parts they join. `leading` words may be left out before a
    statement, and so may `pronouns` if it names their subject. A phrase after a `paired` word is
    incomplete before the "and". An event in the `past` may lose a phrase that a `place_or_time` word
    begins, unless a `selecting` word, or one with a `superlatives` ending, restricts the statement
    ("was the only town in Ohio"). Words in `within` may replace each other.
    """

    articles: frozenset[str] = frozenset()
    light: frozenset[str] = frozenset()
    joining: frozenset[str] = frozenset()
    leading: frozenset[str] = frozenset()
    pronouns: frozenset[str] = frozenset()
    paired: frozenset[str] = frozenset()
    past: frozenset[str] = frozenset()
    place_or_time: frozenset[str] = frozenset()
    selecting: frozenset[str] = frozenset()
    superlatives: tuple[str, ...] = ()
    within: frozenset[str] = frozenset()


def cutting_words(language: str) -> CuttingWords:
    """The words of a language (ISO 639-1); empty for languages without a list."""
    return _known().get(language, _NONE)


_NONE = CuttingWords()


@cache
def _known() -> Mapping[str, CuttingWords]:
    listed = shipped("verify/statements", "cutting_words")
    return {language: _of(lists) for language, lists in listed.items()}


def _of(lists: Mapping[str, str]) -> CuttingWords:
    words = {name: frozenset(listed.split()) for name, listed in lists.items()}
    endings = tuple(sorted(words.pop("superlatives", ())))
    return CuttingWords(superlatives=endings, **words)


# Whether a left-out part withdraws what the statement keeps.


class _Words(NamedTuple):
    withdrawing: tuple[str, ...]
    adding: frozenset[str]


def withdrawn_by(left_out: Sequence[Word], language: str) -> list[Word]:
    """The first word of a left-out part that attributes, doubts or conditions what is kept.

    Empty if there is none, or if the part is independent ("..., and the mayor denied"). In a
    language without a list, the words of all other languages count.
    """
    words = _words_by_language().get(language) or _all()
    if not left_out or left_out[0].folded in words.adding:
        return []
    text = f" {' '.join(word.folded for word in left_out)} "
    places = [at for one in words.withdrawing if (at := text.find(f" {one} ")) >= 0]
    return [left_out[text[: min(places) + 1].count(" ") - 1]] if places else []


@cache
def _words_by_language() -> Mapping[str, _Words]:
    return {
        language: _Words(
            withdrawing=tuple(lists["withdrawing"]),
            adding=frozenset(lists["adding"]),
        )
        for language, lists in shipped("verify/statements", "withdrawing").items()
    }


@cache
def _all() -> _Words:
    listed = _words_by_language().values()
    return _Words(
        withdrawing=tuple(one for words in listed for one in words.withdrawing),
        adding=frozenset().union(*(words.adding for words in listed)),
    )
