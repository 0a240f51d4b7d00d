"""What changed between two versions, asked as people ask, and checked again by `verify`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import docx
import pytest

from end_to_end.running import lexical_cli
from pincite.verify.receipts.signing import sealed

BEFORE = """# Leave

Notice must be given 30 days before. Staff may work from home. Leave is paid.

Unused days are lost in March.
"""
AFTER = (
    BEFORE.replace("30 days", "14 days")
    .replace("Unused days are lost in March.", "Parents have ten days more.")
    .replace("Leave is paid.", "Leave is not paid.")
)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("changes")
    docs = folder / "docs"
    docs.mkdir()
    (docs / "leave-policy-2022.md").write_text(BEFORE)
    word = docx.Document()
    word.add_heading("Leave", level=1)
    for line in AFTER.splitlines()[2:]:
        if line:
            word.add_paragraph(line)
    word.save(str(docs / "leave-policy-2024.docx"))
    (docs / "travel.md").write_text("# Travel\n\nTrains are booked by the office.\n")
    done = lexical_cli("ingest", str(docs), "--library", str(folder / "lib"))
    assert done.returncode == 0, done.stderr
    return folder / "lib"


def asked(library: Path, question: str, *more: str, **env: str) -> dict[str, Any]:
    done = lexical_cli("ask", question, "--library", str(library), "--json", *more, **env)
    return json.loads(done.stdout)


def test_both_sides_of_each_change_are_quoted_the_weightiest_first(library: Path) -> None:
    form = asked(library, "What changed in the leave policy since 2022?")
    assert form["status"] == "answered"
    assert form["parts"][:2] == ["negation: – → not", "number: 30 → 14"]
    shown = [claim["text"] for claim in form["claims"]]
    assert shown[:4] == [
        "Leave is paid.",
        "Leave is not paid.",
        "Notice must be given 30 days before.",
        "Notice must be given 14 days before.",
    ]
    assert "Parents have ten days more." in shown
    assert "Unused days are lost in March." in shown
    assert form["compared"]["unchanged"] == 2
    assert "compared" in {one["kind"] for one in form["why"]}


def test_only_what_is_asked_about_is_told(library: Path) -> None:
    form = asked(library, "How has the notice changed since 2022?")
    assert [claim["text"] for claim in form["claims"]] == [
        "Notice must be given 30 days before.",
        "Notice must be given 14 days before.",
    ]
    added = asked(library, "What was added to the leave policy in 2024?")
    assert [claim["text"] for claim in added["claims"]] == ["Parents have ten days more."]


def test_where_nothing_differs_it_refuses_and_says_what_was_compared(library: Path) -> None:
    form = asked(library, "What changed in the leave policy about salaries since 2022?")
    assert form["status"] == "abstained"
    (why,) = (one for one in form["why"] if one["kind"] == "same")
    assert why["asked"] == "salaries"


def test_a_document_without_other_versions_is_searched(library: Path) -> None:
    form = asked(library, "What changed in the travel rules?")
    assert "compared" not in form


def test_the_command_line_names_each_change_above_its_quotes(library: Path) -> None:
    shown = lexical_cli(
        "ask", "What changed in the leave policy since 2022?", "--library", str(library)
    ).stdout
    assert shown.index("number: 30 → 14") < shown.index("Notice must be given 30 days before.")
    assert "confidence" not in shown


def test_a_saved_answer_is_compared_again(library: Path, tmp_path: Path) -> None:
    saved = tmp_path / "changes.json"
    question = "What changed in the leave policy since 2022?"
    asked(library, question, "--save", str(saved))
    assert lexical_cli("verify", str(saved)).returncode == 0
    form = json.loads(saved.read_text())
    form["compared"]["unchanged"] = 7
    form["parts"][1] = "number: 30 → 15"
    saved.write_text(json.dumps(sealed(form)))
    failed = lexical_cli("verify", str(saved))
    assert failed.returncode == 4
    assert "4 statements differ and 2 are the same" in " ".join(failed.stdout.split())
    assert "'number: 30 → 15' is no difference" in " ".join(failed.stdout.split())


def test_an_unchanged_statement_is_no_difference(library: Path, tmp_path: Path) -> None:
    saved = tmp_path / "changes.json"
    asked(library, "What changed in the leave policy since 2022?", "--save", str(saved))
    form = json.loads(saved.read_text())
    home = asked(library, "Who may work from home?")
    form["claims"][0]["text"] = home["claims"][0]["text"]
    form["citations"][0] = home["citations"][0]
    form["text"] = "\n".join(c["text"] for c in form["claims"] if not c.get("further"))
    saved.write_text(json.dumps(sealed(form)))
    failed = lexical_cli("verify", str(saved))
    assert failed.returncode == 4
    assert "quote [1] is no difference between both files" in " ".join(failed.stdout.split())


def test_documents_that_are_too_long_are_left_to_the_command(tmp_path: Path) -> None:
    for year in (2022, 2024):
        lines = "".join(
            f"Shelf {number} holds {number + year} books.\n\n" for number in range(14_500)
        )
        (tmp_path / f"shelves-{year}.md").write_text(f"# Shelves\n\n{lines}")
    files = (str(tmp_path / f"shelves-{year}.md") for year in (2022, 2024))
    assert lexical_cli("ingest", *files, "--library", str(tmp_path / "lib")).returncode == 0
    form = asked(tmp_path / "lib", "What changed in the shelves since 2022?")
    assert form["status"] == "abstained"
    assert "not-compared" in {one["kind"] for one in form["why"]}


def test_what_is_struck_out_is_said_to_be(tmp_path: Path) -> None:
    (tmp_path / "fees-2022.md").write_text("# Fees\n\nThe fee is 20 euros a month.\n")
    (tmp_path / "fees-2024.md").write_text("# Fees\n\nThe fee is ~~25~~ 30 euros a month.\n")
    files = (str(tmp_path / f"fees-{year}.md") for year in (2022, 2024))
    assert lexical_cli("ingest", *files, "--library", str(tmp_path / "lib")).returncode == 0
    form = asked(tmp_path / "lib", "What changed in the fees since 2022?")
    assert form["status"] == "answered"
    assert any("struck out in the source" in reason for reason in form["reasons"])


def test_it_can_be_switched_off(library: Path) -> None:
    off = {"PINCITE_UNDERSTANDING__CHANGES": "false"}
    assert "compared" not in asked(library, "What changed in the leave policy since 2022?", **off)
