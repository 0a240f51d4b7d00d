"""Which settings are compared: the four built-in configurations, and variations of one's own."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pincite.errors import UsageError
from pincite.regular_files import read_regular_text
from pincite.settings import (
    Layer,
    Settings,
    load_settings,
    profile_layer,
    profile_names,
    wish_of_layer,
)
from pincite.trust import Approvals, wish_of

# One candidate is looked at, in the cheapest way, and its score counts nothing: the order stays.
_AS_FOUND = {
    "method": "term_coverage",
    "model": "none",
    "candidates": 1,
    "weight": 0.0,
    "threshold": 0.0,
}
_UNMOVED = {"documents": "off", "headings_weight": 0.0, "tag_set": ""}

CONFIGURATIONS: Mapping[str, Layer] = {
    "bm25": {"retrieval": {"alpha": 1.0}, "boosts": _UNMOVED, "rerank": _AS_FOUND},
    "dense": {"retrieval": {"alpha": 0.0}, "boosts": _UNMOVED, "rerank": _AS_FOUND},
    "fused": {"rerank": _AS_FOUND},
    "default": {},
}
"""Overrides of the settings in use, by name."""

_NAMED = re.compile(r"([\w .-]+):(.+)")
_SETTING = re.compile(r"(\w+)\.(\w+)=(.*)")
_OF_THE_LIBRARY = ("ingest", "chunking", "embedding", "lexical", "dense")
"""Groups that decide what is stored or indexed: all configurations of a run share one library."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration:
    """Settings under a name; `left_out` are groups of a profile that the library decides."""

    name: str
    settings: Settings
    left_out: tuple[str, ...] = ()


def configurations(written: Sequence[str], settings: Settings) -> tuple[Configuration, ...]:
    """What these expressions mean over the settings in use.

    An expression is `[NAME:]PART[+PART]...`; a part is the name of a built-in configuration or of a
    profile, a setting such as `retrieval.alpha=0.3`, or a TOML file of settings; later parts count
    more. Of a profile only that counts which does not change the library.
    Without a name the expression is the name. Raises UsageError for what is none of these, and
    SettingsError for a value that makes no sense.
    """
    found = [_configuration(expression.strip(), settings) for expression in written]
    names = [one.name for one in found]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise UsageError(f"two configurations are called '{twice}'; name one: other:{twice}")
    return tuple(found)


def _configuration(expression: str, settings: Settings) -> Configuration:
    named = _NAMED.fullmatch(expression)
    name, parts = (named[1].strip(), named[2]) if named else (expression, expression)
    merged = settings.model_dump()
    left_out: list[str] = []
    for part in map(str.strip, parts.split("+")):
        layer = _layer(part)
        fixed = [group for group in layer if group in _OF_THE_LIBRARY]
        if fixed and part not in profile_names():
            variable = f"PINCITE_{fixed[0]}__{next(iter(layer[fixed[0]]), '...')}".upper()
            raise UsageError(
                f"'{part}' changes how the library is made, which is the same for all "
                f"configurations of a run: set {variable} in the environment and run again"
            )
        left_out += fixed
        for group in layer.keys() - set(fixed):
            merged.setdefault(group, {}).update(layer[group])
    # No answer of a run may depend on whether a server of one's own happens to be up.
    if left_out or any(part.strip() in profile_names() for part in parts.split("+")):
        merged["generation"] = settings.generation.model_dump()
    return Configuration(
        name=name, settings=load_settings(overrides=merged)[0], left_out=tuple(left_out)
    )


def _layer(part: str) -> Mapping[str, Mapping[str, Any]]:
    if part in CONFIGURATIONS:
        return CONFIGURATIONS[part]
    if part in profile_names():
        return profile_layer(part)
    if setting := _SETTING.fullmatch(part):
        return {setting[1]: {setting[2]: setting[3].strip()}}
    if part.endswith(".toml"):
        return _approved(Path(part), _file(Path(part)))
    raise UsageError(
        f"there is no configuration '{part}'; there are: {', '.join(CONFIGURATIONS)}, the profiles "
        f"{', '.join(profile_names())}, settings such as retrieval.alpha=0.3, and TOML files; "
        "several are joined with +, as in fused+retrieval.alpha=0.3"
    )


def _approved(path: Path, layer: Layer) -> Layer:
    wish = wish_of(path, wish_of_layer(layer))
    if not Approvals().cover(wish):
        raise UsageError(wish.notice)
    return layer


def _file(path: Path) -> Mapping[str, Mapping[str, Any]]:
    try:
        found = tomllib.loads(read_regular_text(path))
    except OSError as error:
        raise UsageError(f"{path}: cannot be read ({error.strerror})") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise UsageError(f"{path}: cannot be read as TOML ({error})") from error
    if loose := [name for name, values in found.items() if not isinstance(values, dict)]:
        raise UsageError(f"{path}: '{loose[0]}' stands in no group; expected [retrieval] above it")
    return found
