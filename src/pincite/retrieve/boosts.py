"""Boosts passages by their tags and by the kind of question (its intent)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from pincite.records.flow import Hit, Question
from pincite.settings.toml_files import TomlFile, toml_file
from pincite.stages import Scored, Sources
from pincite.text.languages import is_latin
from pincite.text.terms import fold

TAG_SETS = ("retrieve/tag_sets", "boosts.tag_set")
"""The folder of the shipped tag sets, and the setting that names one."""

_FIRST_WITHOUT_SPACES = "\u0e00"
"""Thai and the scripts after it in Unicode: no spaces, or endings joined to the word."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TagGroup:
    """Tags of one kind, each with a pattern for its words, and the boost that a match adds."""

    name: str
    boost: float
    tags: Mapping[str, re.Pattern[str]]

    def in_text(self, text: str) -> tuple[str, ...]:
        """The tags whose words occur in a text."""
        folded = fold(text)
        return tuple(tag for tag, pattern in self.tags.items() if pattern.search(folded))


def load_tag_set(chosen: str) -> tuple[TagGroup, ...]:
    """The groups of a tag set. Raises SettingsError for an invalid file."""
    file = toml_file(chosen, shipped_in=TAG_SETS[0], setting=TAG_SETS[1])
    return tuple(_group(file, name, found) for name, found in file.content.items())


def any_word(words: Sequence[str]) -> re.Pattern[str]:
    """Matches any of several words or phrases in folded text, also with a plural s or es."""
    return re.compile("|".join(_pattern(fold(word.strip())) for word in words))


def _pattern(phrase: str) -> str:
    parts = r"[\s-]+".join(re.escape(part) for part in re.split(r"[\s-]+", phrase) if part)
    is_written_without_spaces = any(sign >= _FIRST_WITHOUT_SPACES for sign in phrase)
    return parts if is_written_without_spaces else rf"(?<!\w){parts}(?:e?s)?(?!\w)"


class TagBooster:
    """Adds a group's boost to passages that have one of its tags when the question names that tag.

    Tags are looked for in text, headings, title and file name. A group counts once, however many
    of its tags match.
    """

    name = "tags"

    def __init__(self, groups: Sequence[TagGroup], sources: Sources) -> None:
        self._groups = groups
        self._sources = sources

    def boosts(self, question: Question, hits: Sequence[Hit]) -> Sequence[float]:
        """The boost of each candidate for its tags."""
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

    def diagnostics(self, question: Question) -> Mapping[str, list[str]]:
        """The tags that the question names, by group."""
        return {
            group.name: list(tags)
            for group in self._groups
            if (tags := group.in_text(question.plain))
        }

    def _folded(self, hit: Hit) -> str:
        text = self._sources.text_of(hit.passage.span)
        # File names often have underscores between words.
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


# Intents: which kind of answer does a question want? TOML files hold the rules and their effects.

FuseScores = Callable[..., dict[int, float]]
"""Takes the lexical list, the dense list and `alpha`; returns the fused score of each key."""

INTENT_RULES = ("retrieve/intent_rules", "intents.rules")
"""The folder of the shipped rules, and the setting that names one."""

_KEYS = ("name", "patterns", "alpha", "boost", "words")
_QUESTIONS_REMEMBERED = 16
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Intent:
    """A kind of question: how to recognise it, and what changes for it.

    `alpha` is the weight of BM25 (None: as set); passages that contain one of `words` get `boost`.
    """

    name: str
    patterns: tuple[re.Pattern[str], ...]
    alpha: float | None = None
    boost: float = 0.0
    words: re.Pattern[str] | None = None


class IntentRules:
    """Intent rules in order; the first with a matching pattern wins."""

    def __init__(self, intents: Sequence[Intent]) -> None:
        self._intents = intents
        self.intent_of = lru_cache(maxsize=_QUESTIONS_REMEMBERED)(self._first)

    def _first(self, question: str) -> Intent | None:
        """The intent of a question; None when no rule matches."""
        folded = fold(question)
        for intent in self._intents:
            if any(pattern.search(folded) for pattern in intent.patterns):
                return intent
        return None


