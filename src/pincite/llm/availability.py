"""Can the language model be had? Answered without loading it or asking it to write."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

from pincite.errors import ModelError
from pincite.llm.gguf import read_gguf_header
from pincite.llm.opening import Choice, choices, model_file, place_of
from pincite.servers import ServerClient
from pincite.setting_groups import GenerationSettings

_SECONDS = 5.0
_MODELS_SHOWN = 8
_MEGABYTE = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Availability:
    """A model of the settings: what was found of it, or why it cannot be had."""

    model: str
    found: str = ""
    problem: str = ""


def availability(chosen: GenerationSettings) -> list[Availability]:
    """The model and its fallback, each with what was found; empty where none is set."""
    return [_looked_at(choice) for choice in choices(chosen)]


def _looked_at(choice: Choice) -> Availability:
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
            f"{client.name}: tells no models at {path}: is this the right address?"
        ) from error


def _shown(names: list[str]) -> str:
    more = len(names) - _MODELS_SHOWN
    shown = ", ".join(names[:_MODELS_SHOWN])
    return (f"{shown} and {more} more" if more > 0 else shown) or "no models"
