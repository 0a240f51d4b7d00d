"""What scripts rely on: key names, types, exit codes, and which stream says what."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from end_to_end.running import (
    ANSWER_KEYS,
    CITATION_KEYS,
    Result,
    SampleLibrary,
    call_cli,
    lexical_cli,
    refused,
    run_cli,
    without_timings,
)
from tiers import IS_FULL

from pincite.models.encoders.built_in import find_encoder_files
from pincite.records.document import READING_VERSION

TORQUE = "What torque do I need for a size -8 hose end?"
FERRY = "When does the night ferry to Stavanger leave?"
VERBS = [
    "init",
    "ingest", "search", "ask", "batch", "verify", "remove", "stats", "doctor", "demo", "config",
    "config show", "reindex", "report", "keys", "models", "models list",
    "models add", "models pull", "models verify",
]  # fmt: skip


def read(result: Result) -> Any:
    """The JSON on stdout, which must hold nothing else; nor may stderr, when all goes well."""
    assert result.stderr == ""
    return json.loads(result.stdout)


def fits_a_terminal(text: str) -> None:
    assert text.strip()
    # A path stays whole, with what stands before it and the sign behind it.
    too_long = [line for line in text.splitlines() if len(line) > 80 and "/" not in line]
    assert too_long == []
    assert "\x1b" not in text, "colours belong on terminals"


# --- Help and version -------------------------------------------------------------------------


def test_help_names_every_verb_and_the_exit_codes() -> None:
    result = run_cli("--help")
    assert result.returncode == 0
    fits_a_terminal(result.stdout)
    assert {verb.split()[0] for verb in VERBS} <= set(result.stdout.split())
    assert "3 no answer" in " ".join(result.stdout.split())


def test_every_verb_explains_itself_within_80_columns() -> None:
    for verb in VERBS:
        result = call_cli(*verb.split(), "--help")
        assert result.returncode == 0, verb
        fits_a_terminal(result.stdout)
        assert "Usage: " in result.stdout


def test_version_is_one_line() -> None:
    result = run_cli("--version")
    assert result.returncode == 0
    assert re.fullmatch(r"pincite \d+\.\d+\.\d+\n", result.stdout)


# --- ingest -----------------------------------------------------------------------------------


def test_ingest_reports_counts_and_problems(sample: SampleLibrary) -> None:
    report = sample.report
    assert list(report) == [
        "added", "updated", "unchanged", "removed", "failed", "warnings", "documents", "passages",
        "pages", "seconds", "moved", "ignored", "partial", "flagged", "stale_answers",
        "notices",
    ]  # fmt: skip
    counts = ("added", "updated", "unchanged", "removed", "documents", "passages", "pages")
    assert all(type(report[name]) is int for name in counts)
    assert report["added"] == report["documents"] == 6
    assert report["pages"] == 4
    assert report["passages"] > 50
    assert (report["updated"], report["unchanged"], report["removed"]) == (0, 0, 0)
    assert report["failed"] == report["warnings"] == []
    assert isinstance(report["seconds"], float)


def test_ingesting_again_changes_nothing(sample: SampleLibrary) -> None:
    first = run_cli("ingest", sample.documents, "--library", sample.path, "--json")
    report = read(first)
    assert (report["added"], report["unchanged"]) == (0, 6)
    human = call_cli("ingest", sample.documents, "--library", sample.path, cwd=sample.path.parent)
    assert human.returncode == 0
    assert human.stderr == ""
    fits_a_terminal(human.stdout)
    assert "6 unchanged" in human.stdout


def test_a_file_that_fails_is_reported_beside_those_that_go_in(
    sample: SampleLibrary, new_library: Path, tmp_path: Path
) -> None:
    (tmp_path / "good.txt").write_text("The pump holds 12 litres of oil.\n")
    missing = tmp_path / "missing.txt"
    paths = (tmp_path / "good.txt", missing)
    result = lexical_cli("ingest", *paths, "--library", new_library, "--json")
    assert result.returncode == 0
    report = json.loads(result.stdout)
    assert report["added"] == 1
    (failed,) = report["failed"]
    assert failed.keys() == {"path", "reason"}
    assert failed["path"] == str(missing)
    assert "no such file" in failed["reason"]


# --- search -----------------------------------------------------------------------------------


def test_ingest_says_why_there_are_no_vectors(tmp_path: Path) -> None:
    (tmp_path / "pump.txt").write_text("Pumps are checked every month.")
    call = ("ingest", tmp_path / "pump.txt", "--library", tmp_path / "library")
    missing = {"PINCITE_EMBEDDING__MODEL": "/models/nowhere"}
    result = call_cli(*call, **missing)
    assert result.returncode == 0
    assert "note: lexical search only: /models/nowhere does not exist" in result.stderr
    (notice,) = json.loads(call_cli(*call, "--json", **missing).stdout)["notices"]
    assert notice.startswith("lexical search only: /models/nowhere")
    chosen = json.loads(call_cli(*call, "--json", PINCITE_EMBEDDING__MODEL="none").stdout)
    assert chosen["notices"] == []


def test_search_gives_ranked_passages(sample: SampleLibrary) -> None:
    result = run_cli("search", TORQUE, "--library", sample.path, "--limit", "3", "--json")
    assert result.returncode == 0
    found = read(result)
    assert found.keys() == {"question", "hits", "timings"}
    assert found["question"] == TORQUE
    assert [hit["rank"] for hit in found["hits"]] == [1, 2, 3]
    scores = [hit["score"] for hit in found["hits"]]
    assert scores == sorted(scores, reverse=True)
    for hit in found["hits"]:
        assert hit.keys() == {
            "rank", "score", "document", "source", "page", "section", "passage_id", "start", "end",
            "text",
        }  # fmt: skip
        assert hit["end"] - hit["start"] == len(hit["text"])
        assert Path(hit["source"]).is_file()
    assert found["hits"][0]["page"] == 2
    assert "4.2 Torque values" in found["hits"][0]["section"]
    assert all(isinstance(value, float) for value in found["timings"].values())


def test_search_for_people_fits_a_terminal(sample: SampleLibrary) -> None:
    near = sample.path.parent
    result = call_cli("search", TORQUE, "--library", sample.path, "--explain", cwd=near)
    assert result.returncode == 0
    assert result.stderr == ""
    fits_a_terminal(result.stdout)
    assert "documents/gse-204-hydraulic-test-stand.pdf" in result.stdout
    said = " ".join(result.stdout.split())
    assert "stage ms in kept dropped" in said
    assert "gse-204-hydraulic-test-stand.pdf, page 2, 4.2 Torque values" in said
    assert "... and 83 more" in said


def test_search_explains_itself_to_programs(sample: SampleLibrary) -> None:
    result = lexical_cli("search", TORQUE, "-l", sample.path, "--explain", "--json")
    found = json.loads(result.stdout)
    assert found.keys() == {"question", "hits", "timings", "trace", "notices"}
    assert found["trace"].keys() == {"format", "question", "stages", "passages"}
    stages = [stage["name"] for stage in found["trace"]["stages"]]
    assert stages == ["understand", "retrieve", "rerank"]
    assert found["notices"] == ["lexical search only: embedding.model is 'none'"]
    assert found["notices"][0] in result.stderr


# --- ask --------------------------------------------------------------------------------------


WITH_QUOTES = ANSWER_KEYS | {"readings"}
REFUSED = ANSWER_KEYS | {"why"}
TOLD_OF_SOME = {"page_label", "place", "cells", "recognition"}


@pytest.fixture(scope="module")
def torque(sample: SampleLibrary, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The answer to one question, and where it was saved."""
    saved = tmp_path_factory.mktemp("saved") / "answer.json"
    result = run_cli("ask", TORQUE, "--library", sample.path, "--json", "--save", saved)
    assert result.returncode == 0
    return {"answer": read(result), "saved": saved}


