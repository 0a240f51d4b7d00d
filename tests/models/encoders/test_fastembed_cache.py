"""fastembed's cache as it lies on a disk, filled with the default encoder's weights."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from pincite.errors import ModelError
from pincite.models.encoders.built_in import find_encoder_files
from pincite.models.encoders.installed import open_fastembed
from pincite.models.encoders.spec import Wishes
from pincite.models.encoders.windowed import MiniLmEncoder

NAME = "sentence-transformers/all-MiniLM-L6-v2"
TEXTS = ["The relief valve opens at 6.5 bar.", "Change the oil every 500 hours.", "pump " * 100]


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache of fastembed."""
    monkeypatch.setenv("FASTEMBED_CACHE_PATH", str(tmp_path / "fastembed"))
    return tmp_path / "fastembed"


@pytest.fixture
def filled(cache: Path) -> Path:
    repository = cache / "models--qdrant--all-MiniLM-L6-v2-onnx"
    folder = repository / "snapshots" / "0a1b2c3d"
    folder.mkdir(parents=True)
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text("0a1b2c3d")
    files = find_encoder_files()
    shutil.copy(files.model, folder / "model.onnx")
    shutil.copy(files.tokenizer, folder / "tokenizer.json")
    for name, content in {
        "config.json": {"pad_token_id": 0},
        "tokenizer_config.json": {"model_max_length": 256, "pad_token": "[PAD]"},
        "special_tokens_map.json": {"pad_token": "[PAD]", "unk_token": "[UNK]"},
    }.items():
        (folder / name).write_text(json.dumps(content))
    return cache


def test_a_downloaded_model_gives_fastembeds_own_vectors(
    filled: Path, encoder_cache: Path, encoder: MiniLmEncoder
) -> None:
    from fastembed import TextEmbedding

    ours = open_fastembed(NAME, encoder_cache, wishes=Wishes())
    theirs = TextEmbedding(NAME, cache_dir=str(filled), local_files_only=True).embed(TEXTS)
    for one, other, default in zip(ours.encode(TEXTS), theirs, encoder.encode(TEXTS), strict=True):
        assert one.vector @ other > 0.999
        assert np.array_equal(one.offsets, default.offsets)
    assert ours.name.startswith("all-MiniLM-L6-v2-onnx#")


def test_a_model_that_was_not_downloaded_says_how_to_get_it(
    cache: Path, encoder_cache: Path
) -> None:
    with pytest.raises(ModelError, match=r"is not in fastembed's cache .*TextEmbedding\('BAAI/bge"):
        open_fastembed("BAAI/bge-small-en-v1.5", encoder_cache, wishes=Wishes())


def test_an_unknown_name_lists_those_there_are(cache: Path, encoder_cache: Path) -> None:
    with pytest.raises(ModelError, match=r"no text encoder 'bge-tiny'.*BAAI/bge-small-en-v1\.5"):
        open_fastembed("bge-tiny", encoder_cache, wishes=Wishes())
