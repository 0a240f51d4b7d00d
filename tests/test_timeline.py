"""`pincite timeline`: dated statements in order, everywhere it is offered."""

from __future__ import annotations

import csv
import json
from datetime import date
from pathlib import Path

import pytest
from end_to_end.running import call_cli
from fastapi.testclient import TestClient

from pincite import Filters, Library
from pincite.interfaces.http.app import create_app
from pincite.interfaces.http.served import Served
from pincite.report.timeline import Entry, timeline
from pincite.settings.groups import ServerSettings

AGREEMENT = """# Service agreement

This agreement is effective from 1 January 2024 and is valid until 31 December 2026. The first invoice
is payable by 15 March 2024. Reports are due no later than 30 June 2025. The agreement was signed on
03/04/2024. Notice must be given by 30 September.

## Minutes of 2025

The board met on 12 May. The roof was finished in Q3 2024. Sales grew in the first half of 2025.
Prices have been stable since 2021. On 30 February 2024 nothing happened. We sold 2019 tickets,
and by 2019 hours nothing.
See [the plan](https://example.com/2020/05/12/plan-in-2017.html) and https://example.com/2018-03-04.
"""
PLAN = "Task,Deadline,Published on,Owner\nRoof,2025-08-01,2024-02-03,Anna\n,2025-09-15,,Ben\n"
NOTICE = """Last updated: 14 February 2025

The agreement was signed on 5 April 2024.

Die Frist endet am 31.12.2025. Das Gesetz ist seit 2019 in Kraft. Veröffentlicht am 3. März 2020.
"""
MAIL = """From: a@example.com
To: b@example.com
Date: Tue, 04 Mar 2025 10:00:00 +0000
Subject: Roof

The meeting was moved to 14 March 2025. We meet on Monday.
"""
EXPECTED = [
    ("2019", "event", "Das Gesetz ist seit 2019 in Kraft."),
    ("2020-03-03", "published", "Veröffentlicht am 3. März 2020."),
    ("2021", "event", "Prices have been stable since 2021."),
    ("2024-01-01", "valid from", "This agreement is effective"),
    ("2024-02-03", "published", "Roof,2025-08-01"),
    ("2024-03-15", "due", "The first invoice"),
    ("2024-04-03", "event", "The agreement was signed on"),
    ("2024-04-05", "event", "The agreement was signed on 5 April 2024."),
    ("2024-07-01/2024-09-30", "event", "The roof was finished in Q3 2024."),
    ("2025-01-01/2025-06-30", "event", "Sales grew in the first half of 2025."),
    ("2025-02-14", "published", "Last updated: 14 February 2025"),
    ("2025-03-04", "sent", "From: a@example.com"),
    ("2025-03-14", "event", "The meeting was moved to 14 March 2025."),
    ("2025-05-12", "event", "The board met on 12 May."),
    ("2025-06-30", "due", "Reports are due no later than"),
    ("2025-08-01", "due", "Roof,2025-08-01"),
    ("2025-09-15", "due", ",2025-09-15"),
    ("2025-12-31", "valid until", "Die Frist endet am 31.12.2025."),
    ("2026-12-31", "valid until", "This agreement is effective"),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A library of four kinds of documents."""
    files = {"agreement.md": AGREEMENT, "plan.csv": PLAN, "notice.txt": NOTICE, "mail.eml": MAIL}
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    with Library.open(tmp_path / "lib") as library:
        library.ingest([tmp_path / name for name in files])
    return tmp_path


def named(entries: tuple[Entry, ...]) -> list[tuple[str, str, str]]:
    return [(one.written, one.role, one.citation.quote) for one in entries]


def test_every_date_is_in_order_with_what_it_is(folder: Path) -> None:
    with Library.open(folder / "lib") as library:
        found = timeline(library)
    assert [(day, role) for day, role, _ in named(found.entries)] == [
        (day, role) for day, role, _ in EXPECTED
    ]
    for (_, _, quote), (_, _, begins) in zip(named(found.entries), EXPECTED, strict=True):
        assert quote.startswith(begins)
    assert [one.quote for one in found.undated] == ["Notice must be given by 30 September."]
    for one in found.entries:
        text = Path(one.citation.source).read_text(encoding="utf-8")
        if not one.citation.source.endswith(".eml"):
            assert text[one.citation.start : one.citation.end] == one.citation.quote


def test_a_year_whose_day_the_statement_tells_is_no_date_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "notice.txt").write_text("The notice of 2024: it was published on 2 May 2024.")
    with Library.open(tmp_path / "lib") as library:
        library.ingest([tmp_path / "notice.txt"])
        found = timeline(library)
    assert [one.written for one in found.entries] == ["2024-05-02"]


def test_what_is_special_is_said(folder: Path) -> None:
    with Library.open(folder / "lib") as library:
        entries = timeline(library).entries
    by_day = {one.written: one for one in entries}
    assert by_day["2025-05-12"].year_from == "Minutes of 2025"
    signed = by_day["2024-04-03"]
    assert signed.other == date(2024, 3, 4)
    assert [entries[number - 1].written for number in signed.differs_from] == ["2024-04-05"]


def test_a_question_and_filters_choose(folder: Path) -> None:
    with Library.open(folder / "lib") as library:
        about = timeline(library, "When was the roof finished?")
        assert ("2024-07-01/2024-09-30", "event") in [n[:2] for n in named(about.entries)]
        assert all("roof" in n[2].casefold() for n in named(about.entries))
        plan = timeline(library, filters=Filters.parse(documents=["plan.csv"]))
    assert [n[0] for n in named(plan.entries)] == ["2024-02-03", "2025-08-01", "2025-09-15"]


def test_what_is_no_longer_in_its_file_is_left_out_and_told(folder: Path) -> None:
    (folder / "notice.txt").write_text(NOTICE.replace("seit 2019", "seit 2018"), encoding="utf-8")
    with Library.open(folder / "lib") as library:
        found = timeline(library)
    assert not [one for one in found.entries if "Das Gesetz" in one.citation.quote]
    assert any("notice.txt" in told for told in found.notices)


def test_the_files_that_are_written(folder: Path) -> None:
    names = ["t.csv", "t.ics", "t.html", "t.json"]
    outputs = [part for name in names for part in ("-o", str(folder / name))]
    done = call_cli("timeline", "-l", folder / "lib", *outputs)
    assert done.returncode == 0, done.stderr
    rows = [*csv.DictReader((folder / "t.csv").read_text(encoding="utf-8").splitlines())]
    assert [(row["date"], row["role"]) for row in rows] == [(d, r) for d, r, _ in EXPECTED]
    calendar = (folder / "t.ics").read_bytes()
    assert calendar.count(b"BEGIN:VEVENT") == len(EXPECTED)
    assert b"DTSTART;VALUE=DATE:20240701\r\nDTEND;VALUE=DATE:20241001\r\n" in calendar
    assert all(len(line) <= 75 for line in calendar.split(b"\r\n"))
    assert "The board met on 12 May." in (folder / "t.html").read_text(encoding="utf-8")
    form = json.loads((folder / "t.json").read_text(encoding="utf-8"))
    assert len(form["entries"]) == len(form["citations"]) == len(EXPECTED)
    assert call_cli("timeline", "-l", folder / "lib", "-o", folder / "t.xyz").returncode == 2


def test_a_quote_is_no_formula_of_a_spreadsheet(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("=HYPERLINK was bad on 3 May 2024.\n")
    call_cli("ingest", tmp_path / "a.txt", "-l", tmp_path / "lib")
    assert call_cli("timeline", "-l", tmp_path / "lib", "-o", tmp_path / "t.csv").returncode == 0
    assert "'=HYPERLINK" in (tmp_path / "t.csv").read_text()


def test_the_server_lists_them_for_a_question_or_a_document(folder: Path) -> None:
    library = Library.open(folder / "lib", create=False)
    app = create_app(Served(library), ServerSettings())
    with TestClient(app, base_url="http://localhost") as client:
        chosen = {"filters": {"documents": ["plan.csv"]}}
        form = client.post("/v1/timeline", json=chosen).json()
        assert [one["date"] for one in form["entries"]] == [
            "2024-02-03",
            "2025-08-01",
            "2025-09-15",
        ]
        assert [one["source"] for one in form["citations"]] == ["plan.csv"] * 3
        assert len(form["links"]) == 3
        assert client.post("/v1/timeline", json={}).status_code == 400
