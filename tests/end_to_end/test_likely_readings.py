"""Questions that no exact reading of a table has: answered with how likely the reading is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pincite import Library
from pincite.ingest.readers import FileReader
from pincite.records.flow import Status
from pincite.settings.loading import Settings
from pincite.text.tables.learned.choosing import LEAST_PROBABILITY, UNDOUBTED
from pincite.verify.receipts.receipt import answer_form, check_receipt
from tests.text.test_learned_tables import SEASON

NOTES = """# The club

Tickets cost 12 euros at the gate. The ground holds 2,000 people. Training is on Tuesday at 18:30.
"""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("club")
    (folder / "season.csv").write_text(SEASON)
    (folder / "notes.md").write_text(NOTES)
    return folder


@pytest.fixture(scope="module")
def club(files: Path) -> Iterator[Library]:
    with Library.open(files / "library") as library:
        library.ingest([files / "season.csv", files / "notes.md"])
        yield library


def test_a_likely_reading_is_answered_and_says_how_it_was_read(club: Library) -> None:
    answer = club.ask("Which opponent came next after Northgate?")
    assert answer.short_answer == "Harbour Town"
    assert [one.quote[:11] for one in answer.citations] == ["25 May 2024"]
    assert UNDOUBTED <= answer.confidence < 0.99
    assert not answer.is_doubtful
    assert any("the row behind it" in reason for reason in answer.reasons)


def test_a_number_of_rows_is_computed_from_cited_cells(club: Library) -> None:
    answer = club.ask("How many times did they play against Mill Lane?")
    assert answer.short_answer == "2"
    assert len(answer.citations) == 2
    receipt = answer_form(answer)
    assert receipt["derivation"]["value"] == "2"
    assert not check_receipt(receipt, FileReader()).problems


def test_a_less_likely_one_is_shown_as_not_sure_and_refused_by_the_strict(club: Library) -> None:
    question = "Who did they play after Northgate?"
    answer = club.ask(question)
    assert LEAST_PROBABILITY <= answer.confidence < UNDOUBTED
    assert answer.is_doubtful
    settings = club.settings.model_dump()
    settings["verification"].update(stance="strict")
    assert club.ask(question, settings=Settings(**settings)).status is Status.ABSTAINED


@pytest.mark.parametrize(
    ("question", "quoted"),
    [
        ("How much does a ticket cost?", "12 euros"),
        ("How many people does the ground hold?", "2,000 people"),
        ("When is training?", "18:30"),
    ],
)
def test_prose_that_answers_is_not_displaced(club: Library, question: str, quoted: str) -> None:
    answer = club.ask(question)
    assert quoted in answer.citations[0].quote


def test_other_languages_are_left_to_exact_readings(club: Library) -> None:
    answer = club.ask("Welcher Gegner kam als Nächstes nach Northgate?")
    assert not any("the row behind it" in reason for reason in answer.reasons)
