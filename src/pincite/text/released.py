"""Released versions: "2.3.0" in a question, and the headings of change logs that bear one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from pincite.text.numbered import parts_named

_NUMBER = r"\d{1,4}(?:\.\d{1,4}){1,3}"
_NAMED = re.compile(
    rf"(?<![\w.,$€£#§-])v?(?P<number>{_NUMBER})(?![\w%]|[.,]\d|\s*(?:%|percent|prozent|[mb]illion|thousand|mio|mrd|tsd))",
    re.IGNORECASE,
)
_COMPARED = re.compile(
    r"\b(?:since|after|before|than|from|until|between|above|below|over|under|"
    r"seit|nach|vor|ab|bis|als|von|zwischen|depuis|après|avant|entre|desde|después de|antes de)"
    r"(?: (?:version|release))?\s*$",
    re.IGNORECASE,
)
_HEADING = re.compile(
    rf"[\W_]*+(?P<name>(?:[^\W\d][\w.&'-]* ){{0,4}}?)(?P<sign>[\[(]?v?)(?P<number>{_NUMBER})[\])]*"
    r"(?=\s*(?P<behind>$|[-–—:(,/]\s*\d|[-–—:(,/]|release|\d{4}-))",
    re.IGNORECASE,
)
_NO_VERSION = re.compile(
    r"\b(?:tables?|figures?|fig\.|steps?|examples?|exercises?|lessons?|equations?|"
    r"tabellen?|abbildung(?:en)?|abb\.|schritte?|tableau|étape|tabla|figura|paso) $",
    re.IGNORECASE,
)


class Release(NamedTuple):
    """A version by its numbers."""

    numbers: tuple[int, ...]
    written: str

    def is_of(self, asked: Release) -> bool:
        """Whether it is the version asked for, or one of that line: 2.3.0 and 2.3.1 are of 2.3."""
        least = _without_zeros(asked.numbers)
        wanted = asked.numbers if len(self.numbers) >= len(asked.numbers) else least
        return self.numbers[: len(wanted)] == wanted


def releases_named(text: str) -> Iterator[Release]:
    """The versions that a text means, not those it only compares with ("since 2.1")."""
    for found in _NAMED.finditer(text):
        if not _COMPARED.search(text, 0, found.start()):
            yield _release(found["number"])


def without_releases(text: str) -> str:
    """A text without the versions that it names."""
    return _NAMED.sub(" ", text)


def release_of(heading: str) -> Release | None:
    """The version that a heading is of: "v1.2.0 (2025-01-05)", "[2.3.0] - 2025-01-20", "Quay 2.3".

    "3.1 - Payment" is a clause, "Table 3.1" a table.
    """
    found = _HEADING.match(heading)
    if not found or next(parts_named(heading), None) or _NO_VERSION.search(found["name"]):
        return None
    is_clause = found["behind"] in tuple("-–—:(,/") and not (found["name"] or found["sign"])
    return None if is_clause else _release(found["number"])


def _release(number: str) -> Release:
    return Release(tuple(map(int, number.split("."))), number)


def _without_zeros(numbers: tuple[int, ...]) -> tuple[int, ...]:
    last = max((place for place, number in enumerate(numbers, start=1) if number), default=1)
    return numbers[: max(last, 1)]
