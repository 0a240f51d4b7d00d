"""What does a question mean after those before it? By rules, where no language model is asked.

A question that can stand alone stays as it is: a wrong reading does more harm than none. Where a
rule knows the one thing that is meant, it takes the place of the word that points to it; where it
does not, what the last question was about is added in parentheses.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from pincite.chat.ellipsis import (
    amount_exchanged,
    exchanged,
    exchanged_alike,
    is_measure,
    without_doer,
)
from pincite.chat.pointers import (
    is_kind,
    is_of_person,
    means_another,
    mentions,
    offered,
    ordinal,
    pointing,
    resolved,
    swapped,
)
from pincite.chat.subjects import (
    AUXILIARIES,
    EMPTY,
    LEADING,
    PREPOSITIONS,
    QUESTION_WORDS,
    content,
    keys,
    names,
    says_something,
    topic,
    words,
)

_LONGEST_CHARS = 1000
"""Of a question that leans on another or is leaned on; a longer text says itself what it means."""
_LONGEST_FRAGMENT_WORDS = 4
_CHOICE_LASTS = 5
"""So many questions after it, a choice may still be meant."""
_LONGEST_OTHER_WORDS = 9
_LOST_WORDS = 3

_WHAT_ABOUT = re.compile(r"^(?:what|how)\s+about\s+(?P<other>.+)$", re.IGNORECASE)
_AND = re.compile(r"^(?:and|or|but)\b(?:[\s,.:]|-+\s)+(?P<other>.+)$", re.IGNORECASE)
_AMOUNT = re.compile(r"^(?P<amount>how\s+(?:much|many))\s+(?P<other>.+)$", re.IGNORECASE)
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
_MORE = {"more", "else", "other", "others", "another"}
_ADDED = re.compile(r"(?:(?<!\s)\s++)?\([^()]*+\)\s*+$")


class Rule(StrEnum):
    """Why a question was read as another one."""

    NONE = "stands alone"
    OTHER = "another subject"
    BARE = "a question word alone"
    PLACE = "one of several"
    POINTER = "a word that points back"
    FRAGMENT = "no whole question"
    MODEL = "a language model"


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """An earlier question as it was read, and the quotes of its answer."""

    question: str
    asked: str = ""
    """As it was written; empty where only the reading is known."""
    quotes: tuple[str, ...] = ()
    offering: str = ""
    """The question that gave the choice which this one is still about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What a question is taken to mean."""

    text: str
    rule: Rule = Rule.NONE
    notices: tuple[str, ...] = ()


def follow_up(text: str, earlier: Sequence[Exchange]) -> Reading:
    """The question with what it leaves out, found in the exchanges before it (oldest first)."""
    asked = " ".join(text.split())
    meant = [one for one in earlier if _can_be_meant(one.question)]
    if not meant or len(asked) > _LONGEST_CHARS or not says_something(asked):
        return Reading(text=text)
    last = replace(meant[-1], offering=_offering(meant[-_CHOICE_LASTS:]))
    # Of "the other one" only its place can tell what it is: it is not what was spoken of.
    rules = _RULES[:1] if means_another(asked) else _RULES
    for rule, read in rules:
        found = read(asked, last)
        if found:
            return Reading(text=found, rule=rule)
    return Reading(text=text)


def _can_be_meant(question: str) -> bool:
    return len(question) <= _LONGEST_CHARS and says_something(question) and bool(content(question))


def _offering(earlier: Sequence[Exchange]) -> str:
    """The last question that gave a choice, if each one since then named a part of it."""
    for place in range(len(earlier) - 1, -1, -1):
        choice = offered(earlier[place].question)
        since = [one.question for one in earlier[place + 1 :]]
        if choice:
            is_it = all(any(mentions(later, one) for one in choice) for later in since)
            return earlier[place].question if is_it else ""
    return ""


def _place(asked: str, last: Exchange) -> str:
    """`what about the second one?`: of a choice in the question, else of the quotes."""
    found = ordinal(asked, last.offering, last.question, last.quotes)
    if found is None:
        return ""
    is_fragment = found.is_all or bool(_other_subject(found.replaced))
    read = swapped(last.question, last.offering, found.other) if is_fragment else ""
    if read:
        return read
    if found.is_all:
        return exchanged(last.question, found.other) or _added(last.question, found.other)
    if found.replaced:
        return _other(found.replaced, last) or found.replaced
    return _added(asked, found.other)


def _amount(asked: str, last: Exchange) -> str:
    """`and how much sick leave?`: another amount in the question that asked for one."""
    plain, other = asked.rstrip(" ?.!"), _other_amount(asked)
    return amount_exchanged(_ADDED.sub("", last.question), LEADING.sub("", plain)) if other else ""


def _other_amount(asked: str) -> str:
    """Of what another amount is asked for; empty for a question of its own."""
    plain = asked.rstrip(" ?.!")
    found = _AMOUNT.match(LEADING.sub("", plain)) if _AND.match(plain) else None
    return _plain_thing(_without_verbs(found["other"])) if found else ""


def _plain_thing(other: str) -> str:
    """What "it" may mean next: no time, no number, and not where or for whom."""
    is_beside = words(other)[:1] and words(other)[0].lower() in PREPOSITIONS
    return "" if is_beside or is_measure(other) else other


def _other(asked: str, last: Exchange) -> str:
    """`and for tomatoes?`: takes the place of the same kind of words, or is added."""
    other = _other_subject(asked)
    if not other:
        return ""
    before = _ADDED.sub("", last.question)
    is_alike = _is_of_the_same_kind(other, last.question)
    read = exchanged(before, other) or _exchanged_beside(before, last.question, other)
    # What loses more words than these lost some that are no part of the topic.
    if read and not (is_alike and len(words(before)) - len(words(read)) >= _LOST_WORDS):
        return read
    if is_alike:
        return f"What about {other.removeprefix('for ')}?"
    if words(other)[0].lower() in PREPOSITIONS - {"for"}:
        return f"{before.rstrip(' ?.!')} {other}?{last.question[len(before) :]}"
    other = other.removeprefix("for ")
    return _added(f"What about {other}?", without_doer(last.question, other), beside=other)


def _exchanged_beside(before: str, question: str, other: str) -> str:
    """The question with another name, time or number among what stands beside it; else empty."""
    beside = question[len(before) :]
    first, _, rest = other.partition(" ")
    plain = rest if first.lower() in PREPOSITIONS else other
    read = exchanged_alike(beside, plain) if beside else ""
    return f"{before}{read}" if read else ""


def _other_subject(asked: str) -> str:
    """What is asked about instead; empty for a question of its own."""
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
    """The words, if they are a few that name something."""
    found = [word.lower() for word in words(other)]
    is_question = set(found) & (AUXILIARIES | QUESTION_WORDS) or pointing(other)
    is_empty = not content(other) and not any(word.isdigit() for word in found)
    if not found or len(found) > _LONGEST_OTHER_WORDS or is_question or is_empty:
        return ""
    return other


def _bare(asked: str, last: Exchange) -> str:
    """`why?`: put before a question that is answered by yes or no, else beside it."""
    found = _BARE.match(asked.rstrip(" ?.!"))
    if not found:
        return ""
    word = found["asked"].lower()
    before = _ADDED.sub("", last.question)
    if word in _ABOUT_A_FACT and _YES_OR_NO.match(before):
        return f"{word.capitalize()} {before[0].lower()}{before[1:]}"
    return f"{word.capitalize()}? ({last.question.rstrip(' ?.!')})"


def _pointer(asked: str, last: Exchange) -> str:
    """`who wrote it?`: the one subject instead of the word, or the topic beside the question."""
    begun = LEADING.sub("", asked) or asked
    if not pointing(begun):
        return ""
    thing = _exchanged_thing(last)
    before = thing or _ADDED.sub("", last.question)
    read = resolved(begun, before, last.quotes)
    if read or is_kind(begun):
        return read
    # Whom the last question does not speak of is not whom "he" means.
    is_plain = thing or is_of_person(begun)
    meant = topic(before) if is_plain else _last_topic(last.question)
    return _added(begun, meant, beside=begun)


def _exchanged_thing(last: Exchange) -> str:
    """The last question as one about the thing that took another's place, and nothing else.

    Empty where it names more than that: "it" may be what is named.
    """
    other = _other_amount(last.asked) or _plain_thing(_other_subject(last.asked))
    named = names(_ADDED.sub("", last.question))
    is_all = bool(other) and all(name in other for name in named)
    return f"What about {other}?" if is_all and mentions(last.question, other) else ""


def _fragment(asked: str, last: Exchange) -> str:
    """`average fees`: a few words without a verb, and without a name that tells what is meant.

    A name alone takes the place of the only name.
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
    if _is_of_the_same_kind(asked, last.question):
        return ""
    return _added(asked, _last_topic(last.question), beside=asked)


