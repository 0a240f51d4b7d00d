"""From settings to the language model they mean."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pincite.errors import ModelError
from pincite.llm.fallback import FallbackModel
from pincite.llm.llama_cpp import LlamaCppModel, LlamaOptions
from pincite.llm.ollama import OllamaModel
from pincite.llm.openai_server import OpenAiModel
from pincite.llm.packaged import SMOLLM2, find_smollm2
from pincite.models import ModelFolder, State
from pincite.servers import OLLAMA_HERE, Place, ServerClient, checked_url, key_from
from pincite.setting_groups import GenerationSettings
from pincite.stages import LanguageModel

API_KEY = "PINCITE_GENERATION_API_KEY"
FALLBACK_API_KEY = "PINCITE_FALLBACK_API_KEY"
"""The environment variables with keys. Each goes to its own server and to no other."""

SERVERS = ("ollama", "ollama-generate", "openai")
"""Kinds of servers; behind a colon stands what one calls its model."""

_NO_MODEL = ("", "none")


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One model that the settings name, and where its server is."""

    model: str
    url: str
    url_setting: str
    key_variable: str

    @property
    def kind(self) -> str:
        """`ollama`, `ollama-generate` or `openai`; `file` for all that run in this process."""
        kind, separator, _ = self.model.partition(":")
        is_server = separator and not Path(self.model).expanduser().is_absolute()
        return kind if is_server else "file"

    @property
    def served_name(self) -> str:
        """What its server calls it."""
        return self.model.partition(":")[2]


def choices(chosen: GenerationSettings) -> list[Choice]:
    """The model and, if there is one, the fallback; nothing without a model."""
    if chosen.model in _NO_MODEL:
        return []
    first = Choice(model=chosen.model, url=chosen.url, url_setting="url", key_variable=API_KEY)
    second = Choice(
        model=chosen.fallback_model,
        url=chosen.fallback_url,
        url_setting="fallback_url",
        key_variable=FALLBACK_API_KEY,
    )
    return [first] if chosen.fallback_model in _NO_MODEL else [first, second]


def open_model(
    chosen: GenerationSettings, *, sleep: Callable[[float], None] = time.sleep
) -> LanguageModel | None:
    """The language model of these settings; None where they name none.

    Nothing is loaded or asked yet. Raises ModelError for a file that is not there or no model, a
    name that was not added and an address that is none.
    """
    models = [_open(choice, chosen, sleep) for choice in choices(chosen)]
    if not models:
        return None
    return models[0] if len(models) == 1 else FallbackModel(models[0], models[1])


def _open(
    choice: Choice, chosen: GenerationSettings, sleep: Callable[[float], None]
) -> LanguageModel:
    if choice.kind == "file":
        file, sha256 = model_file(choice.model)
        options = LlamaOptions(
            context_tokens=chosen.context_tokens,
            threads=chosen.threads,
            seed=chosen.seed,
            prompt_cache=chosen.prompt_cache,
            timeout_seconds=chosen.timeout_seconds,
        )
        return LlamaCppModel(file, options=options, sha256=sha256)
    place = place_of(choice, timeout_seconds=chosen.timeout_seconds, retries=chosen.retries)
    client = ServerClient(place, sleep=sleep)
    if choice.kind == "openai":
        return OpenAiModel(
            client,
            choice.served_name,
            name=choice.model,
            context_tokens=chosen.context_tokens,
            extra={"seed": chosen.seed},
            server=place.url,
        )
    return OllamaModel(
        client,
        choice.served_name,
        context_tokens=chosen.context_tokens,
        seed=chosen.seed,
        endpoint="generate" if choice.kind == "ollama-generate" else "chat",
        server=place.url,
    )


def known_models() -> tuple[str, ...]:
    """Names that mean a model without a server: none, the one that comes packaged, those added."""
    return ("none", SMOLLM2, *(added.name for added in ModelFolder()))


def open_fallback(
    chosen: GenerationSettings, *, sleep: Callable[[float], None] = time.sleep
) -> LanguageModel:
    """The fallback alone, with its own address and key, for where the model cannot be had at all."""
    return _open(choices(chosen)[1], chosen, sleep)


def model_file(model: str) -> tuple[Path, str]:
    """The GGUF file that a setting means, and its SHA-256 where that was recorded, else empty."""
    if model == SMOLLM2:
        return find_smollm2(), ""
    path = Path(model).expanduser()
    if path.is_absolute():
        return path, ""
    folder = ModelFolder()
    added = folder.find(model)
    if folder.state(added) is not State.UNCHANGED:
        raise ModelError(
            f"{folder.file_of(added)}: is not the file that was added as '{model}'; see 'pincite "
            "models verify', and add the model again"
        )
    return folder.file_of(added), added.sha256


def place_of(choice: Choice, *, timeout_seconds: float, retries: int) -> Place:
    """Where the server of a model is. Raises ModelError for a bad address."""
    setting = f"generation.{choice.url_setting}"
    url = choice.url or ("" if choice.kind == "openai" else OLLAMA_HERE)
    if not url:
        raise ModelError(
            f"{choice.model} needs the address of a server: set {setting}, such as "
            "http://127.0.0.1:8080/v1"
        )
    base = checked_url(url, setting=setting, key_variable=choice.key_variable)
    return Place(
        model=choice.served_name,
        url=base.removesuffix("/v1" if choice.kind == "openai" else "/api"),
        group="generation",
        url_setting=choice.url_setting,
        key=key_from(choice.key_variable),
        key_variable=choice.key_variable,
        timeout_seconds=timeout_seconds,
        retries=retries,
        is_waited_for=True,
        too_long="ask for less, or raise generation.context_tokens",
    )
