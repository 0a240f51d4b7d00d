"""Which words of a question point to something that was said before, and to what?"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pincite.chat.subjects import (
    EMPTY,
    GENERIC,
    alternatives,
    content,
    names,
    place_of,
    subject,
    words,
)

_PERSON = {"he", "she", "him", "her", "his", "hers"}
_OWNERS = {"his", "its", "their", "theirs", "hers"}
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
_GOING = re.compile(r"\b(?:come|drive|fly|get|go|travel|walk)\s+$", re.IGNORECASE)
_MOST_WORDS_BEFORE = 1
"""With more, a pronoun may mean one of them: `Which pumps need oil when they run?`"""

_PLACES = {
    name: number
    for number, forms in enumerate(
        (
            ("first", "1st", "former"),
            ("second", "2nd"),
            ("third", "3rd"),
            ("fourth", "4th"),
            ("fifth", "5th"),
        )
    )
    for name in forms
}
_ORDINAL = re.compile(
    rf"\bthe\s+(?:(?P<of_two>latter|former)\b(?:\s+one\b)?|(?P<place>{'|'.join(_PLACES)}|last|other)"
    r"(?:\s+(?P<noun>one|option|quote|source|answer|item|result)\b|(?=\s*[?.!]*$)))",
    re.IGNORECASE,
)
_ONLY_THE_PLACE = re.compile(r"^(?:(?:and|but|so|or)\b[\s,]*)?(?:(?:what|how)\s+about\s+)?$", re.I)


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """What `the second one` is. `is_all` tells that nothing else is asked."""

    other: str
    is_all: bool
    replaced: str = ""
    """The question with it instead of these words; empty where that is not certain."""


def ordinal(asked: str, offering: str, question: str, quotes: Sequence[str]) -> Placed | None:
    """What is meant by its place: in a choice, else among the quotes of the last question.

    `offering` is the question that gave the choice, the last one or an earlier one; empty for none.
    """
    found = _ORDINAL.search(asked)
    if found is None:
        return None
    is_all = bool(_ONLY_THE_PLACE.match(asked[: found.start()])) and not words(asked[found.end() :])
    if not (found["of_two"] or found["noun"] or is_all):
        return None  # "Who was the first?" asks for a beginning.
    place = (found["of_two"] or found["place"]).lower()
    choice = offered(offering)
    if place == "other":
        other = _not_told(choice, question if question != offering else " ".join(quotes))
    else:
        other = _chosen(choice or [_told_by(quote, question) for quote in quotes], place)
    if not other:
        return None
    form = _as_offered(other, choice, offering) if choice else ""
    replaced = f"{asked[: found.start()]}{form}{asked[found.end() :]}" if form else ""
    return Placed(other=other, is_all=is_all, replaced=replaced)


def means_another(asked: str) -> bool:
    """Whether a question speaks of `the other one`, which is not what was spoken of."""
    return any((found["place"] or "").lower() == "other" for found in _ORDINAL.finditer(asked))


def mentions(text: str, name: str) -> bool:
    """Whether all words of a name stand in a text."""
    return {word.lower() for word in words(name)} <= {word.lower() for word in words(text)}


def _not_told(choice: Sequence[str], told: str) -> str:
    """The other one of two, where one of them is told of."""
    others = [one for one in choice if not mentions(told, one)]
    return others[0] if len(choice) == 2 and len(others) == 1 else ""


def offered(question: str) -> list[str]:
    """What a question gives a choice of; of "P-1 or P-2 heavier" the names."""
    choice = alternatives(question)
    named = names(choice[-1], opens=False) if choice else []
    is_named = bool(named) and choice[-1].startswith(f"{named[0]} ")
    if is_named and all(names(one, opens=False) == [one] for one in choice[:-1]):
        return [*choice[:-1], named[0]]
    return choice


def swapped(question: str, offering: str, other: str) -> str:
    """An earlier question about one part of a choice, asked about another one; else empty."""
    there = [one for one in offered(offering) if one != other and mentions(question, one)]
    span = place_of(there[0], question) if len(there) == 1 and question != offering else None
    if span is None or mentions(question, other):
        return ""
    return f"{question[: span[0]]}{other}{question[span[1] :]}"


def _as_offered(other: str, choice: Sequence[str], offering: str) -> str:
    """A name, or a word that has an article: fit to stand in a sentence; empty for others."""
    is_plain = len({len(words(one)) for one in choice}) == 1
    is_name = names(other, opens=False) == [other]
    has_article = re.search(rf"\bthe\s+{re.escape(other)}(?!\w)", offering, re.IGNORECASE)
    if has_article and (is_name or is_plain):
        return f"the {other}"
    return other if is_name else ""


def _chosen(choice: Sequence[str], place: str) -> str:
    if place in ("last", "latter"):
        return choice[-1] if len(choice) > 1 else ""
    number = _PLACES[place]
    return choice[number] if number < len(choice) and len(choice) > 1 else ""


def _told_by(quote: str, question: str) -> str:
    """What a quote tells that the question does not say: its names, else its first words."""
    asked = {word.lower() for word in words(question)}
    named = [name for name in names(quote) if not {w.lower() for w in words(name)} <= asked]
    if named:
        return named[0]
    return " ".join([word for word in content(quote) if word.lower() not in asked][:6])


def pointing(text: str) -> bool:
    """Whether the question means something that it does not name."""
    return _meant(text) is not None


def _meant(text: str) -> re.Match[str] | None:
    """The first word that points out of the question."""
    plain = _NOTHING_MEANT.sub(lambda found: " " * len(found[0]), text)
    for found in _POINTER.finditer(plain):
        begun = text[: found.start()]
        if len(content(begun)) > _MOST_WORDS_BEFORE or names(begun, opens=False):
            return None
        is_joining = found["this"] and bool(content(" ".join(words(begun)[-1:])))
        if not is_joining:
            return found
    return None


def resolved(asked: str, question: str, quotes: Sequence[str]) -> str:
    """The question with the one thing that is meant; empty where that is not certain."""
    found = _meant(asked)
    if found is None or found["one"]:
        return ""
    meant = _person(question, quotes) if _is_person(found) else subject(question)
    if not meant or (found["kind"] and names(asked, opens=False)) or _differ(found["kind"], meant):
        return ""
    begun, rest = asked[: found.start()], asked[found.end() :]
    if found["place"]:
        way = "to" if _GOING.search(begun) else "in"
        return f"{begun}{way} {meant}{rest}" if names(meant, opens=False) else ""
    owner = _owns(found, asked)
    return f"{begun}{meant}{owner}{rest}"


def is_of_person(text: str) -> bool:
    """Whether a question points back by `he` or `she`."""
    found = _meant(text)
    return found is not None and _is_person(found)


def is_kind(text: str) -> bool:
    """Whether a question points back by "the company" alone, which may also be its own."""
    found = _meant(text)
    return found is not None and bool(found["kind"])


def _differ(kind: str | None, meant: str) -> bool:
    """The Germans are no country."""
    return bool(kind) and meant.endswith("s") and not str(kind).endswith("s")


def _is_person(found: re.Match[str]) -> bool:
    return found[0].lower() in _PERSON


def _owns(found: re.Match[str], asked: str) -> str:
    word = found[0].lower()
    after = words(asked[found.end() :])[:1]
    is_owner = word in _OWNERS or (word == "her" and after and after[0].lower() not in EMPTY)
    return "'s" if is_owner else ""


def _person(question: str, quotes: Sequence[str]) -> str:
    """Who was asked about; after `who ...?` the one whom the first quote names besides."""
    if question.lower().startswith("who") and not question.lower().startswith(
        ("who is", "who was")
    ):
        asked = {word.lower() for word in words(question)}
        told = [
            name
            for name in names(quotes[0] if quotes else "", opens=False)
            if not {word.lower() for word in words(name)} & asked
        ]
        return told[0] if len(told) == 1 else ""
    named = names(question)
    return named[0] if len(named) == 1 else ""
