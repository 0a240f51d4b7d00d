"""The dated statements of documents in order, each with its quote and what the date is."""

from __future__ import annotations

import csv
import io
import re
from calendar import monthrange
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from pincite.errors import DocumentGone
from pincite.library.library import Library
from pincite.records.document import BlockKind, Range, Span
from pincite.records.filters import Filters, Scope
from pincite.records.flow import Citation
from pincite.report.brief import readable
from pincite.report.layout import Block, Heading, Look, Paragraph, Table, Words, plain
from pincite.report.sheets.files import harmless
from pincite.report.writing import as_json, write_files
from pincite.settings.toml_files import shipped
from pincite.text.dates import Moment, moments
from pincite.text.languages import language_of
from pincite.text.locations import place
from pincite.text.terms import fold
from pincite.verify.comparing.units import Unit, units_of
from pincite.verify.drafts import QuoteChecker
from pincite.verify.receipts.receipt import citation_form
from pincite.verify.statements.wording import words_of

MOST_ENTRIES = 5_000
OWN_FORMATS = (".csv", ".ics")
EVENT = "event"
"""What a date is where no word says otherwise."""

_PASSAGES = 40
"""Searched for a question."""

_LONGEST = 1_000
_CUE_CHARS = 60
_MONTHS_OF_QUARTER, _MONTHS_OF_HALF = 3, 6
_FEWEST_WORDS = 3
_ADDRESS = re.compile(r"https?://[^\s)>\"]+|\]\([^)\s]*\)|\bwww\.[^\s)>\"]+")
"""Their dates are those of other pages."""

_HEADERS = "headers"
"""The place of an e-mail's header."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A dated statement: its date covers `first` to `last`, and stands at `when` of the quote.

    `year_from` is the heading that gives the year, if the date has none itself. `other` is the other
    reading of a date such as 03/04/2024. `differs_from` are entries, by number from 1, that say the
    same of another date.
    """

    first: date
    last: date
    role: str
    citation: Citation
    when: Range
    year_from: str = ""
    other: date | None = None
    differs_from: tuple[int, ...] = ()

    @property
    def written(self) -> str:
        """The date as far as it is given: 2024-05-12, 2024-05, 2024, or a range."""
        if self.first == self.last:
            return self.first.isoformat()
        whole = (self.first.day, self.last) == (1, _last_day(self.last.year, self.last.month))
        if whole and (self.first.year, self.first.month) == (self.last.year, self.last.month):
            return f"{self.first:%Y-%m}"
        if (self.first.month, self.first.day, self.last.month, self.last.day) == (1, 1, 12, 31):
            return f"{self.first.year:04}"
        return f"{self.first.isoformat()}/{self.last.isoformat()}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeline:
    """Entries in order of their dates. `undated` have a day or month, and no year is given for them."""

    entries: tuple[Entry, ...]
    undated: tuple[Citation, ...] = ()
    notices: tuple[str, ...] = ()


def timeline(
    library: Library,
    question: str = "",
    *,
    collection: str | None = None,
    filters: Filters | None = None,
    most: int = MOST_ENTRIES,
    on_document: Callable[[str], None] = lambda _: None,
) -> Timeline:
    """Every dated statement of the documents, or of the passages found for a question.

    At most `most` entries, the first ones. Each quote is compared with its file first; what is no
    longer there is left out and told. Raises UsageError for a collection or filter that matches
    nothing.
    """
    chosen = filters or Filters()
    spans = _found(library, question, collection, chosen) if question.strip() else None
    asked = _content(question, language_of(question))
    library.check_collection(collection)
    scope = Scope.of(collection, chosen)
    documents = library.catalog.documents_in(scope) if spans is None else [*spans]
    checker = QuoteChecker(library.catalog)
    entries: list[Entry] = []
    undated: dict[Span, Citation] = {}
    notices: dict[str, None] = {}
    for document_id in documents:
        try:
            document = library.catalog.document(document_id)
        except DocumentGone:
            continue
        on_document(document.name)
        for unit in units_of(document):
            if spans is not None and not _is_asked_for(unit, spans[document_id], asked):
                continue
            for dated in _dated(unit):
                span = Span(document_id=document_id, start=unit.start, end=unit.end)
                checked = checker.at(span, collection)
                if checked.problem:
                    notices[checked.problem] = None
                if checked.citation is None:
                    continue
                if isinstance(dated, Moment):
                    undated[span] = checked.citation
                else:
                    entries.append(replace(dated, citation=checked.citation))
    entries.sort(key=lambda one: (one.first, one.last, one.citation.source, one.citation.start))
    if len(entries) > most:
        notices[f"only the first {most:,} of {len(entries):,} dates are shown"] = None
    return Timeline(
        entries=_with_conflicts(entries[:most]),
        undated=tuple(undated.values()),
        notices=tuple(notices),
    )


