"""Finds what a question is about: its content words, names and topic."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from pincite.text.languages import stop_words
from pincite.text.question_forms import parsed
from pincite.text.terms import stem

# English function words, and words that say little about a topic.

_DETERMINERS = "a an the this that these those my your his her its our their any some each every no"
_AUXILIARIES = """am are be been being can could did do does had has have is isn't may might must
    shall should was wasn't were will would aren't don't doesn't didn't can't won't"""
_QUESTION_WORDS = "how what what's when where which who who's whom whose why"
_PREPOSITIONS = """about after against at before between by during for from in into of on over per
    since than through to under until versus vs with within without"""
_SAY_LITTLE = """also all another available besides best better call called come different does else
    ever exactly explain find further get getting give given go going good happen happened happens
    heard help interested keep know known let like make makes many mean means mention mentioned more
    most much name named need needs new one ones only other please possible put recommend related said
    say says see show so still sure take tell thank thanks then thing things think understand use used
    using very want way well wonder wow"""
_COURTESY = """actually alright all-right awesome bye cool danke fine good gracias grazie great hello
    hey hi interesting merci nice no ok okay perfect right sorry sure thank thanks welcome wow
    yeah yes you you're"""

DETERMINERS = frozenset(_DETERMINERS.split())
AUXILIARIES = frozenset(_AUXILIARIES.split())
QUESTION_WORDS = frozenset(_QUESTION_WORDS.split())
PREPOSITIONS = frozenset(_PREPOSITIONS.split())
FUNCTION = stop_words()["en"] | DETERMINERS | AUXILIARIES | QUESTION_WORDS | PREPOSITIONS
"""Function words: they only connect a sentence."""
EMPTY = FUNCTION | frozenset(_SAY_LITTLE.split())
"""Words that cannot be what a question is about."""
COURTESY = frozenset(_COURTESY.split()) | stop_words()["en"]

KINDS = (
    "actor actress album article author band book building car character city club company contract "
    "country county device director document film firm game group island language machine man manual "
    "model movie museum novel organisation organization person planet player policy president product "
    "project region report river school series show singer song sport team town university vehicle "
    "war woman writer"
).split()
"""`the company` refers to one that was named before."""

LEADING = re.compile(
    r"^(?:(?:and|but|so|also|then|or|well|ok|okay|now|yes|no|thanks|thank you|interesting|wow|great"
    r"|i see|hmm|please|right)\b(?!-\w)(?:[\s,.!:;]|-+(?=\s|$))*)+",
    re.IGNORECASE,
)
"""Openings of a follow-up that ask nothing."""


# The topic of a question.

_WORD = re.compile(r"(?:(?<![\w-])--(?=[^\W\d_]))?[^\W_][\w&]*(?:[-'’./][^\W_]\w*)*")
_PIECE = re.compile(rf"{_WORD.pattern}|[^\w\s]")
_POSSESSIVE = re.compile(r"['’]s?$")
_HOW_LONG = re.compile(
    rf"^how\s+[^\W\d_]+\s+(?=(?:{'|'.join(map(re.escape, sorted(AUXILIARIES)))})\s)", re.IGNORECASE
)
"""Asks for a measure, and is not the topic of the question."""
_INSIDE_NAMES = {"of", "the", "de", "la", "von", "van", "and", "&"}
_LONGEST_TOPIC_WORDS = 8


def words(text: str) -> list[str]:
    """Words as written; `P-101`, `don't` and `--timeout` are one word each."""
    return _WORD.findall(text)


def content(text: str) -> list[str]:
    """The words that can be the topic of a question."""
    return [word for word in words(text) if _plain(word) not in EMPTY]


def says_something(text: str) -> bool:
    """Whether a text is more than courtesy: "Thanks, that is fine." is not."""
    return any(
        _plain(word) not in COURTESY or _plain(word) in QUESTION_WORDS for word in words(text)
    )


