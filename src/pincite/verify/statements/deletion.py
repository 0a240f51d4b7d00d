"""Is a statement cut out of one quote, at places where a quote can be cut?

Who shortens a sentence badly says something else with its own words in their own order: "took this
photograph of Ann" becomes "took Ann", "the legal wife of Lee has filed" becomes "Lee has filed". So
words may be left out between two ends of clauses, and where they carry nothing; nowhere else. What
takes back the rest of its sentence may not be left out at all ("..., a rumour that he denies").
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
"""What it is worth, in words, that two words stand side by side in statement and quote."""
_FEWEST_WORDS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class _Seam:
    """What stands between two words that statement and quote share, in each of the two.

    `is_open`: both its ends are ends of clauses of the quote.
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
    """The words that a statement has otherwise than the quote, or leaves out where it must not.

    Empty when it is cut out of the quote; `is_from_start`: from its beginning on. Words with a key
    in `given` may stand in the statement anywhere (those of the headings above the quote), and so may
    numbers, which are compared elsewhere.
    """
    own = [part for word in said for part in parts_of(word, language)]
    there = [part for word in quote for part in parts_of(word, language)]
    shared = _shared(own, there)
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


def joined_clauses(words: Sequence[Word], language: str) -> list[list[Word]]:
    """A statement taken apart where "and", "but" or the like begins another clause of it."""
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
    """Whether two keys are of one word, in another form at most: `electric` and `electrical`."""
    if key == other:
        return True
    if min(len(key), len(other)) < _LONG_ENOUGH:
        return False
    letters = max(_LONG_ENOUGH, ceil(_SAME_LETTERS * max(len(key), len(other))))
    return other.startswith(key[:letters])


def parts_of(word: Word, language: str) -> Iterator[Word]:
    """What a word is joined from, since "six-cylinder" is also written "six cylinder"."""
    parts = word.folded.replace("/", "-").split("-")
    if len(parts) == 1:
        yield word
    else:
        yield from (replace(word, folded=part, key=stem(part, language)) for part in parts if part)


def _shared(said: Sequence[Word], quote: Sequence[Word]) -> list[tuple[int, int]]:
    """Places of the words that both have in one order: as many as can be, and side by side."""
    best = [[0.0] * (len(quote) + 1) for _ in range(len(said) + 1)]
    ending = [[0.0] * (len(quote) + 1) for _ in range(len(said) + 1)]
    for n, word in enumerate(said, start=1):
        for m, other in enumerate(quote, start=1):
            if is_same(word.key, other.key):
                follows = ending[n - 1][m - 1]
                beside = follows + _SIDE_BY_SIDE if follows else 0.0
                ending[n][m] = 1 + max(best[n - 1][m - 1], beside)
            best[n][m] = max(ending[n][m], best[n - 1][m], best[n][m - 1])
    found: list[tuple[int, int]] = []
    n, m, is_beside = len(said), len(quote), False
    while n and m:
        if ending[n][m] and (is_beside or ending[n][m] == best[n][m]):
            found.append((n - 1, m - 1))
            n, m = n - 1, m - 1
            is_beside = ending[n + 1][m + 1] == 1 + ending[n][m] + _SIDE_BY_SIDE
        elif best[n][m] == best[n - 1][m]:
            n -= 1
        else:
            m -= 1
    return found[::-1]


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
    """Words left out that take back what the statement keeps of their sentence."""
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
    """Tells in one language what may be left out or put in, and where a statement may begin and end."""

    def __init__(self, words: CuttingWords, given: Collection[str]) -> None:
        self._words = words
        self._given = given

    def changed(self, seam: _Seam) -> list[Word]:
        """What a statement has otherwise at a seam."""
        added = [word for word in seam.added if not self._is_given(word)]
        dropped = [word for word in seam.dropped if not self._is_light(word)]
        names_more = not dropped and any(map(self._is_told_elsewhere, seam.added))
        if seam.is_open or names_more:
            # "is" or "and" may replace a comma, and "of" may lead to what the heading names.
            return [word for word in added if word.is_content]
        if len(added) == len(dropped) and all(map(self._may_replace, added, dropped)):
            return []
        is_short_form = len(added) == 1 and is_acronym(added[0], dropped)
        return [] if is_short_form else [*added, *dropped]

    def is_new(self, word: Word) -> bool:
        """Whether a word tells something that is in neither the quote nor what else is given."""
        return word.is_content and not self._is_given(word)

    def may_begin(
        self, before: Sequence[Word], first: Word, *, is_named: bool, is_from_start: bool
    ) -> bool:
        """Whether a statement may leave out what is before its first word.

        `is_named`: it says itself who "he" is. `is_from_start`: it must leave out nothing.
        """
        clause = [word for word in before if is_from_start or word.clause == first.clause]
        passed = self._words.articles | self._words.joining | self._words.leading
        if is_named:
            passed |= self._words.pronouns
        left_out = clause if is_named or is_from_start else clause[-1:]
        return all(word.folded in passed for word in left_out)

    def may_end(self, said: Sequence[Word], last: Word, after: Sequence[Word]) -> bool:
        """Whether a statement may leave out what is behind its last word."""
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
        return self._is_light(word) or word.folded in FRAMES or self._is_told_elsewhere(word)

    def _is_light(self, word: Word) -> bool:
        is_acronym_too = len(word.text) > 1 and word.text.isupper()
        is_light = word.folded in self._words.articles or word.folded in self._words.light
        return is_light and not is_acronym_too

    def _is_told_elsewhere(self, word: Word) -> bool:
        """By a heading, or, as numbers are, by what compares them."""
        is_number = any(map(str.isdigit, word.folded))
        return is_number or any(is_same(word.key, key) for key in self._given)

    def _is_superlative(self, word: str) -> bool:
        return len(word) >= _LONG_ENOUGH and word.endswith(self._words.superlatives)


