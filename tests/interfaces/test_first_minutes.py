"""What a newcomer sees first: an empty folder, a wrong command, and what doctor says to do about it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from end_to_end.running import (
    COMMAND,
    SampleLibrary,
    call_cli,
    environment,
    lexical_cli,
    refused,
    run_cli,
)


def words(text: str) -> str:
    return " ".join(text.split())


# --- init -------------------------------------------------------------------------------------


def test_init_makes_a_library_and_names_the_commands_that_come_next(folder: Path) -> None:
    (folder / "photo.jpg").write_bytes(b"\xff\xd8")
    told = call_cli("init", cwd=folder)
    assert told.returncode == 0
    assert ".pincite is new" in told.stdout
    assert "3 files to ingest from this folder: 2 .txt, 1 .md" in words(told.stdout)
    assert "1 .jpg" in told.stdout
    commands = [line.strip() for line in told.stdout.partition("Next:")[2].splitlines() if line]
    assert commands[0] == "pincite ingest ."
    # The commands work as they are written.
    assert lexical_cli(*commands[0].split()[1:], cwd=folder).returncode == 0
    asked = lexical_cli("ask", "When is the pump checked?", cwd=folder)
    assert "The pump is checked on day 7." in asked.stdout


def test_init_takes_in_nothing_and_leaves_a_library_as_it_is(folder: Path) -> None:
    lexical_cli("ingest", ".", cwd=folder)
    before = (folder / ".pincite" / "catalog.sqlite3").read_bytes()
    told = json.loads(lexical_cli("init", "--json", cwd=folder).stdout)
    assert (told["is_new"], told["documents"], told["readable"]) == (
        False,
        3,
        {".txt": 2, ".md": 1},
    )
    assert (folder / ".pincite" / "catalog.sqlite3").read_bytes() == before


def test_init_of_another_library_names_it_in_each_command(folder: Path, tmp_path: Path) -> None:
    told = json.loads(call_cli("init", folder, "-l", tmp_path / "my library", "--json").stdout)
    assert told["next"][0] == f"pincite ingest {folder} --library '{tmp_path / 'my library'}'"
    assert all("--library" in command for command in told["next"])


def test_init_where_nothing_can_be_read_points_elsewhere(tmp_path: Path) -> None:
    told = call_cli("init", cwd=tmp_path)
    assert told.returncode == 0
    assert "none in this folder that Pincite reads" in words(told.stdout)
    assert "pincite demo" in told.stdout
    refused(
        call_cli("init", tmp_path / "nowhere", cwd=tmp_path), 2, "does not exist", "name the folder"
    )


# --- First messages ---------------------------------------------------------------------------


def test_a_question_without_a_library_says_how_to_make_one(tmp_path: Path) -> None:
    for verb in (["ask", "x"], ["search", "x"], ["doctor"], ["ls"]):
        refused(call_cli(*verb, cwd=tmp_path), 1, "pincite ingest PATH", "pincite init")


def test_an_ingest_that_took_in_nothing_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "photo.jpg").write_bytes(b"\xff\xd8")
    told = lexical_cli("ingest", ".", cwd=tmp_path)
    assert told.returncode == 1
    assert "no file was ingested" in told.stdout
    assert "the folder has no files Pincite reads (.pdf" in told.stderr
    assert "--strict" not in told.stdout


def test_the_first_ingest_says_how_to_ask_and_later_ones_do_not(folder: Path) -> None:
    assert 'ask it: pincite ask "..."\n' in lexical_cli("ingest", ".", cwd=folder).stdout
    assert "ask it" not in lexical_cli("ingest", ".", cwd=folder).stdout


# --- Shell completion -------------------------------------------------------------------------


@pytest.mark.skipif(shutil.which("bash") is None, reason="the shell that is tried is bash")
def test_bash_completes_commands_options_and_profiles(tmp_path: Path) -> None:
    command = tmp_path / "pincite"
    command.write_text(f'#!/bin/sh\nexec {" ".join(COMMAND)} "$@"\n')
    command.chmod(0o755)
    asked = ("in", "eval c", "ask --profile s", "ask --sav")
    script = "source <(_PINCITE_COMPLETE=source_bash pincite)\n" + "".join(
        f"COMP_WORDS=(pincite {line}); COMP_CWORD={len(line.split())}; COMPREPLY=()\n"
        '_pincite_completion pincite; echo "${COMPREPLY[@]}"\n'
        for line in asked
    )
    done = subprocess.run(
        ["bash", "-c", script],
        env=environment(PATH=f"{tmp_path}{os.pathsep}{os.environ['PATH']}"),
        capture_output=True, text=True, check=True, timeout=120,
    )  # fmt: skip
    assert done.stdout.splitlines() == ["init ingest", "compare", "sop support", "--save"]


# --- Doctor -----------------------------------------------------------------------------------


def doctor(library: Path, **settings: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(
        call_cli("doctor", "-l", library, "--json", **settings).stdout
    )
    return found


def test_doctor_of_an_empty_library_says_how_to_fill_it(tmp_path: Path) -> None:
    call_cli("init", tmp_path, "-l", tmp_path / "library")
    (told,) = doctor(tmp_path / "library")["to_do"]
    assert told.startswith("the library is empty: add documents with 'pincite ingest PATH")


def test_a_healthy_library_has_nothing_to_do(sample: SampleLibrary) -> None:
    assert doctor(sample.path)["to_do"] == []


@pytest.mark.parametrize(
    ("setting", "value", "advice"),
    [
        ("EMBEDDING__MODEL", "ollama:nobody", "embedding.model"),
        ("RERANK__MODEL", "sentence-transformers:nobody/none", "rerank.model"),
        ("GENERATION__MODEL", "nobody", "pincite models add FILE.gguf"),
        ("VERIFICATION__NLI_MODEL", "/nobody/none", "verification.nli_model"),
        ("RETRIEVAL__PLUGIN", "nobody", "pip"),
    ],
)
def test_each_part_that_is_missing_has_its_remedy(
    setting: str, value: str, advice: str, sample: SampleLibrary
) -> None:
    # Statements are judged only where a model writes them.
    mode = {"PINCITE_GENERATION__MODE": "generated"} if "NLI" in setting else {}
    found = doctor(sample.path, **{f"PINCITE_{setting}": value}, **mode)
    assert not found["healthy"]
    assert [told for told in found["to_do"] if advice in told], found["to_do"]


def test_the_remedy_for_a_damaged_index_mends_it(sample: SampleLibrary, tmp_path: Path) -> None:
    library = sample.copy(tmp_path / "library")
    next((library / "index").rglob("dense-*.faiss")).unlink()
    (told,) = doctor(library)["to_do"]
    command = re.search(r"'pincite (search test) --library", told)
    assert command is not None, told
    assert run_cli(*command[1].split(), "--library", library).returncode == 0
    assert doctor(library)["healthy"]


def test_the_remedy_for_a_changed_file_is_to_ingest_it_again(folder: Path, library: Path) -> None:
    lexical_cli("ingest", folder, "-l", library)
    (folder / "pump.txt").write_text("The pump is checked on day 8.\n")
    told = lexical_cli("doctor", "-l", library, "--json")
    found = json.loads(told.stdout)
    assert [one for one in found["to_do"] if "changed since they were ingested" in one]
    lexical_cli("ingest", folder, "-l", library)
    again = json.loads(lexical_cli("doctor", "-l", library, "--json").stdout)
    assert not [one for one in again["to_do"] if "changed since they were ingested" in one]


# --- streams that are closed ------------------------------------------------------------------


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_closed_stream_stops_nothing_and_no_file_takes_its_number(
    folder: Path, closed: str
) -> None:
    lexical_cli("ingest", ".", cwd=folder)
    listed = subprocess.run(
        ["sh", "-c", f'"$@" {closed}', "sh", *COMMAND, "ls"],
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (listed.returncode, "Error" in listed.stderr) == (0, False)
    assert (".txt" in listed.stdout) == (">&-" not in closed.replace("2>&-", ""))