def test_an_answer_has_exactly_the_documented_fields(torque: dict[str, Any]) -> None:
    answer = torque["answer"]
    assert answer.keys() == WITH_QUOTES
    assert answer["readings"] == {answer["citations"][0]["document"]: READING_VERSION}
    assert answer["status"] == "answered"
    assert answer["question"] == TORQUE
    assert answer["text"] == "\n".join(item["cited_text"] for item in answer["citations"])
    assert 0 < answer["confidence"] <= 1
    assert answer["reasons"] == []
    assert re.fullmatch("[0-9a-f]{32}", answer["corpus_version"])
    assert re.fullmatch("[0-9a-f]{16}", answer["settings_digest"])
    assert all(isinstance(value, float) for value in answer["timings"].values())
    for citation in answer["citations"]:
        assert citation.keys() - TOLD_OF_SOME == CITATION_KEYS
        assert re.fullmatch("[0-9a-f]{64}", citation["sha256"])
        length = citation["end_char_index"] - citation["start_char_index"]
        assert length == len(citation["cited_text"]) > 0
        for page, x0, y0, x1, y1 in citation["boxes"]:
            assert page == citation["page"]
            assert 0 <= x0 < x1
            assert 0 <= y0 < y1


def test_a_pdf_citation_has_a_page_and_boxes_and_no_bytes(torque: dict[str, Any]) -> None:
    citation = torque["answer"]["citations"][0]
    assert citation["page"] == 2
    assert citation["boxes"]
    assert citation["start_byte"] is citation["end_byte"] is None


