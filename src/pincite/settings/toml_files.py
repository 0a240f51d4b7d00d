"""Reads TOML files, shipped or the user's own, and reports errors in them."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from pincite.errors import SettingsError
from pincite.records.files import read_regular_text

_KINDS: Mapping[type, str] = {
    bool: "true or false",
    dict: "a table",
    int: "a number",
    float: "a number",
    list: "a list",
    str: "text",
    type(None): "nothing",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class TomlFile:
    """The content of a file, and the name that messages use for it."""

    name: str
    content: Mapping[str, Any]

    def problem(self, key: str, found: object, expected: str) -> SettingsError:
        """An error with the file, the key, what was found there and what was expected."""
        kind = _KINDS.get(type(found), type(found).__name__)
        shown = f"{kind} ({found!r})" if isinstance(found, str | int | float) else kind
        return SettingsError(f"{self.name}: {key}: found {shown}; expected {expected}")

    def table(self, key: str, found: object) -> Mapping[str, Any]:
        """`found`, which must be a table; otherwise raises SettingsError."""
        if not isinstance(found, dict):
            raise self.problem(key, found, "a table")
        return found

    def only(self, key: str, found: Iterable[str], known: Iterable[str]) -> None:
        """Raises SettingsError for an unknown name."""
        for name in found:
            if name not in known:
                where = f"{key}.{name}" if key else name
                raise SettingsError(
                    f"{self.name}: {where}: there is no such key; there are: {', '.join(known)}"
                )

    def number(self, key: str, found: object, *, low: float, high: float) -> float:
        """`found`, which must be a number from `low` to `high`; otherwise raises SettingsError."""
        is_number = isinstance(found, int | float) and not isinstance(found, bool)
        if not is_number or not low <= found <= high:  # type: ignore[operator]
            raise self.problem(key, found, f"a number from {low:g} to {high:g}")
        return float(found)  # type: ignore[arg-type]

    def words(self, key: str, found: object) -> tuple[str, ...]:
        """`found`, which must be a list of non-empty strings; otherwise raises SettingsError."""
        if not isinstance(found, list) or not found:
            raise self.problem(key, found, 'a list of words, such as ["rain", "rainfall"]')
        for number, word in enumerate(found):
            if not isinstance(word, str) or not word.strip():
                raise self.problem(f"{key}[{number}]", word, "a word or a phrase")
        return tuple(found)


def toml_file(chosen: str, *, shipped_in: str, setting: str) -> TomlFile:
    """The file that a setting names: one shipped in a folder, or the path of the user's own.

    `shipped_in` is a folder of the package, such as `retrieve/tag_sets`.
    Raises SettingsError that says what is wrong in the file, or which files are shipped.
    """
    known = shipped_names(shipped_in)
    if chosen not in known and not Path(chosen).is_file():
        raise SettingsError(
            f"{setting} = {chosen!r}: there is no such file, and none with this name is shipped; "
            f"shipped are: {', '.join(known)}"
        )
    try:
        written = (
            (_folder(shipped_in) / f"{chosen}.toml").read_text(encoding="utf-8")
            if chosen in known
            else read_regular_text(chosen)
        )
        content = tomllib.loads(written)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise SettingsError(f"{chosen}: cannot be read as TOML: {error}") from error
    return TomlFile(name=chosen, content=content)


def shipped(folder: str, name: str) -> Mapping[str, Any]:
    """The content of a file of the package itself, such as `stop_words` in `text/data`."""
    return tomllib.loads((_folder(folder) / f"{name}.toml").read_text(encoding="utf-8"))


def shipped_names(folder: str) -> list[str]:
    """Names of the files shipped in a folder of the package, sorted."""
    found = (item.name for item in _folder(folder).iterdir())
    return sorted(name.removesuffix(".toml") for name in found if name.endswith(".toml"))


def _folder(name: str) -> Traversable:
    return files("pincite").joinpath(*name.split("/"))


def list_items(value: Any) -> Any:
    """The items of a list: in an environment variable they are separated by commas, or are JSON.

    Raises ValueError for a list in JSON that is damaged.
    """
    if not isinstance(value, str):
        return value
    if not value.lstrip().startswith("["):
        return tuple(part.strip() for part in value.split(",") if part.strip())
    try:
        return json.loads(value)
    except ValueError as error:
        raise ValueError(f'is not a JSON list ({error}); write a,b or ["a", "b"]') from error


_TABLE = re.compile(r"^[ \t]*\[", re.MULTILINE)


def with_value(content: str, group: str, name: str, value: str | float) -> str:
    """A settings file with a value in the table of its group, new or changed; the rest is unchanged."""
    line = f"{name} = {json.dumps(value)}\n"
    table = re.search(rf"^[ \t]*\[{group}\][^\n]*\n?", content, re.MULTILINE)
    if table is None:
        return f"{content.rstrip()}\n\n[{group}]\n{line}".lstrip()
    head = table[0] if table[0].endswith("\n") else f"{table[0]}\n"
    end = next((m.start() for m in _TABLE.finditer(content, table.end())), len(content))
    own = re.sub(
        rf"^[ \t]*{name}[ \t]*=[^\n]*\n?", "", content[table.end() : end], flags=re.MULTILINE
    )
    return content[: table.start()] + head + line + own + content[end:]
