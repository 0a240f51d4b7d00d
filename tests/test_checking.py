"""`pincite check`: what the documents say about each statement of a text, everywhere it is offered."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from end_to_end.running import call_cli
from fastapi.testclient import TestClient

from pincite import Filters, Library, UsageError
from pincite.interfaces.cli.check import print_checked
from pincite.interfaces.http.app import create_app
from pincite.interfaces.http.served import Served
from pincite.records.checked_texts import CheckedText, Standing
from pincite.records.flow import Verdict
from pincite.report.checking import check_file, check_text, checked_form
from pincite.settings.groups import ServerSettings

POLICY = """# Travel policy

## Flights

Employees may book business class for flights of more than six hours. Bookings must be made at least 14
days before departure. The travel desk approves every booking within two working days.

## Hotels

The limit for hotels is 160 euros a night in Germany and 210 euros a night in Switzerland. Breakfast is
not included in the limit. Receipts must be handed in by the end of the following month.

## Work

I recommend a list of at least the last 7 years, ideally the last 10 years. Timecards are available no
later than Monday. The pump starts at 06:30 on working days and stops at 20:00.

## Parts

Room 14 has three windows. Pump P-102 costs 300 euros. Section 4 describes the alarm. Model X5 weighs
14 kg. Version 2.1 needs 4 GB of memory. Step 2 takes 10 minutes.
"""
REPORT = """# Annual report 2024

Revenue rose from 38.2 million euros in 2023 to 41.5 million euros in 2024. The company had 312
employees at the end of 2024. Anna Weber has led the company since March 2021. The plant in Linz was
opened on 12 May 2019.

| Region | Revenue 2024 | Employees |
|---|---|---|
| North | 17.5 | 120 |
| South | 24.0 | 192 |

| Shop | Month | Visitors | Manager |
|---|---|---|---|
| Harbour | January | 410 | Ida Lund |
| Harbour | February | 520 | Per Holm |
| Station | March | 330 | Ida Lund |
"""
RULES = """# Hausordnung

