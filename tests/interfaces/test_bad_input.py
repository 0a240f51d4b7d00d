"""Whatever is handed in: one clear message, a defined exit code, and no traceback.

Most of these need no encoder and run without. An exception that is not handled fails the test.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import sys
from pathlib import Path
from typing import Any

import pytest
from end_to_end.running import SAMPLES, SampleLibrary, call_cli, lexical_cli, refused
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas

from pincite.store.index.indexes import INDEX_FORMAT
from tests.ingest.raw_pdf import raw_pdf

QUESTION = "Which soil pH is best for tomatoes?"
GOOD = "The pump holds 12 litres of oil.\n"


def write_encrypted_pdf(path: Path) -> None:
    canvas = Canvas(str(path), encrypt=StandardEncryption("secret", ownerPassword="owner"))
    canvas.drawString(100, 700, "Nobody shall read this.")
    canvas.save()


def failures(*paths: Path, library: Path) -> dict[str, str]:
    """Ingest beside a good file and return why each of the others failed, by name."""
    good = library.parent / "good.txt"
    good.write_text(GOOD)
    result = lexical_cli("ingest", good, *paths, "--library", library, "--json")
    assert result.returncode == 0, result.stderr
    report = json.loads(result.stdout)
    assert report["added"] == 1
    return {Path(item["path"]).name: item["reason"] for item in report["failed"]}


# --- Files that cannot be read ----------------------------------------------------------------


def test_files_that_cannot_be_read_are_named_with_a_reason(
    new_library: Path, tmp_path: Path
) -> None:
    bad = tmp_path / "bad"
    (bad / "nothing here").mkdir(parents=True)
    (bad / "zero.txt").touch()
    (bad / "noise.txt").write_bytes(bytes(range(256)) * 40)
    write_encrypted_pdf(bad / "locked.pdf")
    whole = (SAMPLES / "documents" / "prospectus-extract.docx").read_bytes()
    (bad / "half.docx").write_bytes(whole[: len(whole) // 2])
    (bad / "half.pdf").write_bytes(b"%PDF-1.7\n" + os.urandom(200))
    found = failures(*sorted(bad.iterdir()), bad / "missing.md", library=new_library)
    assert "no such file" in found.pop("missing.md")
    assert "0 bytes" in found.pop("zero.txt")
    assert "password" in found.pop("locked.pdf")
    assert "no files Pincite reads" in found.pop("nothing here")
    assert found.keys() == {"noise.txt", "half.docx", "half.pdf"}
    assert all(len(reason) > 20 for reason in found.values())
    assert not any("Error" in reason for reason in found.values()), found


def test_half_a_character_in_a_heading_or_a_bookmark_costs_no_file(
    new_library: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    heading, body = (24, 750, "Apparatus"), (11, 700, "The cistern holds nine litres of water.")
    title = "pparatus".encode("utf-16-be")
    hostile = raw_pdf([heading, body], units={"A": 0xD800}, bookmark=title)
    (folder / "a.pdf").write_bytes(hostile)
    (folder / "b.pdf").write_bytes(raw_pdf([heading, body], bookmark=b"\xd8\x00" + title))
    (folder / "c.txt").write_text(GOOD)
    report = json.loads(lexical_cli("ingest", folder, "-l", new_library, "--json").stdout)
    assert (report["added"], report["failed"]) == (3, [])
    (warning,) = report["warnings"]
    assert warning["path"].endswith("a.pdf")
    assert "invalid or control characters" in warning["reason"]
    found = json.loads(lexical_cli("search", "cistern", "-l", new_library, "--json").stdout)
    assert {hit["section"] for hit in found["hits"]} == {"\ufffdpparatus", "Apparatus"}


def test_nothing_readable_at_all_exits_1_and_says_why(new_library: Path, tmp_path: Path) -> None:
    result = lexical_cli("ingest", tmp_path / "missing.txt", "--library", new_library)
    assert result.returncode == 1
    assert "missing.txt: no such file or folder" in " ".join(result.stderr.split())
    empty = tmp_path / "empty"
    empty.mkdir()
    result = lexical_cli("ingest", empty, "--library", new_library, "--json")
    assert result.returncode == 1
    (failed,) = json.loads(result.stdout)["failed"]
    assert "no files Pincite reads" in failed["reason"]


def test_a_loop_of_links_ends(new_library: Path, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    (folder / "inner").mkdir(parents=True)
    (folder / "note.txt").write_text(GOOD)
    (folder / "inner" / "up").symlink_to(folder)
    (folder / "self").symlink_to(folder / "self")
    (folder / "gone.txt").symlink_to(folder / "nowhere.txt")
    result = lexical_cli("ingest", folder, "--library", new_library, "--json")
    assert result.returncode == 0
    report = json.loads(result.stdout)
    assert report["added"] == 1
    assert {Path(item["path"]).name for item in report["failed"]} == {"self", "gone.txt"}


# --- Questions --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("", "the question is empty"),
        (" \n\t", "the question is empty"),
        ("why " * 12_500, "50,000 characters"),
    ],
)
def test_a_question_that_makes_no_sense_exits_2(
    sample: SampleLibrary, question: str, said: str
) -> None:
    refused(lexical_cli("ask", question, "--library", sample.path, "--json"), 2, said)


@pytest.mark.parametrize("question", ["?", "\U0001f525", "the of and", "--", "\x01\x02", '"'])
def test_odd_questions_are_refused_politely(sample: SampleLibrary, question: str) -> None:
    result = lexical_cli("ask", "--library", sample.path, "--json", "--", question)
    assert result.returncode == 3, result.stderr
    assert json.loads(result.stdout)["status"] == "abstained"


def test_a_question_that_is_not_unicode_does_not_crash(sample: SampleLibrary) -> None:
    broken = os.fsdecode(b"soil \xff\xfe pH tomatoes")
    result = lexical_cli("ask", broken, "--library", sample.path, "--json")
    assert result.returncode in (0, 2, 3), result.stderr


def test_an_unknown_collection_lists_those_there_are(sample: SampleLibrary) -> None:
    for verb in ("ask", "search"):
        result = lexical_cli(verb, QUESTION, "--library", sample.path, "--collection", "nope")
        refused(result, 2, "no collection 'nope'", "default")


@pytest.mark.parametrize(
    "arguments",
    [
        ["unknown"],
        ["ingest"],
        ["search", "x", "--limit", "0"],
        ["search", "x", "--limit", "many"],
        ["ask", "x", "--nope"],
        ["batch", "x"],
        ["ingest", "x", "--collection", " "],
    ],
)
def test_wrong_usage_exits_2(arguments: list[str], tmp_path: Path) -> None:
    result = lexical_cli(*arguments, cwd=tmp_path)
    assert result.returncode == 2
    assert result.stdout == ""
    assert "rror" in result.stderr


def test_saving_where_nothing_can_be_written_exits_1(sample: SampleLibrary, tmp_path: Path) -> None:
    target = tmp_path / "no" / "such" / "folder" / "answer.json"
    result = lexical_cli("ask", QUESTION, "--library", sample.path, "--save", target)
    assert result.returncode == 1
    assert "No such file" in result.stderr


# --- Settings ---------------------------------------------------------------------------------


def test_an_unknown_setting_lists_those_there_are(sample: SampleLibrary) -> None:
    result = lexical_cli("ask", QUESTION, "-l", sample.path, PINCITE_RETRIEVAL__ALHPA="0.5")
    refused(result, 2, "alhpa", "alpha")
    result = lexical_cli("ask", QUESTION, "-l", sample.path, PINCITE_RETRIVAL__ALPHA="0.5")
    refused(result, 2, "retrival", "retrieval")


@pytest.mark.parametrize("value", ["7", "-1", "many", "nan", ""])
def test_a_setting_outside_its_range_is_named_with_its_origin(
    sample: SampleLibrary, value: str
) -> None:
    result = call_cli("stats", "-l", sample.path, PINCITE_RETRIEVAL__ALPHA=value)
    refused(result, 2, "retrieval.alpha", "environment")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"[retrieval\n", "TOML"),
        (b"retrieval = 5\n", "retrieval"),
        (b"[retrieval]\nalhpa = 0.5\n", "alhpa"),
        (b"[nope]\nalpha = 0.5\n", "nope"),
        (b"[retrieval]\nalpha = 'x'\n", "settings.toml"),
        (b"\xff\xfe\x00", "TOML"),
    ],
)
def test_a_bad_settings_file_is_named(
    sample: SampleLibrary, tmp_path: Path, content: bytes, said: str
) -> None:
    library = sample.copy(tmp_path / "library")
    (library / "settings.toml").write_bytes(content)
    refused(call_cli("stats", "--library", library), 2, said)


# --- Libraries that are none ------------------------------------------------------------------


def test_asking_where_there_is_no_library_exits_1_and_says_what_to_do(tmp_path: Path) -> None:
    for arguments in (["ask", "x"], ["search", "x"], ["stats"], ["doctor"], ["remove", "x"]):
        result = call_cli(*arguments, "--library", tmp_path / "none")
        refused(result, 1, "there is no library in", "pincite ingest")
    assert list(tmp_path.iterdir()) == []


def test_a_library_that_is_a_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("precious")
    document = tmp_path / "a.txt"
    document.write_text(GOOD)
    refused(lexical_cli("ingest", document, "--library", file), 1, "is a file")
    refused(lexical_cli("ask", "x", "--library", file), 1, "file")
    refused(lexical_cli("ingest", document, "--library", file / "below"), 1, "cannot be created")
    assert file.read_text() == "precious"


def test_a_folder_with_other_files_is_not_taken_for_a_library(tmp_path: Path) -> None:
    folder = tmp_path / "photos"
    folder.mkdir()
    (folder / "a.txt").write_text(GOOD)
    refused(lexical_cli("ingest", folder, "--library", folder), 1, "contains other files")
    assert [path.name for path in folder.iterdir()] == ["a.txt"]


def test_a_library_of_a_newer_version_is_left_alone(sample: SampleLibrary, tmp_path: Path) -> None:
    library = sample.copy(tmp_path / "library")
    with sqlite3.connect(library / "catalog.sqlite3") as connection:
        connection.execute("UPDATE meta SET value = '99' WHERE name = 'schema_version'")
    connection.close()
    refused(lexical_cli("ask", QUESTION, "--library", library), 1, "format 99", "newer Pincite")
    refused(lexical_cli("ingest", sample.documents, "--library", library), 1, "format 99")


@pytest.mark.parametrize("content", [b"", b"this is not a database " * 400, None])
def test_a_catalog_that_is_no_database_is_told(
    sample: SampleLibrary, tmp_path: Path, content: bytes | None
) -> None:
    library = sample.copy(tmp_path / "library")
    catalog = library / "catalog.sqlite3"
    if content is None:
        whole = bytearray(catalog.read_bytes())
        whole[100:40_000] = os.urandom(39_900)
        catalog.write_bytes(whole)
    else:
        catalog.write_bytes(content)
    refused(lexical_cli("ask", QUESTION, "--library", library), 1, "damaged", "ingest")
    refused(lexical_cli("ingest", sample.documents, "--library", library), 1, "damaged")


# --- Receipts ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "said"),
    [("{", "is not JSON"), ('{"a": 1}', "is not a saved answer"), (None, "read")],
)
def test_verify_refuses_what_is_no_receipt(tmp_path: Path, content: str | None, said: str) -> None:
    path = tmp_path / "answer.json"
    if content is not None:
        path.write_text(content)
    refused(call_cli("verify", path), 1, said)


def test_verify_refuses_a_root_that_is_no_folder(tmp_path: Path) -> None:
    refused(call_cli("verify", tmp_path / "a.json", "--root", tmp_path / "no"), 2, "no such folder")


# --- Indexes that are damaged -----------------------------------------------------------------


@pytest.fixture(scope="module")
def expected(sample: SampleLibrary) -> dict[str, Any]:
    """The hits of the undamaged library."""
    return search(sample.path)


def search(library: Path) -> dict[str, Any]:
    result = call_cli("search", QUESTION, "--library", library, "--limit", "5", "--json")
    assert result.returncode == 0, result.stderr
    found: dict[str, Any] = json.loads(result.stdout)
    return {"hits": found["hits"], "notices": found.get("notices")}


def damage_nothing_but_delete(index: Path) -> None:
    shutil.rmtree(index)


def damage_dense(index: Path) -> None:
    (vectors,) = index.glob("dense-*.faiss")
    content = bytearray(vectors.read_bytes())
    content[len(content) // 2] ^= 1
    vectors.write_bytes(content)


def damage_lexical(index: Path) -> None:
    largest = max(index.glob("lexical-*/*"), key=lambda path: path.stat().st_size)
    largest.write_bytes(largest.read_bytes()[:-5])


def delete_lexical(index: Path) -> None:
    for folder in index.glob("lexical-*"):
        shutil.rmtree(folder)


def damage_manifest(index: Path) -> None:
    (index / "manifest.json").write_text('{"format": 1}')


@pytest.mark.parametrize(
    "damage",
    [
        damage_nothing_but_delete,
        damage_dense,
        damage_lexical,
        delete_lexical,
        damage_manifest,
    ],
)
def test_a_damaged_index_is_repaired_with_the_same_results(
    sample: SampleLibrary, tmp_path: Path, expected: dict[str, Any], damage: Any
) -> None:
    library = sample.copy(tmp_path / "library")
    damage(library / "index" / INDEX_FORMAT)
    assert search(library) == expected
    assert call_cli("doctor", "--library", library).returncode == 0


def test_the_index_of_another_library_is_not_used(
    sample: SampleLibrary, new_library: Path, tmp_path: Path, expected: dict[str, Any]
) -> None:
    other = tmp_path / "other.txt"
    other.write_text("The night ferry to Stavanger leaves at 22:15.\n" * 3)
    assert call_cli("ingest", other, "--library", new_library).returncode == 0
    library = sample.copy(tmp_path / "mixed")
    shutil.rmtree(library / "index")
    shutil.copytree(new_library / "index", library / "index")
    assert search(library) == expected


def test_questions_about_a_library_that_holds_nothing_are_refused(tmp_path: Path) -> None:
    library = tmp_path / "library"
    lexical_cli("ingest", tmp_path / "missing.txt", "--library", library)
    result = lexical_cli("ask", QUESTION, "--library", library, "--json")
    assert result.returncode == 3
    assert json.loads(result.stdout)["reasons"]


# --- Names and paths as they are typed ------------------------------------------------------------


@pytest.mark.parametrize("verb", ["ingest", "remove", "sync"])
def test_an_empty_path_is_not_the_current_folder(
    verb: str, new_library: Path, folder: Path
) -> None:
    lexical_cli("ingest", folder, "-l", new_library)
    refused(lexical_cli(verb, "", "-l", new_library, cwd=folder), 2, "a path is empty")
    assert "3 files" in lexical_cli("ls", "-l", new_library).stdout
    refused(lexical_cli(verb, folder, "-l", ""), 2, "a path is empty")


def test_a_collection_that_is_not_utf8_is_refused(new_library: Path, folder: Path) -> None:
    lexical_cli("ingest", folder, "-l", new_library)
    broken = os.fsdecode(b"c\xff")
    for call in (("ask", "pump?"), ("ingest", folder), ("ls",), ("remove", folder)):
        refused(lexical_cli(*call, "-c", broken, "-l", new_library), 2, "not valid UTF-8")


def test_a_collection_that_is_not_there_has_no_list(new_library: Path, folder: Path) -> None:
    lexical_cli("ingest", folder, "-l", new_library)
    refused(lexical_cli("ls", "-c", "zzz", "-l", new_library), 2, "there are: default")


def test_the_setting_says_how_many_hits_a_search_shows(new_library: Path, folder: Path) -> None:
    lexical_cli("ingest", folder, "-l", new_library)
    call = ("search", "checked on day 7", "-l", new_library, "--json")
    one = lexical_cli(*call, PINCITE_RETRIEVAL__LIMIT="1")
    assert len(json.loads(one.stdout)["hits"]) == 1
    two = lexical_cli(*call, "-n", "2", PINCITE_RETRIEVAL__LIMIT="1")
    assert len(json.loads(two.stdout)["hits"]) == 2


def test_a_source_with_a_name_too_long_is_not_found(new_library: Path, folder: Path) -> None:
    lexical_cli("ingest", folder, "-l", new_library)
    saved = new_library / "answer.json"
    lexical_cli("ask", "When is the pump checked?", "-l", new_library, "--save", saved)
    form = json.loads(saved.read_text())
    for source in ("x" * 5000, "\ud800"):
        form["citations"][0]["source"] = source
        saved.write_text(json.dumps(form))
        assert lexical_cli("verify", saved).returncode == 4
        assert lexical_cli("verify", saved, "--root", folder).returncode == 4


# --- Files that are written -----------------------------------------------------------------------


def test_an_output_never_replaces_a_file_of_the_library(new_library: Path, folder: Path) -> None:
    page = folder / "page.html"
    page.write_text("<p>The page is checked on day 7.</p>")
    lexical_cli("ingest", folder, "-l", new_library)
    questions = folder.parent / "q.jsonl"
    questions.write_text('{"id": 1, "question": "When is the pump checked?"}\n')
    (folder.parent / "link.txt").symlink_to(folder / "pump.txt")
    for call in (
        ("count", "pump", "--csv", folder / "pump.txt"),
        ("count", "pump", "--csv", folder.parent / "link.txt"),
        ("count", "pump", "--csv", new_library / "catalog.sqlite3"),
        ("ask", "When is the pump checked?", "--save", page),
        ("batch", questions, "-o", folder / "pump.txt"),
        ("report", "prospectus", "-o", page),
    ):
        before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        refused(lexical_cli(*call, "-l", new_library), 2, "is a file of this library")
        assert {path: path.read_bytes() for path in before} == before
    assert "4 files" in lexical_cli("ls", "-l", new_library).stdout


def test_answers_never_replace_their_questions(new_library: Path, folder: Path) -> None:
    lexical_cli("ingest", folder, "-l", new_library)
    questions = folder.parent / "q.jsonl"
    questions.write_text('{"id": 1, "question": "When is the pump checked?"}\n')
    (folder.parent / "same.jsonl").hardlink_to(questions)
    (folder.parent / "link.jsonl").symlink_to(questions)
    for output in ("q.jsonl", "same.jsonl", "link.jsonl"):
        result = lexical_cli("batch", questions, "-o", folder.parent / output, "-l", new_library)
        refused(result, 2, "is the input and would be replaced")
    assert questions.read_text().startswith('{"id": 1')


def test_a_folder_that_cannot_be_written_is_told_by_the_name_given(
    new_library: Path, folder: Path
) -> None:
    lexical_cli("ingest", folder, "-l", new_library)
    questions = folder.parent / "q.jsonl"
    questions.write_text('{"id": 1, "question": "When is the pump checked?"}\n')
    nowhere = folder / "no" / "x.json"
    for call in (
        ("batch", questions, "-o", nowhere),
        ("ask", "When is the pump checked?", "--save", nowhere),
        ("count", "pump", "--csv", nowhere),
    ):
        refused(lexical_cli(*call, "-l", new_library), 1, f"error: {nowhere}: No such file")


@pytest.mark.skipif(sys.platform != "linux", reason="only here a name may be any bytes")
def test_an_output_may_have_any_name(new_library: Path, folder: Path) -> None:
    lexical_cli("ingest", folder, "-l", new_library)
    table = folder.parent / os.fsdecode(b"caf\xe9.csv")
    assert lexical_cli("count", "pump", "--csv", table, "-l", new_library).returncode == 0
    assert table.read_text().startswith("document,file,page")


def test_a_table_can_go_to_stdout(new_library: Path, folder: Path) -> None:
    lexical_cli("ingest", folder, "-l", new_library)
    result = lexical_cli("count", "pump", "--csv", "-", "-l", new_library, cwd=folder.parent)
    assert result.stdout.startswith("document,file,page")
    assert len(result.stdout.splitlines()) == 2
    assert not (folder.parent / "-").exists()
    both = lexical_cli("count", "pump", "--csv", "-", "--json", "-l", new_library)
    refused(both, 2, "choose one of them")


def test_an_output_that_is_a_link_stays_one(new_library: Path, folder: Path) -> None:
    lexical_cli("ingest", folder, "-l", new_library)
    link, table = folder.parent / "link.csv", folder.parent / "tables" / "pump.csv"
    table.parent.mkdir()
    link.symlink_to(table)
    assert lexical_cli("count", "pump", "--csv", link, "-l", new_library).returncode == 0
    assert link.is_symlink()
    assert table.read_text().startswith("document,file,page")
    assert list(table.parent.iterdir()) == [table]