def load_intent_rules(chosen: str) -> IntentRules:
    """The rules of a file. Raises SettingsError for an invalid file."""
    file = toml_file(chosen, shipped_in=INTENT_RULES[0], setting=INTENT_RULES[1])
    file.only("", file.content, ("intent",))
    found = file.content.get("intent", [])
    if not isinstance(found, list) or not found:
        raise file.problem("intent", found, "one or more tables, each headed [[intent]]")
    return IntentRules([_intent(file, f"intent[{n}]", each) for n, each in enumerate(found)])


class IntentFusion:
    """Fuses with the weight of the question's intent.

    `foreign_alpha` is the weight for questions in non-Latin scripts when the encoder reads only
    Latin; None when it reads others.
    """

    def __init__(
        self,
        rules: IntentRules,
        fuse: FuseScores,
        *,
        alpha: float,
        foreign_alpha: float | None = None,
    ) -> None:
        self._rules = rules
        self._fuse = fuse
        self._alpha = alpha
        self._foreign_alpha = foreign_alpha

    def __call__(
        self, question: str, lexical: Sequence[Scored], dense: Sequence[Scored]
    ) -> dict[int, float]:
        """The fused score of each key."""
        intent = self._rules.intent_of(question)
        alpha = self._alpha if intent is None or intent.alpha is None else intent.alpha
        if self._foreign_alpha is not None and not is_latin(question):
            alpha = self._foreign_alpha
        return self._fuse(lexical, dense, alpha=alpha)


class IntentBooster:
    """Adds the intent's boost to passages that contain one of its words."""

    name = "intent"

    def __init__(self, rules: IntentRules, sources: Sources) -> None:
        self._rules = rules
        self._sources = sources

    def boosts(self, question: Question, hits: Sequence[Hit]) -> Sequence[float]:
        """The boost of each candidate for words that are typical of answers of this kind."""
        intent = self._rules.intent_of(question.plain)
        if intent is None or intent.words is None:
            return [0.0] * len(hits)
        return [intent.boost if intent.words.search(self._folded(hit)) else 0.0 for hit in hits]

    def diagnostics(self, question: Question) -> Mapping[str, object]:
        """The name of the intent, and its alpha."""
        intent = self._rules.intent_of(question.plain)
        return {} if intent is None else {"name": intent.name, "alpha": intent.alpha}

    def _folded(self, hit: Hit) -> str:
        return fold(hit.passage.with_context(self._sources.text_of(hit.passage.span)))


def _intent(file: TomlFile, key: str, found: object) -> Intent:
    table = file.table(key, found)
    file.only(key, table, _KEYS)
    name = table.get("name")
    if not isinstance(name, str) or not name:
        raise file.problem(f"{key}.name", name, "a name, such as 'pricing'")
    if ("boost" in table) != ("words" in table):
        raise file.problem(key, table, f"boost and words together, in the intent '{name}'")
    alpha, boost, words = table.get("alpha"), table.get("boost", 0.0), table.get("words")
    return Intent(
        name=name,
        patterns=_patterns(file, f"{key}.patterns", table.get("patterns")),
        alpha=None if alpha is None else file.number(f"{key}.alpha", alpha, low=0, high=1),
        boost=file.number(f"{key}.boost", boost, low=0, high=1),
        words=None if words is None else any_word(file.words(f"{key}.words", words)),
    )


def _patterns(file: TomlFile, key: str, found: object) -> tuple[re.Pattern[str], ...]:
    compiled = []
    for number, pattern in enumerate(file.words(key, found)):
        try:
            compiled.append(re.compile(_folded(pattern), re.IGNORECASE))
        except re.error as error:
            wanted = f"a regular expression: {error}"
            raise file.problem(f"{key}[{number}]", pattern, wanted) from error
    return tuple(compiled)


def _folded(pattern: str) -> str:
    """The pattern with folded letters; ASCII is kept, since it may be syntax, as W in `\\W`."""
    return _NOT_ASCII.sub(lambda found: fold(found[0]), pattern)
