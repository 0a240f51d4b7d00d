"""`pincite compare`, as people run it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import docx
import pytest
from end_to_end.running import lexical_cli, run_cli

from pincite.verify.receipts.signing import sealed

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


def saved(both: tuple[str, str], tmp_path: Path) -> tuple[Path, dict[str, Any]]:
    """A comparison in which a number differs, one statement is gone and one is the same."""
    new = Path(both[1])
    new.write_text(f"{new.read_text()}\nLunch is free.\n")
    path = tmp_path / "changes.json"
    assert lexical_cli("compare", *both, "-o", str(path)).returncode == 0
    return path, json.loads(path.read_text())


def test_verify_compares_both_files_again(both: tuple[str, str], tmp_path: Path) -> None:
    path, _ = saved(both, tmp_path)
    done = lexical_cli("verify", str(path))
    assert done.returncode == 0
    assert "2 of 2 files hold" in done.stdout
    Path(both[1]).write_text(BEFORE)
    changed = lexical_cli("verify", str(path))
    assert changed.returncode == 4
    assert "the file has changed since it was compared" in changed.stdout


def _without_a_change(form: dict[str, Any]) -> None:
    del form["files"][0]["changes"][0]


def _another_number(form: dict[str, Any]) -> None:
    form["files"][0]["changes"][0]["after"]["quote"] = "Notice must be given 90 days before."


def _another_kind(form: dict[str, Any]) -> None:
    form["files"][0]["changes"][0]["differences"] = ["wording"]


def _one_told_twice(form: dict[str, Any]) -> None:
    changes = form["files"][0]["changes"]
    changes.append(changes[0])


def _a_counterpart_that_is_none(form: dict[str, Any]) -> None:
    changed, added = form["files"][0]["changes"]
    changed["after"], added["after"] = added["after"], changed["after"]


def _nothing_differs(form: dict[str, Any]) -> None:
    form["same"] = True


def _another_count(form: dict[str, Any]) -> None:
    form["files"][0]["unchanged"] = 3


def _no_words(form: dict[str, Any]) -> None:
    form["files"][0]["changes"][0].update(before=None, after=None)


@pytest.mark.parametrize(
    "falsify",
    [
        _without_a_change,
        _another_number,
        _another_kind,
        _one_told_twice,
        _a_counterpart_that_is_none,
        _nothing_differs,
        _another_count,
        _no_words,
    ],
)
def test_a_comparison_that_tells_what_is_not_so_does_not_hold(
    both: tuple[str, str], tmp_path: Path, falsify: Callable[[dict[str, Any]], None]
) -> None:
    path, form = saved(both, tmp_path)
    falsify(form)
    path.write_text(json.dumps(sealed(form)))  # with a digest of its own: anyone can compute it
    assert lexical_cli("verify", str(path)).returncode == 4


def test_an_odd_form_is_no_traceback(both: tuple[str, str], tmp_path: Path) -> None:
    path, form = saved(both, tmp_path)
    form["files"][0]["sides"] = ["odd"]
    path.write_text(json.dumps(sealed(form)))
    assert lexical_cli("verify", str(path)).returncode == 4
    del form["files"][0]["changes"]
    path.write_text(json.dumps(sealed(form)))
    refused = lexical_cli("verify", str(path))
    assert refused.returncode == 1
    assert "it lacks changes" in refused.stderr


def test_sentences_that_mean_the_same_are_counterparts(tmp_path: Path) -> None:
    old, new = tmp_path / "old.md", tmp_path / "new.md"
    same = "# Team\n\nWe meet on Mondays.\n\n{}\n\nCoffee is free.\n"
    old.write_text(same.format("Newcomers receive a laptop on their first day."))
    new.write_text(same.format("A notebook computer is given to people who start."))
    shown = lexical_cli("compare", str(old), str(new)).stdout
    assert "1 added, 1 removed" in shown
    shown = run_cli("compare", str(old), str(new)).stdout
    assert "1 reworded" in shown


def test_bad_input_is_told(both: tuple[str, str], tmp_path: Path) -> None:
    missing = lexical_cli("compare", both[0], tmp_path / "nowhere.md")
    assert missing.returncode == 2
    assert "nowhere.md does not exist" in missing.stderr
    wrong = lexical_cli("compare", *both, "-o", tmp_path / "out.xyz")
    assert wrong.returncode == 2
    assert ".docx" in wrong.stderr
