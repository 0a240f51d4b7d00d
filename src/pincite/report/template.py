"""Reads a report template: a TOML file with sections and their questions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pincite.records.filters import Filters
from pincite.settings.loading import Layer, wish_of_layer
from pincite.settings.toml_files import TomlFile, shipped_names, toml_file
from pincite.settings.trust import Wish, wish_of

_FOLDER = "report/templates"
_KEYS = ("title", "description", "settings", "sections")
_SECTION_KEYS = ("name", "title", "questions", "mode", "max_sentences", "note", "filters")
_FILTER_KEYS = ("documents", "tags", "sections", "since", "until")
_MODES = ("extractive", "quoted", "generated")
_MOST_SENTENCES = 50
SETTING_GROUPS = (
    "understanding",
    "retrieval",
    "boosts",
    "intents",
    "rerank",
    "evidence",
    "packing",
    "generation",
    "verification",
)
"""Groups of settings that a report may change: those that do not need another index."""

NOTHING_FOUND = "The documents do not answer this."


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A heading and the questions below it.

    `mode` and `max_sentences` are empty or 0 to use the settings. `note` is shown if the documents have
    no answer.
    """

    name: str
    title: str
    questions: tuple[str, ...]
    mode: str = ""
    max_sentences: int = 0
    note: str = NOTHING_FOUND
    filters: Filters = field(default_factory=Filters)

    def layer(self) -> Layer:
        """The settings of this section."""
        layer: dict[str, dict[str, Any]] = {}
        if self.mode:
            layer["generation"] = {"mode": self.mode}
        if self.max_sentences:
            layer["evidence"] = {"max_sentences": self.max_sentences}
        return layer


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """A report template; its `settings` override the library's."""

    name: str
    title: str
    description: str
    settings: Layer
    sections: tuple[Section, ...]
    file: Path | None = None
    """The template's file; None for built-in ones."""

    def wish(self) -> Wish | None:
        """The settings that need the user's approval; None if there are none."""
        if self.file is None:
            return None
        values = wish_of_layer(self.settings)
        for section in self.sections:
            found = wish_of_layer(section.layer())
            values |= {f"{section.name}: {name}": value for name, value in found.items()}
        return wish_of(self.file, values) if values else None


def template_names() -> list[str]:
    """The names of the built-in templates."""
    return shipped_names(_FOLDER)


def load_template(chosen: str) -> Template:
    """The template with this name or file. Raises SettingsError for an invalid one."""
    file = toml_file(chosen, shipped_in=_FOLDER, setting="report template")
    content = file.content
    file.only("", content, _KEYS)
    sections = content.get("sections")
    if not isinstance(sections, list) or not sections:
        raise file.problem("sections", sections, "[[sections]], each with a title and questions")
    return Template(
        name=file.name,
        title=_text(file, "title", content.get("title")),
        description=_text(file, "description", content.get("description", " ")),
        settings=_settings(file, content.get("settings", {})),
        sections=tuple(_sections(file, sections)),
        file=None if chosen in template_names() else Path(chosen),
    )


def _sections(file: TomlFile, found: list[Any]) -> Iterator[Section]:
    names: set[str] = set()
    for number, item in enumerate(found):
        key = f"sections[{number}]"
        section = _section(file, key, file.table(key, item))
        if section.name in names:
            raise file.problem(f"{key}.name", section.name, "a name that no other section has")
        names.add(section.name)
        yield section


def _section(file: TomlFile, key: str, found: Mapping[str, Any]) -> Section:
    file.only(key, found, _SECTION_KEYS)
    title = _text(file, f"{key}.title", found.get("title"))
    mode = found.get("mode", "")
    if mode and mode not in _MODES:
        raise file.problem(f"{key}.mode", mode, f"one of {', '.join(_MODES)}")
    most = file.number(
        f"{key}.max_sentences", found.get("max_sentences", 0), low=0, high=_MOST_SENTENCES
    )
    return Section(
        name=_text(file, f"{key}.name", found.get("name", title)),
        title=title,
        questions=file.words(f"{key}.questions", found.get("questions")),
        mode=str(mode),
        max_sentences=int(most),
        note=_text(file, f"{key}.note", found.get("note", NOTHING_FOUND)),
        filters=_filters(file, f"{key}.filters", found.get("filters", {})),
    )


def _filters(file: TomlFile, key: str, found: object) -> Filters:
    table = file.table(key, found)
    file.only(key, table, _FILTER_KEYS)
    documents, tags, sections = (
        file.words(f"{key}.{name}", table[name]) if name in table else ()
        for name in ("documents", "tags", "sections")
    )
    since, until = (str(table.get(name, "")) for name in ("since", "until"))
    return Filters.parse(
        documents=documents, tags=tags, sections=sections, since=since, until=until
    )


def _settings(file: TomlFile, found: object) -> Layer:
    table = file.table("settings", found)
    file.only("settings", table, SETTING_GROUPS)
    return {group: file.table(f"settings.{group}", values) for group, values in table.items()}


def _text(file: TomlFile, key: str, found: object) -> str:
    if not isinstance(found, str) or not found:
        raise file.problem(key, found, "text")
    return found.strip()