def test_what_is_saved_is_what_is_shown(torque: dict[str, Any]) -> None:
    saved = json.loads(torque["saved"].read_bytes())
    assert saved["digest"].startswith("sha256:")
    assert saved == torque["answer"]


def test_the_same_question_twice_gives_the_same_answer(
    torque: dict[str, Any], sample: SampleLibrary
) -> None:
    found = read(run_cli("ask", TORQUE, "--json", PINCITE_LIBRARY=str(sample.path)))
    assert without_timings(found) == without_timings(torque["answer"])


def test_an_answer_for_people_fits_a_terminal(sample: SampleLibrary) -> None:
    near = sample.path.parent
    result = call_cli("ask", TORQUE, "--library", sample.path, "--explain", cwd=near)
    assert result.returncode == 0
    assert result.stderr == ""
    fits_a_terminal(result.stdout)
    said = " ".join(result.stdout.split())
    assert "54 ± 4 40 ± 3 [1]" in said
    assert "documents/gse-204-hydraulic-test-stand.pdf; page 2" in said
    assert "Sentences selected" in said
    assert "Dropped by select" in said
    assert "answered, confidence" in said


@pytest.mark.parametrize("verb", ["ask", "search"])
def test_why_says_where_a_passage_was_lost(sample: SampleLibrary, verb: str) -> None:
    arguments = (verb, TORQUE, "-l", sample.path, "--why", "soil pH of 6.0 to 6.8")
    found = json.loads(lexical_cli(*arguments, "--json").stdout)
    (fate,) = found["why"]
    assert fate.keys() == {"passage_id", "context", "page", "outcome", "stage", "account"}
    assert fate["outcome"] == "dropped"
    human = lexical_cli(*arguments)
    assert human.returncode == 0
    fits_a_terminal(human.stdout)
    assert f"{fate['passage_id']}: dropped" in human.stdout
    assert "is below the threshold 0.200" in " ".join(human.stdout.split())


def test_a_refusal_exits_3_with_reasons_and_no_text(sample: SampleLibrary, tmp_path: Path) -> None:
    saved = tmp_path / "refusal.json"
    arguments = ("ask", FERRY, "--library", sample.path, "--explain")
    result = run_cli(*arguments, "--json", "--save", saved)
    assert result.returncode == 3
    answer = read(result)
    assert answer.keys() == REFUSED | {"trace"}
    assert (answer["status"], answer["text"], answer["citations"]) == ("abstained", "", [])
    assert len(answer["reasons"]) == len(answer["why"])
    cause = answer["why"][0]
    assert cause["kind"] == "unsupported"
    assert answer["reasons"][0].endswith(cause["cause"]["text"])
    nowhere = next(one for one in answer["why"] if one["kind"] == "nowhere")
    assert "Stavanger" in nowhere["words"]
    assert json.loads(saved.read_bytes()).keys() == REFUSED
    human = call_cli(*arguments, cwd=sample.path.parent)
    assert human.returncode == 3
    fits_a_terminal(human.stdout)
    assert human.stdout.startswith("No answer in these documents.")
    # A refusal claims nothing, so there is nothing in it that could be wrong.
    assert call_cli("verify", saved).returncode == 0


def test_the_library_is_dot_pincite_here_unless_named(
    sample: SampleLibrary, tmp_path: Path
) -> None:
    (tmp_path / ".pincite").symlink_to(sample.path)
    assert read(call_cli("stats", "--json", cwd=tmp_path))["documents"] == 6
    refused(call_cli("stats", cwd=tmp_path, PINCITE_LIBRARY="elsewhere"), 1, "elsewhere")


