"""Measures how much of a statement its quotes contain, word by word and in order.

A statement must be cut out of a quote (`deletion`): one changed or dropped word changes its meaning.
Numbers (`figures`) and negations (`meaning`) are compared separately.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pincite.records.flow import Citation
from pincite.stages import TermWeights
from pincite.verify.statements.deletion import changed_words, is_same, joined_clauses, parts_of
from pincite.verify.statements.meaning import headings_of
from pincite.verify.statements.wording import FRAMES, Word, words_of

_ASKED_COUNTS = 0.5
"""Weight of a word that is only in the question, which may assume something false."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stated:
    """A quote and the headings above it, which may name what "it" in the quote refers to."""

    quote: str
    headings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Support:
    """How much of a statement its quotes contain.

    `words` is the number of words looked for. `held` is the share of them, in 0..1, that are in the
    quotes, the headings above them or the question, weighted by inverse document frequency;
    `missing` words are in none of these. `changed` words differ from the nearest quote or were
    dropped from it.
    """

    words: int
    held: float
    missing: tuple[str, ...]
    changed: tuple[str, ...]

    @property
    def is_clear(self) -> bool:
        """Whether the statement may be shown, judged by its words."""
        return self.words > 0 and not self.changed


def stated_by(cited: Iterable[Citation]) -> list[Stated]:
    """Quotes with the headings above each."""
    return [Stated(quote=one.quote, headings=tuple(headings_of([one]))) for one in cited]


def measure_support(
    claim: str,
    stated: Sequence[Stated],
    question: str,
    weights: TermWeights,
) -> Support:
    """Which words of a statement the quotes contain, and which it changes."""
    language = weights.language(claim)
    words = words_of(claim, language)
    wanted = [word for word in words if _is_subject(word)]
    read = [_read(one, language) for one in stated]
    asked = _keys(question, language)
    quoted = {key for one in read for key in (*one.keys, *one.above)}
    weight = {word.key: weights.weight(word.key) for word in wanted}
    total = sum(weight.values()) or 1.0
    share = {word.key: _share(word, quoted, asked) for word in wanted}
    return Support(
        words=len(weight),
        held=sum(weight[key] * share[key] for key in weight) / total,
        missing=_once(word for word in wanted if share[word.key] < 1),
        changed=_changed(words, read, language),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Read:
    """The words of a quote, their keys, and those of the words of its headings."""

    words: tuple[Word, ...]
    keys: frozenset[str]
    above: frozenset[str]


def _read(stated: Stated, language: str) -> _Read:
    return _Read(
        words=words_of(stated.quote, language),
        keys=frozenset(_keys(stated.quote, language)),
        above=frozenset(key for text in stated.headings for key in _keys(text, language)),
    )


def _changed(words: Sequence[Word], read: Sequence[_Read], language: str) -> tuple[str, ...]:
    """Words in which a statement differs from the nearest quote.

    Clauses joined by "and" or "but" may each be compared with a quote of their own.
    """

    def least(part: Sequence[Word], *, is_from_start: bool = False) -> list[Word]:
        found = [
            changed_words(
                part,
                one.words,
                language,
                given=one.above,
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


def _once(words: Iterable[Word]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(word.text for word in words))


def _is_subject(word: Word) -> bool:
    return (
        word.is_content
        and word.folded not in FRAMES
        and any(sign.isalpha() for sign in word.folded)
    )


def _keys(text: str, language: str) -> set[str]:
    """The keys of a text's words and of the parts of compound words."""
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
    """Whether the keys contain a word, possibly in another form."""
    return key in keys or any(is_same(key, other) for other in keys)
