"""Reads calendars: events and tasks, with when, where, who and how often."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

from icalendar import Calendar, Component

from pincite.errors import ReadError
from pincite.ingest.assembly import TextAssembly, choose_title
from pincite.ingest.reading import content_remarks, counted
from pincite.records.document import BlockKind, Document, document_id

MEDIA_TYPE = "text/calendar"
_KINDS = {"VEVENT": "event", "VTODO": "task", "VJOURNAL": "note"}
_MOST_COMPONENTS = 20_000
_FREQUENCIES = {"DAILY": "day", "WEEKLY": "week", "MONTHLY": "month", "YEARLY": "year"}
_DAYS = {
    "MO": "Monday",
    "TU": "Tuesday",
    "WE": "Wednesday",
    "TH": "Thursday",
    "FR": "Friday",
    "SA": "Saturday",
    "SU": "Sunday",
}
_BROKEN = (ValueError, TypeError, KeyError, AttributeError, IndexError, OverflowError)


class CalendarReader:
    """Reads `.ics` files; each event is a section with a labelled line for each fact."""

    def read(self, path: Path, content: bytes) -> Document:
        """Read one file's bytes. Raises ReadError if they are not a calendar."""
        try:
            calendars = Calendar.from_ical(content, multiple=True)
            found = [one for calendar in calendars for one in calendar.walk() if one.name in _KINDS]
        except (*_BROKEN, RecursionError) as error:
            raise ReadError(
                f"the calendar is damaged ({type(error).__name__}); export it again from its program"
            ) from error
        assembly = TextAssembly()
        gaps = []
        for component in found[:_MOST_COMPONENTS]:
            try:
                _add(component, assembly)
            except _BROKEN as error:
                gaps.append(f"{_KINDS[str(component.name)]} not read: {type(error).__name__}")
        if len(found) > _MOST_COMPONENTS:
            gaps.append(
                f"{counted(len(found) - _MOST_COMPONENTS, 'entry')} beyond the limit not read"
            )
        identifier, sha256 = document_id(content)
        remarks = content_remarks("calendar", has_text=bool(assembly.blocks))
        return Document(
            id=identifier,
            sha256=sha256,
            title=choose_title(path, str(found[0].get("summary") or "") if found else ""),
            media_type=MEDIA_TYPE,
            text=assembly.text(),
            blocks=tuple(assembly.blocks),
            gaps=(*gaps, *remarks.gaps),
            warnings=remarks.warnings,
        )


def _add(component: Component, assembly: TextAssembly) -> None:
    title = str(component.get("summary") or f"Unnamed {_KINDS[str(component.name)]}").strip()
    assembly.add_heading(" ".join(title.split()), 1)
    for label, value in _facts(component):
        assembly.add(f"{label}: {' '.join(value.split())}", BlockKind.LIST_ITEM)
    for paragraph in str(component.get("description") or "").split("\n\n"):
        assembly.add(paragraph.strip(), BlockKind.PARAGRAPH)
    assembly.outline.leave()


def _facts(component: Component) -> Iterator[tuple[str, str]]:
    if str(component.get("status") or "").upper() == "CANCELLED":
        yield "Status", "cancelled"
    if when := _when(component):
        yield "When", when
    if "due" in component:
        yield "Due", _moment(component.decoded("due"))
    if repeated := _repeated(component):
        yield "Repeats", repeated
    if place := str(component.get("location") or "").strip():
        yield "Where", place
    for label, name in (("Organizer", "organizer"), ("Attendee", "attendee")):
        people = component.get(name) or []
        for person in people if isinstance(people, list) else [people]:
            yield label, _person(person)
    if link := str(component.get("url") or "").strip():
        yield "Link", link


def _when(component: Component) -> str:
    if "dtstart" not in component:
        return ""
    start = component.decoded("dtstart")
    end = component.decoded("dtend") if "dtend" in component else None
    if end is None and "duration" in component:
        end = start + component.decoded("duration")
    zone = str(component["dtstart"].params.get("TZID") or "")
    if isinstance(start, datetime) and not zone and start.tzinfo is not None:
        zone = "UTC"
    shown = _moment(start)
    if end is not None and end != start:
        if not isinstance(end, datetime) and isinstance(end, date):
            end -= timedelta(days=1)  # the day after the last one
        if isinstance(end, datetime) and f"{end:%Y%m%d}" == f"{start:%Y%m%d}":
            shown += f" to {end:%H:%M}"
        elif end != start:
            shown += f" to {_moment(end)}"
    return f"{shown} ({zone})" if zone else shown


def _moment(value: Any) -> str:
    day = f"{value.day} {value:%B %Y}"
    return f"{day}, {value:%H:%M}" if isinstance(value, datetime) else day


def _repeated(component: Component) -> str:
    rules = component.get("rrule") or []
    shown = [_rule(rule) for rule in (rules if isinstance(rules, list) else [rules])]
    return "; ".join(filter(None, shown))


def _rule(rule: Any) -> str:
    unit = _FREQUENCIES.get(str((rule.get("FREQ") or [""])[0]).upper())
    if unit is None:
        return ""
    interval = int((rule.get("INTERVAL") or [1])[0])
    shown = f"every {unit}" if interval == 1 else f"every {interval} {unit}s"
    days = [str(day) for day in rule.get("BYDAY") or []]
    names = [f"{day[:-2]} {_DAYS.get(day[-2:], day)}".strip() for day in days]
    if names:
        shown += f" on {', '.join(names)}"
    if until := rule.get("UNTIL"):
        shown += f" until {_moment(until[0])}"
    if count := rule.get("COUNT"):
        shown += f", {count[0]} times"
    return shown


def _person(person: Any) -> str:
    address = str(person).partition(":")[2] or str(person)
    name = str(person.params.get("CN") or "") if hasattr(person, "params") else ""
    return f"{name} <{address}>" if name and name != address else address
