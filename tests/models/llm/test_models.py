"""Every backend keeps the same promises, with a real model behind it where there is one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pincite.models.llm.llama_cpp import LlamaCppModel
from pincite.models.llm.opening import FallbackModel, open_model
from pincite.records.flow import Prompt
from pincite.settings.groups import GenerationSettings
from pincite.stages import LanguageModel
from pincite.testing.language_models import LanguageModelContract, ScriptedModel
from tests.models.llm.chat_server import serving


def _opened(**chosen: object) -> LanguageModel:
    model = open_model(GenerationSettings(context_tokens=1024, **chosen))  # type: ignore[arg-type]
    assert model is not None
    return model


def _story(prompt: Prompt) -> str:
    if prompt.schema:
        return '{"ids": ["E1"]}'
    return f"On {len(str(prompt.messages))} pumps and valves, at some length. " * 20


class TestInProcess(LanguageModelContract):
    @pytest.fixture
    def model(self, small_model: LlamaCppModel) -> LanguageModel:
        return small_model


class TestOpenAi(LanguageModelContract):
    """The same file behind llama.cpp's own HTTP server."""

    @pytest.fixture
    def model(self, llama_server: str) -> LanguageModel:
        return _opened(model="openai:small", url=llama_server)


class TestOllamaChat(LanguageModelContract):
    @pytest.fixture
    def model(self, small_model: LlamaCppModel) -> Iterator[LanguageModel]:
        with serving(small_model) as server:
            yield _opened(model="ollama:small", url=server.url)


class TestOllamaGenerate(LanguageModelContract):
    """With a script behind it, since reading prompts takes the small model seconds."""

    @pytest.fixture
    def model(self) -> Iterator[LanguageModel]:
        with serving(ScriptedModel(_story, context_tokens=1024)) as server:
            yield _opened(model="ollama-generate:small", url=server.url)


class TestScripted(LanguageModelContract):
    @pytest.fixture
    def model(self) -> LanguageModel:
        return ScriptedModel(_story)


class TestFallback(LanguageModelContract):
    @pytest.fixture
    def model(self) -> LanguageModel:
        return FallbackModel(ScriptedModel(_story), ScriptedModel(["something else"]))
