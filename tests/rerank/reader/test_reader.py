"""What the small reader makes of the scores that its graph gives."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pincite.errors import ModelError
from pincite.models.encoders.built_in import find_tokenizer
from pincite.models.inference.runtimes import States, TokenIds
from pincite.models.inference.tokenizer import open_tokenizer
from pincite.rerank.reader.reader import SmallReader, open_small_reader
from pincite.stages import PassageReader, ToRead
from pincite.testing.contracts import PassageReaderContract

TEXT = "The mill was built in 1794. It burnt down in 1840. A museum stands there."
SENTENCES = ((0, 27), (28, 50), (51, 73))
MILL = ToRead(heading="", text=TEXT, sentences=SENTENCES, focus=SENTENCES[1])


class MarkedRuntime:
    """Gives the scores of a word: the token of "1840" is start and end, and its sentence's best."""

    name = "marked"

    def __init__(self, dimensions: int = 4) -> None:
        self.dimensions = dimensions

    def run(self, inputs: Sequence[TokenIds]) -> Iterator[States]:
        marked = open_tokenizer(find_tokenizer()).encode("1840", add_special_tokens=False).ids[0]
        for ids in inputs:
            scores = np.zeros((ids.shape[1], 4), dtype=np.float32)
            scores[ids[0] == marked, :3] = 9.0
            scores[0, 3] = 2.0
            yield scores


def marked(dimensions: int = 4) -> SmallReader:
    return SmallReader(
        name="marked",
        tokenizer=open_tokenizer(find_tokenizer()),
        runtime=MarkedRuntime(dimensions),
    )


def test_scores_become_probabilities_sentences_and_words() -> None:
    (reading,) = marked().read("When did it burn?", [MILL])
    assert reading.answers == pytest.approx(0.881, abs=1e-3)
    first, second, third = reading.sentences
    assert first == third == 0.5
    assert second is not None
    assert second > 0.8
    assert reading.short is not None
    assert TEXT[reading.short.start : reading.short.end] == "1840"
    assert reading.short.probability > 0.99


def test_a_sentence_outside_the_window_is_not_read() -> None:
    text = TEXT + " It is open on Sundays." * 100
    passage = ToRead(heading="", text=text, sentences=((0, 27), (2000, 2022)), focus=(0, 27))
    (reading,) = marked().read("When did it burn?", [passage])
    assert reading.sentences[0] is not None
    assert reading.sentences[1] is None


def test_a_window_is_run_once_for_a_question_whatever_is_quoted_from_it() -> None:
    runtime, runs = MarkedRuntime(), list[int]()

    class Counted(MarkedRuntime):
        def run(self, inputs: Sequence[TokenIds]) -> Iterator[States]:
            runs.append(len(inputs))
            return runtime.run(inputs)

    reader = SmallReader(
        name="marked", tokenizer=open_tokenizer(find_tokenizer()), runtime=Counted()
    )
    again = [replace(MILL, focus=sentence) for sentence in SENTENCES]
    first = reader.read("When did it burn?", [MILL, again[0]])
    assert reader.read("When did it burn?", again) == [first[0]] * 3
    assert runs == [1]
    reader.read("Where is it?", [MILL])
    assert runs == [1, 1]


def test_a_graph_with_too_few_scores_is_refused() -> None:
    with pytest.raises(ModelError, match="marked: gives 3 scores for a token"):
        marked(3)


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    damaged = tmp_path / "reader.onnx"
    damaged.write_bytes(b"no graph")
    with pytest.raises(ModelError, match=r"reader\.onnx: its SHA-256 is .*reinstall the package"):
        open_small_reader(find_tokenizer(), tmp_path, file=damaged)


@pytest.fixture(scope="module")
def passage_reader(tmp_path_factory: pytest.TempPathFactory) -> PassageReader:
    return open_small_reader(find_tokenizer(), tmp_path_factory.mktemp("graphs"))


class TestSmallReader(PassageReaderContract):
    """The shipped one."""
