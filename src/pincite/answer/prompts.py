"""Prompts for language models, from shipped files or a user's own."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from string import Template

from pincite.records.flow import Message, Mode
from pincite.settings.toml_files import TomlFile, toml_file

PROMPTS = ("settings/prompts", "generation.prompts")
"""The folder of the shipped prompts, and the setting that names one."""

_PARTS = ("source", "system", "user")
_TEXTS = ("refusal", "separator")
_FIELDS = {
    "refusal": (),
    "source": ("number", "file", "page", "section", "place"),
    "separator": (),
    "system": ("refusal",),
    "user": ("sources", "question", "refusal"),
}

# Turn marks of chat templates. A document that contains one must not end its turn.
_TURN_MARKS = re.compile(
    r"<\|[^<>|\n]{1,40}\|>|</?s>|<(?:bos|eos|start_of_turn|end_of_turn)>|\[/?INST\]|<</?SYS>>", re.I
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Instruction:
    """The prompt templates of one mode; `$` marks fields."""

    source: str
    system: str
    user: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompts:
    """The content of a prompt file."""

    refusal: str
    separator: str
    modes: Mapping[Mode, Instruction]

    def source_line(self, mode: Mode, fields: Mapping[str, str]) -> str:
        """The line above the text of a source."""
        known = {name: without_turn_marks(text) for name, text in fields.items()}
        return Template(self.modes[mode].source).safe_substitute(known)

    def messages(self, mode: Mode, question: str, sources: Iterable[str]) -> tuple[Message, ...]:
        """The messages for the model: the instructions, and the sources with the question."""
        instruction = self.modes[mode]
        known = {
            "refusal": self.refusal,
            "question": without_turn_marks(question),
            "sources": self.separator.join(sources),
        }
        return (
            Message(role="system", content=Template(instruction.system).safe_substitute(known)),
            Message(role="user", content=Template(instruction.user).safe_substitute(known)),
        )


def without_turn_marks(text: str) -> str:
    """The text with the turn marks of chat templates broken up."""
    return _TURN_MARKS.sub(lambda found: " ".join(found[0]), text)


def load_prompts(chosen: str) -> Prompts:
    """The prompts of a shipped file or a user's own.

    Raises SettingsError with the file, the key, what was found and what was expected.
    """
    file = toml_file(chosen, shipped_in=PROMPTS[0], setting=PROMPTS[1])
    written = (Mode.GENERATED, Mode.QUOTED)
    file.only("", file.content, (*_TEXTS, *map(str, written)))
    texts = {name: _text(file, name, name, file.content.get(name)) for name in _TEXTS}
    return Prompts(**texts, modes={mode: _instruction(file, str(mode)) for mode in written})


def _instruction(file: TomlFile, key: str) -> Instruction:
    found = file.table(key, file.content.get(key))
    file.only(key, found, _PARTS)
    parts = {name: _text(file, f"{key}.{name}", name, found.get(name)) for name in _PARTS}
    for wanted in ("sources", "question"):
        if wanted not in Template(parts["user"]).get_identifiers():
            raise file.problem(f"{key}.user", parts["user"], f"a text that contains ${wanted}")
    return Instruction(**{name: text.strip("\n") for name, text in parts.items()})


def _text(file: TomlFile, key: str, name: str, found: object) -> str:
    if not isinstance(found, str) or not found:
        raise file.problem(key, found, "a text")
    template = Template(found)
    known = ", ".join(f"${field}" for field in _FIELDS[name]) or "no fields"
    if not template.is_valid() or not set(template.get_identifiers()) <= set(_FIELDS[name]):
        raise file.problem(key, found, f"a text with {known} (a dollar sign is written $$)")
    return found
