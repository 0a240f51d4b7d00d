"""Checks whether the quotes state each number and date of a claim."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from pincite.records.flow import Citation, Verdict
from pincite.text.dates import Moment
from pincite.text.languages import language_of
from pincite.text.numbers import Figures, Number, figures
from pincite.text.units import is_currency
from pincite.verify.numbers.derived import Derivation
from pincite.verify.numbers.operands import FALL, OUTGOING, is_comparison
from pincite.verify.numbers.stated import (
    Stated,
    StatedFigures,
    bound_years,
    claimed_values,
    mark_of,
    stated_figures,
)

_SPAN_OF_YEARS = re.compile(
    r"\b(?:from|between)\b.{0,20}\b(?:19|20)\d\d\b|(?:19|20)\d\d\s?(?:-|–|to|through)\s?(?:19|20)\d\d"
)
_ABOUT = re.compile(
    r"\b(?:about|approximately|approx\.?|roughly|around|nearly|almost|circa|ca\.|some|rund|etwa|environ|"
    r"more than|over|less than|under|just)\s*(?:US\$|[$€£₹]|Rs\.?)?\s?$",
    re.IGNORECASE,
)
_DURATIONS = frozenset({"h", "day", "month", "year"})
"""Units that headers may leave out: "due in 1 to 3"."""
_NAME_BEFORE = re.compile(r"\b[A-Z]\w+\s?$")
_LISTED = re.compile(r"^\s*(?:\d{1,2}[.)]|[-*•])\s+")
_MARKS = re.compile(r"\s?\[\d+(?:\s?[,–-]\s?\d+)*\]")


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureFault:
    """A number or date of a claim that its quotes do not support."""

    verdict: Verdict
    written: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureCheck:
    """The check of a claim's numbers; `derived` are those that follow by calculation."""

    faults: tuple[FigureFault, ...]
    derived: tuple[str, ...] = ()


def without_marks(claim: str) -> str:
    """The claim without its list number and without citation marks such as [2]."""
    return _MARKS.sub("", _LISTED.sub("", claim))


def check_figures(claim: str, cited: Sequence[Citation]) -> FigureCheck:
    """Checks every number with its unit, scale, sign and period, and every date of a claim."""
    text = without_marks(claim)
    languages = [language_of(citation.quote) for citation in cited]
    mark = mark_of(text, language=languages[0]) if languages else "."
    read = figures(text, mark)
    if not read.numbers and not read.moments:
        return FigureCheck(faults=())
    stated = stated_figures(cited)
    faults, derived = [], []
    for number, years in zip(read.numbers, _claimed_years(text, read), strict=True):
        verdict = _number_verdict(text, number, years, stated)
        if verdict in _MAY_BE_DERIVED and Derivation(text, number, read.years).follows(stated):
            verdict = Verdict.DERIVED
        if verdict is Verdict.DERIVED:
            derived.append(_written(text, number))
        elif verdict is not Verdict.SUPPORTED:
            faults.append(FigureFault(verdict=verdict, written=_written(text, number)))
    for moment in read.moments:
        if not _is_stated(moment, stated):
            written = text[moment.start : moment.end]
            faults.append(FigureFault(verdict=Verdict.DATE_NOT_IN_QUOTE, written=written))
    return FigureCheck(faults=tuple(faults), derived=tuple(derived))


def _claimed_years(text: str, read: Figures) -> list[frozenset[int]]:
    """The years each number of the claim is about: its own, or else all that the claim names."""
    named = read.years
    if named and _SPAN_OF_YEARS.search(text):
        named = frozenset(range(min(named), max(named) + 1))
    return [own or named for own in bound_years(text, read)]


def _written(text: str, number: Number) -> str:
    sign = "-" if number.digits.startswith("-") else ""
    return sign + text[number.start : number.end].strip()


