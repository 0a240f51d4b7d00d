from __future__ import annotations

import shutil
import socket
from pathlib import Path

import numpy as np
import pytest

from pincite.errors import ModelError
from pincite.models.encoders.built_in import find_encoder_files, verify_checksum
from pincite.models.encoders.windowed import MiniLmEncoder
from pincite.testing.contracts import EncoderContract, VectorEncoderContract
from pincite.testing.fakes import FakeEncoder, FakeVectorEncoder

RUNTIMES = ("openvino", "onnxruntime")


@pytest.fixture(scope="module")
def both(encoder_cache: Path) -> dict[str, MiniLmEncoder]:
    return {name: MiniLmEncoder(encoder_cache, runtime=name) for name in RUNTIMES}


class TestFakeEncoder(EncoderContract):
    @pytest.fixture
    def encoder(self) -> FakeEncoder:
        return FakeEncoder()


class TestFakeVectorEncoder(VectorEncoderContract):
    @pytest.fixture
    def encoder(self) -> FakeVectorEncoder:
        return FakeVectorEncoder()


class TestOpenVino(EncoderContract):
    @pytest.fixture
    def encoder(self, both: dict[str, MiniLmEncoder]) -> MiniLmEncoder:
        return both["openvino"]


class TestOnnxRuntime(EncoderContract):
    @pytest.fixture
    def encoder(self, both: dict[str, MiniLmEncoder]) -> MiniLmEncoder:
        return both["onnxruntime"]


def test_the_encoder_says_which_runtime_is_at_work(both: dict[str, MiniLmEncoder]) -> None:
    assert both["openvino"].runtime.startswith("openvino-")
    assert both["onnxruntime"].runtime == "onnxruntime-f32"


def test_the_two_runtimes_agree(both: dict[str, MiniLmEncoder]) -> None:
    texts = ["The relief valve opens at 6.5 bar.", "Ärger mit 水 🎉", "x", "pump " * 300]
    one, other = (list(encoder.encode(texts)) for encoder in both.values())
    for first, second in zip(one, other, strict=True):
        assert first.vector @ second.vector > 0.999


def test_a_text_of_five_thousand_words_is_read_to_its_last_token(encoder: MiniLmEncoder) -> None:
    text = "water " * 4_999 + "valve"
    (states,) = encoder.encode([text])
    assert len(states.states) == 5_000
    assert text[slice(*states.offsets[-1])] == "valve"
    assert np.isclose(np.linalg.norm(states.vector), 1.0, atol=1e-5)


@pytest.mark.parametrize(
    "text",
    [
        "The relief valve (type GSE-204.1) opens at 6.5 bar.",
        "Überdruck à la Zürich",
        "𝒳 marks 🎉 the\tspot\r\n and  more",
        "水は冷たい。",
        "unbelievablenesslike " * 200,
    ],
)
def test_token_places_slice_the_text_without_gaps_but_blanks(
    encoder: MiniLmEncoder, text: str
) -> None:
    (states,) = encoder.encode([text])
    pieces = [text[start:end] for start, end in states.offsets]
    assert "".join(pieces) == "".join(text.split())


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_texts_have_the_same_bits_together_and_alone_however_many_came_before(
    both: dict[str, MiniLmEncoder], runtime: str
) -> None:
    words = "the pump of the second unit is opened every year by the technician on duty".split()
    texts = [" ".join(words[:count] * repeat) for repeat in (1, 3, 9) for count in (1, 6, 15)]
    together = list(both[runtime].encode(texts))
    for _ in range(3):  # the later ones are read in a lane of their own
        alone = [next(iter(both[runtime].encode([text]))) for text in texts]
        for one, other in zip(together, alone, strict=True):
            assert np.array_equal(one.vector, other.vector)
            assert np.array_equal(one.states, other.states)


def test_meaning_counts_and_not_only_words(encoder: MiniLmEncoder) -> None:
    asked = encoder.encode_question("How often is the oil replaced?").vector
    near, far = encoder.encode(["Change the lubricant every year.", "The office opens at nine."])
    assert near.vector @ asked > far.vector @ asked + 0.2


def test_the_prepared_graph_is_read_from_the_cache_the_second_time(
    both: dict[str, MiniLmEncoder], encoder_cache: Path
) -> None:
    before = {file: file.stat().st_mtime_ns for file in encoder_cache.rglob("*")}
    assert {file.suffix for file in before if file.is_file()} == {".blob", ".onnx", ".json"}
    for name in both:
        MiniLmEncoder(encoder_cache, runtime=name)
    assert {file: file.stat().st_mtime_ns for file in encoder_cache.rglob("*")} == before


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_the_first_opening_gives_the_vectors_of_every_later_one(
    runtime: str, tmp_path: Path
) -> None:
    vectors = [
        MiniLmEncoder(tmp_path, runtime=runtime).encode_question("hello world").vector
        for _ in range(2)
    ]
    assert np.array_equal(vectors[0], vectors[1])


@pytest.mark.parametrize("suffix", [".blob", ".onnx"])
@pytest.mark.parametrize("damage", ["garbage", "flipped", "gone"])
def test_a_damaged_prepared_graph_is_made_anew(
    both: dict[str, MiniLmEncoder], tmp_path: Path, encoder_cache: Path, suffix: str, damage: str
) -> None:
    runtime = "onnxruntime" if suffix == ".onnx" else "openvino"
    digest = find_encoder_files().graph.sha256[:12]
    (folder,) = encoder_cache.glob(f"{digest}-{runtime}*")
    shutil.copytree(folder, tmp_path / folder.name)
    (graph,) = (tmp_path / folder.name).glob(f"*{suffix}")
    content = bytearray(graph.read_bytes())
    if damage == "gone":
        graph.unlink()
    else:
        content[len(content) // 2] ^= 0x11
        graph.write_bytes(bytes(content) if damage == "flipped" else b"garbage")
    question = "When does it open?"
    vector = MiniLmEncoder(tmp_path, runtime=runtime).encode_question(question).vector
    assert np.array_equal(vector, both[runtime].encode_question(question).vector)


def test_a_cache_that_cannot_be_written_costs_only_time(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    encoder = MiniLmEncoder(tmp_path / "file", runtime="onnxruntime")
    assert len(encoder.encode_question("pump").vector) == encoder.dimensions


def test_files_of_another_version_are_refused(tmp_path: Path) -> None:
    (tmp_path / "model.onnx").write_bytes(b"another version")
    with pytest.raises(ModelError, match=r"SHA-256 is .* expected 0000"):
        verify_checksum(tmp_path / "model.onnx", "0000")


def test_a_missing_model_file_is_a_model_error(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="cannot be read"):
        verify_checksum(tmp_path / "model.onnx", "0000")


def test_a_missing_package_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pincite.models.encoders.built_in.MODEL_PACKAGE", "not_there_at_all")
    with pytest.raises(ModelError, match="expected the package not-there-at-all"):
        find_encoder_files()


def test_the_guard_refuses_other_machines_and_lets_this_one_pass() -> None:
    with socket.socket() as stranger, pytest.raises(AssertionError, match="offline"):
        stranger.connect(("192.0.2.1", 80))
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket() as own:
        own.connect(server.getsockname())
