from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from pincite.errors import ModelError
from pincite.models.encoders.installed import open_onnx_folder
from pincite.models.encoders.spec import Wishes
from pincite.models.encoders.windowed import MiniLmEncoder, WindowedEncoder
from pincite.testing.contracts import EncoderContract
from tests.models.encoders.conftest import MakeFolder

TEXTS = ["The relief valve opens at 6.5 bar.", "水 und Öl", "pump " * 700, ""]
POOLED = {"1_Pooling__config": {"pooling_mode": "mean"}}
PREFIXED = Wishes(query_prefix="query: ", passage_prefix="passage: ")


def opened(folder: Path, cache: Path, **wishes: str) -> WindowedEncoder:
    return open_onnx_folder(folder, cache, wishes=Wishes(**wishes))  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def plain(make_folder: MakeFolder, encoder_cache: Path) -> WindowedEncoder:
    """The default encoder's files as anybody's."""
    return opened(make_folder("all-MiniLM-L6-v2"), encoder_cache)


@pytest.fixture(scope="module")
def cls_with_prefixes(make_folder: MakeFolder, encoder_cache: Path) -> WindowedEncoder:
    folder = make_folder("other", **{"1_Pooling__config": {"pooling_mode": "cls"}})
    return open_onnx_folder(folder, encoder_cache, wishes=PREFIXED, runtime="onnxruntime")


@pytest.fixture(scope="module")
def last_token(make_folder: MakeFolder, encoder_cache: Path) -> WindowedEncoder:
    return opened(make_folder("other"), encoder_cache, pooling="last")


class TestClsWithPrefixes(EncoderContract):
    @pytest.fixture
    def encoder(self, cls_with_prefixes: WindowedEncoder) -> WindowedEncoder:
        return cls_with_prefixes


class TestLastToken(EncoderContract):
    @pytest.fixture
    def encoder(self, last_token: WindowedEncoder) -> WindowedEncoder:
        return last_token


def test_the_default_encoders_files_as_a_folder_give_its_vectors(
    plain: WindowedEncoder, encoder: MiniLmEncoder
) -> None:
    for one, other in zip(plain.encode(TEXTS), encoder.encode(TEXTS), strict=True):
        assert one.vector @ other.vector > 0.9999
        assert np.array_equal(one.offsets, other.offsets)


def test_a_prefix_changes_vectors_and_not_places(
    make_folder: MakeFolder, encoder_cache: Path, plain: WindowedEncoder
) -> None:
    prefixed = open_onnx_folder(
        make_folder("all-MiniLM-L6-v2"), encoder_cache, wishes=PREFIXED, runtime="auto"
    )
    (bare,), (passage,) = plain.encode(TEXTS[:1]), prefixed.encode(TEXTS[:1])
    question = prefixed.encode_question(TEXTS[0])
    assert np.array_equal(bare.offsets, passage.offsets)
    assert np.array_equal(bare.offsets, question.offsets)
    assert bare.vector @ passage.vector < 0.999
    assert passage.vector @ question.vector < 0.999
    (written,) = plain.encode(["passage: " + TEXTS[0]])
    assert written.vector @ passage.vector > 0.9999


def test_every_window_of_a_long_text_has_the_prefix(
    make_folder: MakeFolder, encoder_cache: Path
) -> None:
    folder = make_folder("other", **POOLED, sentence_bert_config={"max_seq_length": 32})
    encoder = open_onnx_folder(folder, encoder_cache, wishes=PREFIXED)
    seen: list[list[int]] = []
    run = encoder._runtime.run
    encoder._runtime.run = lambda windows: (  # type: ignore[method-assign]
        seen.extend(window.tolist() for window in windows) or run(windows)  # type: ignore[func-returns-value]
    )
    (found,) = encoder.encode(["pump " * 100])
    assert len(found.states) == 100
    assert len(seen) > 3
    assert len({tuple(window[:3]) for window in seen}) == 1
    assert all(len(window) <= 32 for window in seen)


def test_cls_pooling_is_the_first_state(make_folder: MakeFolder, encoder_cache: Path) -> None:
    encoder = opened(make_folder("other"), encoder_cache, pooling="cls")
    encoder._centres = {}
    ids = np.array([101, 1037, 102])
    (states,) = encoder._runtime.run([ids])
    expected = states[0] / np.linalg.norm(states[0])
    assert np.allclose(encoder.encode_question("a").vector, expected, atol=1e-6)


def test_the_name_follows_content_and_use_and_not_the_place(
    make_folder: MakeFolder, encoder_cache: Path, plain: WindowedEncoder
) -> None:
    again = make_folder("all-MiniLM-L6-v2")
    assert opened(again, encoder_cache).name == plain.name
    assert opened(again, encoder_cache, query_prefix="q: ").name != plain.name
    tokenizer = again / "tokenizer.json"
    tokenizer.write_text(tokenizer.read_text().replace('"##ing"', '"##ung"', 1))
    assert opened(again, encoder_cache).name != plain.name