def test_the_library_may_be_named_before_the_command(sample: SampleLibrary, tmp_path: Path) -> None:
    named = ("--library", str(sample.path))
    assert read(call_cli(*named, "stats", "--json", cwd=tmp_path))["documents"] == 6
    assert call_cli(*named, "config", "show", cwd=tmp_path).returncode == 0
    # What follows the command counts; both count before the variable.
    refused(call_cli(*named, "stats", "--library", "elsewhere", cwd=tmp_path), 1, "elsewhere")
    found = read(call_cli(*named, "stats", "--json", cwd=tmp_path, PINCITE_LIBRARY="elsewhere"))
    assert found["documents"] == 6
    hint = call_cli("--library", "elsewhere", "init", cwd=tmp_path).stdout
    assert "pincite ingest FOLDER --library elsewhere" in hint


# --- batch ------------------------------------------------------------------------------------


def test_batch_answers_in_the_order_of_the_questions(sample: SampleLibrary, tmp_path: Path) -> None:
    questions = [("z", FERRY), (7, TORQUE), ("a", "Which soil pH is best for tomatoes?")]
    asked, answers = tmp_path / "questions.jsonl", tmp_path / "answers.jsonl"
    lines = [json.dumps({"id": name, "question": text}) for name, text in questions]
    asked.write_text("\n\n".join(lines) + "\n")
    arguments = ("batch", asked, "--library", sample.path, "--output", answers)
    summary = read(run_cli(*arguments, "--json"))
    assert summary == {
        "questions": 3, "answered": 2, "abstained": 1, "error": 0, "output": str(answers),
    }  # fmt: skip
    found = [json.loads(line) for line in answers.read_text().splitlines()]
    assert [(item["id"], item["question"]) for item in found] == questions
    assert [item["status"] for item in found] == ["abstained", "answered", "answered"]
    assert [item.keys() - {"id"} for item in found] == [REFUSED, WITH_QUOTES, WITH_QUOTES]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{not json", "is not JSON"),
        ('{"id": 2}', "expected"),
        ('{"question": "no id"}', "expected"),
        ('{"id": 2, "question": 5}', "expected"),
        ('["a"]', "expected"),
    ],
)
def test_a_bad_line_is_named_and_nothing_is_written(
    sample: SampleLibrary, tmp_path: Path, line: str, said: str
) -> None:
    asked = tmp_path / "questions.jsonl"
    asked.write_text('{"id": 1, "question": "good"}\n' + line + "\n")
    output = tmp_path / "answers.jsonl"
    result = call_cli("batch", asked, "--library", sample.path, "--output", output)
    refused(result, 2, "questions.jsonl, line 2", said)
    assert not output.exists()


def test_a_question_that_cannot_be_asked_is_an_error_in_its_place(
    sample: SampleLibrary, tmp_path: Path
) -> None:
    asked, output = tmp_path / "questions.jsonl", tmp_path / "answers.jsonl"
    forms = [{"id": 1, "question": " "}, {"id": 2, "question": TORQUE}]
    asked.write_text("\n".join(map(json.dumps, forms)))
    result = lexical_cli("batch", asked, "--library", sample.path, "--output", output)
    assert result.returncode == 1
    bad, good = (json.loads(line) for line in output.read_text().splitlines())
    assert (bad["id"], bad["status"]) == (1, "error")
    assert "empty" in bad["error"]
    assert good["id"] == 2
    assert good.keys() - {"why"} == WITH_QUOTES | {"id"}


def test_a_question_that_fails_leaves_the_answers_to_the_others(tmp_path: Path) -> None:
    library, asked, output = (tmp_path / name for name in ("library", "asked.jsonl", "out.jsonl"))
    (tmp_path / "pump.txt").write_text("The relief valve opens at 6.5 bar.\n")
    (tmp_path / "ferry.txt").write_text("Dogs travel free of charge.\n")
    lexical_cli("ingest", tmp_path / "pump.txt", tmp_path / "ferry.txt", "--library", library)
    with closing(sqlite3.connect(library / "catalog.sqlite3")) as catalog, catalog:
        catalog.execute("DELETE FROM documents WHERE name = 'ferry.txt'")
    # A line separator may stand in a string of JSON as it is.
    forms = [{"id": 1, "question": "dogs free"}, {"id": 2, "question": "relief\u2028valve opens?"}]
    lines = "\r\n".join(json.dumps(form, ensure_ascii=False) for form in forms)
    asked.write_bytes(lines.encode())
    result = lexical_cli("batch", asked, "--library", library, "--output", output)
    assert result.returncode == 1
    failed, good = (json.loads(line) for line in output.read_text().split("\n")[:-1])
    assert (failed["id"], failed["status"]) == (1, "error")
    assert "no longer in the library" in failed["error"]
    assert (good["id"], good["status"]) == (2, "answered")


