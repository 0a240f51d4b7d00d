from __future__ import annotations

import json
from pathlib import Path

from end_to_end.running import lexical_cli, refused

QUESTION = "When is the pump checked?"


def ask(library: Path, *options: str) -> None:
    done = lexical_cli("ask", QUESTION, "--library", library, *options)
    assert done.returncode in (0, 3), done.stderr


def listed(library: Path, *options: str) -> list[dict[str, object]]:
    done = lexical_cli("history", "list", "--library", library, "--json", *options)
    return list(json.loads(done.stdout)["answers"])


def test_nothing_is_kept_unless_it_was_asked_for(folder: Path, library: Path) -> None:
    lexical_cli("ingest", folder, "--library", library)
    ask(library)
    assert listed(library) == []


def test_a_kept_answer_is_listed_shown_found_stale_and_deleted(
    folder: Path, library: Path, tmp_path: Path
) -> None:
    lexical_cli("ingest", folder, "--library", library)
    count = lexical_cli("count", "pump", "--library", library, "--keep")
    assert count.returncode == 0
    ask(library, "--keep")
    assert [one["number"] for one in listed(library)] == [1, 2]
    assert listed(library, "--stale") == []

    receipt = tmp_path / "kept.json"
    receipt.write_text(lexical_cli("history", "show", "1", "--library", library, "--json").stdout)
    assert lexical_cli("verify", receipt).returncode == 0

    (folder / "pump.txt").write_text("The valve is checked on day 9.\n")
    told = lexical_cli("sync", folder, "--library", library).stdout
    assert "kept answers are stale: pincite history list --stale" in told
    assert 1 in [one["number"] for one in listed(library, "--stale")]
    shown = lexical_cli("history", "show", "1", "--library", library).stdout
    assert "stale" in shown
    assert "no longer contains the quote" in " ".join(shown.split())

    done = lexical_cli("history", "delete", "1", "--library", library)
    assert "1 answers deleted" in done.stdout
    lexical_cli("history", "delete", "--all", "--library", library)
    assert listed(library) == []


def test_a_setting_keeps_every_answer_and_changes_none(folder: Path, library: Path) -> None:
    lexical_cli("ingest", folder, "--library", library)
    arguments = ("count", "valve", "--library", library, "--json")
    plain = json.loads(lexical_cli(*arguments).stdout)
    kept = json.loads(lexical_cli(*arguments, PINCITE_HISTORY__KEEP="true").stdout)
    assert kept["settings_digest"] == plain["settings_digest"]
    assert len(listed(library)) == 1


def test_an_answer_that_was_not_kept_cannot_be_shown(folder: Path, library: Path) -> None:
    lexical_cli("ingest", folder, "--library", library)
    refused(lexical_cli("history", "show", "7", "--library", library), 2, "no kept answer 7")
    refused(lexical_cli("history", "delete", "--library", library), 2, "--all")


def test_an_answer_that_is_not_kept_cannot_be_deleted(folder: Path, library: Path) -> None:
    lexical_cli("ingest", folder, "--library", library)
    ask(library, "--keep")
    result = lexical_cli("history", "delete", "1", "99", "--library", library)
    refused(result, 2, "there is no kept answer 99")
    assert len(listed(library)) == 1
