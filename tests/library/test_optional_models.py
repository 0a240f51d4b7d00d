from __future__ import annotations

from pathlib import Path

import pytest

import pincite
from pincite.errors import SettingsError
from pincite.interfaces.cli.doctor import _print, _reranker
from pincite.library.library import Library
from pincite.library.optional_models import LibraryScorers
from pincite.settings.loading import Settings, load_settings, wishes_of_library
from pincite.settings.trust import Approvals
from tests.rerank.overlap_graph import write_folder

TEXT = "# Valve\nThe relief valve opens at a pressure of 6.5 bar.\n\n# Pump\nThe pump has a seal.\n"
QUESTION = "At which pressure does the relief valve open?"


def settings(model: str, **others: object) -> Settings:
    found, _ = load_settings(overrides={"rerank": {"model": model, **others}})
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_folder(tmp_path_factory.mktemp("models") / "overlap")


def library(path: Path, model: str, **others: object) -> Library:
    (path / "files").mkdir(exist_ok=True)
    (path / "files" / "valve.md").write_text(TEXT)
    lines = [f"{name} = {value!r}" for name, value in {"model": model, **others}.items()]
    (path / "library").mkdir(exist_ok=True)
    (path / "library" / "settings.toml").write_text("\n".join(["[rerank]", *lines]))
    for wish in wishes_of_library(path / "library"):
        Approvals().add(wish)
    opened = pincite.Library.open(path / "library")
    opened.ingest(path / "files")
    return opened


def test_a_cross_encoder_of_the_settings_judges_and_is_in_the_trace(
    tmp_path: Path, folder: Path
) -> None:
    with library(tmp_path, str(folder)) as opened:
        result = opened.search(QUESTION)
        assert result.hits[0].scores["cross_encoder"] > 0.5
        assert "late_interaction" in result.hits[0].scores
        reranked = next(s for s in result.trace["stages"] if s["name"] == "rerank")
        assert "cross_encoder" in reranked["kept"][0]["scores"]
        assert opened.ask(QUESTION).citations[0].quote.endswith("6.5 bar.")


def test_a_model_that_cannot_be_had_is_told_and_leaves_the_method(tmp_path: Path) -> None:
    with library(tmp_path, str(tmp_path / "nowhere")) as opened:
        result = opened.search(QUESTION)
        (told,) = [n for n in result.notices if "rerank" in n]
        assert told.startswith("reranked by late_interaction alone: ")
        assert "does not exist; expected a folder with model.onnx" in told
        assert "late_interaction" in result.hits[0].scores
        assert told.endswith(_reranker(opened)["problem"].partition(": ")[2])


def test_a_server_that_is_down_is_told_with_each_question(tmp_path: Path) -> None:
    url = "http://127.0.0.1:9"
    with library(tmp_path, "rerank-server:m", url=url, retries=0) as opened:
        for _ in range(2):
            (told,) = opened.search(QUESTION).notices
            assert told.startswith(
                "reranked without rerank-server:m: m at http://127.0.0.1:9: cannot"
            )
        assert "cannot be reached" in _reranker(opened)["problem"]


def test_a_language_model_needs_one_to_be_set(tmp_path: Path) -> None:
    scorer, problem = LibraryScorers(tmp_path).for_settings(settings("llm"), None)
    assert scorer is None
    assert "generation.model" in problem


def test_doctor_tries_the_model(
    tmp_path: Path, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with library(tmp_path, str(folder)) as opened:
        found = _reranker(opened)
    assert found["name"].startswith("overlap#")
    assert found["problem"] == ""
    report = {
        "versions": {}, "catalog": "whole",
        "reranker": found, "language_models": [], "to_do": [],
        "healthy": True, "not_approved": [],
        "parser_confinement": "none", "plugins": [],
        "entailment": {"name": "none", "problem": ""},
        "model": {"problem": "p"}, "index": {"problem": "p"},
        "vectors": {"alike": 1, "checked": 1, "problems": []},
        "offsets": {"exact": 1, "checked": 1, "problems": []},
    }  # fmt: skip
    _print(report)
    assert f"late_interaction, then {found['name']} ({found['runtime']})" in capsys.readouterr().out


def test_the_model_is_opened_once_and_is_part_of_what_made_an_answer(
    tmp_path: Path, folder: Path
) -> None:
    scorers = LibraryScorers(tmp_path)
    one, _ = scorers.for_settings(settings(str(folder)), None)
    assert scorers.for_settings(settings(str(folder)), None)[0] is one
    assert scorers.for_settings(settings(str(folder), max_tokens=64), None)[0] is not one
    assert scorers.for_settings(settings("none"), None) == (None, "")
    place = write_folder(tmp_path / "overlap")
    with library(tmp_path, str(place)) as opened:
        before = opened.ask(QUESTION).settings_digest
    with library(tmp_path, str(place)) as opened:
        assert opened.ask(QUESTION).settings_digest == before
    write_folder(place, labels=2)
    with library(tmp_path, str(place)) as opened:
        assert opened.ask(QUESTION).settings_digest != before


def test_what_is_no_form_of_a_reranker_is_refused() -> None:
    for wrong in ("ms-marco", "relative/folder", "fastembed:", "ollama:x"):
        with pytest.raises(
            SettingsError, match=r"rerank\.model.*is not a reranker; expected none, llm"
        ):
            settings(wrong)
