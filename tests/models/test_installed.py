from __future__ import annotations

import hashlib
import io
import json
import os
from pathlib import Path

import pytest

from pincite.errors import ModelError
from pincite.models.installed import ModelFolder, State, models_folder

CONTENT = b"GGUF and so on"
SHA256 = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture
def folder(tmp_path: Path) -> ModelFolder:
    return ModelFolder(tmp_path / "models")


def added(folder: ModelFolder, *, name: str = "small", sha256: str = "") -> None:
    folder.add(
        io.BytesIO(CONTENT), name=name, suffix=".gguf", came_from="/here/small.gguf", sha256=sha256
    )


def test_the_folder_is_the_user_s_own_or_the_one_that_was_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert models_folder() == tmp_path / "pincite" / "models"
    monkeypatch.setenv("PINCITE_MODELS", str(tmp_path / "mine"))
    assert models_folder() == tmp_path / "mine"


def test_an_added_file_is_found_again_with_its_checksum(folder: ModelFolder) -> None:
    assert list(folder) == []
    added(folder)
    model = ModelFolder(folder.path).find("small")
    assert (model.sha256, model.size_bytes) == (SHA256, len(CONTENT))
    assert folder.file_of(model).read_bytes() == CONTENT
    assert folder.state(model) is State.UNCHANGED
    assert folder.state(model, verify=True) is State.VERIFIED


def test_other_content_than_expected_is_not_kept(folder: ModelFolder) -> None:
    with pytest.raises(ModelError, match=f"its SHA-256 is {SHA256}, expected 00"):
        added(folder, sha256="00" * 32)
    assert list(folder.path.iterdir()) == []
    added(folder, sha256=SHA256.upper())


def test_a_changed_file_is_told_and_one_of_the_same_size_by_reading_it(folder: ModelFolder) -> None:
    added(folder)
    model = folder.find("small")
    file = folder.file_of(model)
    file.write_bytes(CONTENT[::-1])
    os.utime(file, ns=(model.modified_ns, model.modified_ns))
    assert folder.state(model) is State.UNCHANGED
    assert folder.state(model, verify=True) is State.CHANGED
    file.write_bytes(CONTENT + b"!")
    assert folder.state(model) is State.CHANGED
    file.unlink()
    assert folder.state(model) is folder.state(model, verify=True) is State.MISSING


@pytest.mark.parametrize("name", ["", "../small", "a/b", ".hidden", "small model", "x" * 101, "é"])
def test_a_name_that_could_lead_elsewhere_is_refused(folder: ModelFolder, name: str) -> None:
    with pytest.raises(ModelError, match="is not a valid model name"):
        added(folder, name=name)


def test_a_name_is_given_once(folder: ModelFolder) -> None:
    added(folder)
    with pytest.raises(ModelError, match="there is a model 'small' already"):
        added(folder)


def test_an_unknown_name_lists_those_there_are(folder: ModelFolder) -> None:
    added(folder)
    with pytest.raises(ModelError, match=r"no model 'smal' in .*; there are: small"):
        folder.find("smal")


def test_an_interrupted_copy_leaves_nothing(folder: ModelFolder) -> None:
    class Interrupted(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            if self.tell():
                raise KeyboardInterrupt
            return super().read(4)

    with pytest.raises(KeyboardInterrupt):
        folder.add(Interrupted(CONTENT), name="small", suffix=".gguf", came_from="x")
    assert list(folder.path.iterdir()) == []


def test_a_record_that_cannot_be_read_is_named(folder: ModelFolder) -> None:
    added(folder)
    record = folder.path / "small.pincite.json"
    record.write_text(json.dumps({"name": "small"}))
    with pytest.raises(ModelError, match=r"small\.pincite\.json: is not a valid model record"):
        list(folder)
