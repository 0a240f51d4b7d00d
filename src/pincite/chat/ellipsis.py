"""Which words of a question does "and for tomatoes?" replace? Those of the same kind, if it is sure.

A year replaces the year, an option the option, "for X" what stands after "for", "operating profit"
the revenue of Acme, a name the only name, a kind of loan the loan. Where two places would do, none
is chosen.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from pincite.chat.subjects import (
    AUXILIARIES,
    DETERMINERS,
    FUNCTION,
    PREPOSITIONS,
    QUESTION_WORDS,
    generic,
    keys,
    names,
    place_of,
    topic,
    words,
)

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
_PLAIN_NUMBER = re.compile(r"\d[\d.]*\d|\d")
_CODE = re.compile(r"(?<![\w-])(?P<letters>[^\W\d_]+[-_./]?)\d(?:[\w./-]*\w)?")
_OPTION = re.compile(r"(?<![\w-])--?[^\W\d_](?:[\w-]*\w)?")
_DETERMINER = "(?:an?|the|my|your|our|their|his|her)"
_FIGURE = re.compile(
    rf"(?:^(?!(?:how|what|which|who)\b)|\b(?:is|are|was|were)\s+(?:{_DETERMINER}\s+)?|\b(?:{_DETERMINER}|how\s+(?:many|much))\s+"
    r"|['’]s\s+)"
    r"(?P<figure>[^\W\d_][\w-]*(?:\s+[^\W\d_][\w-]*){0,3}?)(?=\s+(?P<preposition>of|in|for|at)\s+"
    r"(?:(?:the|fiscal)\s+)?(?P<about>\S+)|\s*[?.!]*$)",
    re.IGNORECASE,
)
_ASKS_FOR_A_FIGURE = re.compile(r"(?!when|where|why|how\s+(?:do|can|is|are|was)\b)", re.IGNORECASE)
_OWNER = re.compile(r"['’]s(?=\s)")
_PLACED = re.compile(r"\b(?:at|from|in|near|on|since|to)\s+(?:the\s+)?$", re.IGNORECASE)
_AUXILIARY = "|".join(re.escape(word) for word in sorted(AUXILIARIES))
_AMOUNT = re.compile(
    rf"how\s+(?P<amount>(?:much|many)(?:\s+(?!(?:{_AUXILIARY})\s)\S++)++)(?=\s+(?:{_AUXILIARY})\s)",
    re.IGNORECASE,
)
_BEFORE_A_VERB = frozenset("i you we they he she who".split())
_NO_NOUNS = FUNCTION | {"many", "much"}
_END_OF_A_PHRASE = AUXILIARIES | PREPOSITIONS | QUESTION_WORDS | {"and", "or", "but", "that", "if"}


def exchanged(question: str, other: str) -> str:
    """The question about something else; empty where nothing in it is of the same kind."""
    plain = _without_preposition(other)
    for way in _WAYS:
        found = way(question, other, plain)
        if found:
            return found
    return ""


def exchanged_alike(subjects: str, plain: str) -> str:
    """A list of subjects with another time, number, code or name in it; empty where none is."""
    for way in (_by_time, _by_number, _by_code, _by_name):
        found = way(subjects, plain, plain)
        if found:
            return found
    return ""


def amount_exchanged(question: str, amount: str) -> str:
    """`how much sick leave` instead of `How much annual leave` in a question that begins so."""
    there = _AMOUNT.match(question)
    return _put(question, there.span("amount"), amount.partition(" ")[2]) if there else ""


def is_measure(plain: str) -> bool:
    """Whether it is a time or a number, which says no more than when or how much."""
    has_number = any(sign.isdigit() for sign in plain) and not names(plain, opens=False)
    return has_number or bool(_TIME.search(plain))


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


def _by_figure(question: str, other: str, plain: str) -> str:
    """`costs` instead of `revenue` in "the revenue of Acme", "Acme's revenue", "revenue in 2023".

    What is written otherwise, as a name beside a noun, is no figure but whose it is.
    """
    own = words(plain)
    if other != plain or not _ASKS_FOR_A_FIGURE.match(question) or _TIME.fullmatch(plain):
        return ""
    has_determiner = own[0].lower() in DETERMINERS
    for found in _FIGURE.finditer(question):
        if not _is_figure(found, own[has_determiner:]):
            continue
        start, end = found.span("figure")
        keeps = not has_determiner or not re.search(
            r"\b(?:an?|the)\s+$|['’]s\s+$", question[:start]
        )
        return _put(question, (start, end), plain if keeps else " ".join(own[1:]))
    return ""


def _is_figure(found: re.Match[str], own: Sequence[str]) -> bool:
    """Whether the words are written as those beside them are not: `EBITDA` of `Vardhani`."""
    figure, about = words(found["figure"]), found["about"] or ""
    owned = found[0][: found.start("figure") - found.start()].lower().endswith(("'s ", "’s "))
    is_noun = own and not any(word.lower() in FUNCTION for word in [*figure, *own])
    is_verb = figure[-1].endswith("ed") or figure[-1].lower() in _VERBS
    if not is_noun or is_verb or not (owned or about):
        return False
    is_about = owned or about[0].isupper() or bool(_YEAR.match(about))
    return is_about and _writing(figure[-1]) == _writing(own[-1]) != "name"


def _writing(word: str) -> str:
    if len(word) > 1 and word.isupper():
        return "letters"
    return "name" if word[0].isupper() else "word"


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
    owner = _OWNER.split(named[0])[0]
    span = place_of(owner, question)
    if span is None or (generic(question) and _tells_of_a_kind(question, span)):
        return ""
    return _put(question, span, plain)


def _tells_of_a_kind(question: str, span: tuple[int, int]) -> bool:
    """Whether a name says where or of which sort: `Jewish` in "the Jewish people of the country"."""
    after = re.match(r"\s+([^\W\d_]+)", question[span[1] :])
    word = after[1].lower() if after else ""
    is_noun = bool(word) and word not in FUNCTION | _VERBS and not word.endswith("ed")
    return is_noun or bool(_PLACED.search(question[: span[0]]))


def _by_first_word(question: str, other: str, plain: str) -> str:
    """`quay logs` instead of `quay rollback`."""
    own = [word for word in words(plain) if word.lower() not in DETERMINERS]
    if len(own) != 2 or other != plain:
        return ""
    shared = re.search(rf"(?<![\w-]){re.escape(own[0])}\s+([^\W_][\w-]*)", question, re.IGNORECASE)
    if shared is None:
        return ""
    second = shared[1]
    is_verb = second.endswith("ed") or (
        _DOES.search(question) and not words(question[shared.end() :])
    )
    is_alike = second.lower() not in FUNCTION and _writing(second) == _writing(own[1])
    return _put(question, shared.span(), " ".join(own)) if is_alike and not is_verb else ""


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


_WAYS = (
    _by_time,
    _by_number,
    _by_code,
    _by_preposition,
    _by_first_word,
    _by_figure,
    _by_name,
    _by_kind,
    _by_head,
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
    """Runs of words that are no function words, with the determiner before them.

    What follows "I" or "who" is a verb, and no part of one.
    """
    start = end = -1
    lowered = ""
    for word in re.finditer(r"[^\W_][\w&'’-]*|[^\w\s]", question):
        before, lowered = lowered, word[0].lower()
        if lowered in DETERMINERS:
            if start < end:
                yield start, end
            start, end = word.start(), -1
        elif lowered in _NO_NOUNS or before in _BEFORE_A_VERB or not lowered[0].isalnum():
            if start < end:
                yield start, end
            start = end = -1
        else:
            start = word.start() if start < 0 else start
            end = word.end()
    if start < end:
        yield start, end