def _number_verdict(
    text: str, number: Number, years: frozenset[int], stated: StatedFigures
) -> Verdict:
    if number.is_worded and not number.unit and not number.has_scale and number.value == 1:
        return Verdict.SUPPORTED  # "one" is more often a word than a number
    if number.looks_like_year and int(number.value) in stated.years:
        return Verdict.SUPPORTED
    verdicts: list[Verdict] = []
    for value in claimed_values(text, number):
        for item in stated.numbers:
            verdict = _compared(text, number, value, years, item)
            if verdict is Verdict.SUPPORTED and years and _is_of_time(item, years):
                return verdict
            if verdict is not None:
                verdicts.append(verdict)
    # If the same number is given for another period, one without a period does not count.
    if Verdict.SUPPORTED in verdicts and Verdict.PERIOD_DIFFERS not in verdicts:
        return Verdict.SUPPORTED
    faults = [verdict for verdict in verdicts if verdict is not Verdict.SUPPORTED]
    return faults[0] if faults else Verdict.NUMBER_NOT_IN_QUOTE


_MAY_BE_DERIVED = frozenset(
    {Verdict.NUMBER_NOT_IN_QUOTE, Verdict.UNIT_DIFFERS, Verdict.PERIOD_DIFFERS}
)


def _compared(
    text: str, number: Number, value: Decimal, years: frozenset[int], item: Stated
) -> Verdict | None:
    """The verdict of one stated number on the claimed one; None if it is another number."""
    near = [own for own in item.values if _is_equal(text, number, value.copy_abs(), own.copy_abs())]
    if not near or number.is_ordinal != item.number.is_ordinal:
        return None
    if number.is_tolerance and not item.number.is_tolerance:
        return None
    if not _units_agree(number, item):
        return Verdict.UNIT_DIFFERS
    same_sign = any((own < 0) == (value < 0) for own in near)
    if not same_sign and not _means_negative(text if value > 0 else "", item):
        return Verdict.SIGN_DIFFERS
    other_time = item.years and years and not _is_of_time(item, years)
    if other_time and not number.looks_like_year and not _is_of_a_name(text, number, item):
        return Verdict.PERIOD_DIFFERS
    return Verdict.SUPPORTED


def _is_of_time(item: Stated, years: frozenset[int]) -> bool:
    """Whether it belongs to one of these years; a change between two years belongs to both."""
    if len(item.years) == len(years) == 2 and is_comparison(item):
        return item.years == years
    return bool(item.years & years)


def _is_of_a_name(text: str, number: Number, item: Stated) -> bool:
    """Whether the number is part of a name, as in "Section 106", which has no period."""
    named = _NAME_BEFORE.search(text, 0, number.start)
    if named is None or number.unit:
        return False
    return item.before.rstrip().endswith(named[0].rstrip())


def _means_negative(claim: str, item: Stated) -> bool:
    """Whether words express the sign: a loss of 5, payments of (5)."""
    if claim:
        return bool(OUTGOING.search(claim))
    return bool(FALL.search(item.labels or item.before))


def _is_equal(text: str, number: Number, claimed: Decimal, own: Decimal) -> bool:
    if claimed == own:
        return True
    is_rounded = claimed != 0 and _ABOUT.search(text, 0, number.start)
    return bool(is_rounded) and abs(claimed - own) <= number.step / 2


def _units_agree(number: Number, item: Stated) -> bool:
    """A claim may leave a unit out, unless that changes the meaning of the number."""
    if number.unit == "":
        return not item.units & {"%", "pp", "bp", "‰"} or item.number.unit == ""
    if number.unit in item.units or (number.unit in _DURATIONS and item.is_header):
        return True
    if is_currency(number.unit) and any(unit.endswith("$") for unit in item.units):
        return number.unit == "$"
    return False


def _is_stated(moment: Moment, stated: StatedFigures) -> bool:
    return any(
        _agrees(reading, other, stated.years)
        for reading in moment.readings()
        for quoted in stated.moments
        for other in quoted.readings()
    ) or (
        moment.month is None
        and moment.quarter is None
        and moment.half is None
        and moment.year in stated.years
    )


def _agrees(claimed: Moment, quoted: Moment, years: frozenset[int]) -> bool:
    for name in ("month", "day", "quarter", "half"):
        wanted = getattr(claimed, name)
        if wanted is not None and wanted != getattr(quoted, name):
            return False
    if claimed.year is None or claimed.year == quoted.year:
        return True
    # "Years ended September 30," above the column "2019".
    return quoted.year is None and claimed.year in years
