"""Do the quotes hold what a statement says, word by word and in its order?

A statement must be cut out of a quote (`cutting`): one changed or dropped word makes another one. Where
the encoder shows token states, a word may also be replaced by its synonym; they tell "buy" and
"purchase" (.95) from "bond" and "loan" (.34). Numbers are compared on their own (`figures`), and so is
what negates, commands or allows.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import groupby
from typing import Any

import numpy as np

from pincite.models.vectors import sigmoid
from pincite.records.flow import Citation
from pincite.settings.toml_files import shipped
from pincite.stages import TermWeights
from pincite.verify.statements.deletion import (
    Alike,
    changed_words,
    is_same,
    joined_clauses,
    parts_of,
)
from pincite.verify.statements.meaning import headings_of
from pincite.verify.statements.wording import FRAMES, TokenAligner, Word, words_of

LEAST_SYNONYM = 0.78
"""Cosine of a word's token states and its counterpart's. Words of one kind stay below it (silver and
gold .65), synonyms mostly above: `python benchmarks/support.py --synonyms`."""
_ASKED_COUNTS = 0.5
"""A word that stands in the question alone counts half: a question may suppose what is not so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stated:
    """A quote, and the headings above it: what "it" in the quote may mean."""

    quote: str
    headings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Support:
    """How much of a statement its quotes hold; shares and cosines in 0..1.

    `words` are those that were looked for. `held` is their share in the quotes, the headings above
    them and the question, each counted by how telling it is in the library; `missing` words stand in
    none of them. `changed` words are those that the statement has otherwise than the nearest quote,
    or drops. `aligned` is the weighted mean of the cosines of words and their counterparts; None where
    no encoder shows token states.
    """

    words: int
    held: float
    missing: tuple[str, ...]
    changed: tuple[str, ...]
    aligned: float | None = None

    @property
    def probability(self) -> float | None:
        """That the quotes carry the statement, if no other check finds a fault; None: unknown."""
        return None if self.aligned is None else support_probability(aligned=self.aligned)

    @property
    def is_clear(self) -> bool:
        """Whether the statement may be shown as far as its words go."""
        return self.words > 0 and not self.changed


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
    """What the quotes hold of a statement, and what it has otherwise."""
    language = weights.language(claim)
    words = words_of(claim, language)
    wanted = [word for word in words if _is_subject(word)]
    read = _without_taken(wanted, [_read(one, language) for one in stated])
    asked = _keys(question, language)
    quoted = {key for one in read for key in (*one.keys, *one.above)}
    weight = {word.key: weights.weight(word.key) for word in wanted}
    total = sum(weight.values()) or 1.0
    share = {word.key: _share(word, quoted, asked) for word in wanted}
    support = Support(
        words=len(weight),
        held=sum(weight[key] * share[key] for key in weight) / total,
        missing=_once(word for word in wanted if share[word.key] < 1),
        changed=_changed(claim, words, read, language, aligner),
    )
    if aligner is None or not wanted or not stated:
        return support
    # A word that only a heading holds has no token in a quote that it could be compared with.
    only_above = _only_above(read)
    compared = [word for word in wanted if word.key not in only_above] or wanted
    found = aligner.align(claim, compared, [one.quote for one in stated])
    counts = np.array([weight[word.key] for word in compared])
    counts = counts / counts.sum() if counts.any() else np.full(len(counts), 1 / len(counts))
    return replace(support, aligned=float(found @ counts))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Read:
    """A quote, its words, their keys, and those of the words of its headings."""

    quote: str
    words: tuple[Word, ...]
    keys: frozenset[str]
    above: frozenset[str]


