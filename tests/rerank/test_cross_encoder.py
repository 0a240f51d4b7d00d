from __future__ import annotations

import json
import shutil
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from pincite.errors import ModelError
from pincite.rerank.cross_encoders import (
    CrossEncoder,
    open_fastembed_cross_encoder,
    open_onnx_cross_encoder,
    open_torch_cross_encoder,
)
from pincite.testing.contracts import PairScorerContract
from tests.rerank.overlap_graph import write_folder

QUESTION = "At which pressure does the relief valve open?"
TEXTS = [
    "The relief valve opens at a pressure of 6.5 bar.",
    "The pump's seal is made of ceramics.",
    "Relief valve",
    "",
]
NAME = "Xenova/ms-marco-MiniLM-L-6-v2"


def opened(folder: Path, cache: Path, *, max_tokens: int = 512, **use: str) -> CrossEncoder:
    return open_onnx_cross_encoder(folder, cache, max_tokens=max_tokens, **use)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_folder(tmp_path_factory.mktemp("models") / "overlap")


@pytest.fixture(scope="module")
def with_openvino(folder: Path, encoder_cache: Path) -> CrossEncoder:
    return opened(folder, encoder_cache, runtime="openvino")


@pytest.fixture(scope="module")
def with_onnxruntime(folder: Path, encoder_cache: Path) -> CrossEncoder:
    return opened(folder, encoder_cache, runtime="onnxruntime")


class TestOpenVino(PairScorerContract):
    @pytest.fixture
    def scorer(self, with_openvino: CrossEncoder) -> CrossEncoder:
        return with_openvino


class TestOnnxRuntime(PairScorerContract):
    @pytest.fixture
    def scorer(self, with_onnxruntime: CrossEncoder) -> CrossEncoder:
        return with_onnxruntime


class TestSmallWindow(PairScorerContract):
    @pytest.fixture
    def scorer(self, folder: Path, encoder_cache: Path) -> CrossEncoder:
        return opened(folder, encoder_cache, max_tokens=24)


def test_a_score_is_the_sigmoid_of_the_logit(with_onnxruntime: CrossEncoder) -> None:
    # relief, valve, pressure; "open" is as frequent as "the" for this tokenizer's vocabulary.
    found = with_onnxruntime.score("relief valve pressure", ["relief valve pump", "pump", ""])
    expected = [1 / (1 + np.exp(4 - 8 * share)) for share in (2 / 3, 0, 0)]
    assert found == pytest.approx(expected, abs=1e-6)


def test_both_runtimes_agree(with_openvino: CrossEncoder, with_onnxruntime: CrossEncoder) -> None:
    one, other = (s.score(QUESTION, TEXTS) for s in (with_openvino, with_onnxruntime))
    assert one == pytest.approx(other, abs=0.01)


def test_a_model_that_says_no_and_yes_gives_the_share_of_yes(
    tmp_path: Path, encoder_cache: Path, with_onnxruntime: CrossEncoder
) -> None:
    two = opened(write_folder(tmp_path / "two", labels=2), encoder_cache, runtime="onnxruntime")
    expected = with_onnxruntime.score(QUESTION, TEXTS)
    assert two.score(QUESTION, TEXTS) == pytest.approx(expected, abs=1e-6)


def test_a_classifier_of_more_kinds_is_refused(tmp_path: Path, encoder_cache: Path) -> None:
    with pytest.raises(ModelError, match=r"three#\w+: gives 3 values for a pair, and a reranker"):
        opened(write_folder(tmp_path / "three", labels=3), encoder_cache)


def test_an_encoder_is_refused_by_its_output(tmp_path: Path, encoder_cache: Path) -> None:
    from pincite.models.encoders.built_in import find_encoder_files

    folder = write_folder(tmp_path / "encoder")
    shutil.copy(find_encoder_files().model, folder / "model.onnx")
    with pytest.raises(ModelError, match=r"expected a judgement of the whole .*classification"):
        opened(folder, encoder_cache)


def test_the_end_of_a_text_longer_than_the_window_counts(folder: Path, encoder_cache: Path) -> None:
    small = opened(folder, encoder_cache, max_tokens=32)
    filler = "The pump is greased with lithium grease. " * 30
    at_the_end, without = small.score(QUESTION, [f"{filler} {TEXTS[0]}", filler])
    assert at_the_end > without + 0.3


def test_the_window_is_the_smallest_that_anybody_names(tmp_path: Path, encoder_cache: Path) -> None:
    longest: list[int] = []
    for config, asked in (({"max_position_embeddings": 64}, 512), ({}, 40)):
        scorer = opened(
            write_folder(tmp_path / str(asked), **config), encoder_cache, max_tokens=asked
        )
        pairs = scorer._pairs
        run = pairs._run

        def seen(inputs: list[np.ndarray], run=run) -> object:  # type: ignore[no-untyped-def, type-arg]
            longest.append(max(ids.shape[-1] for ids in inputs))
            return run(inputs)

        pairs._run = seen  # type: ignore[assignment]
        scorer.score(QUESTION, ["pump " * 500])
    assert longest == [64, 40]


