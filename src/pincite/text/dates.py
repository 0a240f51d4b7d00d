"""Reads the dates and periods of a text.

Whole and partial dates in the usual spellings, quarters, halves and fiscal years. A date with an
ambiguous order of day and month (03/04/2024) has both readings.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

MONTH_NAMES = (
    "january january jan januar janvier enero gennaio januari janeiro",
    "february feb februar février febrero febbraio februari fevereiro",
    "march mar märz mars marzo maart março",
    "april apr avril abril aprile",
    "may mai mayo maggio mei maio",
    "june jun juni juin junio giugno junho",
    "july jul juli juillet julio luglio julho",
    "august aug août agosto augustus",
    "september sep sept septembre septiembre settembre setembro",
    "october oct okt oktober octobre octubre ottobre outubro",
    "november nov novembre noviembre novembro",
    "december dec dez dezember décembre diciembre dicembre dezembro",
)
_MONTHS = {name: n for n, names in enumerate(MONTH_NAMES, start=1) for name in names.split()}
# "may" and "march" are ordinary words; as months they have a capital in English.
_MONTH = (
    "(?:(?i:"
    + "|".join(sorted((m for m in _MONTHS if m not in ("may", "march", "mar")), key=len)[::-1])
    + ")|May|March|Mar|MAY|MARCH|MAR)\\b\\.?"
)
_YEAR = r"(?:1[5-9]|20)\d\d"
_SHORT_YEAR = rf"(?:{_YEAR}|['’]\d\d)"
_DAY = r"(?:[12]\d|3[01]|0?[1-9])"
_TH = r"(?:st|nd|rd|th|er|\.)?"
_NTH = {"first": 1, "second": 2, "third": 3, "fourth": 4, "1st": 1, "2nd": 2, "3rd": 3, "4th": 4}
_OF_YEAR = (
    r"(?:\s*+,?\s*+(?:of\s++)?(?:the\s++)?(?:fiscal\s++(?:year\s++)?|FY\s?|calendar\s++)?"
    rf"(?P<{{}}>{_SHORT_YEAR})(?!\d))?"
)

_DATE = re.compile(
    "|".join(
        (
            rf"(?<![\d.])(?P<iso_y>{_YEAR})[-/](?P<iso_m>0[1-9]|1[0-2])[-/](?P<iso_d>{_DAY})(?!\d)",
            rf"(?<![\d.])(?P<de_d>{_DAY})\.(?P<de_m>0?[1-9]|1[0-2])\.(?P<de_y>{_YEAR}|\d\d)(?!\d)",
            rf"(?<![\d/])(?P<sl_a>{_DAY})/(?P<sl_b>{_DAY})/(?P<sl_y>{_YEAR}|\d\d)(?![\d/])",
            rf"(?<![\d.])(?P<dm_d>{_DAY}){_TH}\s++(?:of\s++|de\s++)?(?P<dm_m>{_MONTH})"
            rf"(?:(?:\s*+,)?\s++(?:de\s++)?(?P<dm_y>{_YEAR})(?!\d))?",
            rf"(?<!\w)(?P<md_m>{_MONTH})\s+(?P<md_d>{_DAY}){_TH}(?![\d%]|[.,:]\d|\s+(?:percent|million))"
            rf"(?:(?:\s*+,)?\s++(?P<md_y>{_YEAR})(?!\d))?",
            rf"(?<!\w)(?P<my_m>{_MONTH})(?:\s*+,?\s*+|\s?[-–]\s?)(?:of\s++|de\s++)?(?P<my_y>{_YEAR})(?!\d)",
            rf"(?<!\w)(?i:(?:Q(?P<q_n>[1-4])|(?P<q_p>[1-4])Q|(?P<q_w>first|second|third|fourth|[1-4](?:st|nd|rd|th))"
            rf"\s++(?:fiscal\s++)?quarter)){_OF_YEAR.format('q_y')}(?!\w)",
            rf"(?<!\w)(?i:(?:H(?P<h_n>[12])|(?P<h_w>first|second)\s+half)){_OF_YEAR.format('h_y')}(?!\w)",
            rf"(?<!\w)FY\s?['’]?(?P<fy>{_YEAR}|\d\d)(?!\d)",
            rf"(?<![\d.,$€£₹])(?P<yy_a>{_YEAR})[-–/](?P<yy_b>\d\d)(?![\d.,]*\d|[-–/]\d)",
        )
    )
)
_MONTH_ALONE = re.compile(rf"(?<!\w)(?P<month>{_MONTH})(?!\w)")
_LIKE_WORDS = {"may", "march", "mar", "jan", "jun", "august", "mars", "mai", "mei"}
_BEFORE_MONTH = re.compile(
    r"(?:\b(?:in|by|since|until|till|of|last|next|this|early|late|mid|during|from|to|im|en|and|through)"
    r"|-|–)\s*$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """A date or period at `start:end`; None for parts that it does not give.

    `half` counts half-years. `swapped` is the other reading of day and month, if both are possible.
    """

    start: int
    end: int
    year: int | None = None
    month: int | None = None
    day: int | None = None
    quarter: int | None = None
    half: int | None = None
    swapped: bool = False

    def readings(self) -> tuple[Moment, ...]:
        """The possible readings."""
        if not self.swapped:
            return (self,)
        return (self, replace(self, month=self.day, day=self.month))


def moments(text: str) -> list[Moment]:
    """All dates and periods of a text in order; a year alone is not one but a number."""
    found: list[Moment] = []
    for match in _DATE.finditer(text):
        found.extend(_moments(match))
    covered = [(moment.start, moment.end) for moment in found]
    for match in _MONTH_ALONE.finditer(text):
        if any(start < match.end() and match.start() < end for start, end in covered):
            continue
        name = match["month"].rstrip(".")
        is_clear = name[0].isupper() and name.lower() not in _LIKE_WORDS
        if is_clear or (name[0].isupper() and _BEFORE_MONTH.search(text, 0, match.start())):
            month = _MONTHS[name.lower()]
            found.append(Moment(start=match.start(), end=match.end(), month=month))
    return sorted(found, key=lambda moment: moment.start)


def _moments(match: re.Match[str]) -> Iterator[Moment]:
    fields = {name: value for name, value in match.groupdict().items() if value is not None}
    kind = next(iter(fields)).partition("_")[0]
    place = Moment(start=match.start(), end=match.end())
    if kind in ("iso", "de"):
        yield replace(
            place,
            year=_year(fields[f"{kind}_y"]),
            month=int(fields[f"{kind}_m"]),
            day=int(fields[f"{kind}_d"]),
        )
    elif kind == "sl":
        yield from _slashed(place, int(fields["sl_a"]), int(fields["sl_b"]), fields["sl_y"])
    elif kind in ("dm", "md", "my"):
        yield replace(
            place,
            year=_year(fields.get(f"{kind}_y")),
            month=_MONTHS[fields[f"{kind}_m"].rstrip(".").lower()],
            day=int(fields[f"{kind}_d"]) if f"{kind}_d" in fields else None,
        )
    elif kind == "q":
        number = fields.get("q_n") or fields.get("q_p") or str(_NTH[fields["q_w"].lower()])
        yield replace(place, year=_year(fields.get("q_y")), quarter=int(number))
    elif kind == "h":
        number = fields.get("h_n") or str(_NTH[fields["h_w"].lower()])
        yield replace(place, year=_year(fields.get("h_y")), half=int(number))
    elif kind == "fy":
        yield replace(place, year=_year(fields["fy"]))
    else:
        first = int(fields["yy_a"])
        yield replace(place, year=first)
        yield replace(place, year=first // 100 * 100 + int(fields["yy_b"]))


def _slashed(place: Moment, first: int, second: int, year: str) -> Iterator[Moment]:
    if second > 12:
        first, second = second, first
    if second <= 12:
        both = first <= 12 and first != second
        yield replace(place, year=_year(year), day=first, month=second, swapped=both)


def _year(written: str | None) -> int | None:
    if written is None:
        return None
    digits = written.lstrip("'’")
    if len(digits) == 4:
        return int(digits)
    return int(digits) + (1900 if int(digits) > 68 else 2000)
