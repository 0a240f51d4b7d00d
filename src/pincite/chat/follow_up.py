"""Resolves follow-up questions by rules, without a language model.

A question that can stand alone is unchanged: a wrong reading does more harm than none. In "And
tomatoes?" the new words replace those of the same kind in the last question; after words that point
back, the topic of that question is added in parentheses.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from pincite.chat.ellipsis import exchanged
from pincite.chat.subjects import (
    AUXILIARIES,
    EMPTY,
    GENERIC,
    LEADING,
    PREPOSITIONS,
    QUESTION_WORDS,
    content,
    names,
    says_something,
    topic,
    words,
)

# Detects words of a question that point back to something said before.

_VERB = (
    "is|was|are|were|does|did|do|has|have|had|will|would|can|could|may|might|should|must|mean|"
    "work|works|cost|costs|happen|happens|called|apply|applies"
)
_POINTER = re.compile(
    r"\b(?:"
    r"(?P<person>he|she|him|his|hers?|they|them|theirs?|its?)\b"
    rf"|(?P<kind>{GENERIC})"
    r"|(?P<one>(?:this|that|these|those)\s+ones?\b|(?<!the )ones?(?=\s*[?.!]*$))"
    rf"|(?P<this>this|that|these|those)(?=\s*(?:[?.!,]|$)|\s+(?:{_VERB})\b)"
    r"|(?P<place>(?<!\bis )(?<!\bare )(?<!\bwas )(?<!\bwere )(?<!\bif )there(?=\s*(?:[?.!,]|$)))"
    r")",
    re.IGNORECASE,
)
_NOTHING_MEANT = re.compile(
    r"\b(?:is|was|would|be|will|isn['’]t|does|did|do|can|could|how\s+long\s+(?:does|did|will))\s+it\s+"
    r"(?:\w+ly\s+|still\s+|also\s+|really\s+|so\s+|more\s+)?(?:necessary|possible|better|best|legal|"
    r"illegal|true|safe|worth|okay|ok|common|normal|required|allowed|important|easy|easier|hard|harder|"
    r"difficult|mean|wise|smart|good|bad|a\s+good\s+idea|take|takes|rain|matter|make\s+sense)\b"
    r"(?=.*\b(?:to|that|if|for|when)\b)",
    re.IGNORECASE,
)
_MOST_WORDS_BEFORE = 1
"""With more words, a pronoun may refer to one of them: `Which pumps need oil when they run?`"""


def pointing(text: str) -> bool:
    """Whether the question refers to something that it does not name."""
    return _meant(text) is not None


def _meant(text: str) -> re.Match[str] | None:
    """The first word that refers to something outside the question."""
    plain = _NOTHING_MEANT.sub(lambda found: " " * len(found[0]), text)
    for found in _POINTER.finditer(plain):
        begun = text[: found.start()]
        if len(content(begun)) > _MOST_WORDS_BEFORE or names(begun, opens=False):
            return None
        is_joining = found["this"] and bool(content(" ".join(words(begun)[-1:])))
        if not is_joining:
            return found
    return None


# Resolves follow-up questions by rules, without a language model.

_LONGEST_CHARS = 1000
"""Longest question that refers to another or is referred to; longer texts are self-contained."""
_LONGEST_FRAGMENT_WORDS = 4
_LONGEST_OTHER_WORDS = 9

_WHAT_ABOUT = re.compile(r"^(?:what|how)\s+about\s+(?P<other>.+)$", re.IGNORECASE)
_AND = re.compile(r"^(?:and|or|but)\b(?:[\s,.:]|-+\s)+(?P<other>.+)$", re.IGNORECASE)
_THE_ONE = re.compile(r"^the\s++(?P<other>\S++(?:\s++(?!ones?$)\S++)*+)\s++ones?$", re.IGNORECASE)
_CORRECTED = re.compile(
    r"^(?:no\W+)?(?:i(?:\s+(?:mean|meant)|['’]m\s+asking|\s+am\s+asking|['’]m\s+interested|\s+am\s+"
    r"interested)|you\s+mean)\s+(?:to\s+know\s+)?(?:about\s+|in\s+)?(?P<other>.+)$",
    re.IGNORECASE,
)
_BARE = re.compile(
    r"^(?:and\s+|but\s+|so\s+)?(?P<asked>why(?:\s+(?:not|so|is\s+that|that))?|how(?:\s+(?:so|come|much|"
    r"many|long|often|far|exactly))?|when(?:\s+exactly)?|where(?:\s+exactly)?|who(?:\s+exactly)?|"
    r"since\s+when|until\s+when|by\s+whom|which\s+ones?)$",
    re.IGNORECASE,
)
_YES_OR_NO = re.compile(rf"^(?:{'|'.join(map(re.escape, sorted(AUXILIARIES)))})\b", re.IGNORECASE)
_ABOUT_A_FACT = {"why", "how", "when", "where", "since when", "how long", "how often"}
_THE_OTHER = re.compile(r"\bthe\s+other(?:\s+ones?)?\W*$", re.IGNORECASE)
_MORE = {"more", "else", "other", "others", "another"}
_ADDED = re.compile(r"(?:(?<!\s)\s++)?\([^()]*+\)\s*+$")


class Rule(StrEnum):
    """The rule by which a question was resolved."""

    NONE = "stands alone"
    OTHER = "another subject"
    BARE = "a question word alone"
    POINTER = "a word that points back"
    FRAGMENT = "no whole question"
    MODEL = "a language model"


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """An earlier question, as it was read, and the quotes of its answer."""

    question: str
    quotes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A question as it was understood."""

    text: str
    rule: Rule = Rule.NONE
    notices: tuple[str, ...] = ()