def test_a_graph_may_lie_in_a_folder_of_its_own_or_be_named(
    make_folder: MakeFolder, encoder_cache: Path, plain: WindowedEncoder
) -> None:
    folder = make_folder("all-MiniLM-L6-v2")
    (folder / "onnx").mkdir()
    moved = folder / "onnx" / "model_int8.onnx"
    (folder / "model.onnx").rename(moved)
    assert opened(folder, encoder_cache).name == plain.name
    assert opened(moved, encoder_cache).name == plain.name


def test_dimensions_inputs_and_the_output_are_read_from_the_graph(
    make_folder: MakeFolder, encoder_cache: Path
) -> None:
    folder = make_folder("tiny", **POOLED)
    onnx.save(tiny_graph(dimensions=12), folder / "model.onnx")
    for runtime in ("openvino", "onnxruntime"):
        encoder = open_onnx_folder(folder, encoder_cache, wishes=Wishes(), runtime=runtime)
        assert encoder.dimensions == 12
        (found,) = encoder.encode(["pump valve pump"])
        assert found.states.shape == (3, 12)
        assert np.allclose(found.states[0], found.states[2], atol=0.02)


@pytest.mark.parametrize("runtime", ["openvino", "onnxruntime"])
def test_a_graph_that_is_no_encoders_is_refused(
    make_folder: MakeFolder, encoder_cache: Path, runtime: str
) -> None:
    pooled, strange = make_folder("pooled", **POOLED), make_folder("strange", **POOLED)
    onnx.save(tiny_graph(dimensions=8, pooled=True), pooled / "model.onnx")
    onnx.save(tiny_graph(dimensions=8, ids="pixels"), strange / "model.onnx")
    with pytest.raises(ModelError, match="expected token states"):
        open_onnx_folder(pooled, encoder_cache, wishes=Wishes(), runtime=runtime)
    with pytest.raises(ModelError, match="inputs are pixels"):
        open_onnx_folder(strange, encoder_cache, wishes=Wishes(), runtime=runtime)


def test_what_is_missing_or_damaged_is_named(make_folder: MakeFolder, tmp_path: Path) -> None:
    folder = make_folder("all-MiniLM-L6-v2")
    with pytest.raises(ModelError, match=r"does not exist; expected a folder with model\.onnx"):
        opened(tmp_path / "nowhere", tmp_path)
    shutil.copy(folder / "model.onnx", folder / "b.onnx")
    (folder / "model.onnx").rename(folder / "a.onnx")
    with pytest.raises(
        ModelError, match=r"contains a\.onnx, b\.onnx; expected model\.onnx: name one"
    ):
        opened(folder, tmp_path)
    (folder / "b.onnx").unlink()
    (folder / "a.onnx").write_bytes(b"garbage")
    with pytest.raises(ModelError, match="cannot load"):
        opened(folder, tmp_path)
    (folder / "a.onnx").unlink()
    with pytest.raises(ModelError, match=r"contains no \.onnx file"):
        opened(folder, tmp_path)
    (folder / "model.onnx").write_bytes(b"")
    (folder / "tokenizer.json").write_text("{}")
    with pytest.raises(ModelError, match=r"is not a tokenizer file"):
        opened(folder, tmp_path)
    (folder / "tokenizer.json").unlink()
    with pytest.raises(ModelError, match=r"contains no tokenizer\.json"):
        opened(folder, tmp_path)


def tiny_graph(*, dimensions: int, ids: str = "input_ids", pooled: bool = False) -> onnx.ModelProto:
    """Looks up a row for each token; its sizes are not told, and there is no token_type_ids."""
    table = np.random.default_rng(1).standard_normal((30_522, dimensions)).astype(np.float32)
    nodes = [helper.make_node("Gather", ["table", ids], ["rows"])]
    kind = "ReduceMean" if pooled else "Identity"
    nodes.append(helper.make_node(kind, ["rows", *(["axis"] if pooled else [])], ["found"],
                                  **({"keepdims": 0} if pooled else {})))  # fmt: skip
    axes = ["batch", "sequence", "width"]
    graph = helper.make_graph(
        nodes,
        "tiny",
        [helper.make_tensor_value_info(ids, TensorProto.INT64, ["batch", "sequence"])],
        [helper.make_tensor_value_info("found", TensorProto.FLOAT, axes[:: 2 if pooled else 1])],
        [
            helper.make_tensor("table", TensorProto.FLOAT, table.shape, table.tobytes(), raw=True),
            helper.make_tensor("axis", TensorProto.INT64, [1], [1]),
        ],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
