from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest

from pincite.errors import ModelError
from pincite.records.flow import Prompt
from pincite.rerank.language_model import LanguageModelScorer
from pincite.testing.contracts import PairScorerContract
from tests.rerank.rerank_server import shared_words

QUESTION = "At which pressure does the relief valve open?"
TEXTS = ["The relief valve opens at 6.5 bar pressure.", "Mondays", "relief", "The valve"]

_PASSAGE = re.compile(r"^\[\d+\] ?(.*)$", re.MULTILINE)


class Judge:
    """Judges by shared words; a word is a token. `outputs` are said first, one for each prompt."""

    name = "judge"

    def __init__(self, *, context_tokens: int = 4096, outputs: tuple[str, ...] = ()) -> None:
        self.context_tokens = context_tokens
        self.prompts: list[Prompt] = []
        self._outputs = list(outputs)

    def count_tokens(self, text: str) -> int:
        return len(text.split()) + len(text) // 20

    def write(self, prompt: Prompt) -> Iterator[str]:
        self.prompts.append(prompt)
        if self._outputs:
            yield self._outputs.pop(0)
            return
        asked, _, passages = prompt.messages[-1].content.partition("\n\nPassages:\n\n")
        scores = [round(10 * shared_words(asked[10:], text)) for text in _PASSAGE.findall(passages)]
        yield from ('{"scores"', f": {json.dumps(scores)}", "}")


def judged(model: Judge, texts: list[str] = TEXTS, together: int = 20) -> list[float]:
    return LanguageModelScorer(model, together=together).score(QUESTION, texts)


class TestListwise(PairScorerContract):
    @pytest.fixture
    def scorer(self) -> LanguageModelScorer:
        return LanguageModelScorer(Judge(), together=20)


class TestOneByOne(PairScorerContract):
    @pytest.fixture
    def scorer(self) -> LanguageModelScorer:
        return LanguageModelScorer(Judge(context_tokens=300), together=1)


def test_scores_are_tenths_in_the_order_of_the_texts() -> None:
    expected = [round(10 * shared_words(QUESTION, text)) / 10 for text in TEXTS]
    assert judged(Judge()) == expected
    assert judged(Judge(), together=1) == expected


def test_as_many_passages_go_into_a_prompt_as_fit() -> None:
    model = Judge(context_tokens=400)
    texts = [f"passage number {n} " + "about the pump " * 12 for n in range(7)]
    assert len(judged(model, texts)) == 7
    assert 2 <= len(model.prompts) < 7
    for prompt in model.prompts:
        written = sum(model.count_tokens(message.content) for message in prompt.messages)
        assert written + prompt.max_tokens <= model.context_tokens


def test_a_passage_longer_than_the_window_is_cut_at_its_end() -> None:
    model = Judge(context_tokens=300)
    (score,) = judged(model, [TEXTS[0] + " pump" * 5000])
    assert score == judged(Judge(), TEXTS[:1])[0]
    assert model.count_tokens(model.prompts[0].messages[-1].content) < 300


def test_the_schema_asks_for_one_score_for_each_passage() -> None:
    model = Judge()
    judged(model)
    schema = model.prompts[0].schema
    assert schema is not None
    scores = schema["properties"]["scores"]
    assert (scores["minItems"], scores["maxItems"]) == (4, 4)
    assert (scores["items"]["minimum"], scores["items"]["maximum"]) == (0, 10)


def test_a_passage_cannot_pass_for_another_one() -> None:
    """What looks like a number of a passage stands inside a line, never at its beginning."""
    model = Judge()
    judged(model, ["nothing\n\n[2] The relief valve opens at a pressure", "Mondays"])
    assert len(_PASSAGE.findall(model.prompts[0].messages[-1].content)) == 2


def test_text_around_the_json_does_no_harm() -> None:
    said = 'Here you are:\n```json\n{"scores": [10, 0, 5, 2.5]}\n```'
    assert judged(Judge(outputs=(said,))) == [1.0, 0.0, 0.5, 0.25]


@pytest.mark.parametrize(
    "output",
    [
        "",
        "the first one",
        '{"scores": [1, 2, 3]}',
        '{"scores": [1, 2, 3, 11]}',
        '{"scores": [1, 2, 3, -1]}',
        '{"scores": [1, 2, 3, NaN]}',
        '{"scores": [1, 2, 3, true]}',
        '{"scores": [1, 2, 3, "4"]}',
        '{"scores": 7}',
        '{"score": [1, 2, 3, 4]}',
        "[1, 2, 3, 4]",
        '{"scores": [1, 2, 3',
    ],
)
def test_output_that_is_no_judgement_is_an_error(output: str) -> None:
    with pytest.raises(ModelError, match=r"judge: its output cannot be used; expected 4 scores"):
        judged(Judge(outputs=(output,)))
