"""Finds the words of a question that "and for tomatoes?" replaces: those of the same kind.

A year replaces the year, an option the option, "for X" the words after "for", a name the only name.
If two places are possible, none is chosen.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from pincite.chat.subjects import (
    AUXILIARIES,
    PREPOSITIONS,
    QUESTION_WORDS,
    generic,
    names,
    place_of,
    words,
)

_TIME = re.compile(
    r"\b(?:(?:January|February|March|April|May|June|July|August|September|October|November|December)"
    r"(?:\s+\d{1,2},?)?(?:\s+(?:19|20)\d\d)?|(?:Q[1-4]|H[12]|FY|fiscal(?:\s+year)?)\s?['’]?(?:(?:19|20)?\d\d)?"
    r"|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?|(?:19|20)\d\d(?:-\d\d)*)\b"
)
_DOES = re.compile(r"\b(?:do|does|did)\s+(?=\w)", re.IGNORECASE)
_YEAR = re.compile(r"(?:19|20)\d\d")
_NUMBER = r"-?\d[\d.,/]*"
_NAMED_NUMBER = re.compile(rf"([^\W\d]+)\s+{_NUMBER}")
_MEASURED = re.compile(rf"{_NUMBER}\s+(\S+)")
_PLAIN_NUMBER = re.compile(r"\d[\d.]*\d|\d")
_CODE = re.compile(r"(?<![\w-])(?P<letters>[^\W\d_]+[-_./]?)\d(?:[\w./-]*\w)?")
_OPTION = re.compile(r"(?<![\w-])--?[^\W\d_](?:[\w-]*\w)?")
_DOER = re.compile(
    r"(?P<doer>(?:(?:an?|the|my|your|our|their|his|her)\s+)?[^\W_][\w&-]*)\s+[^\W\d_]+\W*$",
    re.IGNORECASE,
)
"""The words between "does" and a last word: "the valve" in "the valve cost?"."""
_BESIDE_A_NOUN = re.compile(r"\s+[a-z]\w*\s+\w")
_OWNER = re.compile(r"['’]s(?=\s)")
_END_OF_A_PHRASE = AUXILIARIES | PREPOSITIONS | QUESTION_WORDS | {"and", "or", "but", "that", "if"}


def exchanged(question: str, other: str) -> str:
    """The question with `other` as its new subject; empty if nothing in it is of the same kind."""
    plain = _without_preposition(other)
    for way in _WAYS:
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


def _by_code(question: str, other: str, plain: str) -> str:
    """`--timeout` instead of `--grace`, `P-102` or `102` instead of `P-101`, 423 instead of 409."""
    del other
    if _OPTION.fullmatch(plain):
        return _put_once(question, [found.span() for found in _OPTION.finditer(question)], plain)
    there = [found for found in _CODE.finditer(question) if not _TIME.fullmatch(found[0])]
    code = _CODE.fullmatch(plain)
    if code and not _TIME.fullmatch(plain):
        alike = [found.span() for found in there if found["letters"] == code["letters"]]
        return _put_once(question, alike or [found.span() for found in there], plain)
    if not _PLAIN_NUMBER.fullmatch(plain) or _YEAR.fullmatch(plain):
        return ""
    numbers = [(found.end("letters"), found.end()) for found in there if found[0][-1].isdigit()]
    bare = re.finditer(rf"(?<![\w.,-])(?:{_PLAIN_NUMBER.pattern})(?![\w-])", question)
    numbers += [found.span() for found in bare if not _YEAR.fullmatch(found[0])]
    return _put_once(question, numbers, plain)


def _by_preposition(question: str, other: str, plain: str) -> str:
    """`for X` instead of the only `for Y`; a time is replaced only by a time."""
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


def _by_name(question: str, other: str, plain: str) -> str:
    """A name instead of the only name; days and months are not names."""
    named = [name for name in names(question) if not _TIME.fullmatch(name)]
    if (
        len(named) != 1
        or _TIME.fullmatch(plain)
        or names(plain, opens=False) != [plain]
        or words(other)[0].lower() != (words(plain)[0].lower())
    ):
        return ""
    owner = _OWNER.split(named[0])[0]
    span = place_of(owner, question)
    # "How many Jewish people live in the country?": a new name would replace the country.
    is_kind = span and generic(question) and _BESIDE_A_NOUN.match(question, span[1])
    return _put(question, span, plain) if span and not is_kind else ""


def _by_doer(question: str, other: str, plain: str) -> str:
    """`tomatoes` instead of `cucumbers` in "How much water do cucumbers need?"."""
    is_apart = words(other)[0].lower() in PREPOSITIONS - {"for", "with"}
    found = _DOES.search(question)
    if is_apart or found is None or _TIME.fullmatch(plain):
        return ""
    doer = _DOER.match(question, found.end())
    is_doer = doer is not None and words(doer["doer"])[0].lower() not in PREPOSITIONS
    return _put(question, doer.span("doer"), plain) if doer and is_doer else ""


def _by_end(question: str, other: str, plain: str) -> str:
    """`peppers` instead of `tomatoes` if the question ends with "for tomatoes"."""
    there = list(_phrases_after(question, "for"))
    is_apart = words(other)[0].lower() in PREPOSITIONS - {"for"} or bool(_TIME.search(plain))
    if is_apart or len(there) != 1 or question[there[0][1] :].strip(" ?.!"):
        return ""
    is_time = _TIME.search(question[slice(*there[0])])
    return "" if is_time else _put(question, there[0], plain)


_WAYS = (
    _by_time,
    _by_number,
    _by_code,
    _by_preposition,
    _by_name,
    _by_doer,
    _by_end,
)


def _without_preposition(other: str) -> str:
    first, _, rest = other.partition(" ")
    return rest.strip() if rest and first.lower() in PREPOSITIONS else other


def _put(question: str, span: tuple[int, int], plain: str) -> str:
    start, end = span
    return f"{question[:start]}{plain}{question[end:]}"


def _put_once(question: str, there: Sequence[tuple[int, int]], plain: str) -> str:
    return _put(question, there[0], plain) if len(there) == 1 else ""


def _phrases_after(question: str, preposition: str) -> Iterator[tuple[int, int]]:
    """The spans of the words after each `preposition`, up to punctuation or the next phrase."""
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
