"""Prefers passages that carry a tag which the question names; tag sets are TOML files."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pincite.records import Hit, Question
from pincite.stages import Sources
from pincite.text.terms import fold
from pincite.toml_files import TomlFile, toml_file

TAG_SETS = ("retrieve/tag_sets", "boosts.tag_set")
"""The folder of those shipped, and the setting that names one."""

_FIRST_WITHOUT_SPACES = "\u0e00"
"""Thai and what follows it in Unicode: no spaces, or endings that are joined to the word."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TagGroup:
    """Tags of one kind, each with a pattern of its words, and what a match adds to a score."""

    name: str
    boost: float
    tags: Mapping[str, re.Pattern[str]]

    def in_text(self, text: str) -> tuple[str, ...]:
        """The tags whose words stand in a text."""
        folded = fold(text)
        return tuple(tag for tag, pattern in self.tags.items() if pattern.search(folded))


def load_tag_set(chosen: str) -> tuple[TagGroup, ...]:
    """The groups of a tag set. Raises SettingsError where the file is not as it should be."""
    file = toml_file(chosen, shipped_in=TAG_SETS[0], setting=TAG_SETS[1])
    return tuple(_group(file, name, found) for name, found in file.content.items())


def any_word(words: Sequence[str]) -> re.Pattern[str]:
    """Finds one of several words or phrases in folded text, with an s or es behind it as well."""
    return re.compile("|".join(_pattern(fold(word.strip())) for word in words))


def _pattern(phrase: str) -> str:
    parts = r"[\s-]+".join(re.escape(part) for part in re.split(r"[\s-]+", phrase) if part)
    is_written_without_spaces = any(sign >= _FIRST_WITHOUT_SPACES for sign in phrase)
    return parts if is_written_without_spaces else rf"(?<!\w){parts}(?:e?s)?(?!\w)"


class TagBooster:
    """A group's boost for passages that carry a tag of it which the question names.

    A tag is carried by text, headings, title or file name. A group counts once, however many of its
    tags match.
    """

    name = "tags"

    def __init__(self, groups: Sequence[TagGroup], sources: Sources) -> None:
        self._groups = groups
        self._sources = sources

    def boosts(self, question: Question, hits: Sequence[Hit]) -> Sequence[float]:
        """What each candidate gains by its tags."""
        wanted = [
            (group.boost, [group.tags[tag] for tag in tags])
            for group in self._groups
            if (tags := group.in_text(question.plain))
        ]
        if not wanted:
            return [0.0] * len(hits)
        texts = (self._folded(hit) for hit in hits)
        return [
            sum(boost for boost, patterns in wanted if any(p.search(text) for p in patterns))
            for text in texts
        ]

    def seen(self, question: Question) -> Mapping[str, list[str]]:
        """The tags that the question names, by group."""
        return {
            group.name: list(tags)
            for group in self._groups
            if (tags := group.in_text(question.plain))
        }

    def _folded(self, hit: Hit) -> str:
        text = self._sources.text_of(hit.passage.span)
        # File names are written with lines between words.
        return fold(hit.passage.with_context(text)).replace("_", " ")


def _group(file: TomlFile, name: str, found: object) -> TagGroup:
    group = file.table(name, found)
    file.only(name, group, ("boost", "tags"))
    for key in ("boost", "tags"):
        if key not in group:
            raise file.problem(
                name, group, f"a table with the keys boost and tags; {key} is missing"
            )
    tags = file.table(f"{name}.tags", group["tags"])
    return TagGroup(
        name=name,
        boost=file.number(f"{name}.boost", group["boost"], low=0, high=1),
        tags={
            tag: any_word(file.words(f"{name}.tags.{tag}", words)) for tag, words in tags.items()
        },
    )
