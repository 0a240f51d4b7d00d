"""An extractive summary: a document in its own sentences, every section represented.

Sentences are chosen as in SumBasic (Nenkova and Vanderwende, 2005): those whose words are frequent in
the document, and with each choice its words count less. Figures, dates, duties and prohibitions weigh
more, sentences that lean on the one before them less.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from pincite.errors import UsageError
from pincite.library.library import Library
from pincite.records.document import BlockKind, Document, Span
from pincite.records.filters import Filters, Scope
from pincite.records.flow import Citation
from pincite.report.layout import Block, Heading, Look, Paragraph, Words, plain
from pincite.report.writing import as_json, write_files
from pincite.settings.toml_files import shipped
from pincite.text.as_read import as_read
from pincite.text.languages import language_of
from pincite.text.locations import place
from pincite.text.numbers import figures
from pincite.text.structure import is_contents_line
from pincite.verify.comparing.units import Unit, units_of
from pincite.verify.differences import modals
from pincite.verify.drafts import QuoteChecker
from pincite.verify.receipts.receipt import citation_form
from pincite.verify.statements.meaning import negations
from pincite.verify.statements.wording import words_of

DEFAULT_SHARE = 0.1
_MOST_SECTIONS = 40
"""Each has a sentence; of more, those above them."""

_FEWEST_WORDS, _MOST_WORDS = 5, 45
_RIGHTS = re.compile(
    r"\ball rights reserved\b|(?:^\W*(?:copyright\b|\(c\))|©)[^.]{0,80}\b(?:19|20)\d\d\b",
    re.IGNORECASE,
)
"""The line about the rights below a page."""
_FIGURE, _DUTY, _DENIAL, _OPENS, _LEANS = 1.4, 1.5, 1.5, 1.2, 0.5
"""Factors of a sentence's worth: with a figure or date, a duty, a denial; first of its section; leaning
on the sentence before."""

_BULLET = re.compile(r"^[-*+•‣▪◦–·]\s+")


@dataclass(frozen=True, slots=True, kw_only=True)
class BriefSection:
    """The sentences chosen from a section, in their order."""

    heading: str
    sentences: tuple[Citation, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Brief:
    """A summary of one document.

    `share` is the part of its words that is shown, in 0..1; `statements` is how many there were to
    choose from.
    """

    source: str
    sections: tuple[BriefSection, ...]
    share: float
    statements: int
    notices: tuple[str, ...] = ()


def brief(
    library: Library,
    name: str,
    *,
    section: str = "",
    share: float = DEFAULT_SHARE,
    collection: str | None = None,
) -> Brief:
    """The summary of a document, or of its sections under a heading with the words of `section`.

    `share`, in 0..1, is the part of its statements wanted. Raises UsageError for a name of no document
    or of several, a heading that it does not have, and a document without sentences.
    """
    library.check_collection(collection)
    scope = Scope.of(collection, Filters.parse(documents=[name]))
    found = library.catalog.documents_in(scope)
    if len(found) != 1:
        several = f"{len(found)} files match '{name}'" if found else f"there is no file '{name}'"
        raise UsageError(f"{several}: give the name or path of one file; 'pincite ls' lists them")
    document = library.catalog.document(found[0])
    units = [unit for unit in units_of(document) if _is_sentence(unit)]
    if section:
        wanted = section.casefold()
        units = [unit for unit in units if any(wanted in one.casefold() for one in unit.section)]
    if not units:
        where = f"no section with '{section}'" if section else "no sentences"
        raise UsageError(f"{document.name} has {where}")
    chosen = _chosen(units, document, max(1, round(share * len(units))))
    return _checked(library, document, units, chosen, collection)


def _is_sentence(unit: Unit) -> bool:
    words = unit.text.split()
    is_prose = unit.kind in (BlockKind.PARAGRAPH, BlockKind.LIST_ITEM)
    ends = unit.text.rstrip(" *_\"'”’)").endswith((".", "!", "。", ";")) or (
        unit.kind is BlockKind.LIST_ITEM and not unit.text.rstrip().endswith(":")
    )
    if not (is_prose and ends and len(words) >= _FEWEST_WORDS):
        return False
    is_entry = is_contents_line(unit.document, unit.start, unit.end)
    return not (is_entry or _RIGHTS.search(unit.text))


def _sections(units: Sequence[Unit]) -> list[tuple[str, ...]]:
    """The section of each unit: the whole path of headings, or as much as gives not too many."""
    deepest = max(len(unit.section) for unit in units)
    for depth in range(deepest, 0, -1):
        cut = [unit.section[:depth] for unit in units]
        if len(set(cut)) <= _MOST_SECTIONS:
            return cut
    return [unit.section[:1] for unit in units]


def _chosen(units: Sequence[Unit], document: Document, most: int) -> list[int]:
    """The places of the chosen units, in order: one of each section, then the best of all."""
    language = language_of(document.text)
    words = [
        [word.key for word in words_of(unit.text, language) if word.is_content] for unit in units
    ]
    count = Counter(word for one in words for word in one)
    total = sum(count.values()) or 1
    weight = {word: number / total for word, number in count.items()}
    sections = _sections(units)
    firsts = {section: number for number, section in reversed([*enumerate(sections)])}
    factor = [
        _factor(unit, language, is_first=firsts[section] == number)
        for number, (unit, section) in enumerate(zip(units, sections, strict=True))
    ]

    def worth(number: int) -> float:
        own = words[number]
        return factor[number] * sum(weight[word] for word in own) / (len(own) or 1)

    chosen: list[int] = []

    def take(places: Sequence[int]) -> None:
        best = max(places, key=worth)
        chosen.append(best)
        for word in set(words[best]):
            weight[word] **= 2

    by_section: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for number, section in enumerate(sections):
        by_section[section].append(number)
    for places in by_section.values():
        take(places)
    left = set(range(len(units))) - set(chosen)
    while len(chosen) < most and left:
        take(sorted(left))
        left.discard(chosen[-1])
    return sorted(chosen)


def _factor(unit: Unit, language: str, *, is_first: bool) -> float:
    words = words_of(unit.text, language)
    told = figures(unit.text)
    factor = 1.0
    if told.moments or any(not one.is_worded for one in told.numbers):
        factor *= _FIGURE
    if "duty" in modals(words):
        factor *= _DUTY
    if negations(words):
        factor *= _DENIAL
    if is_first:
        factor *= _OPENS
    if _leaning().match(unit.text):
        factor *= _LEANS
    return factor / math.sqrt(max(1.0, len(words) / _MOST_WORDS))


@cache
def _leaning() -> re.Pattern[str]:
    words = shipped("text/data", "leaning")["beginnings"].split("|")
    return re.compile(rf"^\W*+(?:{'|'.join(map(re.escape, words))})\b", re.IGNORECASE)


def _checked(
    library: Library,
    document: Document,
    units: Sequence[Unit],
    chosen: Sequence[int],
    collection: str | None,
) -> Brief:
    checker = QuoteChecker(library.catalog)
    sections = _sections(units)
    found: dict[tuple[str, ...], list[Citation]] = defaultdict(list)
    notices: dict[str, None] = {}
    for one in chosen:
        span = Span(document_id=document.id, start=units[one].start, end=units[one].end)
        checked = checker.at(span, collection)
        if checked.problem:
            notices[checked.problem] = None
        if checked.citation is not None:
            found[sections[one]].append(checked.citation)
    cited = [citation for quotes in found.values() for citation in quotes]
    shown = sum(len(citation.quote.split()) for citation in cited)
    return Brief(
        source=library.catalog.source(document.id, collection).path,
        sections=tuple(
            BriefSection(heading=" > ".join(section), sentences=tuple(quotes))
            for section, quotes in found.items()
        ),
        share=shown / (len(document.text.split()) or 1),
        statements=len(units),
        notices=tuple(notices),
    )


def brief_form(told: Brief) -> dict[str, Any]:
    """The summary for JSON; `sentences` are numbers of `citations`, from 1."""
    cited: list[Citation] = []
    sections = []
    for one in told.sections:
        first = len(cited) + 1
        cited += one.sentences
        sections.append({"heading": one.heading, "sentences": [*range(first, len(cited) + 1)]})
    return {
        "source": told.source,
        "share": round(told.share, 4),
        "statements": told.statements,
        "sections": sections,
        "citations": [citation_form(citation) for citation in cited],
        "notices": list(told.notices),
    }


def readable(citation: Citation) -> str:
    """The sentence on one line, without markup and the bullet of its list."""
    shown = as_read(citation.quote, citation.media_type, citation.kind)
    return _BULLET.sub("", " ".join(shown.split()))


def summary(told: Brief) -> str:
    """How much of the document is shown."""
    shown = sum(len(one.sentences) for one in told.sections)
    return f"{shown} of {told.statements} statements, {100 * told.share:.0f} % of the words"


def write_brief(told: Brief, paths: Sequence[Path]) -> list[str]:
    """Write it to each file, in the format of its suffix; returns notices about them."""
    own = {".json": lambda: as_json(brief_form(told))}
    return write_files(paths, lambda: _blocks(told), own)


def _blocks(told: Brief) -> Iterator[Block]:
    yield Heading(text=plain(Path(told.source).name), level=1)
    yield _paragraph(summary(told), Look.SMALL)
    for one in told.sections:
        if one.heading:
            yield Heading(text=plain(one.heading), level=2)
        for citation in one.sentences:
            yield _paragraph(readable(citation))
            yield _paragraph(place(citation), Look.SMALL)
    yield from (_paragraph(notice, Look.NOTE) for notice in told.notices)


def _paragraph(text: str, look: Look = Look.TEXT) -> Paragraph:
    return Paragraph(words=(Words(text=plain(text)),), look=look)
