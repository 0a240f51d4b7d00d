"""Opens the language model that the settings name."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from pincite.errors import ModelError, ModelUnreachable
from pincite.models.installed import ModelFolder, State
from pincite.models.llm.gguf import SMOLLM2, find_smollm2, read_gguf_header
from pincite.models.llm.llama_cpp import LlamaCppModel, LlamaOptions
from pincite.models.llm.ollama import OllamaModel
from pincite.models.llm.openai_server import OpenAiModel
from pincite.models.servers import OLLAMA_HERE, Place, ServerClient, checked_url, key_from
from pincite.records.flow import Prompt
from pincite.settings.groups import GenerationSettings
from pincite.stages import Assenting, LanguageModel, Writing

API_KEY = "PINCITE_GENERATION_API_KEY"
FALLBACK_API_KEY = "PINCITE_FALLBACK_API_KEY"
"""Environment variables with keys. Each key is sent only to its own server."""

SERVERS = ("ollama", "ollama-generate", "openai")
"""Kinds of servers; in settings, a colon and the server's name of the model follow."""

_NO_MODEL = ("", "none")


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A model named in the settings, and its server."""

    model: str
    url: str
    url_setting: str
    key_variable: str

    @property
    def kind(self) -> str:
        """`ollama`, `ollama-generate` or `openai`; `file` for models in this process."""
        kind, separator, _ = self.model.partition(":")
        is_server = separator and not Path(self.model).expanduser().is_absolute()
        return kind if is_server else "file"

    @property
    def served_name(self) -> str:
        """The model's name on its server."""
        return self.model.partition(":")[2]


def choices(chosen: GenerationSettings) -> list[Choice]:
    """The model and the fallback, if set; empty without a model."""
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
    """The language model of these settings; None if they name none.

    Nothing is loaded or connected yet. Raises ModelError for a missing or invalid file, an unknown
    name and an invalid address.
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
    """Names of models without a server: `none`, the packaged one and the added ones."""
    return ("none", SMOLLM2, *(added.name for added in ModelFolder()))


def open_fallback(
    chosen: GenerationSettings, *, sleep: Callable[[float], None] = time.sleep
) -> LanguageModel:
    """The fallback only, with its own address and key, if the model cannot be opened."""
    return _open(choices(chosen)[1], chosen, sleep)


def model_file(model: str) -> tuple[Path, str]:
    """The GGUF file for a setting, and its recorded SHA-256, or empty. Raises ModelError."""
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
    """The server of a model. Raises ModelError for an invalid address."""
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
        too_long="ask a shorter question, or raise generation.context_tokens",
    )


class FallbackModel:
    """Uses `first`, and `second` if the first one's server is absent, too slow or failing.

    Outputs are never mixed: that of the first model is passed on only when complete; if it breaks off,
    the second one starts from the beginning. The notices mention the switch.
    """

    def __init__(self, first: LanguageModel, second: LanguageModel) -> None:
        self._first = first
        self._second = second

    @property
    def name(self) -> str:
        """The first model's name; `Writing.model` is the model that actually wrote."""
        return self._first.name

    @property
    def context_tokens(self) -> int:
        """The smaller context of both."""
        return min(self._first.context_tokens, self._second.context_tokens)

    def count_tokens(self, text: str) -> int:
        """The number of tokens by the first model's count."""
        return self._first.count_tokens(text)

    def write(self, prompt: Prompt) -> Writing:
        """The output of one of the two. Raises ModelError if both fail."""
        return _Either(self._first, self._second, prompt)

    def likelihood_of_yes(self, prompt: Prompt) -> float | None:
        """That of the first model; None if it cannot tell. Raises ModelError if it is not there."""
        first = self._first
        return first.likelihood_of_yes(prompt) if isinstance(first, Assenting) else None


class _Either:
    def __init__(self, first: LanguageModel, second: LanguageModel, prompt: Prompt) -> None:
        self._first, self._second, self._prompt = first, second, prompt
        self._switch: tuple[str, ...] = ()
        self._writing: Writing | None = None
        self._pieces = self._write()

    @property
    def model(self) -> str:
        return self._writing.model if self._writing else self._first.name

    @property
    def server(self) -> str:
        return self._writing.server if self._writing else ""

    @property
    def notices(self) -> tuple[str, ...]:
        return (*self._switch, *(self._writing.notices if self._writing else ()))

    @property
    def is_cut(self) -> bool:
        return self._writing is not None and self._writing.is_cut

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        return next(self._pieces)

    def _write(self) -> Iterator[str]:
        try:
            self._writing = self._first.write(self._prompt)
            complete = list(self._writing)
        except ModelUnreachable as error:
            self._switch = (f"{error}; {self._second.name} wrote instead",)
            self._writing = self._second.write(self._prompt)
            yield from self._writing
        else:
            yield from complete


# Availability of the models, checked without loading them or asking them to write.

_SECONDS = 5.0
_MODELS_SHOWN = 8
_MEGABYTE = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Availability:
    """A model of the settings: what was found, or why it is not available."""

    model: str
    found: str = ""
    problem: str = ""


def availability(chosen: GenerationSettings) -> list[Availability]:
    """The availability of the model and its fallback; empty if none is set."""
    return [_checked(choice) for choice in choices(chosen)]


def _checked(choice: Choice) -> Availability:
    try:
        found = _file(choice) if choice.kind == "file" else _server(choice)
    except ModelError as error:
        return Availability(model=choice.model, problem=str(error))
    return Availability(model=choice.model, found=found)


def _file(choice: Choice) -> str:
    file, _ = model_file(choice.model)
    header = read_gguf_header(file)
    if find_spec("xllamacpp") is None:
        raise ModelError(f"{file.name} needs llama.cpp: install it with pip install 'pincite[llm]'")
    size = file.stat().st_size / _MEGABYTE
    return f"{file.name} ({header.architecture}, {size:.0f} MB), in this process"


def _server(choice: Choice) -> str:
    client = ServerClient(place_of(choice, timeout_seconds=_SECONDS, retries=0))
    try:
        if choice.kind == "openai":
            return f"{client.name}; it lists {_shown(_names(client, '/v1/models', 'data', 'id'))}"
        there = _names(client, "/api/tags", "models", "name")
    finally:
        client.close()
    if choice.served_name not in there and f"{choice.served_name}:latest" not in there:
        raise ModelError(
            f"{client.name}: there are only {_shown(there)}: run 'ollama pull {choice.served_name}'"
        )
    return client.name


def _names(client: ServerClient, path: str, group: str, field: str) -> list[str]:
    answer: Any = client.get(path)
    try:
        return [str(model[field]) for model in answer[group]]
    except (KeyError, TypeError) as error:
        raise ModelError(
            f"{client.name}: lists no models at {path}: is this the right address?"
        ) from error


def _shown(names: list[str]) -> str:
    more = len(names) - _MODELS_SHOWN
    shown = ", ".join(names[:_MODELS_SHOWN])
    return (f"{shown} and {more} more" if more > 0 else shown) or "no models"
