"""Reads ranges of values ("2 to 4 years", "under 10 kg", "65 and over") and checks membership."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from pincite.text.numbers import Number, numbers

# The base measure of each unit, and its factor; a month is a twelfth of a year.
_MEASURES = {
    "month": ("year", Decimal(1) / 12),
    "year": ("year", Decimal(1)),
    "week": ("year", Decimal(7) / Decimal("365.25")),
    "day": ("year", Decimal(1) / Decimal("365.25")),
    "s": ("h", Decimal(1) / 3600),
    "min": ("h", Decimal(1) / 60),
    "h": ("h", Decimal(1)),
    "mg": ("kg", Decimal(1) / 1_000_000),
    "g": ("kg", Decimal(1) / 1000),
    "kg": ("kg", Decimal(1)),
    "mm": ("m", Decimal(1) / 1000),
    "cm": ("m", Decimal(1) / 100),
    "m": ("m", Decimal(1)),
    "km": ("m", Decimal(1000)),
    "ml": ("l", Decimal(1) / 1000),
    "l": ("l", Decimal(1)),
}
_TOLERANCE = Decimal("0.0000001")
_JOINS = re.compile(
    r"\s*(?:[a-zA-Z]{1,8}\s)?(?:to|till|until|-|–|—|−|bis|à|a|al|hasta|tot|til|do|до)\s*"
)
_AND = re.compile(r"\s*(?:[a-zA-Z]{1,8}\s)?(?:and|und|et|y|e|en|och|og|i)\s*")
_BETWEEN = re.compile(
    r"\b(?:between|zwischen|entre|tra|tussen|mellan|mellem|mellom)\s+$", re.IGNORECASE
)
_BELOW = re.compile(
    r"(?:(?P<open>under|below|less than|younger than|lighter than|<|unter|weniger als|jünger als|"
    r"moins de|menos de|meno di|minder dan|onder|mindre än)|"
    r"(?:up to|at most|no more than|maximum|max\.?|≤|<=|bis(?: zu)?|höchstens|jusqu['’]à|au plus|"
    r"hasta|fino a|tot))"
    r"\s*(?:the age of\s*|an age of\s*)?$",
    re.IGNORECASE,
)
_ABOVE = re.compile(
    r"(?:(?P<open>over|above|more than|older than|heavier than|>|über|mehr als|älter als|"
    r"plus de|más de|più di|meer dan|boven)|"
    r"(?:from|at least|minimum|min\.?|≥|>=|ab|mindestens|à partir de|au moins|desde|al menos|"
    r"almeno|vanaf))"
    r"\s*(?:the age of\s*|an age of\s*)?$",
    re.IGNORECASE,
)
_AND_ABOVE = re.compile(
    r"\s*(?:of age\s+)?(?:and|or|und|oder|et|ou|y|o|e|en|of)\s+"
    r"(?:over|above|more|older|up|heavier|mehr|älter|darüber|plus|más|mayores|più|ouder|meer)\b",
    re.IGNORECASE,
)
_AND_BELOW = re.compile(
    r"\s*(?:of age\s+)?(?:and|or|und|oder|et|ou|y|o|e|en|of)\s+"
    r"(?:under|below|less|younger|lighter|weniger|jünger|darunter|moins|menos|menores|meno|jonger|minder)\b",
    re.IGNORECASE,
)
_PLUS = re.compile(r"(\d)\s?\+\s?([^\W\d_]+)")
_AGED = re.compile(
    r"\b(aged?(?: of)?|im Alter von|âgée?s? de|de edad)\s+(\d{1,3})\b(?!\s?[^\W\d_]{2})"
)
_BEFORE_CHARS = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantity:
    """A number with a unit; `value` is in the unit's base measure, `measure`."""

    measure: str
    value: Decimal
    written: str
    digits: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueRange:
    """Values from `low` to `high`; None means no bound, and an open bound is excluded."""

    measure: str
    low: Decimal | None = None
    high: Decimal | None = None
    is_open: bool = False

    def holds(self, asked: Quantity) -> bool:
        """Whether a value of the same measure is in the range."""
        slack = -_TOLERANCE if self.is_open else _TOLERANCE
        above = self.low is None or asked.value >= self.low - slack
        return above and (self.high is None or asked.value <= self.high + slack)


def quantities(text: str) -> list[Quantity]:
    """The numbers with a unit that are neither bounds nor ends of a range."""
    text = _AGED.sub(r"\1 \2 years", " ".join(text.split()))
    found = numbers(text)
    return [
        Quantity(
            measure=measure,
            value=value,
            written=text[number.start : number.end],
            digits=number.digits,
        )
        for place, number in enumerate(found)
        for measure, value in [_measured(number, number.unit)]
        if number.unit and not _is_bound(text, found, place)
    ]


def value_ranges(text: str, *, unit: str = "") -> list[ValueRange]:
    """The ranges in a text; numbers without a unit get `unit`, if given."""
    text = _PLUS.sub(r"\1 \2 and over", " ".join(text.split()))
    return [*_ranges(text, unit)]


def unit_of(head: str) -> str:
    """The unit in a column header: `year` for "Age (years)"; empty without one."""
    words = re.findall(r"[^\W\d_]{2,}|[%£$€]", head)
    found = (numbers(f"1 {word}") for word in words)
    return next((read[0].unit for read in found if read and read[0].unit), "")


def _ranges(text: str, unit: str) -> Iterator[ValueRange]:
    found = numbers(text)
    taken = False
    for place, number in enumerate(found):
        if taken:
            taken = False
            continue
        measure, value = _measured(number, number.unit or unit)
        if not measure:
            continue
        following = found[place + 1] if place + 1 < len(found) else None
        if following is not None and _joined(text, number, following):
            other, high = _measured(following, following.unit or unit)
            if other == measure and value < high:
                taken = True
                yield ValueRange(measure=measure, low=value, high=high)
            continue
        yield from _one_sided(text, number, measure, value)


def _one_sided(text: str, number: Number, measure: str, value: Decimal) -> Iterator[ValueRange]:
    before = text[max(0, number.start - _BEFORE_CHARS) : number.start]
    if _AND_ABOVE.match(text, number.end):
        yield ValueRange(measure=measure, low=value)
    elif _AND_BELOW.match(text, number.end):
        yield ValueRange(measure=measure, high=value)
    elif above := _ABOVE.search(before):
        yield ValueRange(measure=measure, low=value, is_open=bool(above["open"]))
    elif below := _BELOW.search(before):
        yield ValueRange(measure=measure, high=value, is_open=bool(below["open"]))


def _is_bound(text: str, found: Sequence[Number], place: int) -> bool:
    number = found[place]
    before = text[max(0, number.start - _BEFORE_CHARS) : number.start]
    if place and _joined(text, found[place - 1], number):
        return True
    if place + 1 < len(found) and _joined(text, number, found[place + 1]):
        return True
    after = _AND_ABOVE.match(text, number.end) or _AND_BELOW.match(text, number.end)
    return bool(after or _ABOVE.search(before) or _BELOW.search(before))


def _joined(text: str, number: Number, following: Number) -> bool:
    between = text[number.end : following.start]
    if _AND.fullmatch(between):
        return bool(_BETWEEN.search(text[: number.start]))
    # A dash before a number may have been read as its sign.
    is_sign = following.value < 0 and not between.strip()
    return is_sign or bool(between and _JOINS.fullmatch(between))


def _measured(number: Number, unit: str) -> tuple[str, Decimal]:
    measure, factor = _MEASURES.get(unit, (unit, Decimal(1)))
    return measure, abs(number.value) * factor
