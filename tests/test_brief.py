"""`pincite brief`: a document in its own sentences."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from end_to_end.running import call_cli
from fastapi.testclient import TestClient

from pincite import Library, UsageError
from pincite.interfaces.http.app import create_app
from pincite.interfaces.http.served import Served
from pincite.report.brief import Brief, brief, readable
from pincite.settings.groups import ServerSettings

RULES = """# Pool rules

Welcome to the pool of our community. It was built by many of us. Children under 8 must be accompanied
by an adult.

## Opening hours

The pool is open from 9 to 20 h in July and August. However, it may close in bad weather. The team looks
forward to your visit.

## Safety

- The pool has two basins and a slide
- **Do not run** beside the basins
- You will find this out:

## Prices

| Ticket | Price |
|---|---|
| Adult | 8 euros |

A day ticket costs 8 euros for adults and 4 euros for children. Tickets are sold at the entrance.
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library of one document."""
    place = tmp_path_factory.mktemp("brief")
    (place / "pool.md").write_text(RULES)
    with Library.open(place / "lib") as library:
        library.ingest([place / "pool.md"])
    return place


def told(found: Brief) -> dict[str, list[str]]:
    return {
        one.heading.rpartition(" > ")[2]: [readable(sentence) for sentence in one.sentences]
        for one in found.sections
    }


def test_every_section_has_its_figure_duty_or_prohibition(folder: Path) -> None:
    with Library.open(folder / "lib") as library:
        found = brief(library, "pool.md")
    assert told(found) == {
        "Pool rules": ["Children under 8 must be accompanied by an adult."],
        "Opening hours": ["The pool is open from 9 to 20 h in July and August."],
        "Safety": ["Do not run beside the basins"],
        "Prices": ["A day ticket costs 8 euros for adults and 4 euros for children."],
    }
    for section in found.sections:
        for quote in section.sentences:
            assert RULES[quote.start : quote.end] == quote.quote
    words = sum(len(quote.quote.split()) for one in found.sections for quote in one.sentences)
    assert found.share == pytest.approx(words / len(RULES.split()), abs=0.05)


def test_contents_and_rights_are_no_sentences_of_a_document(tmp_path: Path) -> None:
    (tmp_path / "guide.md").write_text(
        "# Guide\n\n- 1.1 How to start the pump\n- 1.2 How to stop the pump again\n\n"
        "## 1.1 How to start the pump\n\nPress the green button for two seconds.\n\n"
        "## 1.2 How to stop the pump again\n\nPress the red button and wait for it.\n\n"
        "© 2005-2019 Pumps Incorporated, All Rights Reserved.\n"
    )
    with Library.open(tmp_path / "lib") as library:
        library.ingest([tmp_path / "guide.md"])
        found = brief(library, "guide.md", share=1.0)
    quotes = [one.quote for section in found.sections for one in section.sentences]
    assert quotes == [
        "Press the green button for two seconds.",
        "Press the red button and wait for it.",
    ]


def test_more_is_shown_in_the_documents_order(folder: Path) -> None:
    with Library.open(folder / "lib") as library:
        few, many = (brief(library, "pool.md", share=share) for share in (0.6, 1.0))
    assert few.statements == many.statements == 10
    for found, count in ((few, 6), (many, 10)):
        starts = [quote.start for one in found.sections for quote in one.sentences]
        assert len(starts) == count
        assert starts == sorted(starts)
    assert "However, it may close in bad weather." not in told(few)["Opening hours"]


def test_a_part_can_be_chosen_and_what_is_not_there_is_told(folder: Path) -> None:
    with Library.open(folder / "lib") as library:
        assert [*told(brief(library, "pool.md", section="safety"))] == ["Safety"]
        with pytest.raises(UsageError, match="no section with 'sauna'"):
            brief(library, "pool.md", section="sauna")
        with pytest.raises(UsageError, match="no document matches"):
            brief(library, "other.md")


def test_a_changed_file_is_not_quoted(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# A\n\nThe gate opens at 9 in the morning.\n")
    with Library.open(tmp_path / "lib") as library:
        library.ingest([tmp_path / "a.md"])
        (tmp_path / "a.md").write_text("# A\n\nThe gate opens at 8 in the morning.\n")
        found = brief(library, "a.md")
    assert found.sections == ()
    assert any("a.md" in notice for notice in found.notices)


def test_the_command_and_the_server_say_the_same(folder: Path, tmp_path: Path) -> None:
    done = call_cli("brief", "pool.md", "-l", folder / "lib", "-o", tmp_path / "pool.html")
    assert done.returncode == 0, done.stderr
    assert "• Do not run beside the basins" in done.stdout
    assert "4 of 10 statements" in done.stdout
    assert "Do not run beside the basins" in (tmp_path / "pool.html").read_text(encoding="utf-8")
    form = json.loads(call_cli("brief", "pool.md", "-l", folder / "lib", "--json").stdout)
    app = create_app(Served(Library.open(folder / "lib", create=False)), ServerSettings())
    with TestClient(app, base_url="http://localhost") as client:
        served = client.post("/v1/brief", json={"document": "pool.md"}).json()
        assert served["sections"] == form["sections"]
        assert [one["source"] for one in served["citations"]] == ["pool.md"] * 4
        assert client.post("/v1/brief", json={"document": "none.md"}).status_code == 404
