"""`pincite calibrate --from-feedback` and `pincite tune`: what users said of answers is used."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from pincite import Library
from pincite.evaluate.feedback import Told, told
from pincite.interfaces.cli.app import app
from pincite.records.document import Span
from pincite.records.flow import Answer
from pincite.settings.toml_files import with_value
from pincite.store.catalog.feedback import Judgement
from pincite.verify.receipts.permalinks import Permalink

PARTS = [f"{name}{number}" for name in ("alphapo", "bravori", "deltasu") for number in range(36)]
NAMES = [
    pair.split()
    for pair in (
        "car automobile|doctor physician|lawyer attorney|ship vessel|shop store|bike bicycle|"
        "film movie|sofa couch|plane aircraft|truck lorry|phone telephone|photo picture|infant baby|"
        "teacher instructor|road street|forest woods|stone rock|rabbit bunny|taxi cab|"
        "sweater pullover|trousers pants|suitcase luggage|petrol gasoline|lift elevator|"
        "flat apartment|garbage trash|soccer football|garden yard|barn stable|gift present|"
        "wage salary|illness disease"
    ).split("|")
]
SETTINGS = '[embedding]\nmodel = "none"\n'


def called(*arguments: str | Path, code: int | None = 0) -> Any:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert code is None or result.exit_code == code, result.output
    return result


def opened(home: Path, settings: str) -> Library:
    (home / "files").mkdir()
    for number, part in enumerate(PARTS):
        (home / "files" / f"{part}.txt").write_text(f"The valve {part} opens at {number} bar.")
    (home / "library").mkdir()
    (home / "library" / "settings.toml").write_text(settings)
    library = Library.open(home / "library")
    library.ingest([home / "files"])
    return library


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with opened(tmp_path, SETTINGS) as library:
        yield library


def asked(part: str) -> str:
    return f"At how many bar does the valve {part} open?"


def said(
    library: Library, question: str, answer: Answer, *, helpful: bool, correction: str = ""
) -> None:
    links = [Permalink.of(citation).id for citation in answer.citations]
    kept = {"status": str(answer.status), "confidence": answer.confidence, "citations": links}
    library.catalog.feedback.keep(
        Judgement(
            question=question,
            helpful=helpful,
            collection="default",
            correction=correction,
            answer=kept,
        )
    )


def test_confidence_is_fitted_to_what_users_said(library: Library) -> None:
    for part in PARTS:
        said(library, asked(part), library.ask(asked(part)), helpful=True)
    for number in range(20):
        question = f"Who painted the valve alphapo{number} in green?"
        said(library, question, library.ask(question), helpful=False)
    path = library.path
    library.close()
    form = json.loads(called("calibrate", "--from-feedback", "-l", path, "--json").stdout)
    assert form["questions"] >= len(PARTS)
    assert form["right"] == len(PARTS)
    after = json.loads(called("ask", asked(PARTS[5]), "-l", path, "--json").stdout)
    assert after["calibration"] == form["told"]


@pytest.mark.parametrize("arguments", [[], ["set", "--from-feedback"]])
def test_questions_come_from_a_folder_or_from_feedback(
    library: Library, arguments: list[str]
) -> None:
    failed = called("calibrate", *arguments, "-l", library.path, code=1)
    assert "either a folder" in str(failed.exception)


def test_without_feedback_it_says_where_it_is_given(library: Library) -> None:
    for command in (["calibrate", "--from-feedback"], ["tune"]):
        failed = called(*command, "-l", library.path, code=1)
        assert "nobody has given feedback" in str(failed.exception)


def test_what_users_said_is_put_together_by_question(library: Library) -> None:
    answer = library.ask(asked(PARTS[0]))
    said(library, asked(PARTS[0]), answer, helpful=True)
    said(library, f"{asked(PARTS[0])} ", answer, helpful=False, correction="at 0 bar")
    (one,) = told(library)
    first = answer.citations[0]
    place = Span(document_id=first.document, start=first.start, end=first.end)
    assert one == Told(
        question=asked(PARTS[0]),
        collection="default",
        right=(place,),
        wrong=(place,),
        corrections=("at 0 bar",),
    )
    assert one.verdict([first]) is True
    assert Told(question="?", collection=None, wrong=(place,)).verdict([first]) is False
    assert Told(question="?", collection=None).verdict([first]) is None
    assert Told(question="?", collection=None, is_absent=True).verdict([first]) is False


def test_weights_that_find_more_are_written_and_used(tmp_path: Path) -> None:
    # Each question has another word for its thing, which a search by words alone does not find.
    settings = "[retrieval]\nalpha = 1.0\n\n[rerank]\nweight = 0.0\ncandidates = 50\n"
    (tmp_path / "files").mkdir()
    (tmp_path / "library").mkdir()
    (tmp_path / "library" / "settings.toml").write_text(settings)
    for number, (name, _) in enumerate(NAMES):
        text = f"Notes on {name}: we saw a {name} last week, and it was number {number}."
        (tmp_path / "files" / f"{number}.txt").write_text(text)
    with Library.open(tmp_path / "library") as library:
        library.ingest([tmp_path / "files"])
        for number, (name, other) in enumerate(NAMES):
            question = f"Which number did the {other} have?"
            right = f"a {name} last week, and it was number {number}"
            said(library, question, library.ask(question), helpful=False, correction=right)
        path = library.path
    dry = json.loads(called("tune", "-l", path, "--dry-run", "--json").stdout)
    assert (dry["helps"], dry["written"], dry["questions"]) == (True, False, len(NAMES))
    assert dry["held_out"] > dry["before"] + dry["least_gain"] > dry["before"]
    assert (path / "settings.toml").read_text() == settings
    called("tune", "-l", path)
    with Library.open(path) as tuned:
        assert tuned.settings.retrieval.alpha == dry["best"]["alpha"] < 1
        assert tuned.settings.rerank.weight == dry["best"]["rerank"] > 0
        assert tuned.settings.rerank.candidates == 50
        first = tuned.search("Which number did the automobile have?").hits[0].passage
        assert "a car last week" in tuned.catalog.text_of(first.span)


def test_without_a_certain_gain_nothing_is_written(library: Library) -> None:
    for part in PARTS[:30]:
        said(library, asked(part), library.ask(asked(part)), helpful=True)
    path = library.path
    library.close()
    shown = called("tune", "-l", path).stdout
    assert "no gain is certain" in shown
    assert (path / "settings.toml").read_text() == SETTINGS


def test_few_answers_are_not_enough(library: Library) -> None:
    said(library, asked(PARTS[0]), library.ask(asked(PARTS[0])), helpful=True)
    failed = called("tune", "-l", library.path, code=1)
    assert "at least 30 are needed" in str(failed.exception)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "[rerank]\nweight = 0.5\n"),
        (
            "[rerank]\nweight = 0.8 # old\ncandidates = 5\n",
            "[rerank]\nweight = 0.5\ncandidates = 5\n",
        ),
        (
            "[rerank]\ncandidates = 5\n\n[other]\nweight = 1\n",
            "[rerank]\nweight = 0.5\ncandidates = 5\n\n[other]\nweight = 1\n",
        ),
    ],
)
def test_a_value_is_put_in_the_place_of_an_older_one(before: str, after: str) -> None:
    assert with_value(before, "rerank", "weight", 0.5) == after