def test_batch_does_not_write_over_a_file_when_it_fails(
    sample: SampleLibrary, tmp_path: Path
) -> None:
    output = tmp_path / "answers.jsonl"
    output.write_text("precious\n")
    missing = tmp_path / "none.jsonl"
    refused(call_cli("batch", missing, "-l", sample.path, "-o", output), 2, "no such file")
    latin = tmp_path / "latin.jsonl"
    latin.write_bytes('{"id": 1, "question": "café"}'.encode("latin-1"))
    refused(call_cli("batch", latin, "-l", sample.path, "-o", output), 2, "UTF-8")
    assert output.read_text() == "precious\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["answers.jsonl", "latin.jsonl"]


# --- verify -----------------------------------------------------------------------------------


def test_verify_passes_without_a_library(torque: dict[str, Any], tmp_path: Path) -> None:
    result = run_cli("verify", torque["saved"], "--json", cwd=tmp_path)

    assert result.returncode == 0
    check = read(result)
    assert check.keys() == {"verified", "problems", "notes", "signed", "signed_by", "citations"}
    assert check["verified"] is True
    assert [item["number"] for item in check["citations"]] == [
        number for number, _ in enumerate(torque["answer"]["citations"], start=1)
    ]
    assert all(item["problems"] == [] for item in check["citations"])
    assert list(tmp_path.iterdir()) == []


def test_verify_names_the_citation_that_fails(
    torque: dict[str, Any], tmp_path: Path, sample: SampleLibrary
) -> None:
    answer = json.loads(json.dumps(torque["answer"]))
    last = answer["citations"][-1]
    last["cited_text"] = "!" + last["cited_text"][1:]
    answer["text"] = "\n".join(item["cited_text"] for item in answer["citations"])
    changed = tmp_path / "changed.json"
    changed.write_text(json.dumps(answer))
    number = len(answer["citations"])
    result = call_cli("verify", changed, "--json")
    assert result.returncode == 4
    check = read(result)
    assert check["verified"] is False
    assert [item["number"] for item in check["citations"] if item["problems"]] == [number]
    human = call_cli("verify", changed, cwd=sample.path.parent)
    assert human.returncode == 4
    fits_a_terminal(human.stdout)
    assert f"[{number}] FAILED" in human.stdout


# --- The others -------------------------------------------------------------------------------


def test_doctor_checks_model_index_and_offsets(sample: SampleLibrary) -> None:
    result = run_cli("doctor", "--library", sample.path, "--json")
    assert result.returncode == 0
    report = read(result)
    assert report.keys() == {
        "versions", "catalog", "model", "reranker", "language_models", "entailment", "index", "vectors",
        "offsets", "not_approved", "parser_confinement", "plugins", "healthy", "documents", "to_do",
    }  # fmt: skip
    assert {"pincite", "python"} <= report["versions"].keys()
    assert report["model"]["name"] == "all-MiniLM-L6-v2"
    assert report["reranker"] == {"method": "late_interaction", "name": "none", "problem": ""}
    assert report["index"]["problem"] == ""
    assert report["index"]["passages"] == report["index"]["vectors"] == sample.report["passages"]
    assert report["vectors"] == {"checked": 20, "alike": 20, "problems": []}
    assert report["offsets"] == {"checked": 200, "exact": 200, "problems": []}
    assert report["healthy"] is True


def test_doctor_says_what_is_wrong_and_repairs_nothing(
    sample: SampleLibrary, tmp_path: Path
) -> None:
    library = sample.copy(tmp_path / "library")
    (vectors,) = (library / "index").rglob("dense-*.faiss")
    vectors.unlink()
    result = call_cli("doctor", "--library", library)
    assert result.returncode == 1
    fits_a_terminal(result.stdout)
    assert "missing or damaged" in result.stdout
    assert not vectors.exists()


