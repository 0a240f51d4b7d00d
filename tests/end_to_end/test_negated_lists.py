"""What every way of asking shows of an item of a list whose first line negates it."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from end_to_end.running import run_cli

ITEM, LINE = "damage by pets", "We do not pay for:"


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("negated")
    (home / "cover.md").write_text(f"# Cover\n\n{LINE}\n\n- theft\n- {ITEM}\n- drones\n")
    path = home / "library"
    made = run_cli("ingest", home / "cover.md", "--library", path, PINCITE_EMBEDDING__MODEL="none")
    assert made.returncode == 0, made.stderr
    return path


def test_no_command_shows_the_item_without_that_line(library: Path, tmp_path: Path) -> None:
    questions, answers = tmp_path / "questions.jsonl", tmp_path / "answers.jsonl"
    questions.write_text(json.dumps({"id": 1, "question": "Do you pay for pets?"}))
    page, rows = tmp_path / "answer.html", tmp_path / "rows.csv"
    asked = ("ask", "Do you pay for pets?")
    for command, output in (
        ((*asked,), None),
        ((*asked, "--json"), None),
        ((*asked, "--save", page), page),
        (("batch", questions, "--output", answers), answers),
        (("count", "pets"), None),
        (("count", "pets", "--json"), None),
        (("count", "pets", "--csv", rows), rows),
    ):
        done = run_cli(*command, "--library", library, PINCITE_EMBEDDING__MODEL="none")
        shown = output.read_text(encoding="utf-8") if output else done.stdout
        assert done.returncode == 0, done.stderr
        assert ITEM in shown, command
        assert LINE in shown, command
        if not output:
            assert command[0] == "count" or shown.index(LINE) < shown.index(ITEM), command
    with rows.open(encoding="utf-8", newline="") as file:
        assert [row["below"] for row in csv.DictReader(file)] == [LINE]