Die Haltung von Hunden ist nicht gestattet. Der Schlüsselersatz kostet 45 Euro je Schlüssel. Müll muss
getrennt werden. Die Waschküche ist montags von 7:00 bis 20:00 Uhr geöffnet.
"""
S, C, N, NONE = (
    Standing.SUPPORTED,
    Standing.CONTRADICTED,
    Standing.NOT_FOUND,
    Standing.NO_CLAIM,
)
STATEMENTS = [
    # As it is written, shortened or turned round.
    ("The travel desk approves every booking within two working days.", S),
    ("In Germany, the limit for hotels is 160 euros a night.", S),
    ("Anna Weber has led the company since March 2021.", S),
    # Another number, time, date, negation, duty; the number of another place, year or column.
    ("Employees may book business class for flights of more than four hours.", C),
    ("In Switzerland the limit for hotels is 180 euros a night.", C),
    ("The travel desk approves every booking within 3 working days.", C),
    ("The pump starts at 07:30 on working days and stops at 20:00.", C),
    ("The pump starts at 07:30 on working days.", C),
    ("I recommend a list of at least the last 10 years, ideally the last 10 years.", C),
    ("The plant in Linz was opened on 12 May 2018.", C),
    ("The company had 298 employees at the end of 2024.", C),
    ("Breakfast is included in the limit.", C),
    ("Timecards are not available no later than Monday.", C),
    ("The travel desk does not approve every booking within two working days.", C),
    ("Receipts may be handed in by the end of the following month.", C),
    ("Revenue was 41.5 million euros in 2023.", C),
    # Results, and rows.
    ("Revenue rose by 3.3 million euros in 2024.", S),
    ("Revenue rose by 8.6 % in 2024.", S),
    ("Revenue rose by 9.9 % in 2024.", N),
    ("South had 192 employees.", S),
    ("North had a revenue of 17.5 in 2024.", S),
    ("South had 190 employees.", C),
    ("South had 24 employees.", C),
    ("West had 120 employees.", N),
    ("Harbour had 520 visitors.", S),
    ("Harbour had 600 visitors.", N),
    ("Station had 600 visitors.", C),
    ("Ida Lund had 600 visitors.", N),
    ("South had 192 million employees.", N),
    # Of somebody or something else, or of nothing in the documents.
    ("Karl Meier has led the company since March 2021.", N),
    ("The plant in Graz was opened on 12 May 2019.", N),
    ("The company had about 310 employees at the end of 2024.", N),
    ("Every employee has a company bicycle.", N),
    # Which one a number says is no amount.
    ("Room 12 has three windows.", N),
    ("Pump P-101 costs 300 euros.", N),
    ("Section 5 describes the alarm.", N),
    ("Model X6 weighs 14 kg.", N),
    ("Version 2.2 needs 4 GB of memory.", N),
    ("Step 3 takes 10 minutes.", N),
    ("Pump P-102 costs 310 euros.", C),
    ("Model X5 weighs 15kg.", C),
    ("Version 2.1 needs 8 GB of memory.", C),
    ("Step 2 takes 12 minutes.", C),
    # Nothing to support.
    ("Is breakfast included in the limit?", NONE),
    ("Thank you for your question about the trip.", NONE),
    ("Kind regards", NONE),
    # Another language.
    ("Müll muss getrennt werden.", S),
    ("Müll kann getrennt werden.", C),
    ("Die Haltung von Hunden ist gestattet.", C),
    ("Der Schlüsselersatz kostet 54 Euro je Schlüssel.", C),
    ("Die Waschküche ist montags von 7:00 bis 22:00 Uhr geöffnet.", C),
    ("Der Aufzug wird jährlich gewartet.", N),
]  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library of two documents, one of them in a collection of its own."""
    place = tmp_path_factory.mktemp("checking")
    for name, text in (("policy.md", POLICY), ("report.md", REPORT), ("ordnung.md", RULES)):
        (place / name).write_text(text, encoding="utf-8")
    with Library.open(place / "lib") as library:
        library.ingest([place / "policy.md", place / "report.md", place / "ordnung.md"])
    return place


@pytest.fixture
def library(folder: Path) -> Library:
    return Library.open(folder / "lib", create=False)


@pytest.mark.parametrize(("statement", "standing"), STATEMENTS)
def test_a_statement_is_called_what_it_is(
    library: Library, statement: str, standing: Standing
) -> None:
    checked = check_text(library, statement)
    assert [one.standing for one in checked.statements] == [standing]
    one = checked.statements[0]
    assert bool(one.against) == (standing is C)
    if standing is S:
        assert one.quotes
    for quote in (*one.quotes, *one.against):
        text = Path(quote.source).read_text(encoding="utf-8")
        assert text[quote.start : quote.end] == quote.quote


def test_a_supported_statement_that_another_document_contradicts_shows_both(
    tmp_path: Path,
) -> None:
    for name, days in (("a.md", 14), ("b.md", 30)):
        (tmp_path / name).write_text(
            f"# Leave\n\nThe notice period for all staff is {days} days.\n"
        )
    with Library.open(tmp_path / "lib") as library:
        library.ingest([tmp_path / "a.md", tmp_path / "b.md"])
        checked = check_text(library, "The notice period for all staff is 14 days.")
    one = checked.statements[0]
    assert one.standing is S
    assert [Path(quote.source).name for quote in one.quotes] == ["a.md"]
    assert [Path(quote.source).name for quote in one.against] == ["b.md"]
    assert not checked.holds


