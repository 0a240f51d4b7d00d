"""Checks whether the quotes state each number and date of a claim."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from pincite.records.flow import Citation, Verdict
from pincite.text.dates import Moment
from pincite.text.languages import language_of
from pincite.text.numbers import Figures, Number, coloned, figures
from pincite.text.units import is_currency
from pincite.verify.numbers.operands import (
    FALL,
    OUTGOING,
    groups,
    is_comparison,
    may_be_operand,
    named,
    rows,
)
from pincite.verify.numbers.results import Operations, Result, Results, is_of_unit
from pincite.verify.numbers.stated import (
    Stated,
    StatedFigures,
    bound_years,
    claimed_values,
    mark_of,
    stated_figures,
)

# Derives a claimed number from numbers in the quotes: as a sum, difference, share or mean.

_LIKELY_BY_CHANCE = 0.1
"""Most results expected to match the claimed value by chance."""

_MOST_OPERANDS = 40

_LONGEST_ROW = 12
"""Rows with more cells are not summed in parts."""

_FEW = 6
"""With at most this many results, a zero is not taken for chance."""

_IS_AMOUNT = re.compile(r"(?:\b(?:is|are|was|were|by|equals?|totals?|totall?ed)|:)\s*$")


class Derivation:
    """The operations that a claim names, for one of its numbers."""

    def __init__(self, text: str, number: Number, years: frozenset[int]) -> None:
        self._text = text
        self._number = number
        self._operations = Operations(text)
        self._years = spanned = years
        if len(years) == 1 and self._operations.any_of(("difference", "mean")):
            # "The increase in 2019" is from 2018; "the average of 2019" is that of its two ends.
            self._years = years | {min(years) - 1}
        elif years and self._operations.any_of(("sum", "mean")) and self._operations.spans_years:
            self._years = spanned = frozenset(range(min(years), max(years) + 1))
        self._results = Results(self._operations, number, years, spanned)

    def follows(self, stated: StatedFigures) -> bool:
        """Whether the number is the result of an operation that the claim names."""
        if self._number.is_ordinal or self._is_year():
            return False
        if not self._operations.is_named:
            return False
        usable = [item for item in stated.numbers if may_be_operand(item, self._years)]
        named_first = named(usable, self._text, language_of(self._text), self._years)
        tried = (named_first, usable)
        return any(self._is_among(self._of(items[:_MOST_OPERANDS])) for items in tried)

    def _is_year(self) -> bool:
        return self._number.looks_like_year and not _IS_AMOUNT.search(
            self._text, 0, self._number.start
        )

    def _of(self, items: Sequence[Stated]) -> Iterator[Result]:
        for group in groups(items):
            yield from self._results.of_group(group)
            if any(len(item.values) > 1 for item in group):
                others = [replace(item, values=item.values[-1:]) for item in group]
                yield from self._results.of_group(others)
        if "sum" in self._operations:
            yield from map(Result, _sums_of_neighbours(items, self._number.unit))

    def _is_among(self, found: Iterator[Result]) -> bool:
        results = list(found)
        tolerance = self._number.step / 2
        return any(
            any(self._fits(result, value, tolerance) for result in results)
            and _by_chance(results, value, tolerance) < _LIKELY_BY_CHANCE
            for value in claimed_values(self._text, self._number)
        )

    def _fits(self, result: Result, value: Decimal, tolerance: Decimal) -> bool:
        if abs(abs(result.value) - abs(value)) > tolerance:
            return False
        up, down = self._operations.direction(result.labels)
        if not result.has_sign or result.value == 0:
            return value >= 0 or down or (not up and self._operations.has_two_signs)
        if not result.is_directed:
            same = (result.value < 0) == (value < 0)
            return same or (value > 0 and bool(OUTGOING.search(self._text)))
        fell = result.value < 0
        if value < 0:
            return fell
        if up != down:
            return fell == down
        return not fell or not (up or self._operations.says_change)


def _sums_of_neighbours(items: Sequence[Stated], unit: str) -> Iterator[Decimal]:
    """Sums of three or more adjacent cells of a row, but not of all.

    "Due within five years" adds up the amounts due in the first year, in the second, and so on.
    """
    for line in rows(items):
        values = [item.values[0] for item in line if is_of_unit(item, unit)]
        for start in range(len(values)):
            for end in range(start + 3, len(values) + 1):
                if end - start < len(values) <= _LONGEST_ROW:
                    yield sum(values[start:end], Decimal(0))


def _by_chance(results: Sequence[Result], value: Decimal, tolerance: Decimal) -> float:
    """Expected chance hits for a value log-uniform between half and double of this one."""
    size = abs(value)
    if size == 0:
        return 0.0 if len(results) <= _FEW else 1.0
    near = {
        round(abs(result.value), 6)
        for result in results
        if size / 2 <= abs(result.value) <= 2 * size and abs(abs(result.value) - size) > tolerance
    }
    return float(len(near) * 2 * tolerance / (Decimal("1.5") * size))


# Checks whether the quotes state each number and date of a claim.

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
_TOKEN = re.compile(r"\d[\d.,/–-]*\d|\d|[^\W\d]+")
_DIGITS = re.compile(r"\D")
_FEWEST_TOKENS = 4
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
    times = [*_times_not_in(text, cited)]
    if not read.numbers and not read.moments:
        return FigureCheck(faults=tuple(times))
    stated = stated_figures(cited)
    faults, derived = times, []
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
    faults = faults or [*in_place_of_another(text, cited)]
    return FigureCheck(faults=tuple(faults), derived=tuple(derived))


def _times_not_in(text: str, cited: Sequence[Citation]) -> Iterator[FigureFault]:
    """Times and ratios that no quote states; "6:30" may stand for "6:30 pm", not for 18:30."""
    claimed = coloned(text)
    stated = [one for citation in cited for one in coloned(citation.quote)] if claimed else []
    held = {one.parts for one in stated}
    written_so = {one.as_written for one in stated}
    for one in claimed:
        if one.parts not in held and (one.is_halved or one.parts not in written_so):
            written = text[one.start : one.end]
            yield FigureFault(verdict=Verdict.NUMBER_NOT_IN_QUOTE, written=written)


def in_place_of_another(text: str, cited: Sequence[Citation]) -> Iterator[FigureFault]:
    """A number of a claim that is word for word in a quote but for this number.

    The quote may have it elsewhere: "7 years, ideally 10" does not carry "10 years, ideally 10".
    """
    words = _tokens(text)
    plain = _masked(words)
    if plain == words or len(words) < _FEWEST_TOKENS:
        return
    for citation in cited:
        quoted = _tokens(citation.quote)
        masked = _masked(quoted)
        starts = range(len(quoted) - len(words) + 1)
        alike = [quoted[n : n + len(words)] for n in starts if masked[n : n + len(words)] == plain]
        if alike and words not in alike:
            place = next(n for n, word in enumerate(words) if word != alike[0][n])
            written = [*_TOKEN.finditer(_without_times(text))][place].group()
            yield FigureFault(verdict=Verdict.NUMBER_NOT_IN_QUOTE, written=written)


def _tokens(text: str) -> list[str]:
    """Words and numbers; 1,000 is 1000, 2.50 is 2.5, and times are looked at by themselves."""
    found = (match.group().casefold() for match in _TOKEN.finditer(_without_times(text)))
    return [_DIGITS.sub("", one).strip("0") + "0" if one[0].isdigit() else one for one in found]


def _without_times(text: str) -> str:
    for one in reversed(coloned(text)):
        text = f"{text[: one.start]} {text[one.end :]}"
    return text


def _masked(words: Sequence[str]) -> list[str]:
    return ["#" if word[0].isdigit() else word for word in words]


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
    is_rounded = claimed != 0 and is_approximate(text, number)
    return is_rounded and abs(claimed - own) <= number.step / 2


def is_approximate(text: str, number: Number) -> bool:
    """Whether "about", "more than" or the like stands before a number of the text."""
    return _ABOUT.search(text, 0, number.start) is not None


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
