"""How a question is given: as words, with a dash in front, on standard input, many in a file."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from end_to_end.running import lexical_cli, refused

from pincite.verify.abstention.decision import threshold

QUESTION = "When is the pump checked?"


@pytest.fixture
def filled(folder: Path, library: Path) -> Path:
    assert lexical_cli("ingest", folder, "--library", library).returncode == 0
    return library


def given(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode()), encoding="utf-8"))


def asked(*args: str | Path) -> str:
    return str(json.loads(lexical_cli(*args, "--json").stdout)["question"])


def test_words_without_quotation_marks_are_one_question(filled: Path) -> None:
    words = ("when", "is", "the", "-l", filled, "pump", "checked")
    assert asked("ask", *words) == "when is the pump checked"
    assert asked("search", *words) == "when is the pump checked"


@pytest.mark.parametrize(
    "words",
    [
        ["-40 degrees: is the pump checked?"],
        ["--dry-run or not: is the pump checked?"],
        ["-d means what, when the pump is checked?"],
        ["is", "the", "pump", "checked", "at", "-40", "degrees"],
    ],
)
def test_a_question_may_begin_with_a_dash(words: list[str], filled: Path) -> None:
    assert asked("ask", *words, "-l", filled) == " ".join(words)


def test_an_option_keeps_a_value_that_begins_with_a_dash(filled: Path) -> None:
    done = lexical_cli("ask", QUESTION, "-l", filled, "--section", "- of the pump")
    refused(done, 2, "- of the pump")


def test_a_mistyped_option_is_no_part_of_the_question(filled: Path) -> None:
    refused(lexical_cli("ask", QUESTION, "-l", filled, "--colection", "x"), 2, "--colection")


def test_a_stance_asks_for_its_confidence_whatever_the_profile(filled: Path) -> None:
    asking = ("ask", "Who painted the pump?", "-l", filled, "--profile", "evidence")
    needed = []
    for stance in ("strict", "balanced"):
        done = lexical_cli(*asking, "--stance", stance)
        assert done.returncode == 3
        needed.append(threshold(stance, "term_coverage"))
        assert f"{needed[-1]:.2f} needed" in done.stdout + done.stderr
    assert needed[0] > needed[1]


def test_an_unknown_stance_is_refused_with_those_there_are(filled: Path) -> None:
    done = lexical_cli("ask", QUESTION, "-l", filled, "--stance", "bold")
    refused(done, 2, "strict", "balanced", "eager")


def test_a_pipe_gives_one_question(filled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given(f"\ufeff{QUESTION}\n", monkeypatch)
    assert asked("ask", "-l", filled) == QUESTION


def test_at_a_terminal_a_missing_question_is_explained(
    filled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given("", monkeypatch)
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    refused(lexical_cli("ask", "-l", filled), 2, "pincite ask how long", "pincite chat")


def test_an_empty_pipe_is_an_empty_question(filled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given("\n", monkeypatch)
    refused(lexical_cli("ask", "-l", filled), 2, "the question is empty")


def test_an_unknown_model_is_an_error_that_lists_those_there_are(filled: Path) -> None:
    done = lexical_cli("ask", QUESTION, "-l", filled, "--model", "gpt-nonsense")
    refused(done, 2, "gpt-nonsense", "smollm2", "ollama:NAME", "GGUF")
    refused(lexical_cli("ask", QUESTION, "-l", filled, "--model", "/no/model.gguf"), 2, "no such")


def test_what_is_saved_is_told_with_its_place(filled: Path, tmp_path: Path) -> None:
    done = lexical_cli("ask", QUESTION, "-l", filled, "--save", "kept.html", cwd=tmp_path)
    assert "saved to kept.html" in done.stdout
    as_json = lexical_cli("ask", QUESTION, "-l", filled, "--save", tmp_path / "b.json", "--json")
    assert json.loads(as_json.stdout)["status"]


def test_history_alone_lists_what_was_kept(filled: Path) -> None:
    lexical_cli("ask", QUESTION, "-l", filled, "--keep")
    alone = lexical_cli("history", "-l", filled)
    assert QUESTION in alone.stdout
    assert alone.stdout == lexical_cli("history", "list", "-l", filled).stdout


# --- Many in a file ---------------------------------------------------------------------------


def batch(filled: Path, questions: Path) -> list[tuple[object, str]]:
    output = questions.with_suffix(".answers")
    done = lexical_cli("batch", questions, "-l", filled, "-o", output)
    assert done.returncode == 0, done.stderr
    forms = [json.loads(line) for line in output.read_text().splitlines()]
    return [(form["id"], form["question"]) for form in forms]


def test_a_batch_of_plain_lines_is_numbered(filled: Path, tmp_path: Path) -> None:
    questions = tmp_path / "questions.txt"
    questions.write_text(f"{QUESTION}\n\n  What is oiled?  \n")
    assert batch(filled, questions) == [(1, QUESTION), (3, "What is oiled?")]


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_a_batch_of_csv_has_its_own_ids_or_numbers(
    delimiter: str, filled: Path, tmp_path: Path
) -> None:
    questions = tmp_path / "questions.csv"
    questions.write_text(
        f'No{delimiter}ID{delimiter}Question\n1{delimiter}a{delimiter}"{QUESTION}"\n'
    )
    assert batch(filled, questions) == [("a", QUESTION)]
    questions.write_text(f"Question{delimiter}who\n{QUESTION}{delimiter}me\n{delimiter}\n")
    assert batch(filled, questions) == [(1, QUESTION)]


def test_a_csv_file_without_questions_tells_its_columns(filled: Path, tmp_path: Path) -> None:
    questions = tmp_path / "questions.csv"
    questions.write_text("id,text\n1,x\n")
    done = lexical_cli("batch", questions, "-l", filled, "-o", tmp_path / "out.jsonl")
    refused(done, 2, "column 'question'", "found id, text")


# --- Files that are named by a pattern ----------------------------------------------------------


def test_remove_takes_patterns(filled: Path, folder: Path) -> None:
    held = sorted(path.name for path in folder.rglob("*.txt"))
    done = lexical_cli("remove", "*.txt", "-l", filled, "--json")
    assert sorted(Path(path).name for path in json.loads(done.stdout)["removed"]) == held
    nothing = lexical_cli("remove", "*.none", "-l", filled)
    assert (nothing.returncode, "nothing to remove" in nothing.stderr) == (1, True)


def test_a_pattern_with_a_folder_matches_there_alone(filled: Path, folder: Path) -> None:
    assert lexical_cli("remove", "elsewhere/*", "-l", filled, cwd=folder.parent).returncode == 1
    done = lexical_cli("remove", f"{folder.name}/*", "-l", filled, "--json", cwd=folder.parent)
    assert len(json.loads(done.stdout)["removed"]) == len(list(folder.iterdir()))
