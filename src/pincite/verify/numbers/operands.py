"""Selects and groups the numbers of quotes that a claim may calculate with."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set

from pincite.text.terms import terms
from pincite.verify.numbers.stated import Stated

_FEW = 6
"""Up to this many numbers, those of cells and of prose may be combined."""

_LEAST_NAMED = 0.6
"""Share of a label's words that a claim must contain to name it."""

_CHANGES = re.compile(r"\b(?:change|variance|increase|decrease|difference)\b", re.IGNORECASE)
_WHOLE = re.compile(r"\b(?:total|change|variance|difference)\b", re.IGNORECASE)
_FOOTNOTE = re.compile(r"(?<=[^\W\d_]{3})\d\b|\(\d\)")
_DIGITS = re.compile(r"\d")


def may_be_operand(item: Stated, years: Set[int]) -> bool:
    """Whether it is an amount of these years, and not the result of a comparison."""
    if item.number.is_ordinal or item.number.looks_like_year or item.is_header:
        return False
    if is_comparison(item) and (not item.years or not item.years <= (years or item.years)):
        return False
    return not (years and item.years) or bool(item.years & years)


def is_comparison(item: Stated) -> bool:
    """Whether it is in a column of changes."""
    return bool(_CHANGES.search(item.column))


def groups(items: Sequence[Stated]) -> Iterator[list[Stated]]:
    """Groups by row, by column, of prose, and of all numbers if they are few."""
    prose = [item for item in items if not item.labels]
    together = items if len(prose) < len(items) <= _FEW and prose else []
    for group in (*rows(items), *columns(items), prose, together):
        if len(group) > 1:
            yield list(group)


def rows(items: Sequence[Stated]) -> list[list[Stated]]:
    """Numbers of table cells by row."""
    found: dict[int, list[Stated]] = {}
    for item in items:
        if item.labels:
            found.setdefault(item.row, []).append(item)
    return list(found.values())


def columns(items: Sequence[Stated]) -> list[list[Stated]]:
    """Numbers of table cells by column."""
    found: dict[str, list[Stated]] = {}
    for item in items:
        if item.labels:
            found.setdefault(item.column, []).append(item)
    return list(found.values())


def parts(group: Sequence[Stated]) -> list[Stated]:
    """The numbers not labelled as totals or changes; the whole group if all of them are."""
    found = [item for item in group if not _WHOLE.search(item.labels)]
    return found or list(group)


def named(items: Sequence[Stated], text: str, language: str, years: Set[int]) -> list[Stated]:
    """Numbers of cells whose row, column and year the text names, or as many of these as it names."""
    said = set(terms(text, language))
    cells = [item for item in items if item.labels]
    cells = [item for item in cells if item.years & years] or cells
    shared = [_words(item.column, language) for item in cells]
    common = set.intersection(*shared) if shared else set()
    is_row = [_is_named(_words(item.stub, language), said) for item in cells]
    is_column = [_is_named(held - common, said) for held in shared]
    both = [row and column for row, column in zip(is_row, is_column, strict=True)]
    for wanted in (both, is_row, is_column):
        found = [item for item, is_wanted in zip(cells, wanted, strict=True) if is_wanted]
        if found:
            return found
    return []


def _words(label: str, language: str) -> set[str]:
    plain = _FOOTNOTE.sub("", label)
    return {term for term in terms(plain, language) if not _DIGITS.search(term)}


def _is_named(words: Set[str], said: Set[str]) -> bool:
    """Whether the text names a label; one of years alone counts, since years are compared before."""
    return len(words & said) >= _LEAST_NAMED * len(words)


# Words that mean the same as a minus or brackets in accounts.

_FALLS = (
    r"loss(?:es)?|lost|decreas\w*|declin\w*|deficit|reduc\w*|fell|fall\w*|drop\w*|lower\w*|negative|minus|"
    r"outflows?|less|down|shr[aiu]nk\w*|below|gesunken|Verlust\w*|Rückgang\w*|perte\w*|baisse\w*"
)
FALL = re.compile(rf"\b(?:{_FALLS})\b", re.IGNORECASE)
# Accounts write these with brackets or a minus, people without.
OUTGOING = re.compile(
    rf"\b(?:{_FALLS}|expens\w*|costs?|used|paid|payments?|deduct\w*|charges?|benefit|impairment\w*|"
    r"allowance|depreciation|amorti[sz]ation|owed|debit\w*|write-?\w*|repay\w*|purchas\w*|"
    r"repurchas\w*|dispos\w*|spent|forfeit\w*|exercis\w*|expir\w*|dividends?|tax\w*|obligations?|"
    r"liabilit\w*|lapsed|vested|cancel\w*|granted)\b",
    re.IGNORECASE,
)
