"""Do the quotes hold what a statement says, word by word and in its order?

Each word of the statement counts by how telling it is in the library. Numbers are compared on their
own (`figures`), and so is what negates, commands or allows. A word that stands nowhere in the quotes
is enough to leave a statement out, for one changed word makes another statement; unless the encoder
finds its synonym there. Its token states tell "buy" and "purchase" (.95) from "bond" and "loan" (.34).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from math import ceil

import numpy as np

from pincite.records import Citation
from pincite.stages import TermWeights
from pincite.text.terms import stem
from pincite.verify.alignment import Alignment, TokenAligner
from pincite.verify.meaning import headings_of
from pincite.verify.support_model import support_probability
from pincite.verify.wording import FRAMES, Word, words_of

LEAST_HELD = 0.97
LEAST_IN_ONE_QUOTE = 0.8
LEAST_ORDERED = 0.9
"""What the words of a statement must reach; chosen by `python benchmarks/support.py` on qags alone."""

LEAST_SYNONYM = 0.78
"""Cosine of a word's token states and its counterpart's. Words of one kind stay below it (silver and
gold .65), synonyms mostly above: `python benchmarks/support.py --synonyms`."""
LEAST_ALIGNED_IN_ONE = 0.9
LEAST_PROBABILITY = 0.6
"""What a statement that the encoder has read must reach; chosen by `python benchmarks/support.py
--sweep` on qags alone, since other sets have few statements so near to their text."""

_ASKED_COUNTS = 0.5
"""A word that stands in the question alone counts half: a question may suppose what is not so."""
_PAIR = 2
_LONG_ENOUGH = 6
_SAME_LETTERS = 0.75


@dataclass(frozen=True, slots=True, kw_only=True)
class Stated:
    """A quote, and the headings above it: what "it" in the quote may mean."""

    quote: str
    headings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Support:
    """How much of a statement its quotes hold; shares and cosines in 0..1.

    `words` are those that were looked for. `held` is their weighted share in the quotes, the
    headings above them and the question; `in_one` the least share of a clause that one quote holds
    alone, `ordered` the least share that stands there in the same order. `aligned` is the weighted
    mean of the cosines of words and their counterparts, `aligned_in_one` the same in the best quote
    alone; None where no encoder shows token states. `missing` words have no counterpart, those
    `apart` none in that quote and the headings above it.
    """

    words: int
    held: float
    in_one: float
    ordered: float
    missing: tuple[str, ...]
    aligned: float | None = None
    aligned_in_one: float = 0.0
    apart: tuple[str, ...] = ()

    @property
    def probability(self) -> float | None:
        """That the quotes carry the statement, if no other check finds a fault; None: unknown."""
        return None if self.aligned is None else support_probability(aligned=self.aligned)

    @property
    def is_clear(self) -> bool:
        """Whether the statement may be shown as far as its words go."""
        if self.probability is None:
            return self._has_every_word
        has_every_meaning = not self.apart and self.aligned_in_one >= LEAST_ALIGNED_IN_ONE
        return (
            self.words > 0
            and self.probability >= LEAST_PROBABILITY
            and (self._has_every_word or has_every_meaning)
        )

    @property
    def _has_every_word(self) -> bool:
        return (
            self.words > 0
            and self.held >= LEAST_HELD
            and self.in_one >= LEAST_IN_ONE_QUOTE
            and self.ordered >= LEAST_ORDERED
        )


def stated_by(cited: Iterable[Citation]) -> list[Stated]:
    """Quotes with what stands above each."""
    return [Stated(quote=one.quote, headings=tuple(headings_of([one]))) for one in cited]


def measure_support(
    claim: str,
    stated: Sequence[Stated],
    question: str,
    weights: TermWeights,
    aligner: TokenAligner | None = None,
) -> Support:
    """The share of the statement's words, weighted, that its quotes hold."""
    language = weights.language(claim)
    wanted = [word for word in words_of(claim, language) if _is_subject(word)]
    read = _without_taken(wanted, [_read(one, language) for one in stated])
    asked = set(_keys(question, language))
    quoted = {key for one in read for key in (*one.keys, *one.above)}
    weight = {word.key: weights.weight(word.key) for word in wanted}
    total = sum(weight.values()) or 1.0
    share = {word.key: _share(word, quoted, asked) for word in wanted}
    clauses = [
        [word.key for word in group if share[word.key] == 1.0]
        for _, group in groupby(wanted, key=lambda word: word.clause)
    ]
    carried = [_carried(clause, read, weight) for clause in clauses if len(clause) > 1]
    support = Support(
        words=len(weight),
        held=sum(weight[key] * share[key] for key in weight) / total,
        in_one=min((one for one, _ in carried), default=1.0),
        ordered=min((ordered for _, ordered in carried), default=1.0),
        missing=_once(word for word in wanted if share[word.key] < 1),
    )
    if aligner is None or not wanted or not stated:
        return support
    # A word that only a heading holds has no token in a quote that it could be compared with.
    only_above = _only_above(read)
    compared = [word for word in wanted if word.key not in only_above] or wanted
    found = aligner.align(claim, compared, [one.quote for one in stated])
    return _with(found, support, compared, read, weight, share)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Read:
    """A quote's subject words, the keys of all its words in order, and those of its headings."""

    words: tuple[Word, ...]
    keys: tuple[str, ...]
    above: frozenset[str]