def _last_topic(question: str) -> str:
    """What a question is about by its own words; what was added to it, where it leans on that."""
    before = _ADDED.sub("", question)
    leans = before != question and (pointing(before) or _WHAT_ABOUT.match(before.rstrip(" ?.!")))
    return topic(question if leans else before) or topic(question)


def _is_of_the_same_kind(other: str, question: str) -> bool:
    """Whether it takes the place of the last topic: `sick leave?` after one about parental leave."""
    named = content(other)
    if len(named) < 2:
        return False
    runs = [words(run) for run in topic(_ADDED.sub("", question)).split(", ")]
    return any(run and keys(run[-1:]) == keys(named[-1:]) for run in runs)


def _added(asked: str, meant: str, *, beside: str = "") -> str:
    """A question and, in parentheses, what it leaves out; nothing that it says itself."""
    own = {word.lower() for word in words(beside)}
    kept = ", ".join(part for part in meant.split(", ") if not set(part.lower().split()) <= own)
    return f"{asked} ({kept})" if kept else ""


_RULES: tuple[tuple[Rule, Callable[[str, Exchange], str]], ...] = (
    (Rule.PLACE, _place),
    (Rule.OTHER, _amount),
    (Rule.OTHER, _other),
    (Rule.BARE, _bare),
    (Rule.POINTER, _pointer),
    (Rule.FRAGMENT, _fragment),
)
