"""`pincite calibrate` over a library of its own: what is found, kept, said, and no longer used."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from pincite import Library
from pincite.interfaces.cli.app import app

NAMES = [f"{first}{last}" for first in ("alpha", "bravo", "delta") for last in ("po", "ri", "su")]
PARTS = [f"{name}{number}" for name in NAMES for number in range(14)]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A library that is searched by words, and a labelled set about its documents."""
    home = tmp_path_factory.mktemp("calibrate")
    (home / "files").mkdir()
    texts = {part: f"The valve {part} opens at {n} bar." for n, part in enumerate(PARTS)}
    for part, text in texts.items():
        (home / "files" / f"{part}.txt").write_text(text)
    library = home / "library"
    library.mkdir()
    (library / "settings.toml").write_text('[embedding]\nmodel = "none"\n')
    with Library.open(library) as opened:
        opened.ingest([home / "files"])
    folder = home / "set"
    folder.mkdir()
    corpus = [{"id": part, "title": part, "text": text} for part, text in texts.items()]
    asked = [
        {"id": part, "text": f"At how many bar does the valve {part} open?", "answerable": True}
        for part in PARTS
    ]
    asked += [
        {
            "id": f"no{n}",
            "text": f"Who painted the valve zeta{n} in green?",
            "answerable": False,
        }
        for n in range(60)
    ]
    for name, rows in (("corpus", corpus), ("queries", asked)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    judged = "".join(f"{part}\t{part}\t1\n" for part in PARTS)
    (folder / "qrels.tsv").write_text("query_id\tdoc_id\tgrade\n" + judged)
    return library, folder


def called(*arguments: str | Path, code: int | None = 0) -> Any:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert code is None or result.exit_code == code, result.output
    return result


def test_a_library_is_calibrated_and_its_answers_say_so(made: tuple[Path, Path]) -> None:
    library, folder = made
    question = f"At how many bar does the valve {PARTS[5]} open?"
    before = json.loads(called("ask", question, "-l", library, "--json", code=None).stdout)
    assert before["calibration"] == "uncalibrated"

    form = json.loads(called("calibrate", folder, "-l", library, "--json").stdout)
    assert form["right"] == len(PARTS)
    assert form["wrong"] / form["answered"] < 0.1
    assert form["told"].startswith("at most 10% wrong among answered (90% sure), from ")

    after = json.loads(called("ask", question, "-l", library, "--json").stdout)
    assert (after["status"], after["calibration"]) == ("answered", form["told"])
    assert after["settings_digest"] != before["settings_digest"]
    shown = called("ask", question, "-l", library).stdout
    assert f"confidence {after['confidence']:.2f} ({form['told']})" in shown
    refused = json.loads(
        called("ask", "Who painted the valve?", "-l", library, "--json", code=3).stdout
    )
    assert refused["calibration"] == form["told"]


def test_a_calibration_is_not_used_under_other_settings(made: tuple[Path, Path]) -> None:
    library, folder = made
    called("calibrate", folder, "-l", library)
    with Library.open(library, overrides={"evidence": {"max_sentences": 2}}) as other:
        answer = other.ask(f"At how many bar does the valve {PARTS[3]} open?")
    assert answer.calibration == "uncalibrated"
    assert any("calibration was made for other settings" in reason for reason in answer.reasons)
    with Library.open(library, overrides={"verification": {"abstain_below": 0.99}}) as same:
        answer = same.ask(f"At how many bar does the valve {PARTS[3]} open?")
    assert answer.calibration.startswith("at most 10% wrong")


def test_few_questions_and_foreign_sets_are_refused(
    made: tuple[Path, Path], tmp_path: Path
) -> None:
    library, folder = made
    few = tmp_path / "few"
    few.mkdir()
    for name in ("corpus.jsonl", "qrels.tsv"):
        (few / name).write_text((folder / name).read_text())
    lines = (folder / "queries.jsonl").read_text().splitlines(keepends=True)
    (few / "queries.jsonl").write_text("".join(lines[:50]))
    told = called("calibrate", few, "-l", library, code=1).exception
    assert "at least 100 are needed" in str(told)
    (few / "corpus.jsonl").write_text('{"id": "x", "title": "x", "text": "Another text."}\n')
    (few / "qrels.tsv").write_text("query_id\tdoc_id\tgrade\n" + f"{PARTS[0]}\tx\t1\n")
    told = called("calibrate", few, "-l", library, code=1).exception
    assert "none of its 1 documents is in" in str(told)
