"""Finds numbers of a question that appear in no cited passage, in digits or in words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from pincite.records.flow import Evidence
from pincite.stages import Sources
from pincite.text.dates import Moment, moments
from pincite.text.numbers import numbers, worded_numbers
from pincite.text.terms import UNSPACED, composed, parts_at_commas
from pincite.text.value_ranges import quantities, value_ranges

_DIGITS = re.compile(r"\d+(?:[.,:]\d+)*")
_JOIN = re.compile(r"[.,:]")
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d{1,3}(?:\.\d{3})+(?:,\d+)?")
_VERSION = re.compile(r"\d{1,3}(?:\.\d{1,3}){2,3}")
_BOUND = re.compile(
    r"\b(?:over|under|above|below|than|least|most|exceed(?:s|ed|ing)?|up to|between|"
    r"über|unter|als|bis)\s+\W?$",
    re.IGNORECASE,
)
"""Precedes a number that bounds the answer and need not appear in it."""
_LONGEST_BOUND_CHARS = 20
_WORD = re.compile(rf"[^\s(\"'“„«「『、。¿¡{UNSPACED}]+")
_LETTERS = re.compile(rf"[^\W_{UNSPACED}]+")
_RUN = re.compile(rf"[^\s{UNSPACED}]+")
_GROUPED_BY_BLANKS = re.compile(r"(?<![\w.,])\d{1,3}(?:[ ’']\d{3})+(?:[.,]\d+)?(?!\d)")
_TENTHS = re.compile(r"\.\d$")
"""A question may ask for 18,50 euros, where the cell holds 18.5."""

_ROMAN = {
    letters: str(number)
    for number, letters in enumerate("II III IV V VI VII VIII IX X XI XII XIII".split(), start=2)
}
"""Numbers of kings and wars, which a question may write in digits."""


_HAN_DIGITS = {sign: value for value, sign in enumerate("〇一二三四五六七八九")} | {"零": 0}
_HAN_UNITS = {"十": 10, "百": 100, "千": 1000}
_HAN_NUMBER = re.compile(f"[{''.join((*_HAN_DIGITS, *_HAN_UNITS))}]+")
_FIRST_TWO = re.compile(r"\b(?:1st|2nd)\b", re.IGNORECASE)
_IN_WORDS = {
    short: re.compile(rf"\b{word}\b", re.IGNORECASE)
    for short, word in (("1st", "first"), ("2nd", "second"))
}
"""Too ambiguous to be read as numbers everywhere."""


def missing_numbers(
    question: str, evidence: Sequence[Evidence], cited: Sequence[str]
) -> Iterator[str]:
    """Numbers that no cited passage names and no range in a quote includes ("2 to 4 years").

    `cited` is the result of `cited_texts`.
    """
    held = _held_in_ranges(question, evidence)
    yield from (one for one in _not_in(question, cited) if one not in held)


def has_digits(text: str) -> bool:
    """Whether there is any number to search for."""
    return bool(_DIGITS.search(text))


def cited_texts(evidence: Sequence[Evidence], sources: Sources) -> list[str]:
    """The cited passages, each below its headings and the name of its file."""
    # A list or table in one passage gives many quotes.
    passages = {item.passage.id: item.passage for item in evidence}
    return [
        f"{sources.document(one.span.document_id).name}\n"
        f"{composed(one.with_context(sources.text_of(one.span)))}"
        for one in passages.values()
    ]


def _not_in(question: str, cited: Sequence[str]) -> Iterator[str]:
    """Numbers in digits of a question that appear in no cited passage, in digits or in words.

    Each is given as the identifier that contains it, as written.
    """
    held = {
        form
        for text in cited
        for run in _RUN.findall(text)
        for part in parts_at_commas(run)
        for number in _DIGITS.findall(part)
        for form in _forms(number)
    }
    groups = (found[0] for text in cited for found in _GROUPED_BY_BLANKS.finditer(text))
    held |= {form for group in groups for form in _forms(_without_blanks(group))}
    held |= {str(number.value) for text in cited for number in worded_numbers(text)}
    held |= {_ROMAN[found] for text in cited for found in _LETTERS.findall(text) if found in _ROMAN}
    held |= {str(_han_value(run)) for text in cited for run in _HAN_NUMBER.findall(text)}
    question = composed(question)
    said = [*_held_places(question, cited, held), *_written_otherwise(question, cited, held)]
    for word in _WORD.finditer(question):
        for number in _DIGITS.finditer(question, *word.span()):
            before = question[max(0, number.start() - _LONGEST_BOUND_CHARS) : number.start()]
            if any(start <= number.start() < end for start, end in said):
                continue
            if _bare(number.group()) not in held and not _BOUND.search(before):
                rest = _LETTERS.match(question, number.end())
                yield question[word.start() : rest.end() if rest else number.end()]


def _held_places(question: str, cited: Sequence[str], held: set[str]) -> Iterator[tuple[int, int]]:
    """Places of dates that the passages write differently, and of digits that they group by blanks."""
    asked = moments(question)
    stated = [
        reading for text in cited if asked for one in moments(text) for reading in one.readings()
    ]
    for one in asked:
        if any(_is_same_day(reading, other) for reading in one.readings() for other in stated):
            yield one.start, one.end
    for group in _GROUPED_BY_BLANKS.finditer(question):
        if _bare(_without_blanks(group[0])) in held:
            yield group.span()


def _is_same_day(asked: Moment, stated: Moment) -> bool:
    """Whether a text states the day that is asked for, possibly without a year."""
    same_year = asked.year is None or asked.year == stated.year
    same_day = (asked.month, asked.day) == (stated.month, stated.day)
    return same_year and asked.day is not None and same_day


def _forms(number: str) -> Iterator[str]:
    """A number, and its parts if it may be a date or the cells of a row: "30.09.2025,3".

    A version also matches its release lines: 2.3.0 matches 2.3.
    """
    bare = _bare(number)
    yield bare
    if _TENTHS.search(bare):
        yield f"{bare}0"
    if _VERSION.fullmatch(number):
        parts = number.split(".")
        yield from (".".join(parts[:end]) for end in range(2, len(parts)))
    if not _THOUSANDS.fullmatch(number):
        yield from _JOIN.split(number)


def _held_in_ranges(question: str, evidence: Sequence[Evidence]) -> set[str]:
    """Numbers of the question, as written, that a range in a quote includes: "2 to 4 years"."""
    asked = quantities(question)
    ranges = [one for item in evidence for one in value_ranges(item.quote)] if asked else []
    return {
        asked_for.digits
        for asked_for in asked
        if any(one.measure == asked_for.measure and one.holds(asked_for) for one in ranges)
    }


def _written_otherwise(
    question: str, cited: Sequence[str], held: set[str]
) -> Iterator[tuple[int, int]]:
    """Places of numbers that the passages write differently: "5 million", "second"."""
    asked = [one for one in numbers(question) if _bare(one.digits) not in held]
    stated = {one.value for text in cited for one in numbers(text)} if asked else set()
    yield from ((one.start, one.end) for one in asked if one.value in stated)
    for found in _FIRST_TWO.finditer(question):
        if any(_IN_WORDS[found[0].lower()].search(text) for text in cited):
            yield found.span()


def _han_value(run: str) -> int:
    """The value of a number in Chinese numerals: 二十三 and 二三 are 23."""
    total = digits = 0
    for sign in run:
        if sign in _HAN_DIGITS:
            digits = 10 * digits + _HAN_DIGITS[sign]
        else:
            total, digits = total + (digits or 1) * _HAN_UNITS[sign], 0
    return total + digits


def _bare(number: str) -> str:
    """The number without thousands separators, and with a decimal point instead of a comma."""
    return re.sub(r",(?=\d+$)", ".", re.sub(r"[.,](?=\d{3}(?!\d))", "", number))


def _without_blanks(number: str) -> str:
    return re.sub(r"[^\d.,]", "", number)
