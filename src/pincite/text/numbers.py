"""Reads the numbers of a text, with their units and scale words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache
from typing import Literal

from pincite.text.dates import Moment, moments
from pincite.text.units import CURRENCY, Measure, currency, is_currency, measure_at

# Numbers written as words. English only.

_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_VALUES = {word: value for value, word in enumerate(_ONES.split())} | {
    word: 10 * value for value, word in enumerate(_TENS.split(), start=2)
}
_ORDINALS = {
    word: value
    for value, word in enumerate(
        "third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split(), start=3
    )
}
_PARTS = {"half": 2, "quarter": 4} | {
    word: value for word, value in _ORDINALS.items() if value in (3, 5, 8, 10)
}

_SMALL = "|".join(sorted(_VALUES, key=len, reverse=True))
_CARDINAL = re.compile(
    rf"\b(?:(?:{_SMALL}|(?:a|an)(?=\s+(?:hundred|thousand)))"
    rf"(?:(?:[\s-]+|\s+and\s+)(?:{_SMALL}|hundred|thousand)\b)*)(?!\w)",
    re.IGNORECASE,
)
_FRACTION_BEHIND_WORDS = re.compile(
    rf"[\s-]+(?P<below>{'|'.join(_PARTS)}|halve)s?\b(?!\s+quarter)", re.IGNORECASE
)
_A_PART = re.compile(
    r"\b(?:(?:a|one)[\s-]+(?P<below>quarter|third|fifth|tenth)\b|(?:a\s+)?(?P<half>half)\b)"
    r"(?!\s+of\s+(?:19|20)\d\d)",
    re.IGNORECASE,
)
_ORDINAL = re.compile(rf"\b(?:{'|'.join(_ORDINALS)})\b(?!\s+part)", re.IGNORECASE)
_TOKEN = re.compile(r"[a-z]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class WordedNumber:
    """A number in words at `start:end`."""

    start: int
    end: int
    value: Decimal
    ordinal: bool = False


def worded_numbers(text: str) -> Iterator[WordedNumber]:
    """Cardinals, fractions and ordinals from `third` on; `first` and `second` mean too much else."""
    taken = 0
    for found in _CARDINAL.finditer(text):
        value, end = Decimal(_value_of_words(found[0])), found.end()
        if below := _FRACTION_BEHIND_WORDS.match(text, end):
            value, end = value / _part(below["below"]), below.end()
        taken = end
        yield WordedNumber(start=found.start(), end=end, value=value)
    covered = taken
    for found in _A_PART.finditer(text):
        if found.start() >= covered or not _CARDINAL.match(text, found.start()):
            value = 1 / _part(found["below"] or "half")
            yield WordedNumber(start=found.start(), end=found.end(), value=value)
    for found in _ORDINAL.finditer(text):
        before = text[: found.start()].rstrip(" -").rpartition(" ")[2].lower()
        if before.rpartition("-")[2] not in {"a", "one", *_VALUES}:
            value = Decimal(_ORDINALS[found[0].lower()])
            yield WordedNumber(start=found.start(), end=found.end(), value=value, ordinal=True)


def _part(word: str) -> Decimal:
    return Decimal(_PARTS.get(word.lower(), 2))


def _value_of_words(words: str) -> int:
    """`two hundred and five thousand` is 205000."""
    whole, part = 0, 0
    for word in _TOKEN.findall(words.lower()):
        if word in _VALUES:
            part += _VALUES[word]
        elif word in ("a", "an"):
            part = 1
        elif word == "hundred":
            part = max(part, 1) * 100
        elif word == "thousand":
            whole, part = whole + max(part, 1) * 1000, 0
    return whole + part


# Numbers written in digits.

DecimalMark = Literal[".", ","]

_SPACES = "\u00a0\u202f\u2009"
# "6.0-7.0" is two numbers without a minus; "GSE-204" and "M12" are names; ".5", "Rs.9,375" count.
_NUMBER = re.compile(
    rf"(?:(?<!\w)|(?=[$€£¥₹]))(?<!\d[.,:])(?<![A-Za-z]-)(?<![A-Za-z]/)"
    rf"(?P<open>\()?(?P<sign>(?<![\w.,)%°])[-−–+])?(?P<about>±|\+/-)?[^\S\n]?"
    rf"(?P<currency>{CURRENCY})?[^\S\n]?(?P<open_after>(?<=[^\s(])\(|(?<=[$€£¥₹]\s)\()?(?P<sign_after>[-−])?"
    rf"(?P<digits>(?:(?<!\w)\.)?\d+(?:[.,'’{_SPACES}]\d+)*)"
    r"(?P<power>[eE][+-]?\d{1,3}(?!\w)|\s?[x×·*]\s?10(?:\^\s?[-−+]?\d{1,3}|[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3}))?"
    r"(?P<exponent>(?<=\b10)(?:(?:\^|<sup>)[-−+]?\d{1,3}|[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3}))?"
    r"(?P<note>(?<=\d)[⁰¹²³⁴⁵⁶⁷⁸⁹ᵃᵇᶜᵈᵉᶠ]{1,3}(?:,[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3})*)?"
    r"(?P<close>[^\S\n]?\))?"
    r"(?:(?P<ordinal>st|nd|rd|th)(?!\w))?"
)
_HALVES = {"½": "0.5", "¼": "0.25", "¾": "0.75", "⅓": "1/3", "⅔": "2/3", "⅛": "0.125"}
_VULGAR = re.compile(rf"(?:(?<!\d)(?P<whole>\d++)[^\S\n]?)?(?P<part>[{''.join(_HALVES)}])")
_FRACTION = re.compile(
    r"(?<![\w./,-])(?:(?P<whole>\d+)\s)?(?P<above>\d{1,3})/(?P<below>\d{1,3})(?![\w/]|[.,]\d)"
)
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺−", "0123456789-+-")
_PLAIN_EXPONENT = re.compile(r"\^|<sup>")
_BETWEEN = re.compile(r"\s*(?:-|–|—|to|and|or|bis|und|oder|à|/)\s*")
_GROUPED = re.compile(
    rf"\d{{1,3}}(?:([.,'’{_SPACES}])\d{{3}})(?:\1\d{{3}})*|\d{{1,3}}(?:,\d{{2}})*,\d{{3}}"
)
_YEAR_LIKE = re.compile(r"(?:19|20)\d\d")
_YEAR_LIST = re.compile(r"(?<=\b(?:19|20)\d\d),(?=(?:19|20)\d\d\b)")
_CODE = re.compile(r"\d+(?:\.\d+){2,}|\d+(?:,\d+){2,}")
_TIME = re.compile(
    r"(?<![\d:.])(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d)?(?![\d:])|(?<![\d:.])\d+(?::\d+)+"
)
_NOON = 12
_HALF_OF_DAY = re.compile(r"\s?([ap])\.?m\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """A number at `start:end`, unit included.

    `value` includes the scale word ("9,375 crore": 9.375e10), `step` is the value of one more in the
    last written digit, `digits` are as written. `unit` is the canonical name, empty without a unit.
    `is_bracketed`: "(1,234)", which is negative in accounts.
    """

    digits: str
    value: Decimal
    unit: str = ""
    start: int = 0
    end: int = 0
    step: Decimal = Decimal(1)
    has_scale: bool = False
    is_ordinal: bool = False
    is_worded: bool = False
    is_bracketed: bool = False
    is_tolerance: bool = False

    @property
    def looks_like_year(self) -> bool:
        """Whether it may be a year: four digits from 1500 to 2099 without unit or scale."""
        return (
            self.unit == ""
            and len(self.digits) == 4
            and self.digits.isdigit()
            and (1500 <= self.value < 2100)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """The numbers and dates of a text, in order."""

    numbers: tuple[Number, ...]
    moments: tuple[Moment, ...]

    @property
    def years(self) -> frozenset[int]:
        """All years in the text, alone or in a date."""
        alone = {int(number.value) for number in self.numbers if number.looks_like_year}
        return frozenset(alone | {moment.year for moment in self.moments if moment.year})


@dataclass(frozen=True, slots=True, kw_only=True)
class Coloned:
    """A time of day, a duration or a ratio such as 06:30, 1:02:03 or 1:500, at `start:end` of its text.

    `parts` are its numbers; "6:30 pm" has the hour 18, and `is_halved`: it says which half of the day.
    `as_written` does not look at that.
    """

    parts: tuple[int, ...]
    as_written: tuple[int, ...]
    is_halved: bool
    start: int
    end: int


def coloned(text: str) -> list[Coloned]:
    """The times and ratios of a text, which are not among its numbers."""
    found = []
    for match in _TIME.finditer(text):
        written = tuple(int(part) for part in match.group().split(":"))
        half = _HALF_OF_DAY.match(text, match.end())
        hour = written[0]
        if half and hour <= _NOON:
            hour = hour % _NOON + (_NOON if half[1] in "pP" else 0)
        end = half.end() if half else match.end()
        parts = (hour, *written[1:])
        found.append(
            Coloned(
                parts=parts,
                as_written=written,
                is_halved=half is not None,
                start=match.start(),
                end=end,
            )
        )
    return found


@lru_cache(maxsize=4096)
def figures(text: str, mark: DecimalMark = ".") -> Figures:
    """All numbers and dates of a text; `mark` decides where the decimal mark is ambiguous."""
    dates = moments(text)
    apart = _YEAR_LIST.sub(" ", text)
    plain = _blanked(apart, [(moment.start, moment.end) for moment in dates])
    plain = _blanked(plain, [match.span() for match in _TIME.finditer(plain)])
    found = [*_fractions(plain)]
    plain = _blanked(plain, [(number.start, number.end) for number in found])
    found += _plain_numbers(plain, mark)
    plain = _blanked(plain, [(number.start, number.end) for number in found])
    found += _words(plain)
    in_order = sorted(found, key=lambda number: number.start)
    return Figures(numbers=tuple(_with_shared_units(text, in_order)), moments=tuple(dates))


def numbers(text: str, mark: DecimalMark = ".") -> tuple[Number, ...]:
    """All numbers of a text in order, dates left out."""
    return figures(text, mark).numbers


def decimal_mark(texts: Sequence[str]) -> DecimalMark | None:
    """The decimal mark that these texts certainly use; None if they do not show it."""
    votes = {".": 0, ",": 0}
    for text in texts:
        for match in _NUMBER.finditer(text):
            digits = match["digits"]
            marks = [character for character in digits if character in ".,"]
            if not marks or (_CODE.fullmatch(digits) and not _GROUPED.fullmatch(digits)):
                continue
            other = "," if marks[-1] == "." else "."
            if len(set(marks)) == 2:
                votes[marks[-1]] += 2
            elif len(marks) > 1:
                votes[other] += 2
            elif not _GROUPED.fullmatch(digits):
                votes[marks[-1]] += 1
    if votes["."] == votes[","]:
        return None
    return "." if votes["."] > votes[","] else ","


def _blanked(text: str, ranges: Sequence[tuple[int, int]]) -> str:
    for start, end in ranges:
        text = text[:start] + "\x00" * (end - start) + text[end:]
    return text


def _plain_numbers(text: str, mark: DecimalMark) -> list[Number]:
    found = []
    for match in _NUMBER.finditer(text):
        number = _number(text, match, mark)
        if number is not None:
            found.append(number)
    return found


def _number(text: str, match: re.Match[str], mark: DecimalMark) -> Number | None:
    digits = match["digits"]
    value, step = _value(digits, mark)
    if value is None:
        return None
    money = currency(match["currency"]) if match["currency"] else ""
    opened, closed = bool(match["open"] or match["open_after"]), bool(match["close"])
    # The bracket before "5 of 9)" does not belong to the number.
    end = match.end() if opened or not closed else match.start("close")
    measure = measure_at(text, end, money=bool(money))
    if not money and _YEAR_LIKE.fullmatch(digits) and measure.end > end:
        # "2019 year end" and the header "2019 €m" mean a year.
        written = text[end : measure.end]
        if is_currency(measure.unit) or measure.unit == "year" or written[-1:] in "$€£¥₹":
            measure = Measure(end=end)
    if opened and not closed and text[measure.end : measure.end + 1] == ")":
        closed = True  # "(5.2%)"
    if measure.end == end and not match["ordinal"] and text[end : end + 1].isalpha():
        return None  # "3D" is a name
    if match["power"]:
        factor = _power(match["power"])
        value, step = value * factor, step * factor
    if match["exponent"] and digits == "10":
        value = step = Decimal(10) ** int(
            _PLAIN_EXPONENT.sub("", match["exponent"].translate(_SUPERSCRIPTS))
        )
    # "4,207 m (13,802 ft)" says a length twice; accounts write amounts and shares in brackets.
    is_measure = measure.unit and measure.unit != "%" and not is_currency(measure.unit)
    bracketed = opened and closed and not is_measure
    minus = match["sign"] in ("-", "−", "–") or match["sign_after"] is not None
    value = value.copy_negate() if minus else value
    sign = "-" if minus else ""
    return Number(
        digits=sign + re.sub(r"\s", "", digits),
        value=_times(value, measure.factor),
        unit=money or measure.unit,
        start=match.start("digits"),
        end=measure.end,
        step=step * measure.factor,
        has_scale=bool(measure.scale or match["power"] or match["exponent"]),
        is_ordinal=bool(match["ordinal"]),
        is_bracketed=bracketed,
        is_tolerance=match["about"] is not None,
    )


def _value(digits: str, mark: DecimalMark) -> tuple[Decimal | None, Decimal]:
    """The value and the value of one in its last digit; None for 4.2.1, which is not a number."""
    plain = re.sub(rf"[\s'’{_SPACES}]", "", digits)
    marks = [character for character in plain if character in ".,"]
    if not marks:
        return Decimal(plain), Decimal(1)
    last = marks[-1]
    if len(set(marks)) == 2:
        decimal = last
        if marks.count(last) > 1:
            return None, Decimal(1)
    elif len(marks) > 1:
        if not _GROUPED.fullmatch(plain):
            return None, Decimal(1)
        decimal = "." if last == "," else ","
    elif _GROUPED.fullmatch(plain) and plain[0] != "0":
        decimal = mark
    else:
        decimal = last
    whole = plain.replace("," if decimal == "." else ".", "").replace(decimal, ".")
    places = len(whole.partition(".")[2])
    return Decimal(whole), Decimal(1).scaleb(-places)


def _times(value: Decimal, factor: Decimal) -> Decimal:
    """The product; a factor of 1 does not round a number to 28 digits."""
    return value if factor == 1 else value * factor


def _power(written: str) -> Decimal:
    exponent = written.translate(_SUPERSCRIPTS).replace("^", "").replace(" ", "")
    exponent = exponent[1:] if exponent[0] in "eE" else exponent[3:]
    return Decimal(10) ** int(exponent)


def _fractions(text: str) -> list[Number]:
    found = []
    for match in _VULGAR.finditer(text):
        whole = Decimal(match["whole"] or 0)
        above, _, below = _HALVES[match["part"]].partition("/")
        value = whole + Decimal(above) / Decimal(below or 1)
        found.append(_measured(text, match, value))
    for match in _FRACTION.finditer(text):
        upper, lower = int(match["above"]), int(match["below"])
        if 0 < upper < lower and not match["below"].startswith("0"):
            value = Decimal(match["whole"] or 0) + Decimal(upper) / lower
            found.append(_measured(text, match, value))
    return found


def _measured(text: str, match: re.Match[str], value: Decimal) -> Number:
    measure = measure_at(text, match.end())
    return Number(
        digits=match[0],
        value=value * measure.factor,
        unit=measure.unit,
        start=match.start(),
        end=measure.end,
        step=Decimal("0.01") * measure.factor,
        has_scale=bool(measure.scale),
    )


def _words(text: str) -> list[Number]:
    found = []
    for word in worded_numbers(text):
        measure = measure_at(text, word.end)
        found.append(
            Number(
                digits=text[word.start : word.end],
                value=word.value * measure.factor,
                unit=measure.unit,
                start=word.start,
                end=measure.end,
                step=measure.factor,
                has_scale=bool(measure.scale),
                is_ordinal=word.ordinal,
                is_worded=True,
            )
        )
    return found


def _with_shared_units(text: str, found: list[Number]) -> list[Number]:
    """In "6.0-7.0 bar" and "5 to 10 million" the unit or scale word applies to both numbers."""
    shared = list(found)
    for place in reversed(range(len(shared) - 1)):
        first, second = shared[place], shared[place + 1]
        if first.looks_like_year or first.is_ordinal or first.is_worded != second.is_worded:
            continue
        between = _BETWEEN.fullmatch(text, first.end, _lead(text, second))
        if between is None or second.looks_like_year:
            continue
        if first.unit == "" and not is_currency(second.unit):
            first = replace(first, unit=second.unit)
        joined = between[0].strip() in ("and", "or") or first.unit not in ("", second.unit)
        if not first.has_scale and second.has_scale and not joined:
            factor = _scale_factor(second)
            first = replace(
                first, value=first.value * factor, step=first.step * factor, has_scale=True
            )
        shared[place] = first
    return shared


def _lead(text: str, number: Number) -> int:
    """Where a number begins, including a currency before it."""
    start = number.start
    before = re.search(rf"(?:{CURRENCY})\s?$", text[max(0, start - 8) : start])
    return start - len(before[0]) if before else start


def _scale_factor(number: Number) -> Decimal:
    written = Decimal(1) if number.is_worded else _value(number.digits.lstrip("-"), ".")[1]
    return number.step / written
