"""Where each value that can be set comes from.

Order of precedence: command-line flags, then environment variables
(`PINCITE_RETRIEVAL__ALPHA=0.5`), then `settings.toml` in the library folder, then the profile (see
docs/profiles.md), then the defaults in
`setting_groups.py`. docs/settings.md is made from these.
"""

from __future__ import annotations

import hashlib
import json
import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from pincite.errors import SettingsError
from pincite.setting_groups import (
    BoostsSettings,
    ChatSettings,
    ChunkingSettings,
    DenseSettings,
    EmbeddingSettings,
    EvidenceSettings,
    GenerationSettings,
    HistorySettings,
    IngestSettings,
    IntentsSettings,
    LexicalSettings,
    PackingSettings,
    RerankSettings,
    RetrievalSettings,
    UnderstandingSettings,
    VerificationSettings,
)
from pincite.toml_files import shipped_names, toml_file

SETTINGS_FILE = "settings.toml"
_PREFIX = "PINCITE_"
_PROFILE = "profile"
_PROFILES = "profiles"
"""The folder of those shipped."""


class Settings(BaseModel):
    """All groups."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    ingest: IngestSettings = IngestSettings()
    chunking: ChunkingSettings = ChunkingSettings()
    embedding: EmbeddingSettings = EmbeddingSettings()
    retrieval: RetrievalSettings = RetrievalSettings()
    lexical: LexicalSettings = LexicalSettings()
    understanding: UnderstandingSettings = UnderstandingSettings()
    dense: DenseSettings = DenseSettings()
    boosts: BoostsSettings = BoostsSettings()
    intents: IntentsSettings = IntentsSettings()
    rerank: RerankSettings = RerankSettings()
    evidence: EvidenceSettings = EvidenceSettings()
    packing: PackingSettings = PackingSettings()
    generation: GenerationSettings = GenerationSettings()
    verification: VerificationSettings = VerificationSettings()
    chat: ChatSettings = ChatSettings()
    history: HistorySettings = HistorySettings()

    def digest(self) -> str:
        """Identifies every value that can change an answer."""
        relevant = self.model_dump(mode="json", exclude={"ingest", "chat", "history"})
        relevant["embedding"] = {**self.embedding.identity(), "runtime": self.embedding.runtime}
        # A server may move and still be the same.
        del relevant["embedding"]["url"]
        for name in ("url", "fallback_url", "timeout_seconds", "retries"):
            del relevant["generation"][name]
        del relevant["retrieval"]["limit"]
        for name in ("memory_mb", "url", "timeout_seconds", "retries"):
            del relevant["rerank"][name]
        canonical = json.dumps(relevant, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(canonical.encode()).hexdigest()[:16]


Layer = Mapping[str, Mapping[str, Any]]
"""Part of the settings: group name -> setting name -> value."""


class Origins(dict[str, str]):
    """Where each value came from: `group.name` -> "default", "settings.toml", ..."""

    profile: str = ""
    """The profile in effect; empty for none."""

    def changed(self, settings: Settings) -> dict[str, dict[str, Any]]:
        """The values that are not the defaults, by group; as a layer they give the same settings."""
        values = settings.model_dump(mode="json")
        found: dict[str, dict[str, Any]] = {}
        for full_name, origin in self.items():
            group, _, name = full_name.partition(".")
            if origin != "default":
                found.setdefault(group, {})[name] = values[group][name]
        return found


def load_settings(
    library: Path | None = None, *, profile: str = "", overrides: Layer | None = None
) -> tuple[Settings, Origins]:
    """Merge the layers. Raises SettingsError that names the layer and the value.

    `profile` counts more than PINCITE_PROFILE, and that more than the line in the library's file.
    """
    in_file = dict(_file_layer(library / SETTINGS_FILE) if library else {})
    remembered = in_file.pop(_PROFILE, "")
    chosen = profile or os.environ.get(f"{_PREFIX}{_PROFILE.upper()}", "") or remembered
    layers: list[tuple[str, Layer]] = [
        (f"profile {chosen}", profile_layer(chosen) if chosen else {}),
        (SETTINGS_FILE, in_file),
        ("environment", _environment_layer()),
        ("command line", overrides or {}),
    ]
    merged: dict[str, dict[str, Any]] = {}
    origins = Origins(
        (f"{group}.{name}", "default")
        for group, field in Settings.model_fields.items()
        for name in type(field.default).model_fields
    )
    origins.profile = str(chosen)
    for origin, layer in layers:
        for group, values in layer.items():
            if not isinstance(values, Mapping):
                raise SettingsError(
                    f"{origin}: '{group}' is a single value; it should be a group, "
                    f"such as [{group}] with lines name = value below it"
                )
            merged.setdefault(group, {}).update(values)
            origins.update((f"{group}.{name}", origin) for name in values)
    try:
        return Settings(**merged), origins  # type: ignore[arg-type]
    except ValidationError as error:
        raise SettingsError(_explain(error, origins)) from error


def changed_settings(settings: Settings, layer: Layer, *, origin: str) -> Settings:
    """These settings with some changed. Raises SettingsError that names `origin` and the value."""
    merged = settings.model_dump()
    origins = Origins()
    for group, values in layer.items():
        merged.setdefault(group, {}).update(values)
        origins.update((f"{group}.{name}", origin) for name in values)
    try:
        return Settings(**merged)
    except ValidationError as error:
        raise SettingsError(_explain(error, origins)) from error


def profile_layer(chosen: object) -> Layer:
    """What a profile, shipped or a file, sets. Raises SettingsError when there is none."""
    if not isinstance(chosen, str):
        raise SettingsError(
            f"{_PROFILE} = {chosen!r}: expected a name, one of: {', '.join(profile_names())}"
        )
    return toml_file(chosen, shipped_in=_PROFILES, setting=_PROFILE).content


def profile_names() -> list[str]:
    """The profiles that are shipped."""
    return shipped_names(_PROFILES)


def _file_layer(path: Path) -> Layer:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SettingsError(f"{path}: cannot be read as TOML: {error}") from error


def _environment_layer() -> Layer:
    """Values of variables such as PINCITE_RETRIEVAL__ALPHA, and groups such as PINCITE_RETRIEVAL={}."""
    found: dict[str, dict[str, Any]] = {}
    groups = ", ".join(Settings.model_fields)
    # Whole groups first: a single value counts more.
    for variable, value in sorted(os.environ.items()):
        if not variable.upper().startswith(_PREFIX):
            continue
        group, nested, name = variable[len(_PREFIX) :].lower().partition("__")
        if group in Settings.model_fields:
            values = {name: value} if nested else _group_from_json(variable, value)
            found.setdefault(group, {}).update(values)
        elif nested:
            raise SettingsError(
                f"environment: {variable}: there is no group '{group}'; there are: {groups}"
            )
    return found


def _group_from_json(variable: str, value: str) -> dict[str, Any]:
    try:
        values = json.loads(value)
    except ValueError as error:
        raise SettingsError(
            f"environment: {variable}: is not JSON ({error}); set one value as {variable}__NAME"
        ) from error
    if not isinstance(values, dict):
        raise SettingsError(
            f"environment: {variable}: is a single value; set one value as {variable}__NAME"
        )
    return values


def _explain(error: ValidationError, origins: Origins) -> str:
    lines = []
    for problem in error.errors():
        name = ".".join(str(part) for part in problem["loc"])
        if problem["type"] == "extra_forbidden":
            lines.append(f"there is no setting '{name}'; there are: {_known_names(name)}")
            continue
        origin = origins.get(name, "settings")
        lines.append(f"{name} = {problem['input']!r} ({origin}): {problem['msg']}")
    return "; ".join(lines)


def _known_names(name: str) -> str:
    group = Settings.model_fields.get(name.partition(".")[0])
    if group is None:
        return ", ".join(Settings.model_fields)
    return ", ".join(type(group.default).model_fields)