@pytest.mark.skipif(not IS_FULL, reason="takes long: make test-exhaustive")
def test_another_encoder_is_told_by_doctor_and_brought_in_by_reindex(
    sample: SampleLibrary, tmp_path: Path
) -> None:
    library, model = sample.copy(tmp_path / "library"), tmp_path / "all-MiniLM-L6-v2"
    model.mkdir()
    shutil.copy(find_encoder_files().model, model / "model.onnx")
    shutil.copy(find_encoder_files().tokenizer, model / "tokenizer.json")
    (library / "settings.toml").write_text(f"[embedding]\nmodel = '{model}'\n")

    foreign = call_cli("doctor", "--library", library)
    assert foreign.returncode == 1
    assert "not approved" in " ".join(foreign.stdout.split())
    assert call_cli("config", "trust", library).returncode == 0
    before = call_cli("doctor", "--library", library)
    assert before.returncode == 1
    assert "run 'pincite reindex'" in " ".join(before.stdout.split())
    report = read(run_cli("reindex", "--library", library, "--json"))
    assert report["passages"] == sample.report["passages"]
    assert report["is_complete"] is True
    after = run_cli("doctor", "--library", library)
    assert after.returncode == 0, after.stdout
    fits_a_terminal(after.stdout)
    assert "its files are those used to encode the library" in " ".join(after.stdout.split())
    again = run_cli("reindex", "--library", library)
    assert again.stdout.startswith(f"everything is encoded with {report['encoder']} already")


def test_reindex_with_an_encoder_that_is_not_there_is_an_error(sample: SampleLibrary) -> None:
    result = run_cli(
        "reindex", "--library", sample.path, PINCITE_EMBEDDING__MODEL="/models/nowhere"
    )
    refused(result, 1, "/models/nowhere does not exist; expected a folder with model.onnx")


def test_stats_counts_what_is_held(sample: SampleLibrary) -> None:
    stats = read(call_cli("stats", "--library", sample.path, "--json"))
    assert stats.keys() == {
        "documents", "passages", "pages", "collections", "corpus_version", "generation",
        "bytes_on_disk", "failed", "warnings", "flagged",
    }  # fmt: skip
    assert stats["collections"] == {"default": 6}
    assert {name: stats[name] for name in ("documents", "passages", "pages")} == {
        name: sample.report[name] for name in ("documents", "passages", "pages")
    }
    human = call_cli("stats", "--library", sample.path, cwd=sample.path.parent)
    fits_a_terminal(human.stdout)


def test_remove_forgets_files_and_says_which(sample: SampleLibrary, tmp_path: Path) -> None:
    library = sample.copy(tmp_path / "library")
    boiler = sample.documents / "boiler-log-1998.txt"
    removed = read(lexical_cli("remove", boiler, "--library", library, "--json"))
    assert removed == {"removed": [str(boiler)]}
    assert boiler.exists()
    again = lexical_cli("remove", boiler, "--library", library)
    refused(again, 1, "nothing to remove")
    human = lexical_cli("remove", sample.documents, "-l", library, cwd=sample.documents)
    fits_a_terminal(human.stdout)
    assert len(human.stdout.splitlines()) == 5


def test_config_shows_where_each_value_comes_from(sample: SampleLibrary, tmp_path: Path) -> None:
    library = sample.copy(tmp_path / "library")
    (library / "settings.toml").write_text("[retrieval]\nalpha = 0.25\nkeep = 30\n")
    env = {"PINCITE_RETRIEVAL__KEEP": "40"}
    result = call_cli("config", "show", "--origin", "--library", library, **env)
    assert result.returncode == 0
    fits_a_terminal(result.stdout)
    lines = {" ".join(line.split()) for line in result.stdout.splitlines()}
    assert "alpha = 0.25 # settings.toml" in lines
    assert "keep = 40 # environment" in lines
    assert "limit = 10 # default" in lines
    shown = read(call_cli("config", "show", "--library", library, "--json", **env))
    assert shown["settings"]["retrieval"]["keep"] == 40
    assert shown["origins"]["retrieval.keep"] == "environment"


@pytest.mark.slow
def test_the_demo_answers_four_questions_and_refuses_one(tmp_path: Path) -> None:
    result = run_cli("demo", cwd=tmp_path)
    assert result.returncode == 0
    assert result.stderr == ""
    fits_a_terminal(result.stdout)
    assert result.stdout.count("\n? ") == 5
    assert result.stdout.count("No answer in these documents.") == 1
    assert "54 ± 4" in result.stdout
    assert list(tmp_path.iterdir()) == [], "a demo leaves nothing behind"
