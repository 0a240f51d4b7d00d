"""Does a statement give one end of a range as if it were the value?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

_NUMBER = r"\d+(?:[.,]\d+)*"
_RANGE = re.compile(
    rf"(?<![\d.,/-])({_NUMBER})\s?(?:[^\s\d]{{1,4}}\s)?(?:to|–|—|-|−|and|bis|und|à|a|et)\s?({_NUMBER})(?![\d/]|[.,-]\d)"
)
_BETWEEN = re.compile(
    r"\b(?:between|from|range|zwischen|von|entre|de)\b[^.;]{0,15}$", re.IGNORECASE
)
_LISTS = re.compile(rf"{_NUMBER}\s?(?:[^\s\d]{{1,4}}\s)?(?:and|und|et|a)\s?\d")
_YEAR = re.compile(r"(?:1[0-9]|20)\d\d")
_ENDS = re.compile(
    r"\b(?:at least|at most|from|between|minimum|maximum|min|max|up to|no more|no less|more than|"
    r"less than|above|below|over|under|lower|upper|start\w*|begin\w*|beg[au]n|end\w*|exceed\w*|"
    r"until|lowest|highest|limit\w*|mindestens|höchstens|von|bis|ab|zwischen|minimal|maximal|entre|jusqu\w*|moins|plus)\b",
    re.IGNORECASE,
)


def end_of_range(claim: str, quotes: Sequence[str]) -> str:
    """A number of the claim that its quotes give only as one end of a range; empty if none.

    "The pH is 6.0" is not what "pH 6.0 to 6.8" says. Years are left alone: much happens in the
    first or last year of a period.
    """
    said = [found[0] for found in re.finditer(_NUMBER, claim)]
    if not said or _ENDS.search(claim):
        return ""
    ranges = [found for quote in quotes for found in _ranges(quote)]
    whole = {end for ends in ranges if set(ends) <= set(said) for end in ends}
    alone = {number for quote in quotes for number in re.findall(_NUMBER, _RANGE.sub(" ", quote))}
    for ends in ranges:
        for end in ends:
            if end in said and end not in whole and end not in alone:
                return end
    return ""


def _ranges(quote: str) -> Iterator[tuple[str, str]]:
    """Both ends of each range; "5 and 6" is one after "between" alone."""
    for found in _RANGE.finditer(quote):
        low, high = found.groups()
        is_list = _LISTS.match(found[0]) and not _BETWEEN.search(quote[: found.start()])
        if not is_list and not _YEAR.fullmatch(low):
            yield low, high
