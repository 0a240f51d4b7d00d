"""Which numbers does a text write as words? English only."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

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
_NUMBER = re.compile(
    rf"\b(?:(?:{_SMALL}|(?:a|an)(?=\s+(?:hundred|thousand)))"
    rf"(?:(?:[\s-]+|\s+and\s+)(?:{_SMALL}|hundred|thousand)\b)*)(?!\w)",
    re.IGNORECASE,
)
_FRACTION = re.compile(
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
    for found in _NUMBER.finditer(text):
        value, end = Decimal(_value(found[0])), found.end()
        if below := _FRACTION.match(text, end):
            value, end = value / _part(below["below"]), below.end()
        taken = end
        yield WordedNumber(start=found.start(), end=end, value=value)
    covered = taken
    for found in _A_PART.finditer(text):
        if found.start() >= covered or not _NUMBER.match(text, found.start()):
            value = 1 / _part(found["below"] or "half")
            yield WordedNumber(start=found.start(), end=found.end(), value=value)
    for found in _ORDINAL.finditer(text):
        before = text[: found.start()].rstrip(" -").rpartition(" ")[2].lower()
        if before.rpartition("-")[2] not in {"a", "one", *_VALUES}:
            value = Decimal(_ORDINALS[found[0].lower()])
            yield WordedNumber(start=found.start(), end=found.end(), value=value, ordinal=True)


def _part(word: str) -> Decimal:
    return Decimal(_PARTS.get(word.lower(), 2))


def _value(words: str) -> int:
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
