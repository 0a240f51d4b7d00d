"""The words that answer by themselves, and the doubt that is shown where the reader has it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pincite import Answer, Library
from pincite.records.flow import DOUBT
from pincite.verify.receipts.receipt import answer_form
from pincite.verify.receipts.rechecking import statement_problems

MANUAL = """# Pump P-300 maintenance

The pump was built by Hallberg Works in 1987 and stands in hall 4. It was designed by the engineer
Marta Lindqvist.

## Oil

Change the oil every 2,000 hours. Use ISO VG 46 oil.
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    folder: Path = tmp_path_factory.mktemp("short")
    (folder / "manual.md").write_text(MANUAL, encoding="utf-8")
    library = Library.open(folder / "library")
    library.ingest(folder / "manual.md")
    return library


@pytest.fixture(scope="module")
def answer(library: Library) -> Answer:
    return library.ask("Who designed the pump?")


def test_it_is_part_of_the_first_quote(answer: Answer) -> None:
    claim = answer.shown[0]
    assert claim.short_answer is not None
    start, end = claim.short_answer
    assert answer.short_answer == claim.text[start:end] == "Marta Lindqvist"
    first = answer.citations[claim.citations[0] - 1]
    assert MANUAL[first.start + start : first.start + end] == "Marta Lindqvist"


def test_the_words_of_an_older_version_are_no_short_answer(tmp_path: Path) -> None:
    text = "# House rules\n\nBins are emptied on {}. {} keeps the keys of the cellar.\n"
    (tmp_path / "house-rules-2021.md").write_text(text.format("Tuesdays", "Mrs. Olsen"))
    (tmp_path / "house-rules-2024.md").write_text(text.format("Thursdays", "Mr. Dahl"))
    with Library.open(tmp_path / "library") as library:
        library.ingest([*tmp_path.glob("*.md")])
        answer = library.ask("Who keeps the keys?")
    assert "Mr. Dahl" in answer.shown[0].text
    assert answer.short_answer in ("", "Mr. Dahl")


def test_it_is_in_the_json_form_and_holds_when_rechecked(answer: Answer) -> None:
    form = answer_form(answer)
    assert form["short_answer"] == "Marta Lindqvist"
    assert not list(statement_problems(form))


@pytest.mark.parametrize("changed", ["Hallberg Works", "Martin Luther", None])
def test_another_one_in_a_saved_answer_is_found(answer: Answer, changed: str | None) -> None:
    form: dict[str, Any] = answer_form(answer)
    form.pop("short_answer")
    if changed:
        form["short_answer"] = changed
    assert "its short answer is not the marked part of a statement" in statement_problems(form)


def test_nothing_is_marked_for_questions_in_several_parts(library: Library) -> None:
    answer = library.ask("Who designed the pump? How often is the oil changed?")
    assert answer.parts
    assert not answer.short_answer


def test_where_strict_would_refuse_the_answer_says_that_it_is_unsure(library: Library) -> None:
    strict = library.settings.verification.model_copy(update={"stance": "strict"})
    settings = library.settings.model_copy(update={"verification": strict})
    for question in ("Who designed the pump?", "Which oil does it take?", "What is it made of?"):
        answer = library.ask(question)
        refused = not library.ask(question, settings=settings).citations
        assert answer.is_doubtful == (refused and bool(answer.citations))


def test_doubt_is_shown_above_the_quotes(
    library: Library, capsys: pytest.CaptureFixture[str]
) -> None:
    from dataclasses import replace

    from pincite.interfaces.cli.answer import print_answer

    print_answer(replace(library.ask("Who designed the pump?"), is_doubtful=True))
    printed = capsys.readouterr().out
    assert printed.index(DOUBT) < printed.index("Marta Lindqvist")
