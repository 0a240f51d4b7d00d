"""Detects negation in a text: one word list for all checks, and lookalikes such as "invoice no. 7"."""

from __future__ import annotations

import re

from pincite.text.languages import stop_words
from pincite.text.terms import fold

_ENGLISH = "en"

NEGATIONS = frozenset(
    """not no never none neither nor without cannot nobody nothing nowhere unable hardly
    barely""".split()
)
"""English words that negate anywhere."""

FAILS = frozenset("fail fails failed failing".split())
REFUSES = frozenset(
    """neglect neglects neglected neglecting omit omits omitted omitting refuse refuses refused
    refusing decline declines declined declining""".split()
)
"""English verbs that, like FAILS, negate before "to": "fails to pay" means does not pay, but "the
pump failed in May" is no negation. To refuse is more than not to do, so a plain negation does not
answer a question with one of REFUSES."""

LACKS = frozenset("lack lacks lacked lacking".split())
"""English verbs whose object is missing."""

OTHER_NEGATIONS = frozenset(
    """nicht kein keine keinen keinem keiner keines nie niemals ohne weder nichts pas jamais sans
    aucun aucune nunca jamas sin ningun ninguna non mai senza nessun nessuna niet geen nooit
    zonder""".split()
)
"""Negations of other languages."""

ALL_NEGATIONS = NEGATIONS | FAILS | LACKS | OTHER_NEGATIONS
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_CONTRACTED = re.compile(r"n['’]t$|^cannot$")

_REFERS_BACK = re.compile(
    r"\W*+(?:(?:but|however|aber|jedoch|mais|toutefois|pero|sin embargo|ma|tuttavia|maar|echter)\W++)?"
    r"(?:this|that|these|those|it|they|such|the same|dies\w{0,2}|das|es|sie|davon|hiervon|"
    r"cel[al]e?|ceci|ce|cette|ces|est[aeo]s?|es[ao]|ello|ciò|quest[aeio]|dit|dat|deze|ist?so)\b",
    re.IGNORECASE,
)

# "invoice no. 7", "Amendment No. 1", "which invoice no. is", "Account No.:"
_ABBREVIATED = re.compile(
    r"\bno\.(?=\s?:|\s*#?[a-z\d]|\s*[A-Z][\w/-]*\d)|(?<=[^\W_] )No\.(?=\s|$)|\bNo\.(?=\s*\d)"
)
# "invoice no 7", "contract no C-103"; not "no 5-year warranty", "no 2024 accounts".
_BARE = re.compile(
    r"\b(?P<before>\w++) [Nn]o(?= #?(?!(?:19|20)\d\d\s)(?:[A-Za-z]+[-/]?)?\d[\d/.-]*(?![\w%]))"
)


def is_negated(text: str) -> bool:
    """Whether the text has a negation."""
    words = map(fold, _WORD.findall(without_number_signs(text)))
    return any(word in ALL_NEGATIONS or _CONTRACTED.search(word) for word in words)


def takes_back(sentence: str) -> bool:
    """Whether a sentence denies or limits the one before it: "This does not apply to ..."."""
    return bool(_REFERS_BACK.match(sentence)) and is_negated(sentence)


def without_number_signs(text: str) -> str:
    """The text with spaces in place of "no." for "number"; its length is unchanged."""
    if "no" not in text and "No" not in text:
        return text
    text = _ABBREVIATED.sub("   ", text)
    return _BARE.sub(_without_bare, text)


def _without_bare(found: re.Match[str]) -> str:
    """ "Invoice no 7", but not "there is no 7": the sign follows a noun."""
    if found["before"].lower() in stop_words()[_ENGLISH]:
        return found[0]
    return f"{found['before']}   "
