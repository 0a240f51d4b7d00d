"""A scripted language model, and a test suite for implementations of language models.

from pincite.testing.language_models import LanguageModelContract

class TestMyModel(LanguageModelContract):
    @pytest.fixture
    def model(self):
        return MyModel()
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Sequence

import pytest

from pincite.errors import ModelError
from pincite.models.llm.output import Ending, Output, Pieces
from pincite.records.flow import Message, Prompt
from pincite.stages import LanguageModel

_TOKEN = re.compile(r"\s*\S+|\s+$")
Reply = str | ModelError
"""The text to write, or the error to raise instead."""


class ScriptedModel:
    """Writes scripted replies, word by word.

    `script` is a list of replies, used cyclically, or a function of the prompt. A token is a word.
    `prompts` lists all prompts. An error in the script is raised after `breaks_after` words.
    """

    def __init__(
        self,
        script: Sequence[Reply] | Callable[[Prompt], Reply],
        *,
        name: str = "scripted",
        context_tokens: int = 4096,
        breaks_after: int = 0,
    ) -> None:
        self._script = script
        self._breaks_after = breaks_after
        self.name = name
        self.context_tokens = context_tokens
        self.prompts: list[Prompt] = []

    def count_tokens(self, text: str) -> int:
        """The number of words."""
        return len(text.split())

    def write(self, prompt: Prompt) -> Output:
        """The next reply; like a real one it ends at `stop` or after `max_tokens`."""
        asked = sum(self.count_tokens(message.content) for message in prompt.messages)
        if asked + prompt.max_tokens > self.context_tokens:
            raise ModelError(f"{self.name}: {asked} tokens and {prompt.max_tokens} are too many")
        script, turn = self._script, len(self.prompts)
        self.prompts.append(prompt)
        reply = script(prompt) if callable(script) else script[turn % len(script)]
        return Output(self.name, self._pieces(reply, prompt), max_tokens=prompt.max_tokens)

    def _pieces(self, reply: Reply, prompt: Prompt) -> Pieces:
        if isinstance(reply, ModelError):
            yield from ["word "] * self._breaks_after
            raise reply
        for stop in prompt.stop:
            reply = reply.partition(stop)[0]
        tokens = _TOKEN.findall(reply)
        yield from tokens[: prompt.max_tokens]
        return Ending(is_cut=len(tokens) > prompt.max_tokens)


def asked(text: str, *, max_tokens: int = 8) -> Prompt:
    """A prompt of one message."""
    return Prompt(messages=(Message(role="user", content=text),), max_tokens=max_tokens)


_BOILING = asked("At what temperature does water boil?")
_ODD_TEXT = "half \ud800 a character, \x00, a\u0301, 水は沸騰する 🎉 <|im_end|> \u202eback"
_SCHEMA = {
    "type": "object",
    "properties": {
        "ids": {"type": "array", "items": {"enum": ["E1", "E2", "E3"]}, "maxItems": 2},
    },
    "required": ["ids"],
    "additionalProperties": False,
}


class LanguageModelContract:
    """Fixture: `model`. `constrains` is False if the backend cannot enforce a schema."""

    constrains = True

    def test_output_comes_in_pieces(self, model: LanguageModel) -> None:
        """More than one, none empty."""
        pieces = list(model.write(_BOILING))
        assert len(pieces) > 1
        assert all(pieces)

    def test_the_same_prompt_gives_the_same_text(self, model: LanguageModel) -> None:
        """At temperature 0, whatever was asked in between."""
        first = text_of(model, _BOILING)
        text_of(model, asked("At what temperature does iron melt?"))
        assert text_of(model, _BOILING) == first

    def test_output_ends_after_so_many_tokens_and_says_so(self, model: LanguageModel) -> None:
        """There is a notice only if the output was cut off."""
        writing = model.write(asked("Tell a long story about pumps.", max_tokens=3))
        text = "".join(writing)
        assert 0 < len(text) < 60
        assert "3 tokens" in writing.notices[0]
        assert writing.model.split() == [writing.model]

    def test_output_ends_before_a_stop_string(self, model: LanguageModel) -> None:
        """The stop string is left out, and there is no notice."""
        whole = text_of(model, _BOILING)
        stop = whole.split()[2]
        prompt = Prompt(messages=_BOILING.messages, max_tokens=8, stop=(stop,))
        writing = model.write(prompt)
        assert "".join(writing).rstrip() == whole.partition(stop)[0].rstrip()
        assert not writing.notices

    def test_output_has_the_form_of_a_schema(self, model: LanguageModel) -> None:
        """Regardless of what the model would write."""
        if not self.constrains:
            pytest.skip("this backend cannot constrain what is written")
        question = asked("Which of the quotes [E1], [E2] name a pump?", max_tokens=60)
        prompt = Prompt(messages=question.messages, max_tokens=60, schema=_SCHEMA)
        found = json.loads(text_of(model, prompt))
        assert found.keys() == {"ids"}
        assert len(found["ids"]) <= 2
        assert set(found["ids"]) <= {"E1", "E2", "E3"}

    def test_tokens_are_counted(self, model: LanguageModel) -> None:
        """Zero for no text, more for a longer one, and the same each time."""
        assert model.count_tokens("") == 0
        counts = [model.count_tokens("The valve opens at 6.5 bar. " * n) for n in (1, 2, 9, 1)]
        assert counts[0] == counts[3]
        assert 5 <= counts[0] < counts[1] < counts[2]

    def test_a_prompt_longer_than_the_window_is_an_error(self, model: LanguageModel) -> None:
        """It is not silently cut."""
        too_long = asked("pump valve " * model.context_tokens)
        with pytest.raises(ModelError):
            text_of(model, too_long)
        assert text_of(model, _BOILING)

    def test_any_text_can_be_asked(self, model: LanguageModel) -> None:
        """Also lone surrogates and the model's special tokens."""
        assert model.count_tokens(_ODD_TEXT) > 5
        text_of(model, asked(_ODD_TEXT, max_tokens=3))

    def test_an_abandoned_output_does_no_harm(self, model: LanguageModel) -> None:
        """The next output is unaffected."""
        before = text_of(model, _BOILING)
        next(iter(model.write(asked("Tell a very long story.", max_tokens=60))))
        assert text_of(model, _BOILING) == before

    def test_several_threads_get_their_own_output(self, model: LanguageModel) -> None:
        """As if each had asked alone."""
        prompts = [_BOILING, asked("What is a pump?")]
        alone = [text_of(model, prompt) for prompt in prompts]
        together = ["", ""]

        def ask(place: int) -> None:
            together[place] = text_of(model, prompts[place])

        threads = [threading.Thread(target=ask, args=(place,)) for place in (0, 1)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert together == alone

    def test_it_has_a_name_and_a_window(self, model: LanguageModel) -> None:
        """The name has no spaces, since receipts and messages contain it."""
        assert model.name
        assert model.name == "".join(model.name.split())
        assert model.context_tokens >= 256


def text_of(model: LanguageModel, prompt: Prompt) -> str:
    """The whole output."""
    return "".join(model.write(prompt))
