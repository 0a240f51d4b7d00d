"""Short answers that a sentence says of something else than the question names."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pincite.records.document import Range
from pincite.text.numbers import figures
from pincite.text.terms import fold

_BETWEEN_CLAUSES = re.compile(r"[,;:–—]\s|\s(?:and|but|while|whereas|und|aber|während)\s")
_WORD = re.compile(r"[^\W_]+")


def is_of_another_name(sentence: str, short: Range, question: str) -> bool:
    """Whether the name in the question stands in another clause, with a value of the same kind.

    "How long is the guarantee from Sonnwerk?" of "20 years with Helio and 12 years with Sonnwerk":
    `short`, the range of "20 years" in the sentence, is not what Sonnwerk has.
    """
    names = {fold(word[0]) for word in [*_WORD.finditer(question)][1:] if word[0][0].isupper()}
    clauses = [*_clauses(sentence)]
    holding = [one for one in clauses if one[0] < short[1] and short[0] < one[1]]
    named = [one for one in clauses if names & {fold(word) for word in _words(sentence, one)}]
    if not named or any(one in holding for one in named):
        return False
    kinds = {kind for one in holding for kind in _kinds(sentence[max(one[0], short[0]) : one[1]])}
    return any(kinds & {*_kinds(sentence[slice(*one)])} for one in named)


def _clauses(sentence: str) -> Iterator[Range]:
    start = 0
    for between in _BETWEEN_CLAUSES.finditer(sentence):
        yield start, between.start()
        start = between.end()
    yield start, len(sentence)


def _words(sentence: str, clause: Range) -> list[str]:
    return _WORD.findall(sentence[slice(*clause)])


def _kinds(text: str) -> Iterator[str]:
    """The units of the numbers of a text, and whether it has a date."""
    found = figures(text)
    yield from (f"number {number.unit}" for number in found.numbers)
    yield from ("date" for _ in found.moments[:1])
