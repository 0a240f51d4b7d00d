"""Which settings are compared: the four built-in configurations, and variations of one's own."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pincite.errors import UsageError
from pincite.settings import Layer, Settings, load_settings

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
_OF_INGEST = ("ingest", "chunking", "embedding")


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration:
    """Settings under a name."""

    name: str
    settings: Settings


def configurations(written: Sequence[str], settings: Settings) -> tuple[Configuration, ...]:
    """What these expressions mean over the settings in use.

    An expression is `[NAME:]PART[+PART]...`; a part is the name of a built-in configuration, a
    setting such as `retrieval.alpha=0.3`, or a TOML file of settings; later parts count more.
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
    for part in parts.split("+"):
        for group, values in _layer(part.strip()).items():
            if group in _OF_INGEST:
                variable = f"PINCITE_{group}__{next(iter(values), '...')}".upper()
                raise UsageError(
                    f"'{part.strip()}' changes how files are taken in, which is the same for all "
                    f"configurations of a run: set {variable} in the environment and run again"
                )
            merged.setdefault(group, {}).update(values)
    return Configuration(name=name, settings=load_settings(overrides=merged)[0])


def _layer(part: str) -> Mapping[str, Mapping[str, Any]]:
    if part in CONFIGURATIONS:
        return CONFIGURATIONS[part]
    if setting := _SETTING.fullmatch(part):
        return {setting[1]: {setting[2]: setting[3].strip()}}
    if part.endswith(".toml"):
        return _file(Path(part))
    raise UsageError(
        f"there is no configuration '{part}'; there are: {', '.join(CONFIGURATIONS)}, settings such "
        "as retrieval.alpha=0.3, and TOML files; several are joined with +, as in "
        "fused+retrieval.alpha=0.3"
    )


def _file(path: Path) -> Mapping[str, Mapping[str, Any]]:
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"{path}: cannot be read ({error.strerror})") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"{path}: cannot be read as TOML ({error})") from error
    if loose := [name for name, values in found.items() if not isinstance(values, dict)]:
        raise UsageError(f"{path}: '{loose[0]}' stands in no group; expected [retrieval] above it")
    return found
