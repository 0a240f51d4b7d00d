"""What else speaks for a passage: its tags, and the kind of question."""

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


# Which kind of answer does a question want? Rules in TOML files say it, and what follows.

FuseScores = Callable[..., dict[int, float]]
"""Called with the lexical and the dense list and `alpha`; gives the fused score of each key."""

INTENT_RULES = ("retrieve/intent_rules", "intents.rules")
"""The folder of those shipped, and the setting that names one."""

_KEYS = ("name", "patterns", "alpha", "boost", "words")
_QUESTIONS_REMEMBERED = 16
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Intent:
    """A kind of question: how to know it, and what changes for it.

    `alpha` is the weight of BM25 (None: as set); passages that hold one of `words` gain `boost`.
    """

    name: str
    patterns: tuple[re.Pattern[str], ...]
    alpha: float | None = None
    boost: float = 0.0
    words: re.Pattern[str] | None = None


class IntentRules:
    """Rules in order; the first one with a pattern that the question matches decides."""

    def __init__(self, intents: Sequence[Intent]) -> None:
        self._intents = intents
        self.intent_of = lru_cache(maxsize=_QUESTIONS_REMEMBERED)(self._first)

    def _first(self, question: str) -> Intent | None:
        """The intent of a question; None where no rule knows it."""
        folded = fold(question)
        for intent in self._intents:
            if any(pattern.search(folded) for pattern in intent.patterns):
                return intent
        return None


def load_intent_rules(chosen: str) -> IntentRules:
    """The rules of a file. Raises SettingsError where the file is not as it should be."""
    file = toml_file(chosen, shipped_in=INTENT_RULES[0], setting=INTENT_RULES[1])
    file.only("", file.content, ("intent",))
    found = file.content.get("intent", [])
    if not isinstance(found, list) or not found:
        raise file.problem("intent", found, "one or more tables, each headed [[intent]]")
    return IntentRules([_intent(file, f"intent[{n}]", each) for n, each in enumerate(found)])


class IntentFusion:
    """Fuses with the weight that the question's intent asks for.

    `foreign_alpha` is that for questions in other scripts than the Latin one, where the encoder
    reads no others; None where it does.
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
    """The intent's boost for passages that hold one of its words."""

    name = "intent"

    def __init__(self, rules: IntentRules, sources: Sources) -> None:
        self._rules = rules
        self._sources = sources

    def boosts(self, question: Question, hits: Sequence[Hit]) -> Sequence[float]:
        """What each candidate gains by the words that answers of this kind use."""
        intent = self._rules.intent_of(question.plain)
        if intent is None or intent.words is None:
            return [0.0] * len(hits)
        return [intent.boost if intent.words.search(self._folded(hit)) else 0.0 for hit in hits]

    def seen(self, question: Question) -> Mapping[str, object]:
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
    """With letters as they stand in a folded question; what is ASCII may be a sign, as W in `\\W`."""
    return _NOT_ASCII.sub(lambda found: fold(found[0]), pattern)