# The small words at which a sentence can be cut, in each language.


@dataclass(frozen=True, slots=True, kw_only=True)
class CuttingWords:
    """Folded words of one language.

    `articles`, and `light` words such as "that" and "also", may be left out or put in anywhere.
    `joining` words begin or end what they join; `leading` ones may be left out in front of a
    statement, with the pronouns of which it names the subject. What `paired` words lead to is not
    whole before the "and". An event, told in the `past`, may lose what `place_or_time` words begin,
    but not where a `selecting` word, or one that ends as `superlatives` do, says that it holds of a
    part ("was the only town in Ohio"). Words `within` may stand for each other.
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
    """Those of a language (ISO 639-1); none for one that is not known here."""
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


# Does a part that a statement leaves out take back what the statement keeps?


class _Words(NamedTuple):
    withdrawing: tuple[str, ...]
    adding: frozenset[str]


def withdrawn_by(left_out: Sequence[Word], language: str) -> list[Word]:
    """The first word of a left-out part that says, doubts or binds to a condition what is kept.

    Empty where there is none, and where the part speaks for itself ("..., and the mayor denied").
    In a language without a list the words of all others count.
    """
    words = _withdrawing_known().get(language) or _all()
    if not left_out or left_out[0].folded in words.adding:
        return []
    text = f" {' '.join(word.folded for word in left_out)} "
    places = [at for one in words.withdrawing if (at := text.find(f" {one} ")) >= 0]
    return [left_out[text[: min(places) + 1].count(" ") - 1]] if places else []


@cache
def _withdrawing_known() -> Mapping[str, _Words]:
    return {
        language: _Words(
            withdrawing=tuple(lists["withdrawing"]),
            adding=frozenset(lists["adding"]),
        )
        for language, lists in shipped("verify/statements", "withdrawing").items()
    }


@cache
def _all() -> _Words:
    listed = _withdrawing_known().values()
    return _Words(
        withdrawing=tuple(one for words in listed for one in words.withdrawing),
        adding=frozenset().union(*(words.adding for words in listed)),
    )
