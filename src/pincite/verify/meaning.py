"""Does a statement mean what its quotes mean? What can be told without a library or a model."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import PurePath

from pincite.records import Citation, Verdict
from pincite.text.languages import language_of
from pincite.text.remarks import without_remarks
from pincite.verify.modality import condition_fault, modality_fault
from pincite.verify.names import missing_names
from pincite.verify.opposites import opposite_fault
from pincite.verify.polarity import negation_fault
from pincite.verify.ranges import end_of_range
from pincite.verify.wording import FRAMES, Word, words_of

_COPULAS = frozenset({"is", "are", "was", "were"})
_QUESTION = re.compile(r"[?？؟]\s*+(?:[\"”»)]++\s*+)?$")


@dataclass(frozen=True, slots=True, kw_only=True)
class MeaningFault:
    """What a statement says otherwise than its quotes; `written` is the word at fault."""

    verdict: Verdict
    written: str


def meaning_fault(claim: str, cited: Sequence[Citation], question: str) -> MeaningFault | None:
    """The first fault that is found; None when there is none."""
    return next(_faults(claim, cited, question), None)


def headings_of(cited: Sequence[Citation]) -> list[str]:
    """The headings above the quotes, the names of their files, and what announces an item."""
    found = [text for item in cited for text in (item.section, PurePath(item.source).stem)]
    found += [label.text for item in cited for label in item.announced_by]
    return list(dict.fromkeys(text.replace("_", " ") for text in found if text))


def _faults(claim: str, cited: Sequence[Citation], question: str) -> Iterator[MeaningFault]:
    quotes = ["\n".join((*(one.text for one in c.announced_by), c.quote)) for c in cited]
    language = language_of(" ".join([*quotes, claim]))
    said = words_of(claim, language)
    stated = [words_of(quote, language) for quote in quotes]
    words = words_of(without_remarks(claim), language)
    repeated = _repeated(words, stated)
    if not _states_something(claim, words) or len(repeated) > 1:
        yield MeaningFault(verdict=Verdict.NOT_A_STATEMENT, written=claim)
    missing = missing_names(claim, quotes, headings_of(cited), question, language)
    found = {
        Verdict.NAME_NOT_IN_QUOTE: ", ".join(missing),
        Verdict.END_OF_RANGE: end_of_range(claim, quotes),
        Verdict.NEGATION_DIFFERS: negation_fault(said, stated),
        Verdict.MODALITY_DIFFERS: modality_fault(said, stated),
        Verdict.CONDITION_DIFFERS: condition_fault(said, stated),
        Verdict.OPPOSITE: opposite_fault(said, stated, language),
        Verdict.NOT_CLEARLY_CARRIED: ", ".join(repeated),
    }
    for verdict, written in found.items():
        if written:
            yield MeaningFault(verdict=verdict, written=written)


def _states_something(claim: str, words: Sequence[Word]) -> bool:
    """Whether it is more than a question, a number, a name, or a remark of an editor.

    "The empire was the empire" tells nothing either, and "The answer is: Lisbon" something that no
    quote can carry.
    """
    is_more_than_one = len(words) > 1 and any(map(_is_telling, words))
    is_empty = _QUESTION.search(claim) or _is_circular(words) or _names_an_answer(words)
    return is_more_than_one and not is_empty


def _names_an_answer(words: Sequence[Word]) -> bool:
    """Whether it says of the answer, or of the source, what that is."""
    copula = next((n for n, word in enumerate(words) if word.folded in _COPULAS), 0)
    before = words[:copula]
    return any(word.folded in FRAMES for word in before) and not any(map(_is_telling, before))


def _is_circular(words: Sequence[Word]) -> bool:
    """Whether all that stands behind the last "is" stands before it too."""
    copula = max((n for n, word in enumerate(words) if word.folded in _COPULAS), default=0)
    before = {word.key for word in words[:copula] if _is_telling(word)}
    behind = {word.key for word in words[copula + 1 :] if word.is_content}
    return bool(behind) and behind <= before


def _repeated(words: Sequence[Word], stated: Sequence[Sequence[Word]]) -> list[str]:
    """Words that a clause says twice and no quote does.

    One takes the place of something ("The valve uses the valve type", where the quote says "this
    type"); two go in a circle ("The Cancer constellation is located in the constellation of Cancer").
    """
    quoted = [_said_twice(quote) for quote in stated]
    for _, clause in groupby(words, key=lambda word: word.clause):
        twice = _said_twice(clause)
        if twice and not any(twice.keys() <= quote.keys() for quote in quoted):
            return list(twice.values())
    return []


def _said_twice(words: Iterable[Word]) -> dict[str, str]:
    """Words that come more than once, by key, as they are first written."""
    telling = [word for word in words if _is_telling(word)]
    counted = Counter(word.key for word in telling)
    first = {word.key: word.text for word in reversed(telling)}
    return {key: text for key, text in first.items() if counted[key] > 1}


def _is_telling(word: Word) -> bool:
    return word.is_content and word.folded not in FRAMES and any(map(str.isalpha, word.key))