def _found(
    library: Library, question: str, collection: str | None, filters: Filters
) -> Mapping[str, list[Range]]:
    found: dict[str, list[Range]] = defaultdict(list)
    result = library.search(question, limit=_PASSAGES, collection=collection, filters=filters)
    for hit in result.hits:
        span = hit.passage.span
        found[span.document_id].append((span.start, span.end))
    return found


def _is_asked_for(unit: Unit, spans: Sequence[Range], asked: frozenset[str]) -> bool:
    """Whether it stands in a passage that was found, and shares a word with what was asked."""
    if not any(start <= unit.start < end for start, end in spans):
        return False
    own = " ".join((unit.text, *unit.section))
    return not asked or bool(asked & _content(own, language_of(own)))


def _content(text: str, language: str) -> frozenset[str]:
    generic = set(shipped("text/data", "date_roles")["generic"].split())
    words = words_of(text, language)
    return frozenset(one.key for one in words if one.is_content and one.folded not in generic)


# What a statement's dates are.

_NOWHERE = Citation(
    document="", source="", sha256="", page=None, section="", start=0, end=0, start_byte=None,
    end_byte=None, quote="",
)  # fmt: skip


def _dated(unit: Unit) -> Iterator[Entry | Moment]:
    """An entry for each date of a statement; a moment where no year is given for it."""
    text = unit.text
    if unit.kind in (BlockKind.HEADING, BlockKind.CODE) or len(text) > _LONGEST:
        return
    addresses = [found.span() for found in _ADDRESS.finditer(text)]
    for moment in (*moments(text), *_years(text)):
        if any(start <= moment.start < end for start, end in addresses):
            continue
        source = ""
        if moment.year is None:
            year, source = _year_above(unit)
            if year is None:
                if moment.day is not None:
                    yield moment
                continue
            moment = replace(moment, year=year)
        covered = _covered(moment)
        if covered is None:
            continue
        other = next(map(_covered, moment.readings()[1:]), None)
        yield Entry(
            first=covered[0],
            last=covered[1],
            role=_role(unit, moment),
            citation=_NOWHERE,
            when=(moment.start, moment.end),
            year_from=source,
            other=other[0] if other else None,
        )


def _years(text: str) -> Iterator[Moment]:
    """The years that stand alone, but for those of which the statement tells the day too."""
    exact = list(moments(text))
    told = {one.year for one in exact}
    for match in _year_pattern().finditer(fold_letters(text)):
        start, end = match.span("year")
        is_taken = any(one.start < end and start < one.end for one in exact)
        if not is_taken and int(match["year"]) not in told:
            yield Moment(start=start, end=end, year=int(match["year"]))


def fold_letters(text: str) -> str:
    """The text in small letters without accents, each letter at its place."""
    return "".join(fold(letter)[:1] or " " for letter in text)


@cache
def _year_pattern() -> re.Pattern[str]:
    words = "|".join(shipped("text/data", "date_roles")["years"].split())
    return re.compile(
        rf"\b(?:{words})\s+(?P<year>(?:1[5-9]|20)\d\d)\b(?![.,]?\d|\s*[%€$]|\s+[a-z]{{3,}}s\b)"
    )


