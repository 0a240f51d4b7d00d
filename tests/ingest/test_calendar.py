"""Calendars: when, where, who and how often."""

from __future__ import annotations

from pathlib import Path

import pytest

from pincite.errors import ReadError
from pincite.ingest.mail.calendar import CalendarReader
from pincite.records.document import Document


def read(*lines: str, kind: str = "VEVENT") -> Document:
    inner = "\r\n".join((f"BEGIN:{kind}", *lines, f"END:{kind}"))
    content = f"BEGIN:VCALENDAR\r\nVERSION:2.0\r\n{inner}\r\nEND:VCALENDAR\r\n"
    return CalendarReader().read(Path("a.ics"), content.encode())


@pytest.mark.parametrize(
    ("lines", "shown"),
    [
        (
            ["DTSTART;TZID=Europe/Oslo:20240412T143000", "DTEND;TZID=Europe/Oslo:20240412T160000"],
            "When: 12 April 2024, 14:30 to 16:00 (Europe/Oslo)",
        ),
        (
            ["DTSTART:20240412T143000Z", "DURATION:PT90M"],
            "When: 12 April 2024, 14:30 to 16:00 (UTC)",
        ),
        (
            ["DTSTART;VALUE=DATE:20240412", "DTEND;VALUE=DATE:20240413"],
            "When: 12 April 2024",
        ),
        (
            ["DTSTART;VALUE=DATE:20240412", "DTEND;VALUE=DATE:20240415"],
            "When: 12 April 2024 to 14 April 2024",
        ),
        (
            ["DTSTART:20240412T143000", "RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,WE;COUNT=5"],
            "Repeats: every 2 weeks on Monday, Wednesday, 5 times",
        ),
        (["LOCATION:Slipway 3\\, north quay"], "Where: Slipway 3, north quay"),
        (["ORGANIZER;CN=Mia Lund:mailto:mia@x.example"], "Organizer: Mia Lund <mia@x.example>"),
        (["STATUS:CANCELLED"], "Status: cancelled"),
        (["DESCRIPTION:Bring the papers and", "  the report."], "Bring the papers and the report."),
    ],
)
def test_the_facts_of_an_event_are_labelled_lines(lines: list[str], shown: str) -> None:
    document = read("SUMMARY:Boat inspection", *lines)
    assert document.text.splitlines()[0] == "Boat inspection"
    assert shown in document.text.splitlines()
    assert all(block.section == ("Boat inspection",) for block in document.blocks)


def test_a_task_says_when_it_is_due() -> None:
    assert (
        "Due: 12 April 2024" in read("SUMMARY:Paint", "DUE;VALUE=DATE:20240412", kind="VTODO").text
    )


@pytest.mark.parametrize("content", [b"no calendar", b"BEGIN:VCALENDAR\nno line of one"])
def test_a_damaged_calendar_is_refused(content: bytes) -> None:
    with pytest.raises(ReadError, match="export it again"):
        CalendarReader().read(Path("a.ics"), content)
