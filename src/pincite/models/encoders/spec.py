"""How an encoder wants to be used: its prefixes, pooling and window, from its files or our table."""

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
from pincite.models.inference.files import json_file, name_of_folder, told_window

Pooling = Literal["mean", "cls", "last"]

_POOLINGS = {
    "mean": "mean",
    # The same direction as the mean, and length does not count.
    "mean_sqrt_len_tokens": "mean",
    "cls": "cls",
    "cls_token": "cls",
    "mean_tokens": "mean",
    "lasttoken": "last",
}
"""What sentence-transformers calls them, now and in older files."""

_APPLIED = {"Transformer", "Pooling", "Normalize"}
_QUERY_PROMPTS = ("query", "search_query")
_PASSAGE_PROMPTS = ("document", "passage", "search_document")
_FEWEST_TOKENS, _DEFAULT_WINDOW = 16, 512
_LONGEST_WINDOW = 2048
"""Attention takes memory by the square of the window, and passages are a few hundred tokens long."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EncoderSpec:
    """What turns token states into vectors as the model's authors meant it."""

    pooling: Pooling
    window_tokens: int
    """Read at once, special tokens and prefix included."""
    query_prefix: str = ""
    passage_prefix: str = ""

    def fingerprint(self) -> bytes:
        """Everything here that changes a vector."""
        return json.dumps(asdict(self), sort_keys=True).encode()


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """What the user set; None leaves it to the model's files and our table."""

    pooling: Pooling | None = None
    query_prefix: str | None = None
    passage_prefix: str | None = None

    def chosen(self) -> dict[str, Any]:
        """Only what was set."""
        return {name: value for name, value in asdict(self).items() if value is not None}


def spec_of_folder(folder: Path, wishes: Wishes) -> EncoderSpec:
    """The user's wishes, then what the folder's own files say, then the table.

    Raises ModelError when nothing tells the pooling, or a file asks for what is not done here.
    """
    found = {**known_use(name_of_folder(folder)), **_told_by_files(folder), **wishes.chosen()}
    if "pooling" not in found:
        raise ModelError(
            f"{folder}: nothing says how its token states become one vector: expected "
            f"1_Pooling/config.json in it; or set embedding.pooling to one of "
            f"{', '.join(get_args(Pooling))}"
        )
    window = min(found.get("window_tokens", _DEFAULT_WINDOW), _LONGEST_WINDOW)
    return EncoderSpec(**{**found, "window_tokens": max(window, _FEWEST_TOKENS)})


def prefixes_of(name: str, wishes: Wishes) -> tuple[str, str]:
    """What goes before a question and before a passage, for a model that is known by name only."""
    found = {**known_use(name), **wishes.chosen()}
    return found.get("query_prefix", ""), found.get("passage_prefix", "")


def reads_latin_only(encoder: str) -> bool:
    """Whether our table says so of an encoder, by its name or one with marks of version and content."""
    parts = (_short(part) for part in re.split(r"[/:#]", encoder))
    return any(part in _latin_only() for part in parts)


def known_use(name: str) -> dict[str, Any]:
    """What our table says about a published model; nothing about others."""
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


def _told_by_files(folder: Path) -> dict[str, Any]:
    modules = json_file(folder / "modules.json", [])
    kinds = [str(module["type"]).rpartition(".")[2] for module in modules]
    if strange := sorted(set(kinds) - _APPLIED):
        raise ModelError(
            f"{folder}: its modules.json asks for {', '.join(strange)} after the encoder; expected "
            f"only {', '.join(sorted(_APPLIED))}: use it through an embedding server instead"
        )
    place = next(
        (m["path"] for m, kind in zip(modules, kinds, strict=True) if kind == "Pooling"), ""
    )
    told = _told_pooling(folder / (place or "1_Pooling") / "config.json")
    told |= _told_prompts(json_file(folder / "config_sentence_transformers.json", {}))
    if window := told_window(folder):
        told["window_tokens"] = window
    return told


def _told_pooling(file: Path) -> dict[str, Any]:
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


def _told_prompts(content: Mapping[str, Any]) -> dict[str, str]:
    """Prefixes that are not empty: files are written with empty ones where nobody set any."""
    prompts = content.get("prompts") or {}
    always = prompts.get(content.get("default_prompt_name") or "", "")
    query = next((prompts[name] for name in _QUERY_PROMPTS if prompts.get(name)), always)
    passage = next((prompts[name] for name in _PASSAGE_PROMPTS if prompts.get(name)), always)
    told = {"query_prefix": query, "passage_prefix": passage}
    return {name: prefix for name, prefix in told.items() if prefix}
