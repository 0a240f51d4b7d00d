from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from end_to_end.running import SampleLibrary, call_cli, refused

from pincite.library.receipts import verify_receipt
from pincite.records.document import READING_VERSION
from pincite.verify.receipts.signing import sealed

TEMPLATE = """
title = "Test stand"
[[sections]]
title = "Torque"
questions = ["What torque do I need for a size -8 hose end?"]
max_sentences = 1
[[sections]]
title = "Ferries"
questions = ["When does the night ferry to Stavanger leave?"]
note = "Ferries are not covered."
[[sections]]
title = "Everywhere"
questions = ["How many documents mention torque?"]
[[sections]]
title = "Nowhere"
questions = ["What is it?"]
filters = { documents = ["nothing.pdf"] }
"""


@pytest.fixture(scope="module")
def folder(sample: SampleLibrary, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the report in every format."""
    folder = tmp_path_factory.mktemp("report")
    (folder / "stand.toml").write_text(TEMPLATE, encoding="utf-8")
    names = [f"stand.{ending}" for ending in ("md", "html", "docx", "pdf", "json")]
    outputs = [part for name in names for part in ("--output", folder / name)]
    done = call_cli("report", folder / "stand.toml", "--library", sample.path, *outputs)
    assert done.returncode == 0, done.stderr
    assert "2 of 4 questions answered" in done.stdout
    return folder


@pytest.fixture
def saved(folder: Path) -> dict[str, Any]:
    return json.loads((folder / "stand.json").read_text(encoding="utf-8"))


def answers(saved: dict[str, Any]) -> list[dict[str, Any]]:
    return [answer for section in saved["sections"] for answer in section["answers"]]


def test_every_sentence_is_cited_with_its_page(folder: Path) -> None:
    text = (folder / "stand.md").read_text(encoding="utf-8")
    quoted = [line for line in text.splitlines() if line.startswith("- “")]
    assert len(quoted) == 7
    assert all(line.endswith(("p. 2]", "p. 3]")) for line in quoted)


def test_a_section_without_evidence_says_so_with_reasons_and_nearest_passages(
    folder: Path, saved: dict[str, Any]
) -> None:
    text = (folder / "stand.md").read_text(encoding="utf-8")
    assert "> **Ferries are not covered.**" in text
    assert "confidence" in text
    assert "The nearest passages, which were not found to answer:" in text
    ferries = answers(saved)[1]
    assert ferries["status"] == "abstained"
    assert ferries["reasons"]
    assert 1 <= len(ferries["nearest"]) <= 2


def test_a_section_whose_filter_nothing_fulfils_says_so_and_the_others_go_on(
    folder: Path, saved: dict[str, Any]
) -> None:
    assert "no document matches 'nothing.pdf'" in answers(saved)[3]["problem"]
    assert "This question could not be asked" in (folder / "stand.md").read_text(encoding="utf-8")


def test_the_sources_are_listed_with_pages_and_checksums(saved: dict[str, Any]) -> None:
    (source,) = saved["sources"]
    assert source["pages"] == [2, 3]
    assert len(source["sha256"]) == 64
    assert source["quotes"] == 7


def test_the_same_place_has_one_number_throughout(saved: dict[str, Any]) -> None:
    torque, _, everywhere, _ = answers(saved)
    assert torque["numbers"] == [1]
    assert everywhere["numbers"] == [2, 3, 4, 5, 6, 7]


def test_a_saved_report_is_verified_and_the_command_says_so(folder: Path) -> None:
    done = call_cli("verify", folder / "stand.json")
    assert done.returncode == 0, done.stdout
    assert "7 of 7 citations hold" in done.stdout


def test_an_answer_of_a_report_names_what_read_its_quotes_and_the_nearest_passages(
    saved: dict[str, Any], tmp_path: Path
) -> None:
    for answer in answers(saved)[:3]:
        cited = {one["document"] for one in (*answer["citations"], *answer["nearest"])}
        assert answer["readings"] == dict.fromkeys(cited, READING_VERSION)
        answer["readings"] = dict.fromkeys(cited, READING_VERSION - 1)
    answers(saved)[0]["citations"][0]["start_char_index"] += 1
    answers(saved)[0]["citations"][0]["end_char_index"] += 1
    answers(saved)[1]["nearest"][0]["section"] = "Elsewhere"
    path = tmp_path / "older.json"
    path.write_text(json.dumps(sealed(saved)), encoding="utf-8")
    found = verify_receipt(path)
    assert found.holds, found.problems
    assert [one.number for one in found.citations if one.notes] == [1]
    question = answers(saved)[1]["question"]
    assert [f"'{question}': nearest passage 1" in note for note in found.notes] == [True, True]


def test_a_report_is_the_same_every_time(
    folder: Path, sample: SampleLibrary, tmp_path: Path
) -> None:
    names = [f"stand.{ending}" for ending in ("md", "html", "docx", "pdf", "json")]
    outputs = [part for name in names for part in ("--output", tmp_path / name)]
    done = call_cli("report", folder / "stand.toml", "--library", sample.path, *outputs, "--json")
    for name in names:
        assert (tmp_path / name).read_bytes() == (folder / name).read_bytes(), name
    assert json.loads(done.stdout) == json.loads((folder / "stand.json").read_text("utf-8"))


def _quote(saved: dict[str, Any]) -> None:
    answers(saved)[2]["citations"][0]["cited_text"] = "Tighten by hand."


def _text(saved: dict[str, Any]) -> None:
    answers(saved)[0]["text"] += " Always."


def _number(saved: dict[str, Any]) -> None:
    answers(saved)[2]["numbers"][0] = 1


def _near(saved: dict[str, Any]) -> None:
    answers(saved)[1]["nearest"][0]["cited_text"] = "The ferry leaves at nine."


def _source(saved: dict[str, Any]) -> None:
    saved["sources"][0]["pages"] = [1]


def _page(saved: dict[str, Any]) -> None:
    answers(saved)[0]["citations"][0]["page"] = 1


def _status(saved: dict[str, Any]) -> None:
    answers(saved)[1]["status"] = "answered"


@pytest.mark.parametrize("change", [_quote, _text, _number, _near, _source, _page, _status])
def test_what_was_changed_in_a_saved_report_is_found(
    change: Any, saved: dict[str, Any], tmp_path: Path
) -> None:
    path = tmp_path / "changed.json"
    change(saved)
    path.write_text(json.dumps(saved), encoding="utf-8")
    assert not verify_receipt(path).holds


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda saved: saved.pop("sources"), "lacks sources"),
        (lambda saved: saved.update(sections=3), "section 1 is not an object with answers"),
        (lambda saved: answers(saved)[0].pop("numbers"), "lacks numbers"),
        (lambda saved: answers(saved)[0].pop("citations"), "not a saved answer"),
        (lambda saved: answers(saved)[1].pop("nearest"), "lack fields"),
    ],
)
def test_what_is_no_saved_report_is_refused(
    change: Any, said: str, saved: dict[str, Any], tmp_path: Path
) -> None:
    path = tmp_path / "changed.json"
    change(saved)
    path.write_text(json.dumps(saved), encoding="utf-8")
    refused(call_cli("verify", path), 1, said)


def test_the_templates_are_listed_with_their_sections() -> None:
    done = call_cli("report", "--list")
    assert done.returncode == 0
    assert "prospectus\n" in done.stdout
    assert "Final verdict" in done.stdout
    listed = json.loads(call_cli("report", "--list", "--json").stdout)
    assert [one["name"] for one in listed] == ["prospectus", "sop-summary"]


def test_without_an_output_the_report_is_printed(folder: Path, sample: SampleLibrary) -> None:
    done = call_cli("report", folder / "stand.toml", "--library", sample.path)
    assert done.stdout == (folder / "stand.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "--list"),
        (["nowhere"], "prospectus, sop-summary"),
        (["prospectus", "-o", "a.odt"], "there is no format '.odt'"),
        (["prospectus", "-o", "nowhere/a.md"], "there is no folder"),
        (["prospectus", "--collection", "nowhere"], "there is no collection 'nowhere'"),
        (["prospectus", "--mode", "loud"], "generation.mode = 'loud'"),
    ],
)
def test_a_report_that_cannot_be_made_is_refused_before_anything_is_asked(
    arguments: list[str], said: str, sample: SampleLibrary, tmp_path: Path
) -> None:
    refused(call_cli("report", *arguments, "--library", sample.path, cwd=tmp_path), 2, said)


def test_a_report_without_any_answer_says_so_with_its_exit_code(
    sample: SampleLibrary, tmp_path: Path
) -> None:
    path = tmp_path / "ferry.toml"
    path.write_text(
        'title = "T"\n[[sections]]\ntitle = "A"\n'
        'questions = ["When does the night ferry to Stavanger leave?"]\n'
    )
    assert call_cli("report", path, "--library", sample.path).returncode == 3
