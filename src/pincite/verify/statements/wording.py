"""Splits a statement or quote into words for the checks of meaning."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from pincite.text.languages import stop_words
from pincite.text.negations import without_number_signs
from pincite.text.terms import UNSPACED, composed, fold, stem

_WORD = re.compile(
    rf"[^\W_{UNSPACED}]+(?:['’][^\W_{UNSPACED}]+|[-.&/_+][^\W_{UNSPACED}]+)*|[{UNSPACED}]"
)
_CLAUSE_END = re.compile(r"[.;:!?,()\[\]—–|\n。、।؟،؛]|\s-\s")
_OPENS = re.compile(r"(?:^|[.!?:|\n])[\s\"“”‘’'«»(\[¿¡]*$|^[\s\"“«(\[]+$|[\"“«¿¡]$")
_OPENING_CHARS = 6
_SENTENCE_END = re.compile(r"[.!?][\"'”’»)\]]*\s|[。؟]|\n\s*\n")
_SHORTENED_CHARS = 3
"""A capitalised word this short, such as "Mr", may be abbreviated: its dot ends no sentence."""
# Words that begin another clause without a comma.
_TURNS = frozenset(
    "but while whereas although though however because aber während obwohl jedoch sondern mais "
    "tandis pero mientras aunque sino".split()
)
_CONTRACTED = re.compile(r"n['’]t$", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """One word: as written, folded, and the `key` (stem) that its other forms share.

    `clause` and `sentence` are indexes from 0 in the text; `opens` if it begins a sentence. `start`
    and `end` are its range in the composed text; the parts of a contraction share it.
    """

    text: str
    folded: str
    key: str
    clause: int
    sentence: int
    opens: bool
    is_content: bool
    start: int
    end: int


def words_of(text: str, language: str) -> tuple[Word, ...]:
    """The words of a text in order; `don't` gives `do` and `not`, `cannot` gives `can` and `not`."""
    return _words_of(text, language)


@lru_cache(maxsize=512)
def _words_of(text: str, language: str) -> tuple[Word, ...]:
    return tuple(_read(without_number_signs(composed(text)), language))


def _read(text: str, language: str) -> Iterator[Word]:
    clause, sentence, end = 0, 0, 0
    written = ""
    for found in _WORD.finditer(text):
        between = text[end : found.start()]
        is_shortened = len(written) <= _SHORTENED_CHARS and written[:1].isupper()
        if end and not is_shortened and _SENTENCE_END.search(between):
            sentence += 1
        if found[0] == "s" and text[found.start() - 1 : found.start()] in ("'", "’"):
            continue  # A possessive written apart: "Arthur 's".
        written = found[0]
        if end and (_CLAUSE_END.search(between) or fold(written) in _TURNS):
            clause += 1
        before = text[max(0, found.start() - _OPENING_CHARS) : found.start()]
        opens = bool(_OPENS.search(before)) or found.start() == 0
        end = found.end()
        for part in _parts(written):
            yield _word(part, language, (clause, sentence), opens=opens, place=found.span())


def _parts(written: str) -> Sequence[str]:
    """Splits contractions with a negation, and drops the ending of a possessive."""
    lowered = written.lower()
    if lowered == "cannot":
        return (written[:3], "not")
    if _CONTRACTED.search(written):
        verb = {"wo": "will", "ca": "can", "sha": "shall"}.get(lowered[:-3], written[:-3])
        return (verb, "not")
    return (re.sub(r"['’]s?$", "", written),)


def _word(
    written: str, language: str, within: tuple[int, int], *, opens: bool, place: tuple[int, int]
) -> Word:
    folded = fold(written)
    is_content = (
        folded not in _stop_words(language)
        and folded not in FUNCTION_WORDS
        and any(sign.isalnum() for sign in folded)
    )
    return Word(
        text=written,
        folded=folded,
        key=stem(folded, language),
        clause=within[0],
        sentence=within[1],
        opens=opens,
        is_content=is_content,
        start=place[0],
        end=place[1],
    )


@cache
def _stop_words(language: str) -> frozenset[str]:
    return frozenset(fold(word) for word in stop_words().get(language, ()))


FUNCTION_WORDS = frozenset(
    # Words that negate, command, permit or count are compared by their own checks.
    """not no never none neither nor without cannot nobody nothing nowhere longer must may might
    can could shall should would will need needs only also just merely even very am been being
    having done doing he she him her his hers himself herself itself themselves nicht kein keine
    keinen keinem keiner keines nie niemals ohne weder muss mussen darf durfen kann konnen soll
    sollen sollte sollten pas ne jamais sans aucun aucune doit doivent peut peuvent unless except
    ever any all about than through while but because although though however both each other
    more most some into during between after before above below over under up down out off
    again further once same too here where thus therefore""".split()
)
"""Words without subject matter, in addition to the stop lists."""

FRAMES = frozenset(
    """answer answers question according based context passage text document documents source sources
    states stated mentions mentioned provided given says information following""".split()
)
"""Words about the answer itself, not its subject."""
