"""What is a language model told that judges answers? Prompts are files, shipped or a user's own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from string import Template

from pincite.answer.prompts import without_turn_marks
from pincite.places import on_one_line
from pincite.records import Message
from pincite.text.search_text import whole_characters
from pincite.toml_files import TomlFile, toml_file

JUDGED: Mapping[str, Sequence[str]] = {
    "faithfulness": ("quotes", "statements"),
    "answer_relevance": ("question", "answer"),
    "context_precision": ("question", "reference", "passages"),
    "context_recall": ("question", "passages", "statements"),
}
"""What is judged, and what must be filled in for it."""

_FOLDER = "evaluate/judging"
_PARTS = ("system", "user")


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgePrompts:
    """Two texts for each measure; `name` is that of their file."""

    name: str
    texts: Mapping[str, tuple[str, str]]

    def messages(self, measure: str, known: Mapping[str, str | Sequence[str]]) -> Sequence[Message]:
        """What the model reads. Texts in a list become numbered lines.

        Each is one line without marks of chat templates, so that no document can end its place.
        """
        filled = {name: _shown(value) for name, value in known.items()}
        system, user = self.texts[measure]
        return (
            Message(role="system", content=Template(system).safe_substitute()),
            Message(role="user", content=Template(user).safe_substitute(filled)),
        )


def load_judge_prompts(chosen: str = "default") -> JudgePrompts:
    """The prompts of a shipped file or a user's own.

    Raises SettingsError that names the file, the key, what was found and what was expected.
    """
    file = toml_file(chosen, shipped_in=_FOLDER, setting="--judge-prompts")
    file.only("", file.content, JUDGED)
    texts = {}
    for measure, fields in JUDGED.items():
        found = file.table(measure, file.content.get(measure))
        file.only(measure, found, _PARTS)
        system = _text(file, f"{measure}.system", found.get("system"), ())
        texts[measure] = (system, _text(file, f"{measure}.user", found.get("user"), fields))
    return JudgePrompts(name=chosen, texts=texts)


def _text(file: TomlFile, key: str, found: object, fields: Sequence[str]) -> str:
    """A text that holds each of these fields, and no other."""
    if not isinstance(found, str) or not found.strip():
        raise file.problem(key, found, "a text")
    template = Template(found)
    if not template.is_valid() or set(template.get_identifiers()) != set(fields):
        known = " and ".join(f"${field}" for field in fields) or "no fields"
        raise file.problem(key, found, f"a text with {known} (a dollar sign is written $$)")
    return found.strip("\n")


def _shown(value: str | Sequence[str]) -> str:
    if isinstance(value, str):
        return on_one_line(without_turn_marks(whole_characters(value)))
    return "\n".join(f"[{number}] {_shown(text)}" for number, text in enumerate(value, start=1))
