"""Loads the settings and records where each value comes from.

Order of precedence: command-line flags, then environment variables
(`PINCITE_RETRIEVAL__ALPHA=0.5`), then `settings.toml` in the library folder, then the profile (see
docs/profiles.md), then `settings.toml` in the user's config folder, then the defaults in
`settings/groups.py`, from which docs/settings.md is written. Servers, models and files that a library
or a profile file names are used only after the user has approved them (`trust.py`).
"""

from __future__ import annotations

import hashlib
import json
import os
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from pincite.errors import SettingsError
from pincite.records.files import read_regular_text
from pincite.settings.groups import (
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
    ServerSettings,
    UnderstandingSettings,
    VerificationSettings,
)
from pincite.settings.toml_files import shipped_names, toml_file
from pincite.settings.trust import Approvals, Wish, config_folder, needs_approval, wish_of

SETTINGS_FILE = "settings.toml"
_PREFIX = "PINCITE_"
_PROFILE = "profile"
_NAMING_PLUGINS = (("retrieval", "plugin"), ("generation", "plugin"), ("verification", "plugins"))
_PROFILES = "settings/profiles"
"""The folder of the shipped profiles."""


class Settings(BaseModel):
    """All settings, by group."""

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
    server: ServerSettings = ServerSettings()

    def digest(self) -> str:
        """A hash of all values that can change an answer."""
        relevant = self.model_dump(mode="json", exclude={"ingest", "chat", "history", "server"})
        relevant["embedding"] = {**self.embedding.identity(), "runtime": self.embedding.runtime}
        # The same server may move to another address.
        del relevant["embedding"]["url"]
        for name in ("url", "fallback_url", "timeout_seconds", "retries"):
            del relevant["generation"][name]
        del relevant["retrieval"]["limit"]
        for group, name in _NAMING_PLUGINS:
            if not relevant[group][name]:  # Older libraries do not have this setting.
                del relevant[group][name]
        for name in ("memory_mb", "url", "timeout_seconds", "retries"):
            del relevant["rerank"][name]
        canonical = json.dumps(relevant, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(canonical.encode()).hexdigest()[:16]


Layer = Mapping[str, Mapping[str, Any]]
"""Part of the settings: group name -> setting name -> value."""


class Origins(dict[str, str]):
    """The origin of each value: `group.name` -> "default", "settings.toml", ..."""

    profile: str = ""
    """The profile in effect; empty for none."""
    withheld: tuple[Wish, ...] = ()
    """Values of a library or a profile file that are ignored because they are not approved."""

    @property
    def notices(self) -> tuple[str, ...]:
        """The notices about withheld values; every answer has them."""
        return tuple(wish.notice for wish in self.withheld)

    def changed(self, settings: Settings) -> dict[str, dict[str, Any]]:
        """The values other than defaults, by group; as a layer they give the same settings."""
        values = settings.model_dump(mode="json")
        found: dict[str, dict[str, Any]] = {}
        for full_name, origin in self.items():
            group, _, name = full_name.partition(".")
            if origin != "default":
                found.setdefault(group, {})[name] = values[group][name]
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class _Given:
    """One layer and its origin. `source` is a library or a file, which may come from others."""

    origin: str
    layer: Layer
    source: Path | None = None
    file: str = ""
    """The profile file that a library names: it is ignored until it is approved."""

    def without_wishes(self) -> Layer:
        """The part of the layer that applies without approval."""
        return {} if self.file else without_wishes(self.layer)

    def wishes(self) -> dict[str, Any]:
        """The values that need approval, by `group.name`."""
        found = wish_of_layer(self.layer) if self.source else {}
        return {**found, _PROFILE: self.file} if self.file else found


def load_settings(
    library: Path | None = None, *, profile: str = "", overrides: Layer | None = None
) -> tuple[Settings, Origins]:
    """Merge the layers. Raises SettingsError that names the layer and the value.

    `profile` overrides PINCITE_PROFILE, which overrides the line in the library's file.
    """
    given, chosen = _given(library, profile, overrides or {})
    withheld = tuple(wish for wish in _wishes(given) if not Approvals().cover(wish))
    foreign = {wish.source for wish in withheld}
    merged: dict[str, dict[str, Any]] = {}
    origins = Origins(
        (f"{group}.{name}", "default")
        for group, field in Settings.model_fields.items()
        for name in type(field.default).model_fields
    )
    origins.profile, origins.withheld = chosen, withheld
    for one in given:
        is_withheld = one.source is not None and wish_of(one.source, {}).source in foreign
        layer = one.without_wishes() if is_withheld else one.layer
        for group, values in layer.items():
            merged.setdefault(group, {}).update(values)
            origins.update((f"{group}.{name}", one.origin) for name in values)
    try:
        return Settings(**merged), origins  # type: ignore[arg-type]
    except ValidationError as error:
        raise SettingsError(_explain(error, origins)) from error


def wishes_of_library(library: Path) -> list[Wish]:
    """The values of a library, and of the profile that it names, that need the user's approval."""
    given, _ = _given(library, "", {}, own=False)
    return _wishes(given)


def wish_of_layer(layer: Layer) -> dict[str, Any]:
    """The values of a layer that need the user's approval, by `group.name`."""
    return {
        f"{group}.{name}": value
        for group, values in layer.items()
        for name, value in values.items()
        if needs_approval(f"{group}.{name}", value)
    }


def without_wishes(layer: Layer) -> Layer:
    """A layer without the values that need approval."""
    return {
        group: {
            name: value
            for name, value in values.items()
            if not needs_approval(f"{group}.{name}", value)
        }
        for group, values in layer.items()
    }


def _given(
    library: Path | None, profile: str, overrides: Layer, *, own: bool = True
) -> tuple[list[_Given], str]:
    """The layers, lowest precedence first, and the profile in effect; not `own`: the library's only."""
    in_file = _settings_file(library / SETTINGS_FILE) if library else {}
    of_user = _settings_file(config_folder() / SETTINGS_FILE) if own else {}
    remembered, preferred = in_file.pop(_PROFILE, ""), of_user.pop(_PROFILE, "")
    said = (profile or os.environ.get(f"{_PREFIX}{_PROFILE.upper()}", "")) if own else ""
    chosen = said or remembered or preferred
    is_of_library = bool(remembered) and not said
    given = [
        _Given(origin=f"{SETTINGS_FILE} of the user", layer=of_user),
        _Given(
            origin=f"profile {chosen}",
            layer=profile_layer(chosen) if chosen else {},
            source=library if is_of_library else _file_of(chosen),
            file=str(chosen) if is_of_library and _file_of(chosen) else "",
        ),
        _Given(origin=SETTINGS_FILE, layer=in_file, source=library),
        _Given(origin="environment", layer=_environment_layer() if own else {}),
        _Given(origin="command line", layer=overrides),
    ]
    for one in given:
        _check_groups(one)
    return given, str(chosen)


def _file_of(profile: str) -> Path | None:
    """The file of a profile; None for a shipped one."""
    return None if not profile or profile in profile_names() else Path(profile)


def _wishes(given: Sequence[_Given]) -> list[Wish]:
    """The values that need the user's approval, one `Wish` for each library or file."""
    found: dict[Path, Wish] = {}
    for one in given:
        values = one.wishes()
        if one.source and values:
            wish = wish_of(one.source, values)
            before = found.get(wish.source, wish)
            found[wish.source] = replace(wish, values={**before.values, **values})
    return list(found.values())


def _check_groups(one: _Given) -> None:
    for group, values in one.layer.items():
        if not isinstance(values, Mapping):
            raise SettingsError(
                f"{one.origin}: '{group}' is a single value; it should be a group, "
                f"such as [{group}] with lines name = value below it"
            )


def changed_settings(settings: Settings, layer: Layer, *, origin: str) -> Settings:
    """The settings with a layer applied. Raises SettingsError that names `origin` and the value."""
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
    """The values of a profile, shipped or a file. Raises SettingsError if there is none."""
    if not isinstance(chosen, str):
        raise SettingsError(
            f"{_PROFILE} = {chosen!r}: expected a name, one of: {', '.join(profile_names())}"
        )
    return toml_file(chosen, shipped_in=_PROFILES, setting=_PROFILE).content


def profile_names() -> list[str]:
    """The shipped profiles."""
    return shipped_names(_PROFILES)


def _settings_file(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(read_regular_text(path))
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise SettingsError(f"{path}: cannot be read as TOML: {error}") from error


def _environment_layer() -> Layer:
    """Values of variables such as PINCITE_RETRIEVAL__ALPHA, and groups such as PINCITE_RETRIEVAL={}."""
    found: dict[str, dict[str, Any]] = {}
    groups = ", ".join(Settings.model_fields)
    # Whole groups come first: a single value overrides them.
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
            f"environment: {variable}: expected a JSON object; set one value as {variable}__NAME"
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