def _year_above(unit: Unit) -> tuple[int | None, str]:
    """The one year of the nearest heading that has any, and this heading."""
    for heading in reversed(unit.section):
        found = {int(year) for year in re.findall(r"\b(?:1[89]|20)\d\d\b", heading)}
        if found:
            return (found.pop(), heading) if len(found) == 1 else (None, "")
    return None, ""


def _last_day(year: int, month: int) -> date:
    return date(year, month, monthrange(year, month)[1])


def _covered(moment: Moment) -> tuple[date, date] | None:
    """The first and last day; None for what is no day of the calendar."""
    assert moment.year is not None
    first, months = 1, 12
    if moment.month:
        first, months = moment.month, 1
    elif moment.quarter:
        first, months = _MONTHS_OF_QUARTER * (moment.quarter - 1) + 1, _MONTHS_OF_QUARTER
    elif moment.half:
        first, months = _MONTHS_OF_HALF * (moment.half - 1) + 1, _MONTHS_OF_HALF
    try:
        if moment.day is not None and moment.month is not None:
            day = date(moment.year, moment.month, moment.day)
            return day, day
        return date(moment.year, first, 1), _last_day(moment.year, first + months - 1)
    except ValueError:
        return None


@cache
def _cues(where: str) -> list[tuple[str, re.Pattern[str]]]:
    cues = []
    for role, listed in shipped("text/data", "date_roles")[where].items():
        phrases = "|".join(map(re.escape, sorted(listed.split("|"), key=len, reverse=True)))
        end = {"before": r"(?P<rest>(?:\W+\w+){0,3}?)\W*$", "adjacent": r"\s*$"}.get(where, "")
        start = r"^\W*" if where == "after" else ""
        cues.append((role, re.compile(rf"{start}\b(?:{phrases})\b{end}")))
    return cues


def _role(unit: Unit, moment: Moment) -> str:
    """What the date is by the words around it: the nearest ones decide."""
    if unit.place == _HEADERS:
        return "sent"
    text = fold_letters(unit.text)
    heads = [fold_letters(head) for head in unit.cell_texts()]
    before = text[max(0, moment.start - _CUE_CHARS) : moment.start]
    behind = text[moment.end : moment.end + _CUE_CHARS]
    for where, words in (("after", behind), ("adjacent", before)):
        for role, pattern in _cues(where):
            if pattern.search(words):
                return role
    found = [
        (len(match["rest"]), role)
        for role, pattern in _cues("before")
        if (match := pattern.search(before))
    ]
    if found:
        return min(found)[1]
    column = _column(unit, moment, heads)
    return next((role for role, pattern in _cues("before") if pattern.search(column)), EVENT)


def _column(unit: Unit, moment: Moment, heads: Sequence[str]) -> str:
    """The words of the head above a date."""
    for number, cell in enumerate(unit.cells):
        if cell.start - unit.start <= moment.start < cell.end - unit.start and number < len(heads):
            return heads[number]
    return ""


