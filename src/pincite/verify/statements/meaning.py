"""Compares the meaning of a statement with its quotes, without a library or a model."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import PurePath

from pincite.records.flow import Citation, Verdict
from pincite.settings.toml_files import shipped
from pincite.text.languages import language_of
from pincite.text.negations import ALL_NEGATIONS
from pincite.text.remarks import without_remarks
from pincite.text.terms import fold, stem
from pincite.verify.statements.names import missing_names
from pincite.verify.statements.wording import FRAMES, Word, words_of

# Whether a statement gives one end of a range as if it were the value.

_NUMBER = r"\d+(?:[.,]\d+)*"
_RANGE = re.compile(
    rf"(?<![\d.,/-])({_NUMBER})\s?(?:[^\s\d]{{1,4}}\s)?(?:to|–|—|-|−|and|bis|und|à|a|et)\s?({_NUMBER})(?![\d/]|[.,-]\d)"
)
_BETWEEN = re.compile(
    r"\b(?:between|from|range|zwischen|von|entre|de)\b[^.;]{0,15}$", re.IGNORECASE
)
_LISTS = re.compile(rf"{_NUMBER}\s?(?:[^\s\d]{{1,4}}\s)?(?:and|und|et|a)\s?\d")
_YEAR = re.compile(r"(?:1[0-9]|20)\d\d")
_ENDS = re.compile(
    r"\b(?:at least|at most|from|between|minimum|maximum|min|max|up to|no more|no less|more than|"
    r"less than|above|below|over|under|lower|upper|start\w*|begin\w*|beg[au]n|end\w*|exceed\w*|"
    r"until|lowest|highest|limit\w*|mindestens|höchstens|von|bis|ab|zwischen|minimal|maximal|entre|jusqu\w*|moins|plus)\b",
    re.IGNORECASE,
)


def end_of_range(claim: str, quotes: Sequence[str]) -> str:
    """A number of the claim that its quotes give only as one end of a range; empty if none.

    "The pH is 6.0" does not follow from "pH 6.0 to 6.8". Years are not checked: much happens in
    the first or last year of a period.
    """
    said = [found[0] for found in re.finditer(_NUMBER, claim)]
    if not said or _ENDS.search(claim):
        return ""
    ranges = [found for quote in quotes for found in _ranges(quote)]
    whole = {end for ends in ranges if set(ends) <= set(said) for end in ends}
    alone = {number for quote in quotes for number in re.findall(_NUMBER, _RANGE.sub(" ", quote))}
    for ends in ranges:
        for end in ends:
            if end in said and end not in whole and end not in alone:
                return end
    return ""


def _ranges(quote: str) -> Iterator[tuple[str, str]]:
    """Both ends of each range; "5 and 6" is a range only after "between"."""
    for found in _RANGE.finditer(quote):
        low, high = found.groups()
        is_list = _LISTS.match(found[0]) and not _BETWEEN.search(quote[: found.start()])
        if not is_list and not _YEAR.fullmatch(low):
            yield low, high


# Whether a statement uses the opposite of a word of its quotes.

_SWITCHED = frozenset(
    "turn turns turned turning switch switches switched switching power powered".split()
)
_BACK = 3
_AROUND_CLAIM = 4
_AROUND_QUOTE = 6


def opposite_fault(claim: Sequence[Word], quotes: Sequence[Sequence[Word]], language: str) -> str:
    """The word of the claim whose opposite its quotes use instead; empty if there is none.

    If the quotes use both, the one that shares more neighbouring words counts.
    """
    pairs = _pairs(language)
    for place, word in enumerate(claim):
        for pair, side in _sides(claim, place, pairs):
            near = _neighbours(claim, place, _AROUND_CLAIM)
            found = [
                (len(near & _neighbours(quote, at, _AROUND_QUOTE)), other_side)
                for quote in quotes
                for at in range(len(quote))
                for other, other_side in _sides(quote, at, pairs)
                if other == pair
            ]
            best = max(found, default=(0, side))[0]
            if found and side not in {own for score, own in found if score == best}:
                return word.text
    return ""


def _sides(
    words: Sequence[Word], place: int, pairs: dict[str, tuple[tuple[int, int], ...]]
) -> tuple[tuple[int, int], ...]:
    word = words[place]
    if word.folded in ("on", "off"):
        before = words[max(0, place - _BACK) : place]
        if not any(other.folded in _SWITCHED for other in before):
            return ()
    return pairs.get(word.folded) or pairs.get(word.key, ())


def _neighbours(words: Sequence[Word], place: int, around: int) -> set[str]:
    near = [*words[max(0, place - around) : place], *words[place + 1 : place + 1 + around]]
    return {word.key for word in near if word.is_content and word.clause == words[place].clause}


@cache
def _pairs(language: str) -> dict[str, tuple[tuple[int, int], ...]]:
    """Pair numbers and sides of every listed word and its stem."""
    found: dict[str, set[tuple[int, int]]] = {}
    lines = _listed().get(language, {}).get("pairs", ())
    for number, line in enumerate(lines):
        for side, words in enumerate(line.split("/")):
            for word in words.split():
                for form in (fold(word), stem(fold(word), language)):
                    found.setdefault(form, set()).add((number, side))
    # A form on both sides of a pair does not distinguish them.
    return {
        form: tuple(sorted(own for own in sides if (own[0], 1 - own[1]) not in sides))
        for form, sides in found.items()
    }


@cache
def _listed() -> Mapping[str, Mapping[str, Sequence[str]]]:
    return shipped("verify/statements", "opposites")


# Whether a statement denies what its quotes affirm, or affirms what they deny.

_NOT_ONLY = frozenset({"only", "just", "merely", "simply", "nur", "bloss", "seulement", "solo"})
_LOOKS_BACK = frozenset({"nicht", "niet", "pas", "jamais", "nie"})
_SCOPE = 4
_SCOPE_BACK = 2
_HEAD = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Negation:
    """A negating word and the keys of the words it negates, nearest first."""

    word: Word
    scope: tuple[str, ...]


def negation_fault(claim: Sequence[Word], quotes: Sequence[Sequence[Word]]) -> str:
    """The negating word of a negation that only one of them has; empty if they agree."""
    said = negations(claim)
    stated = [negation for quote in quotes for negation in negations(quote)]
    denied = {key for negation in stated for key in negation.scope}
    for negation in said:
        if not set(negation.scope) & denied:
            return negation.word.text
    if added := _only_denial(claim, quotes):
        return added
    said_denied = {key for negation in said for key in negation.scope}
    affirmed_in_claim = {word.key for word in claim if word.is_content} - said_denied
    affirmed = {word.key for quote in quotes for word in _outside(quote, negations(quote))}
    for negation in stated:
        for key in negation.scope[:_HEAD]:
            if key in affirmed_in_claim and key not in affirmed:
                return negation.word.text
    return ""


def _only_denial(claim: Sequence[Word], quotes: Sequence[Sequence[Word]]) -> str:
    """A negating word of one of them, where a quote has the same words without it.

    A denied word beside it may hide this: "available no later than" and "not available no later than".
    """
    said = [word.folded for word in claim if word.folded not in ALL_NEGATIONS]
    own = [word for word in claim if word.folded in ALL_NEGATIONS]
    differing = ""
    for quote in quotes:
        kept = [word for word in quote if word.folded not in ALL_NEGATIONS]
        for start in range(len(kept) - len(said) + 1):
            part = kept[start : start + len(said)]
            if [word.folded for word in part] != said or not part:
                continue
            first, last = quote.index(part[0]), quote.index(part[-1])
            while first and quote[first - 1].folded in ALL_NEGATIONS:
                first -= 1
            there = [word for word in quote[first:last] if word.folded in ALL_NEGATIONS]
            if len(there) == len(own):
                return ""
            differing = (own or there)[0].text
    return differing


def negations(words: Sequence[Word]) -> list[Negation]:
    """The negations of a text."""
    return [
        Negation(word=word, scope=_scope(words, place))
        for place, word in enumerate(words)
        if word.folded in ALL_NEGATIONS
        and not (place + 1 < len(words) and words[place + 1].folded in _NOT_ONLY)
    ]


def _scope(words: Sequence[Word], place: int) -> tuple[str, ...]:
    here = words[place]
    after = _content(words[place + 1 :], here.clause)[:_SCOPE]
    before = _content(words[:place][::-1], here.clause)[:_SCOPE_BACK]
    if here.folded in _LOOKS_BACK:
        return (*before[:1], *after, *before[1:])
    return tuple(after or before)


def _content(words: Sequence[Word], clause: int) -> list[str]:
    return [word.key for word in words if word.is_content and word.clause == clause]


def _outside(words: Sequence[Word], found: Sequence[Negation]) -> list[Word]:
    """Content words of clauses without a negation."""
    denied = {negation.word.clause for negation in found}
    return [word for word in words if word.is_content and word.clause not in denied]


# All checks of meaning in order.

_COPULAS = frozenset({"is", "are", "was", "were"})
_QUESTION = re.compile(r"[?？؟]\s*+(?:[\"”»)]++\s*+)?$")


@dataclass(frozen=True, slots=True, kw_only=True)
class MeaningFault:
    """A difference in meaning from the quotes; `written` is the word at fault."""

    verdict: Verdict
    written: str


def meaning_fault(claim: str, cited: Sequence[Citation], question: str) -> MeaningFault | None:
    """The first fault found, or None."""
    return next(_faults(claim, cited, question), None)


def headings_of(cited: Sequence[Citation]) -> list[str]:
    """The headings above the quotes, the names of their files, and the lead-ins of list items."""
    found = [text for item in cited for text in (item.section, PurePath(item.source).stem)]
    found += [label.text for item in cited for label in item.announced_by]
    return list(dict.fromkeys(text.replace("_", " ") for text in found if text))


def _faults(claim: str, cited: Sequence[Citation], question: str) -> Iterator[MeaningFault]:
    quotes = ["\n".join((*(one.text for one in c.announced_by), c.quote)) for c in cited]
    language = language_of(" ".join([*quotes, claim]))
    said = words_of(claim, language)
    stated = [words_of(quote, language) for quote in quotes]
    words = words_of(without_remarks(claim), language)
    if not _states_something(claim, words):
        yield MeaningFault(verdict=Verdict.NOT_A_STATEMENT, written=claim)
    missing = missing_names(claim, quotes, headings_of(cited), question, language)
    found = {
        Verdict.NAME_NOT_IN_QUOTE: ", ".join(missing),
        Verdict.END_OF_RANGE: end_of_range(claim, quotes),
        Verdict.NEGATION_DIFFERS: negation_fault(said, stated),
    }
    for verdict, written in found.items():
        if written:
            yield MeaningFault(verdict=verdict, written=written)


def _states_something(claim: str, words: Sequence[Word]) -> bool:
    """Whether it is more than a question, a number, a name, or an editor's remark.

    "The empire was the empire" states nothing either, and "The answer is: Lisbon" states something
    that no quote can support.
    """
    is_more_than_one = len(words) > 1 and any(map(_is_informative, words))
    is_empty = _QUESTION.search(claim) or _is_circular(words) or _names_an_answer(words)
    return is_more_than_one and not is_empty


def _names_an_answer(words: Sequence[Word]) -> bool:
    """Whether the subject of the statement is the answer or the source itself."""
    copula = next((n for n, word in enumerate(words) if word.folded in _COPULAS), 0)
    before = words[:copula]
    return any(word.folded in FRAMES for word in before) and not any(map(_is_informative, before))


def _is_circular(words: Sequence[Word]) -> bool:
    """Whether all words after the last "is" also appear before it."""
    copula = max((n for n, word in enumerate(words) if word.folded in _COPULAS), default=0)
    before = {word.key for word in words[:copula] if _is_informative(word)}
    after = {word.key for word in words[copula + 1 :] if word.is_content}
    return bool(after) and after <= before


def _is_informative(word: Word) -> bool:
    return word.is_content and word.folded not in FRAMES and any(map(str.isalpha, word.key))
