"""Are the files of questions what the format says, and is the held half kept apart?"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evaluation.__main__ import main
from evaluation.check import repeated_ids
from evaluation.errors import EvaluationError
from evaluation.questions import FOLDER, HALVES, half_of_document, questions_of
from evaluation.sources import COLLECTIONS

FORM = {
    "id": "handbook-o-001",
    "kind": "fact",
    "question": "how many sick days?",
    "expect": "answer",
    "gold": [{"any": [{"file": "a.md", "quote": "13"}, {"file": "b.md", "quote": "13"}]}],
    "must_show": ["13", ["days", "day"]],
    "must_not_show": [],
    "ideal": "13 days",
}


def written(folder: Path, *forms: object) -> Path:
    (folder / "open").mkdir()
    lines = "\n".join(json.dumps(form) for form in forms)
    (folder / "open" / "handbook.jsonl").write_text(lines, encoding="utf-8")
    return folder


def test_a_question_is_read_with_its_alternatives(tmp_path: Path) -> None:
    (asked,) = questions_of("open", "handbook", written(tmp_path, FORM))
    assert [one.file for one in asked.gold[0]] == ["a.md", "b.md"]
    assert asked.must_show == (("13",), ("days", "day"))


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"kind": "riddle"}, "valid are fact"),
        ({"expect": "guess"}, "valid are answer"),
        ({"extra": 1}, "unknown"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, change: dict[str, object], told: str) -> None:
    with pytest.raises(EvaluationError, match=rf"handbook.jsonl:1.*{told}"):
        questions_of("open", "handbook", written(tmp_path, {**FORM, **change}))


def test_every_file_of_questions_can_be_read_and_ids_are_unique() -> None:
    found = [asked for half in HALVES for name in COLLECTIONS for asked in questions_of(half, name)]
    assert not list(repeated_ids(found))
    named = {path.stem for half in HALVES for path in (FOLDER / half).glob("*.jsonl")}
    assert named <= set(COLLECTIONS)


def test_a_text_in_several_formats_has_the_half_of_its_page(tmp_path: Path) -> None:
    (tmp_path / "gitfaq.html").touch()
    assert half_of_document("gitfaq.txt", tmp_path) == half_of_document("gitfaq.html", tmp_path)


def run_with(folder: Path, *results: dict[str, object]) -> Path:
    path = folder / "run.json"
    path.write_text(json.dumps({"about": {}, "results": list(results)}), encoding="utf-8")
    return path


def test_held_questions_are_not_shown_unless_asked_twice(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    form = {
        "id": "handbook-h-001",
        "kind": "fact",
        "is_right": False,
        "misses": ["x"],
        "history": [],
        "question": "secret?",
        "read_as": "",
        "ideal": "secret",
        "shown": "secret",
    }
    path = run_with(tmp_path, form)
    for options in ([], ["--half", "held"], ["--yes-look"]):
        assert main(["show", str(path), *options]) == 0
        assert "secret" not in capsys.readouterr().out
    assert main(["show", str(path), "--half", "held", "--yes-look"]) == 0
    assert "secret" in capsys.readouterr().out


def test_a_file_that_is_no_run_is_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "x.json"
    path.write_text("[]", encoding="utf-8")
    assert main(["show", str(path)]) == 2
    assert "run --output" in capsys.readouterr().err