def _with_conflicts(entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """Entries whose statements are the same but for the date name each other."""
    alike: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for number, one in enumerate(entries, start=1):
        quote = one.citation.quote
        words = fold_letters(f"{quote[: one.when[0]]} {quote[one.when[1] :]}").split()
        if len(words) >= _FEWEST_WORDS:
            alike[tuple(words)].append(number)
    told: dict[int, tuple[int, ...]] = {}
    for numbers in alike.values():
        for number in numbers:
            own = entries[number - 1].first
            here = (entries[number - 1].citation.document, entries[number - 1].citation.start)
            others = [
                other
                for other in numbers
                if entries[other - 1].first != own
                and (entries[other - 1].citation.document, entries[other - 1].citation.start)
                != here
            ]
            if others:
                told[number] = tuple(others)
    return tuple(
        replace(one, differs_from=told.get(number, ()))
        for number, one in enumerate(entries, start=1)
    )


# Written out.


def timeline_form(found: Timeline) -> dict[str, Any]:
    """The timeline for JSON; citation n is that of entry n."""
    return {
        "entries": [
            {
                "date": one.written,
                "first": one.first.isoformat(),
                "last": one.last.isoformat(),
                "role": one.role,
                "when": list(one.when),
                "year_from": one.year_from,
                "other": one.other.isoformat() if one.other else None,
                "differs_from": list(one.differs_from),
            }
            for one in found.entries
        ],
        "citations": [citation_form(one.citation) for one in found.entries],
        "undated": [citation_form(one) for one in found.undated],
        "notices": list(found.notices),
    }


def write_timeline(found: Timeline, paths: Sequence[Path]) -> list[str]:
    """Write it to each file, in the format of its suffix; returns notices about them."""
    own = {
        ".json": lambda: as_json(timeline_form(found)),
        ".csv": lambda: _csv(found),
        ".ics": lambda: _calendar(found),
    }
    return write_files(paths, lambda: _blocks(found), own)


def _csv(found: Timeline) -> str:
    written = io.StringIO()
    table = csv.writer(written, lineterminator="\n")
    table.writerow(("date", "first", "last", "role", "quote", "file", "place", "note"))
    for one in found.entries:
        row = (one.written, one.first, one.last, one.role, one.citation.quote, one.citation.source)
        table.writerow(map(harmless, (*map(str, row), place(one.citation), note_of(one))))
    return written.getvalue()


def note_of(one: Entry) -> str:
    """What is special about an entry; empty if nothing is."""
    notes = []
    if one.year_from:
        notes.append(f"year from the heading '{one.year_from}'")
    if one.other:
        notes.append(f"or {one.other.isoformat()}")
    if one.differs_from:
        notes.append(f"another date in {', '.join(map(str, one.differs_from))}")
    return plain("; ".join(notes))


def _calendar(found: Timeline) -> str:
    """RFC 5545: an all-day event for each entry; its end is the day after the last one."""
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Pincite//timeline//EN"]
    for one in found.entries:
        cited = one.citation
        place_ = ", ".join(filter(None, (Path(cited.source).name, place(cited))))
        lines += [
            "BEGIN:VEVENT",
            f"UID:{cited.document}-{cited.start}-{one.when[0]}@pincite",
            f"DTSTAMP:{stamp}",
            f"DTSTART;VALUE=DATE:{one.first:%Y%m%d}",
            f"DTEND;VALUE=DATE:{one.last + timedelta(days=1):%Y%m%d}",
            f"SUMMARY:{_escaped(f'{one.role}: {cited.quote}')}",
            f"DESCRIPTION:{_escaped(place_)}",
            "END:VEVENT",
        ]
    lines.append("END:VCALENDAR")
    return "".join(f"{part}\r\n" for line in lines for part in _folded(line))


def _escaped(text: str) -> str:
    one_line = " ".join(text.split())
    return re.sub(r"([\\;,])", r"\\\1", one_line)


def _folded(line: str) -> Iterator[str]:
    """Lines of at most 75 bytes, as the format asks for; the rest begins with a blank."""
    cuts, used = [0], 0
    for number, letter in enumerate(line):
        used += len(letter.encode("utf-8", "replace"))
        if used > 73:
            cuts.append(number)
            used = len(letter.encode("utf-8", "replace")) + 1
    for first, (start, end) in enumerate(pairwise([*cuts, len(line)])):
        yield (" " if first else "") + line[start:end]


def _blocks(found: Timeline) -> Iterator[Block]:
    yield Heading(text="Timeline", level=1)
    rows = tuple(
        (
            plain(one.written),
            one.role,
            plain(readable(one.citation)),
            plain(f"{Path(one.citation.source).name}, {place(one.citation)}".rstrip(", ")),
            note_of(one),
        )
        for one in found.entries
    )
    yield Table(names=("Date", "What", "Statement", "Where", "Note"), rows=rows)
    for cited in found.undated:
        text = f"Without a year: {cited.quote} ({Path(cited.source).name})"
        yield Paragraph(words=(Words(text=plain(text)),), look=Look.NOTE)
    for notice in found.notices:
        yield Paragraph(words=(Words(text=plain(notice)),), look=Look.NOTE)
