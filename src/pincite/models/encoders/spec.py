"""How to use an encoder: prefixes, pooling and window, from its files or a built-in table."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal, get_args

from pincite.errors import ModelError
from pincite.models.inference.files import json_file, name_of_folder, window_in

Pooling = Literal["mean", "cls", "last"]

_POOLINGS = {
    "mean": "mean",
    # The same direction as the mean; the length is normalized.
    "mean_sqrt_len_tokens": "mean",
    "cls": "cls",
    "cls_token": "cls",
    "mean_tokens": "mean",
    "lasttoken": "last",
}
"""The names in sentence-transformers, current and older."""

_APPLIED = {"Transformer", "Pooling", "Normalize"}
_QUERY_PROMPTS = ("query", "search_query")
_PASSAGE_PROMPTS = ("document", "passage", "search_document")
_FEWEST_TOKENS, _DEFAULT_WINDOW = 16, 512
_LONGEST_WINDOW = 2048
"""Attention's memory grows with the square of the window, and passages have a few hundred tokens."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EncoderSpec:
    """How token states become vectors, as intended by the model's authors."""

    pooling: Pooling
    window_tokens: int
    """Tokens read at once, including special tokens and prefix."""
    query_prefix: str = ""
    passage_prefix: str = ""

    def fingerprint(self) -> bytes:
        """All fields that affect vectors, as bytes."""
        return json.dumps(asdict(self), sort_keys=True).encode()


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """The user's settings; None leaves a value to the model's files and the built-in table."""

    pooling: Pooling | None = None
    query_prefix: str | None = None
    passage_prefix: str | None = None

    def chosen(self) -> dict[str, Any]:
        """Only the values that were set."""
        return {name: value for name, value in asdict(self).items() if value is not None}


def spec_of_folder(folder: Path, wishes: Wishes) -> EncoderSpec:
    """The spec from the user's settings, then the folder's files, then the table.

    Raises ModelError if the pooling is unknown, or if a file asks for an unsupported step.
    """
    found = {**known_use(name_of_folder(folder)), **_from_files(folder), **wishes.chosen()}
    if "pooling" not in found:
        raise ModelError(
            f"{folder}: its pooling is unknown: expected 1_Pooling/config.json in it; "
            f"or set embedding.pooling to one of "
            f"{', '.join(get_args(Pooling))}"
        )
    window = min(found.get("window_tokens", _DEFAULT_WINDOW), _LONGEST_WINDOW)
    return EncoderSpec(**{**found, "window_tokens": max(window, _FEWEST_TOKENS)})


def prefixes_of(name: str, wishes: Wishes) -> tuple[str, str]:
    """The prefixes for questions and passages, for a model of which only the name is known."""
    found = {**known_use(name), **wishes.chosen()}
    return found.get("query_prefix", ""), found.get("passage_prefix", "")


def reads_latin_only(encoder: str) -> bool:
    """Whether the table lists an encoder as Latin-only, by its name with or without version marks."""
    parts = (_short(part) for part in re.split(r"[/:#]", encoder))
    return any(part in _latin_only() for part in parts)


def known_use(name: str) -> dict[str, Any]:
    """The table's entry for a published model; empty for others."""
    return dict(_table().get(_short(name.rpartition("/")[2].partition(":")[0]), {}))


def _short(name: str) -> str:
    return re.sub(r"(-onnx)?(-q|-quantized|-int8)?$", "", name.lower())


@cache
def _table() -> Mapping[str, Mapping[str, Any]]:
    return {
        name.lower(): {key: value for key, value in entry.items() if key != "names"}
        for entry in _content()["encoder"]
        for name in entry["names"]
    }


@cache
def _latin_only() -> frozenset[str]:
    return frozenset(name.lower() for name in _content()["latin_only"])


def _content() -> dict[str, Any]:
    file = Path(__file__).with_name("data") / "encoders.toml"
    return tomllib.loads(file.read_text(encoding="utf-8"))


def _from_files(folder: Path) -> dict[str, Any]:
    modules = json_file(folder / "modules.json", [])
    kinds = [str(module["type"]).rpartition(".")[2] for module in modules]
    if unknown := sorted(set(kinds) - _APPLIED):
        raise ModelError(
            f"{folder}: its modules.json asks for {', '.join(unknown)} after the encoder; expected "
            f"only {', '.join(sorted(_APPLIED))}: use it through an embedding server instead"
        )
    place = next(
        (m["path"] for m, kind in zip(modules, kinds, strict=True) if kind == "Pooling"), ""
    )
    found = _pooling_in(folder / (place or "1_Pooling") / "config.json")
    found |= _prompts_in(json_file(folder / "config_sentence_transformers.json", {}))
    if window := window_in(folder):
        found["window_tokens"] = window
    return found


def _pooling_in(file: Path) -> dict[str, Any]:
    content = json_file(file, {})
    modes = content.get("pooling_mode") or [
        name.removeprefix("pooling_mode_")
        for name, is_on in content.items()
        if name.startswith("pooling_mode_") and is_on
    ]
    modes = [modes] if isinstance(modes, str) else list(modes)
    if not modes:
        return {}
    if len(modes) > 1 or modes[0] not in _POOLINGS:
        raise ModelError(
            f"{file}: asks for the pooling {', '.join(modes)}; expected one of "
            f"{', '.join(_POOLINGS)}: use the model through an embedding server instead"
        )
    return {"pooling": _POOLINGS[modes[0]]}


def _prompts_in(content: Mapping[str, Any]) -> dict[str, str]:
    """The non-empty prefixes; files contain empty ones by default."""
    prompts = content.get("prompts") or {}
    always = prompts.get(content.get("default_prompt_name") or "", "")
    query = next((prompts[name] for name in _QUERY_PROMPTS if prompts.get(name)), always)
    passage = next((prompts[name] for name in _PASSAGE_PROMPTS if prompts.get(name)), always)
    prefixes = {"query_prefix": query, "passage_prefix": passage}
    return {name: prefix for name, prefix in prefixes.items() if prefix}