def _read(stated: Stated, language: str) -> _Read:
    return _Read(
        quote=stated.quote,
        words=words_of(stated.quote, language),
        keys=frozenset(_keys(stated.quote, language)),
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
            subjects = [[word for word in one.words if _is_subject(word)] for one in read]
            nearest = max(subjects, key=lambda quote: len(clause & {word.key for word in quote}))
            if _names_its_own(nearest, clause, said):
                taken |= borrowed
    return [replace(one, above=one.above - taken) for one in read]


def _names_its_own(quote: Sequence[Word], clause: set[str], said: set[str]) -> bool:
    """Whether a capitalised word that the statement leaves out leads to what the quote shares."""
    first = next((place for place, word in enumerate(quote) if word.key in clause), None)
    return first is not None and any(
        word.clause == quote[first].clause and word.text[:1].isupper() and word.key not in said
        for word in quote[:first]
    )


def _changed(
    claim: str,
    words: Sequence[Word],
    read: Sequence[_Read],
    language: str,
    aligner: TokenAligner | None,
) -> tuple[str, ...]:
    """What a statement has otherwise than the nearest quote.

    Clauses that "and" or "but" joins may each have a quote of their own.
    """

    def least(part: Sequence[Word], *, is_from_start: bool = False) -> list[Word]:
        found = [
            changed_words(
                part,
                one.words,
                language,
                given=one.above,
                alike=_alike(claim, one.quote, aligner),
                is_from_start=is_from_start,
            )
            for one in read
        ]
        return min(found, key=len, default=[*part])

    whole = least(words)
    parts = joined_clauses(words, language)
    if not whole or len(parts) == 1:
        return _once(whole)
    apart = [word for part in parts for word in least(part, is_from_start=True)]
    return _once(apart if len(apart) < len(whole) else whole)


def _alike(claim: str, quote: str, aligner: TokenAligner | None) -> Alike:
    def alike(word: Word, other: Word) -> bool:
        if aligner is None or not (_is_subject(word) and _is_subject(other)):
            return False
        return aligner.likeness(claim, word, quote, other) >= LEAST_SYNONYM

    return alike


def _once(words: Iterable[Word]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(word.text for word in words))


def _is_subject(word: Word) -> bool:
    return (
        word.is_content
        and word.folded not in FRAMES
        and any(sign.isalpha() for sign in word.folded)
    )


def _keys(text: str, language: str) -> set[str]:
    """The keys of a text's words, and those of the parts that a word is joined from."""
    words = words_of(text, language)
    return {part.key for word in words for part in (word, *parts_of(word, language))}


def _share(word: Word, quoted: set[str], asked: set[str]) -> float:
    if _is_in(word.key, quoted):
        return 1.0
    parts = word.folded.split("-")
    if len(parts) > 1 and all(_is_in(part, quoted) for part in parts):
        return 1.0
    return _ASKED_COUNTS if word.key in asked else 0.0


def _is_in(key: str, keys: set[str]) -> bool:
    """Whether a word stands there, in another form at most."""
    return key in keys or any(is_same(key, other) for other in keys)


# How probable is it that the quotes carry a statement?

SUPPORT_MODEL = "support.toml"
"""Written by `python benchmarks/fit_support.py`, which says what it was fitted on."""

_FLOOR = 0.02
"""Added to what is not aligned, so that the logarithm of nothing is finite."""


def support_probability(*, aligned: float, faulty: bool = False) -> float:
    """A value in 0..1, by a logistic model, for statements of which half are supported.

    `aligned` is `Support.aligned`; `faulty` tells that a check of numbers or of meaning failed.
    """
    weight = _model()["weights"]
    score = weight["intercept"] + weight["unaligned"] * unaligned(aligned)
    score += weight["faulty"] * float(faulty)
    return sigmoid(score)


def unaligned(aligned: float) -> float:
    """The logarithm of what is not aligned: from .95 to .99 is a longer way than from .55 to .59."""
    return math.log(_FLOOR + 1 - min(1.0, aligned))


def is_fitted_for(encoder: str) -> bool:
    """Whether the cosines of an encoder of this name mean what the model takes them for."""
    return encoder.startswith(str(_model()["encoder"]))


@cache
def _model() -> Mapping[str, Any]:
    return shipped("verify/statements", SUPPORT_MODEL.removesuffix(".toml"))
