"""Numbered parts of documents: "clause 5.3", "Schedule 2", "§ 4", and the texts that bear them."""

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