def test_the_parts_of_a_text_keep_their_places(library: Library, tmp_path: Path) -> None:
    text = (
        "# Reply\n\nDear Tom,\nbreakfast is not included in the limit.\n\n"
        "- South had 190 employees\n\n| Region | Employees | Revenue 2024 |\n|---|---|---|\n"
        "| North | 120 | 17.5 |\n| South | 24.0 | 25.0 |\n"
    )
    (tmp_path / "reply.md").write_text(text)
    checked = check_file(library, tmp_path / "reply.md")
    assert [(one.text, one.standing) for one in checked.statements] == [
        ("Reply", NONE),
        ("breakfast is not included in the limit.", S),
        ("South had 190 employees", C),
        ("North, Employees, 120", S),
        ("North, Revenue 2024, 17.5", S),
        ("South, Employees, 24.0", C),
        ("South, Revenue 2024, 25.0", C),
    ]
    assert checked.counts == {"supported": 3, "contradicted": 3, "not found": 0, "no claim": 1}
    assert [text[one.start : one.end] for one in checked.statements[1:4]] == [
        "breakfast is not included in the limit.", "South had 190 employees", "120",
    ]  # fmt: skip


def test_only_what_is_chosen_is_searched(library: Library) -> None:
    said = "Anna Weber has led the company since March 2021."
    report = check_text(library, said, filters=Filters.parse(documents=["report.md"]))
    policy = check_text(library, said, filters=Filters.parse(documents=["policy.md"]))
    assert report.holds
    assert [one.standing for one in policy.statements] == [N]


def test_limits_are_told(library: Library) -> None:
    with pytest.raises(UsageError, match="no statement"):
        check_text(library, " \n")
    with pytest.raises(UsageError, match="at most 2 can be checked"):
        check_text(library, "One is here. Two is here. Three is here.", most=2)
    over = check_text(library, "One is here. Two is here.", until=0.0)
    assert over.statements == ()
    assert "last 2 statements" in over.notices[0]


def test_the_command_shows_both_sides(folder: Path, tmp_path: Path) -> None:
    text = tmp_path / "mail.txt"
    text.write_text("Breakfast is included in the limit. South had 192 employees.\n")
    done = call_cli("check", text, "-l", folder / "lib", "--all")
    assert done.returncode == 4
    assert "✗ Breakfast is included in the limit." in done.stdout
    assert "but: “Breakfast is not included in the limit.”" in " ".join(done.stdout.split())
    assert "South | Revenue 2024: 24.0 | Employees: 192" in done.stdout
    assert "1 supported, 1 contradicted" in done.stdout
    text.write_text("South had 192 employees.\n")
    assert call_cli("check", text, "-l", folder / "lib").returncode == 0
    missing = call_cli("check", tmp_path / "none.txt", "-l", folder / "lib")
    assert missing.returncode == 1
    assert "none.txt" in missing.stderr


def test_json_is_the_same_everywhere(folder: Path, library: Library, tmp_path: Path) -> None:
    said = "Breakfast is included in the limit. South had 192 employees."
    (tmp_path / "mail.txt").write_text(said)
    shown = call_cli("check", tmp_path / "mail.txt", "-l", folder / "lib", "--json")
    form = json.loads(shown.stdout)
    assert form["statements"] == checked_form(check_text(library, said))["statements"]
    app = create_app(Served(library), ServerSettings())
    with TestClient(app, base_url="http://localhost") as client:
        reply = client.post("/v1/check", json={"text": said})
        assert reply.status_code == 200
        assert reply.json()["statements"] == form["statements"]
        for citation, link in zip(reply.json()["citations"], reply.json()["links"], strict=True):
            assert "/" not in citation["source"]
            assert client.get(f"/v1/citations/{link['id']}").json()["state"] == "verified"
        assert client.post("/v1/check", json={"text": "long " * 5_000}).status_code == 400


def test_what_the_quotes_say_in_other_words_is_shown_beside_them(
    library: Library, capsys: pytest.CaptureFixture[str]
) -> None:
    (sure,) = check_text(
        library, "The travel desk approves every booking within two working days."
    ).statements
    free = replace(sure, text="It reads differently.", verdict=Verdict.WORDED_FREELY)
    checked = CheckedText(name="", statements=(sure, free))
    print_checked(checked, show_all=False)
    told = capsys.readouterr().out
    assert told.count("in other words: “") == 1
    assert told.index("It reads differently.") < told.index("in other words: “")
    assert sure.quotes[0].quote in " ".join(told.split())
