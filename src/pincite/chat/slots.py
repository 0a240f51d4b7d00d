"""Which words of a question does "and for tomatoes?" replace? Those of the same kind, if it is sure.

A year replaces the year, "for X" what stands after "for", a name the only name, a kind of loan the
loan. Where two places would do, none is chosen.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pincite.chat.cues import AUXILIARIES, DETERMINERS, FUNCTION, PREPOSITIONS, QUESTION_WORDS
from pincite.chat.subjects import generic, keys, names, place_of, topic, words

_TIME = re.compile(
    r"\b(?:(?:January|February|March|April|May|June|July|August|September|October|November|December)"
    r"(?:\s+\d{1,2},?)?(?:\s+(?:19|20)\d\d)?|(?:Q[1-4]|H[12]|FY|fiscal(?:\s+year)?)\s?['’]?(?:(?:19|20)?\d\d)?"
    r"|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?|(?:19|20)\d\d(?:-\d\d)*)\b"
)
_DOES = re.compile(r"\b(?:do|does|did)\s+(?=\w)", re.IGNORECASE)
_VERBS = frozenset(
    """apply begin belong close contain cost cover earn end expire grow happen hold include last lie
    live make mean measure need occur open operate pay produce recommend require run sell start stop
    take use want weigh work""".split()
)
"""What the last of three words may be after "does": `the relief valve cost`."""
_YEAR = re.compile(r"(?:19|20)\d\d")
_NUMBER = r"-?\d[\d.,/]*"
_NAMED_NUMBER = re.compile(rf"([^\W\d]+)\s+{_NUMBER}")
_MEASURED = re.compile(rf"{_NUMBER}\s+(\S+)")
_AUXILIARY = "|".join(re.escape(word) for word in sorted(AUXILIARIES))
_END_OF_A_PHRASE = AUXILIARIES | PREPOSITIONS | QUESTION_WORDS | {"and", "or", "but", "that", "if"}


def exchanged(question: str, other: str) -> str:
    """The question about something else; empty where nothing in it is of the same kind."""
    ways = (_by_time, _by_number, _by_preposition, _by_kind, _by_name, _by_head, _by_doer, _by_end)
    plain = _without_preposition(other)
    for way in ways:
        found = way(question, other, plain)
        if found:
            return found
    return ""


def _by_time(question: str, other: str, plain: str) -> str:
    """2021 instead of 2020, also in `fiscal 2020`; a month instead of a month."""
    del other
    there = list(_TIME.finditer(question))
    if not _TIME.fullmatch(plain) or len(there) != 1:
        return ""
    start, end = there[0].span()
    year = _YEAR.search(there[0][0])
    if _YEAR.fullmatch(plain) and year:
        return _put(question, (start + year.start(), start + year.end()), plain)
    is_alike = plain[0].isdigit() == there[0][0][0].isdigit()
    return _put(question, (start, end), plain) if is_alike else ""


def _by_number(question: str, other: str, plain: str) -> str:
    """`size -6` instead of `size -8`, `10 bar` instead of `6 bar`."""
    del other
    named, measured = _NAMED_NUMBER.fullmatch(plain), _MEASURED.fullmatch(plain)
    if named:
        form = rf"\b{re.escape(named[1])}\s+{_NUMBER}(?!\w)"
    elif measured:
        form = rf"(?<!\w){_NUMBER}\s+{re.escape(measured[1])}(?!\w)"
    else:
        return ""
    there = list(re.finditer(form, question, re.IGNORECASE))
    return _put(question, there[0].span(), plain) if len(there) == 1 else ""


def _by_preposition(question: str, other: str, plain: str) -> str:
    """`for X` instead of the only `for Y`; of times only by a time."""
    preposition = words(other)[0].lower()
    if preposition not in PREPOSITIONS:
        return ""
    is_time = bool(_TIME.search(plain))
    there = [
        span
        for span in _phrases_after(question, preposition)
        if bool(_TIME.search(question[slice(*span)])) == is_time
    ]
    return _put(question, there[0], plain) if len(there) == 1 else ""


def _by_kind(question: str, other: str, plain: str) -> str:
    """`Israel` instead of `the country`."""
    del other
    there = generic(question)
    return _put(question, there.span(), plain) if there and names(plain, opens=False) else ""


def _by_name(question: str, other: str, plain: str) -> str:
    """A name instead of the only name; a day or a month is none."""
    named = [name for name in names(question) if not _TIME.fullmatch(name)]
    if (
        len(named) != 1
        or _TIME.fullmatch(plain)
        or names(plain, opens=False) != [plain]
        or words(other)[0].lower() != (words(plain)[0].lower())
    ):
        return ""
    span = place_of(named[0], question)
    return _put(question, span, plain) if span else ""


def without_doer(question: str, other: str) -> str:
    """What a question is about; a name that does something is left out where another name asks."""
    parts = topic(question).split(", ")
    if names(other, opens=False) == [other]:
        doers = {name for name in names(question) if re.search(_doing(name), question)}
        parts = [part for part in parts if part not in doers]
    return ", ".join(parts)


def _doing(name: str) -> str:
    return rf"(?i:\b(?:{_AUXILIARY})\s+){re.escape(name)}(?!\w)"


def _by_head(question: str, other: str, plain: str) -> str:
    """`unsecured loans` instead of `an interest free secured loan`."""
    del other
    own = words(plain)
    there = [
        span
        for span in _noun_phrases(question)
        if keys([words(question[slice(*span)])[-1]]) == keys([own[-1]])
    ]
    return _put(question, there[0], plain) if len(own) > 1 and len(there) == 1 else ""


def _by_doer(question: str, other: str, plain: str) -> str:
    """`tomatoes` instead of `cucumbers` in "How much water do cucumbers need?"."""
    is_apart = words(other)[0].lower() in PREPOSITIONS - {"for", "with"}
    found = _DOES.search(question)
    if is_apart or found is None or _TIME.fullmatch(plain):
        return ""
    phrase = next(_noun_phrases(question[found.end() :]), (0, 0))
    if phrase[0] != 0:
        return ""
    does = question[found.end() :][: phrase[1]]
    doer, _, verb = does.rpartition(" ")
    nouns = [word for word in words(doer) if word.lower() not in DETERMINERS]
    if not nouns or (len(nouns) > 1 and verb.lower() not in _VERBS):
        return ""
    return _put(question, (found.end(), found.end() + len(doer)), plain)


def _by_end(question: str, other: str, plain: str) -> str:
    """`peppers` instead of `tomatoes` where the question ends with "for tomatoes"."""
    there = list(_phrases_after(question, "for"))
    is_apart = words(other)[0].lower() in PREPOSITIONS - {"for"} or bool(_TIME.search(plain))
    if is_apart or len(there) != 1 or question[there[0][1] :].strip(" ?.!"):
        return ""
    is_time = _TIME.search(question[slice(*there[0])])
    return "" if is_time else _put(question, there[0], plain)


def _without_preposition(other: str) -> str:
    first, _, rest = other.partition(" ")
    return rest.strip() if rest and first.lower() in PREPOSITIONS else other


def _put(question: str, span: tuple[int, int], plain: str) -> str:
    start, end = span
    return f"{question[:start]}{plain}{question[end:]}"


def _phrases_after(question: str, preposition: str) -> Iterator[tuple[int, int]]:
    """Where the words after each such preposition stand, up to the next mark or other part."""
    for found in re.finditer(rf"\b{preposition}\s+(?=\w)", question, re.IGNORECASE):
        end = found.end()
        for word in re.finditer(r"\S+", question[found.end() :]):
            bare = word[0].strip("?.,;:!()\"'").lower()
            if bare in _END_OF_A_PHRASE:
                break
            end = found.end() + word.start() + len(word[0].rstrip("?.,;:!()"))
            if word[0][-1] in "?.,;:!()":
                break
        if end > found.end():
            yield found.end(), end


def _noun_phrases(question: str) -> Iterator[tuple[int, int]]:
    """Runs of words that are no function words, with the determiner before them."""
    start = end = -1
    for word in re.finditer(r"[^\W_][\w&'’-]*|[^\w\s]", question):
        lowered = word[0].lower()
        if lowered in DETERMINERS:
            if start < end:
                yield start, end
            start, end = word.start(), -1
        elif lowered in FUNCTION or not lowered[0].isalnum():
            if start < end:
                yield start, end
            start = end = -1
        else:
            start = word.start() if start < 0 else start
            end = word.end()
    if start < end:
        yield start, end
