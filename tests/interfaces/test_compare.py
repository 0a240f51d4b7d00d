"""`pincite compare`, as people run it."""

from __future__ import annotations

import json
from pathlib import Path

import docx
import pytest
from end_to_end.running import lexical_cli

BEFORE = "# Leave\n\nNotice must be given 30 days before. Staff may work from home.\n"


@pytest.fixture
def both(tmp_path: Path) -> tuple[str, str]:
    old, new = tmp_path / "old.md", tmp_path / "new.md"
    old.write_text(BEFORE)
    new.write_text(BEFORE.replace("30 days", "14 days"))
    return str(old), str(new)


def test_the_words_of_both_sides_are_printed(both: tuple[str, str]) -> None:
    done = lexical_cli("compare", *both)
    assert done.returncode == 0
    assert "number: 30 → 14" in done.stdout
    assert "- Notice must be given 30 days before." in done.stdout
    assert "+ Notice must be given 14 days before." in done.stdout


def test_json_has_the_words_and_their_places(both: tuple[str, str]) -> None:
    form = json.loads(lexical_cli("compare", *both, "--json").stdout)
    (change,) = form["files"][0]["changes"]
    assert change["differences"] == ["number"]
    for side, path in zip(("before", "after"), both, strict=True):
        quote = change[side]
        assert Path(path).read_text()[quote["start"] : quote["end"]] == quote["quote"]
        assert quote["section"] == "Leave"


def test_the_returncode_tells_a_difference_where_it_is_asked_for(both: tuple[str, str]) -> None:
    assert lexical_cli("compare", *both, "--fail-if-different").returncode == 6
    assert lexical_cli("compare", both[0], both[0], "--fail-if-different").returncode == 0


def test_a_comparison_is_written_as_a_page_and_for_word(
    both: tuple[str, str], tmp_path: Path
) -> None:
    page, word = tmp_path / "out.html", tmp_path / "out.docx"
    assert lexical_cli("compare", *both, "-o", str(page), "-o", str(word)).returncode == 0
    shown = page.read_text()
    assert "number: 30 → 14" in shown
    assert "<script" not in shown
    (table,) = docx.Document(str(word)).tables
    assert table.rows[1].cells[0].text == "number: 30 → 14"


def test_bad_input_is_told(both: tuple[str, str], tmp_path: Path) -> None:
    missing = lexical_cli("compare", both[0], tmp_path / "nowhere.md")
    assert missing.returncode == 2
    assert "nowhere.md does not exist" in missing.stderr
    wrong = lexical_cli("compare", *both, "-o", tmp_path / "out.xyz")
    assert wrong.returncode == 2
    assert ".docx" in wrong.stderr