def test_the_name_tells_the_content_and_not_the_place(
    folder: Path, tmp_path: Path, encoder_cache: Path, with_openvino: CrossEncoder
) -> None:
    moved = tmp_path / "overlap"
    shutil.copytree(folder, moved)
    assert opened(moved, encoder_cache).name == with_openvino.name
    assert opened(moved, encoder_cache, max_tokens=100).name != with_openvino.name
    assert opened(write_folder(tmp_path / "b" / "overlap", labels=2), encoder_cache).name != (
        with_openvino.name
    )


def test_a_folder_without_a_model_says_what_is_expected(
    tmp_path: Path, encoder_cache: Path
) -> None:
    with pytest.raises(
        ModelError, match=r"contains no \.onnx file; expected model\.onnx and tokenizer"
    ):
        opened(tmp_path, encoder_cache)
    with pytest.raises(ModelError, match="does not exist; expected a folder"):
        opened(tmp_path / "nowhere", encoder_cache)
    for name in ("a", "b"):
        (tmp_path / f"{name}.onnx").touch()
    with pytest.raises(ModelError, match=r"name one of its files in rerank\.model"):
        opened(tmp_path, encoder_cache)


# --- fastembed's cache ---------------------------------------------------------------------------


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """fastembed's cache as it lies on a disk, with our small graph as its model."""
    monkeypatch.setenv("FASTEMBED_CACHE_PATH", str(tmp_path / "fastembed"))
    return tmp_path / "fastembed"


def filled(cache: Path) -> Path:
    repository = cache / "models--Xenova--ms-marco-MiniLM-L-6-v2"
    folder = write_folder(repository / "snapshots" / "0a1b2c3d", pad_token_id=0)
    (folder / "onnx").mkdir()
    (folder / "model.onnx").rename(folder / "onnx" / "model.onnx")
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text("0a1b2c3d")
    for name, content in {
        "tokenizer_config.json": {"model_max_length": 512, "pad_token": "[PAD]"},
        "special_tokens_map.json": {"pad_token": "[PAD]", "unk_token": "[UNK]"},
    }.items():
        (folder / name).write_text(json.dumps(content))
    return cache


def test_a_downloaded_model_gives_fastembeds_own_scores(cache: Path, encoder_cache: Path) -> None:
    from fastembed.rerank.cross_encoder import TextCrossEncoder

    theirs = TextCrossEncoder(NAME, cache_dir=str(filled(cache)), local_files_only=True)
    ours = open_fastembed_cross_encoder(NAME, encoder_cache, max_tokens=512, runtime="onnxruntime")
    logits = np.array(list(theirs.rerank(QUESTION, TEXTS)))
    assert ours.score(QUESTION, TEXTS) == pytest.approx(1 / (1 + np.exp(-logits)), abs=1e-5)
    assert ours.name.startswith("ms-marco-MiniLM-L-6-v2#")


def test_a_model_that_was_not_downloaded_says_how_to_get_it(
    cache: Path, encoder_cache: Path
) -> None:
    with pytest.raises(ModelError, match=r"not in fastembed's cache .*TextCrossEncoder\('BAAI/bge"):
        open_fastembed_cross_encoder("BAAI/bge-reranker-v2-m3", encoder_cache, max_tokens=512)


def test_an_unknown_name_lists_those_there_are(cache: Path, encoder_cache: Path) -> None:
    with pytest.raises(ModelError, match=r"no cross-encoder 'tiny'.*Xenova/ms-marco-MiniLM-L-6-v2"):
        open_fastembed_cross_encoder("tiny", encoder_cache, max_tokens=512)


# --- PyTorch -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def torch_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small BERT that judges pairs, with weights drawn by chance."""
    torch = pytest.importorskip("torch", reason="needs pincite[torch]")
    transformers = pytest.importorskip("transformers", reason="needs pincite[torch]")
    torch.manual_seed(7)
    config = transformers.BertConfig(
        hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64,
        num_labels=1, initializer_range=0.5,
    )  # fmt: skip
    folder = write_folder(tmp_path_factory.mktemp("torch") / "small-bert")
    (folder / "model.onnx").unlink()
    transformers.BertForSequenceClassification(config).save_pretrained(folder)
    return folder


def test_pytorch_scores_pairs_as_the_package_itself_does(torch_folder: Path) -> None:
    import torch
    from tokenizers import Tokenizer
    from transformers import AutoModelForSequenceClassification

    ours = open_torch_cross_encoder(str(torch_folder), max_tokens=512)
    model = AutoModelForSequenceClassification.from_pretrained(torch_folder).eval()
    tokenizer = Tokenizer.from_file(str(torch_folder / "tokenizer.json"))
    tokenizer.no_padding()
    expected = []
    for text in TEXTS:
        pair = tokenizer.encode(QUESTION, text)
        with torch.inference_mode():
            logits = model(
                input_ids=torch.tensor([pair.ids]), token_type_ids=torch.tensor([pair.type_ids])
            ).logits
        expected.append(float(torch.sigmoid(logits[0, 0])))
    assert ours.score(QUESTION, TEXTS) == pytest.approx(expected, abs=1e-5)
    assert max(expected) - min(expected) > 0.001
    assert ours.name.startswith("small-bert#")


@pytest.mark.skipif(find_spec("torch") is not None, reason="PyTorch is installed")
def test_without_pytorch_the_extra_is_named() -> None:
    with pytest.raises(ModelError, match=r"pip install 'pincite\[torch\]'"):
        open_torch_cross_encoder("ms-marco-MiniLM-L-6-v2", max_tokens=512)