def follow_up(text: str, earlier: Sequence[Exchange]) -> Reading:
    """The question completed with what it leaves out, from the `earlier` exchanges (oldest first)."""
    asked = " ".join(text.split())
    meant = [one for one in earlier if _can_be_meant(one.question)]
    # "The other one" is not the one that was mentioned.
    is_plain = len(asked) <= _LONGEST_CHARS and says_something(asked)
    if not meant or not is_plain or _THE_OTHER.search(asked):
        return Reading(text=text)
    for rule, read in _RULES:
        found = read(asked, meant[-1])
        if found:
            return Reading(text=found, rule=rule)
    return Reading(text=text)


def _can_be_meant(question: str) -> bool:
    return len(question) <= _LONGEST_CHARS and says_something(question) and bool(content(question))


def _other(asked: str, last: Exchange) -> str:
    """`and for tomatoes?`: replaces words of the same kind, or is added."""
    other = _other_subject(asked)
    if not other:
        return ""
    before = _ADDED.sub("", last.question)
    read = exchanged(before, other)
    if read:
        return read
    if words(other)[0].lower() in PREPOSITIONS - {"for"}:
        return f"{before.rstrip(' ?.!')} {other}?{last.question[len(before) :]}"
    other = other.removeprefix("for ")
    return _added(f"What about {other}?", topic(last.question), present=other)


def _other_subject(asked: str) -> str:
    """The new subject; empty for a self-contained question."""
    plain = asked.rstrip(" ?.!")
    begun = LEADING.sub("", plain)
    for form, tried in ((_WHAT_ABOUT, begun), (_CORRECTED, begun), (_AND, plain)):
        found = form.match(tried)
        if found:
            other = _without_verbs(LEADING.sub("", found["other"]))
            one = _THE_ONE.match(other)
            return one["other"] if one and names(one["other"], opens=False) else other
    first = words(begun)[:1]
    if first and first[0].lower() in PREPOSITIONS:
        return _without_verbs(begun)
    return ""


def _without_verbs(other: str) -> str:
    """The words, if they are few and name something; otherwise empty."""
    found = [word.lower() for word in words(other)]
    is_question = set(found) & (AUXILIARIES | QUESTION_WORDS) or pointing(other)
    is_empty = not content(other) and not any(word.isdigit() for word in found)
    if not found or len(found) > _LONGEST_OTHER_WORDS or is_question or is_empty:
        return ""
    return other


def _bare(asked: str, last: Exchange) -> str:
    """`why?`: put before a yes-or-no question; otherwise the question is added in parentheses."""
    found = _BARE.match(asked.rstrip(" ?.!"))
    if not found:
        return ""
    word = found["asked"].lower()
    before = _ADDED.sub("", last.question)
    if word in _ABOUT_A_FACT and _YES_OR_NO.match(before):
        return f"{word.capitalize()} {before[0].lower()}{before[1:]}"
    return f"{word.capitalize()}? ({last.question.rstrip(' ?.!')})"


def _pointer(asked: str, last: Exchange) -> str:
    """`who wrote it?`: the topic is added in parentheses."""
    begun = LEADING.sub("", asked) or asked
    return _added(begun, _last_topic(last.question), present=begun) if pointing(begun) else ""


def _fragment(asked: str, last: Exchange) -> str:
    """`average fees`: a few words without a verb, and without a name that makes them clear.

    A name alone replaces the only name.
    """
    found = words(asked)
    lowered = {word.lower() for word in found}
    if len(found) > _LONGEST_FRAGMENT_WORDS or lowered & (AUXILIARIES | QUESTION_WORDS):
        return ""
    plain = asked.rstrip(" ?.!")
    if names(plain, opens=False) == [plain]:
        return exchanged(_ADDED.sub("", last.question), plain)
    is_title = len(found) > 1 and all(word[0].isupper() for word in found)
    if names(asked) or is_title or not (lowered - EMPTY or lowered & _MORE):
        return ""
    return _added(asked, _last_topic(last.question), present=asked)


def _last_topic(question: str) -> str:
    """The topic of a question by its own words, or by its added ones if it refers to those."""
    before = _ADDED.sub("", question)
    leans = before != question and (pointing(before) or _WHAT_ABOUT.match(before.rstrip(" ?.!")))
    return topic(question if leans else before) or topic(question)


def _added(asked: str, meant: str, *, present: str = "") -> str:
    """A question and, in parentheses, the parts of `meant` that `present` does not already have."""
    own = {word.lower() for word in words(present)}
    kept = ", ".join(part for part in meant.split(", ") if not set(part.lower().split()) <= own)
    return f"{asked} ({kept})" if kept else ""


_RULES: tuple[tuple[Rule, Callable[[str, Exchange], str]], ...] = (
    (Rule.OTHER, _other),
    (Rule.BARE, _bare),
    (Rule.POINTER, _pointer),
    (Rule.FRAGMENT, _fragment),
)
