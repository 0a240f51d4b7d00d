"""Encoders as folders, made of the default encoder's weights."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pincite.models.encoders.built_in import find_encoder_files

MakeFolder = Callable[..., Path]


@pytest.fixture(scope="session")
def make_folder(tmp_path_factory: pytest.TempPathFactory) -> MakeFolder:
    """Makes a model folder; further files as name=content, "__" in a name standing for "/"."""

    def make(name: str, **files: Any) -> Path:
        folder = tmp_path_factory.mktemp("models") / name
        folder.mkdir()
        ours = find_encoder_files()
        shutil.copy(ours.model, folder / "model.onnx")
        shutil.copy(ours.tokenizer, folder / "tokenizer.json")
        for path, content in files.items():
            file = folder / f"{path.replace('__', '/')}.json"
            file.parent.mkdir(exist_ok=True)
            file.write_text(json.dumps(content))
        return folder

    return make
