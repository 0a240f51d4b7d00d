"""Which numbers, with which units, does a text state?"""

from __future__ import annotations

import re
from dataclasses import dataclass

# "6.0-7.0" is two numbers and no minus; "GSE-204" and "M12" are names; ".5" and "Rs.9,375" count.
_NUMBER = re.compile(
    r"(?<!\w)(?<!\d[.,])(?<![A-Za-z]-)"
    r"(?P<sign>(?<![\w.,)])[-−–±])?"
    r"(?P<digits>(?:(?<!\w)\.)?\d+(?:[.,\u00a0\u202f]\d+)*)"
    r"(?P<unit>[^\S\n]?(?:%|‰|°\s?[CFK]?|[€$£¥₹]|[A-Za-zµμΩ]{1,12}(?:[·/*^²³][A-Za-z0-9²³]{1,6})*))?"
)
_MINUS = str.maketrans("−–", "--")


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """A number as written: sign and digits without blanks, and the word or sign right behind it."""

    digits: str
    unit: str


def numbers(text: str) -> tuple[Number, ...]:
    """All numbers of a text in order, with the unit that follows each ('' when none does)."""
    return tuple(
        Number(
            digits=(match["sign"] or "").translate(_MINUS) + re.sub(r"\s", "", match["digits"]),
            unit=re.sub(r"\s", "", match["unit"] or ""),
        )
        for match in _NUMBER.finditer(text)
    )


def unsupported_numbers(claim: str, quotes: tuple[str, ...]) -> tuple[Number, ...]:
    """Numbers of `claim` that stand, with the same unit, in none of `quotes`."""
    stated = {number for quote in quotes for number in numbers(quote)}
    bare = {number.digits for number in stated}
    return tuple(
        number
        for number in numbers(claim)
        if number not in stated and not (number.unit == "" and number.digits in bare)
    )
