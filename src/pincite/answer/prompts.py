"""What is a language model told? Prompts are files, shipped or a user's own."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from string import Template

from pincite.records.flow import Message, Mode
from pincite.settings.toml_files import TomlFile, toml_file

PROMPTS = ("settings/prompts", "generation.prompts")
"""The folder of those shipped, and the setting that names one."""

_PARTS = ("source", "system", "user")
_TEXTS = ("refusal", "separator")
_FIELDS = {
    "refusal": (),
    "source": ("number", "file", "page", "section", "place"),
    "separator": (),
    "system": ("refusal",),
    "user": ("sources", "question", "refusal"),
}

# What chat templates mark turns with. A document that holds such a mark must not end its turn.
_TURN_MARKS = re.compile(
    r"<\|[^<>|\n]{1,40}\|>|</?s>|<(?:bos|eos|start_of_turn|end_of_turn)>|\[/?INST\]|<</?SYS>>", re.I
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Instruction:
    """What a model is told in one mode; `$` marks what is filled in."""

    source: str
    system: str
    user: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompts:
    """All that a file of prompts says."""

    refusal: str
    separator: str
    modes: Mapping[Mode, Instruction]

    def source_line(self, mode: Mode, fields: Mapping[str, str]) -> str:
        """What stands above the text of a source."""
        known = {name: without_turn_marks(text) for name, text in fields.items()}
        return Template(self.modes[mode].source).safe_substitute(known)

    def messages(self, mode: Mode, question: str, sources: Iterable[str]) -> tuple[Message, ...]:
        """What the model reads: one message that tells it what to do, one with what to do it on."""
        told = self.modes[mode]
        known = {
            "refusal": self.refusal,
            "question": without_turn_marks(question),
            "sources": self.separator.join(sources),
        }
        return (
            Message(role="system", content=Template(told.system).safe_substitute(known)),
            Message(role="user", content=Template(told.user).safe_substitute(known)),
        )


def without_turn_marks(text: str) -> str:
    """The text as a model may read it: marks of chat templates in it mark nothing any more."""
    return _TURN_MARKS.sub(lambda found: " ".join(found[0]), text)


def load_prompts(chosen: str) -> Prompts:
    """The prompts of a shipped file or a user's own.

    Raises SettingsError that names the file, the key, what was found and what was expected.
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
            raise file.problem(f"{key}.user", parts["user"], f"a text that holds ${wanted}")
    return Instruction(**{name: text.strip("\n") for name, text in parts.items()})


def _text(file: TomlFile, key: str, name: str, found: object) -> str:
    if not isinstance(found, str) or not found:
        raise file.problem(key, found, "a text")
    template = Template(found)
    known = ", ".join(f"${field}" for field in _FIELDS[name]) or "no fields"
    if not template.is_valid() or not set(template.get_identifiers()) <= set(_FIELDS[name]):
        raise file.problem(key, found, f"a text with {known} (a dollar sign is written $$)")
    return found