def _read(stated: Stated, language: str) -> _Read:
    return _Read(
        words=tuple(word for word in words_of(stated.quote, language) if _is_subject(word)),
        keys=tuple(_keys(stated.quote, language)),
        above=frozenset(key for text in stated.headings for key in _keys(text, language)),
    )


def _only_above(read: Sequence[_Read]) -> set[str]:
    """Keys that stand in headings and in no quote."""
    return {key for one in read for key in one.above}.difference(*(one.keys for one in read))


def _without_taken(wanted: Sequence[Word], read: Sequence[_Read]) -> list[_Read]:
    """The same without words of headings that take the place of what a quote names itself.

    A heading says what "it" and "the company" are. Where the quote says "Smith's ideas", it cannot
    make them the ideas of somebody else.
    """
    said = {word.key for word in wanted}
    only_above = _only_above(read)
    taken: set[str] = set()
    for _, group in groupby(wanted, key=lambda word: word.clause):
        clause = {word.key for word in group}
        borrowed = clause & only_above
        if borrowed:
            nearest = max(read, key=lambda one: len(clause & {word.key for word in one.words}))
            if _names_its_own(nearest.words, clause, said):
                taken |= borrowed
    return [replace(one, above=one.above - taken) for one in read]


def _names_its_own(quote: Sequence[Word], clause: set[str], said: set[str]) -> bool:
    """Whether a capitalised word that the statement leaves out leads to what the quote shares."""
    first = next((place for place, word in enumerate(quote) if word.key in clause), None)
    return first is not None and any(
        word.clause == quote[first].clause and word.text[:1].isupper() and word.key not in said
        for word in quote[:first]
    )


def _with(
    found: Alignment,
    support: Support,
    words: Sequence[Word],
    read: Sequence[_Read],
    weight: Mapping[str, float],
    share: Mapping[str, float],
) -> Support:
    """The same with what the encoder found; words that have a synonym are not missing."""
    counts = np.array([weight[word.key] for word in words])
    counts = counts / counts.sum() if counts.any() else np.full(len(counts), 1 / len(counts))
    by_quote = found.by_quote @ counts
    nearest = int(by_quote.argmax())
    own = {*read[nearest].keys, *read[nearest].above}
    return replace(
        support,
        aligned=float(found.best @ counts),
        aligned_in_one=float(by_quote[nearest]),
        missing=_once(
            word
            for word, likeness in zip(words, found.best, strict=True)
            if share[word.key] < 1 and likeness < LEAST_SYNONYM
        ),
        apart=_once(
            word
            for word, likeness in zip(words, found.by_quote[nearest], strict=True)
            if not _is_in(word.key, own) and likeness < LEAST_SYNONYM
        ),
    )


def _once(words: Iterable[Word]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(word.text for word in words))


def _is_subject(word: Word) -> bool:
    return (
        word.is_content
        and word.folded not in FRAMES
        and any(sign.isalpha() for sign in word.folded)
    )


def _keys(text: str, language: str) -> list[str]:
    """The keys of a text's words in order, and those of the parts that a word is joined from."""
    found = []
    for word in words_of(text, language):
        found.append(word.key)
        parts = word.folded.replace("/", "-").split("-")
        if len(parts) > 1:
            found += [stem(part, language) for part in parts]
    return found


def _share(word: Word, quoted: set[str], asked: set[str]) -> float:
    if _is_in(word.key, quoted):
        return 1.0
    parts = word.folded.split("-")
    if len(parts) > 1 and all(_is_in(part, quoted) for part in parts):
        return 1.0
    return _ASKED_COUNTS if word.key in asked else 0.0


def _is_in(key: str, keys: set[str]) -> bool:
    """Whether a word stands there, in another form at most: `electric` for `electrical`."""
    if key in keys:
        return True
    if len(key) < _LONG_ENOUGH:
        return False
    return any(
        other.startswith(key[: max(_LONG_ENOUGH, ceil(_SAME_LETTERS * max(len(key), len(other))))])
        for other in keys
        if len(other) >= _LONG_ENOUGH
    )


def _carried(
    clause: Sequence[str], read: Sequence[_Read], weight: Mapping[str, float]
) -> tuple[float, float]:
    """The share of a clause's words that one quote holds, and that it holds in the same order.

    What stands in the headings above that quote is left out of both. Two words alone have no order:
    "the vaccine was approved", "they approved the vaccine".
    """
    best = (0.0, 0.0)
    for one in read:
        counted = [key for key in clause if key not in one.above]
        total = sum(weight[key] for key in counted) or 1.0
        held = sum(weight[key] for key in counted if key in one.keys) / total if counted else 1.0
        is_ordered = len(counted) > _PAIR
        ordered = _longest_ordered(counted, one.keys) / len(counted) if is_ordered else 1.0
        best = max(best, (held, ordered))
    return best


def _longest_ordered(wanted: Sequence[str], keys: Sequence[str]) -> int:
    """Length of the longest common subsequence."""
    relevant = set(wanted)
    row = [0] * (len(wanted) + 1)
    for key in keys:
        if key not in relevant:
            continue
        before = 0
        for place, own in enumerate(wanted, start=1):
            above = row[place]
            row[place] = before + 1 if own == key else max(above, row[place - 1])
            before = above
    return row[-1]