def keys(text: str | Iterable[str]) -> set[str]:
    """The stems of a text's words, for comparing what two texts are about."""
    found = words(text) if isinstance(text, str) else text
    return {stem(_plain(word), "en") for word in found}


def names(text: str, *, opens: bool = True) -> list[str]:
    """Proper names and identifiers, each once; a title in capitals has none.

    With `opens`, the text begins a sentence, so its first capital is no evidence of a name.
    """
    sentence_words = words(text)
    if len(sentence_words) > 1 and all(word[0].isupper() for word in sentence_words) and opens:
        return []
    found: list[list[str]] = []
    run: list[str] = []
    for word, is_first in _with_openings(text, opens=opens):
        if _is_name(word, opens=is_first) or (run and _joins(word)):
            run.append(word)
        else:
            found.append(run)
            run = []
    tidy = (" ".join(_without_tail(run)) for run in [*found, run])
    distinct = list(dict.fromkeys(_POSSESSIVE.sub("", name) for name in tidy if name))
    return [name for name in distinct if not any(name != one and name in one for one in distinct)]


def place_of(name: str, text: str) -> tuple[int, int] | None:
    """The span of a name in a text, whatever punctuation is between its words."""
    found = re.search(r"\W+".join(map(re.escape, name.split())), text)
    return found.span() if found else None


def _joins(word: str) -> bool:
    """Whether a word may be inside a name: `Bank of America`, `Let It Be`."""
    return word.lower() in _INSIDE_NAMES or (word[:1].isupper() and word != "I")


def topic(text: str) -> str:
    """The topic of a question, as a list: "good lawyer, estate plan, will"."""
    pieces = _PIECE.findall(_HOW_LONG.sub("", LEADING.sub("", parsed(text).plain)))
    is_content = [bool(_WORD.match(piece)) and _plain(piece) not in EMPTY for piece in pieces]
    runs: list[list[str]] = [[]]
    for place, piece in enumerate(pieces):
        is_between = piece == "of" and runs[-1] and any(is_content[place + 1 : place + 2])
        if is_content[place] or is_between:
            runs[-1].append(piece)
        elif runs[-1]:
            runs.append([])
    kept: list[str] = []
    count = 0
    for run in dict.fromkeys(" ".join(run) for run in runs if run):
        count += len(run.split())
        if count > _LONGEST_TOPIC_WORDS:
            break
        kept.append(run)
    return ", ".join(kept)


def _plain(word: str) -> str:
    lowered = word.lower().replace("’", "'")
    return lowered if lowered in EMPTY or lowered in COURTESY else _POSSESSIVE.sub("", lowered)


def _with_openings(text: str, *, opens: bool) -> Iterator[tuple[str, bool]]:
    """Words, and whether each begins a sentence; other punctuation gives "" and ends a name."""
    for piece in _PIECE.findall(text):
        if _WORD.fullmatch(piece):
            yield piece, opens
            opens = False
        elif piece in ".?!:":
            yield "", True
            opens = True
        elif piece not in "'’\"“”&":
            yield "", False


def _is_name(word: str, *, opens: bool) -> bool:
    if not word or _plain(word) in FUNCTION or word.lower().startswith(("i'", "i’")):
        return False
    if word.startswith("--"):
        return True
    if any(sign.isdigit() for sign in word):
        return any(sign.isalpha() for sign in word)
    return word[0].isupper() and (not opens or word.isupper())


def _without_tail(run: Sequence[str]) -> list[str]:
    kept = list(run)
    while kept and kept[-1].lower() in _INSIDE_NAMES:
        kept.pop()
    return kept


def generic(text: str) -> re.Match[str] | None:
    """The first generic reference in a question, such as "the company" or "that film"."""
    return _GENERIC.search(text)


GENERIC = (
    rf"\b(?:the|this|that|these|those)\s+(?:{'|'.join(KINDS)})\b"
    r"(?!\s+(?:of|that|the|who|whom|which|where|when|whose)\b)"
)
_GENERIC = re.compile(GENERIC, re.IGNORECASE)
