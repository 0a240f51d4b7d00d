"""Numbered parts and released versions: "clause 5.3", "Schedule 2", "2.3.0"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from pincite.text.terms import fold

_DIVISIONS = (
    r"clauses?|(?:sub)?sections?|articles?|paragraphs?|paras?\.?|chapters?|§{1,2}|"
    r"ziffern?|ziff\.|abschnitt(?:e|en|s)?|artikel[sn]?|art\.|klauseln?|paragra(?:f|ph)(?:en)?|kapiteln?|"
    r"paragraphes?|chapitres?|artículos?|secci(?:ón|ones)|cláusulas?|apartados?|capítulos?"
)
_ATTACHMENTS = (
    r"schedules?|annex(?:es)?|appendi(?:x|ces)|exhibits?|anlagen?|anhangs?|anhänge[n]?|annexes?|"
    r"anexos?|apéndices?"
)
_NUMBER = (
    r"\d{1,3}(?:\.\d{1,3})*(?:\([a-z\d]{1,4}\))*(?![\d%]|[.,]\d)|(?-i:[IVXLC]{1,6}|[A-Z])(?![\w.])"
)
_KIND = rf"(?:(?P<division>{_DIVISIONS})|(?P<attachment>{_ATTACHMENTS}))"
_AND = r"\s*+(?:,|&|\b(?:and|or|und|oder|et|ou|y|o)\b)\s*+"
_REFERENCE = re.compile(
    rf"(?<!\w){_KIND}\s*+(?:(?:no\.?|nr\.?|n[°º])\s*+)?(?P<numbers>(?:{_NUMBER})(?:{_AND}(?:\d[\d.]*\d|\d)(?!\w))*)",
    re.IGNORECASE,
)
_SINGLE = re.compile(_NUMBER, re.IGNORECASE)
_IN_BRACKETS = re.compile(r"\([a-z\d]{1,4}\)")

_BORNE = re.compile(
    rf"[\s\"“'(\[*#]*+(?:{_KIND}\s*+(?:(?:no\.?|nr\.?)\s*+)?)?(?P<number>{_NUMBER})(?P<after>[.)\]:]*)"
    r"(?=\s|$|[-–—])(?!\s*(?:%|percent|prozent|million|billion|thousand|mio|mrd|tsd))",
    re.IGNORECASE,
)


class Numbered(NamedTuple):
    """A part of a document by its number.

    `is_attachment` is true for schedules, annexes and the like, which are never called by the number
    alone.
    """

    number: str
    is_attachment: bool
    written: str
    """As a question has it."""


def parts_named(text: str) -> Iterator[Numbered]:
    """The numbered parts that a text names, in order; "clauses 4.1 and 4.2" are two."""
    for found in _REFERENCE.finditer(text):
        for number in _SINGLE.findall(found["numbers"]):
            kind = found["division"] or found["attachment"]
            is_attachment = found["attachment"] is not None
            # One capital letter is a word of many questions ("section I need").
            if number.isdigit() or len(number) > 1 or is_attachment:
                yield Numbered(_plain(number), is_attachment, f"{kind} {number}")


def without_parts_named(text: str) -> tuple[str, str]:
    """What stands before the first and behind the last numbered part that a text names."""
    found = list(_REFERENCE.finditer(text))
    return (text[: found[0].start()], text[found[-1].end() :]) if found else (text, "")


def bears(text: str, part: Numbered, *, is_heading: bool) -> bool:
    """Whether a heading or sentence begins with the number of the part.

    A number without any sign ("5 days") heads only headings.
    """
    found = _BORNE.match(text)
    if found is None or _plain(found["number"]) != part.number:
        return False
    if part.is_attachment or found["attachment"]:
        return part.is_attachment and found["attachment"] is not None
    is_bare = not found["division"] and "." not in found["number"] and not found["after"]
    return is_heading or not is_bare


def bears_a_number(text: str) -> bool:
    """Whether a sentence begins with the number of some part."""
    found = _BORNE.match(text)
    return found is not None and bool(
        found["division"] or found["attachment"] or "." in found["number"] or found["after"]
    )


def _plain(number: str) -> str:
    """Without what stands in brackets behind it: "5.3(b)" is looked for in 5.3."""
    return fold(_IN_BRACKETS.sub("", number)).rstrip(".")


# Released versions: "2.3.0" in a question, and the headings of change logs that bear one.

_VERSION = r"\d{1,4}(?:\.\d{1,4}){1,3}"
_NAMED = re.compile(
    rf"(?<![\w.,$€£#§-])v?(?P<number>{_VERSION})(?![\w%]|[.,]\d|\s*(?:%|percent|prozent|[mb]illion|thousand|mio|mrd|tsd))",
    re.IGNORECASE,
)
_COMPARED = re.compile(
    r"\b(?:since|after|before|than|from|until|between|above|below|over|under|"
    r"seit|nach|vor|ab|bis|als|von|zwischen|depuis|après|avant|entre|desde|después de|antes de)"
    r"(?: (?:version|release))?\s*$",
    re.IGNORECASE,
)
_HEADING = re.compile(
    rf"[\W_]*+(?P<name>(?:[^\W\d][\w.&'-]* ){{0,4}}?)(?P<sign>[\[(]?v?)(?P<number>{_VERSION})[\])]*"
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
