"""The one analyser: the words of a text as every lexical stage sees them.

Search, term coverage, highlighting and abstention use these terms, so that a word which finds a
passage is also a word that supports an answer.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from collections.abc import Callable, Iterable
from functools import cache, lru_cache
from itertools import chain, pairwise

import Stemmer

from pincite.text.as_read import LINE_HYPHEN, without_invisible
from pincite.text.languages import SCRIPTS, STEMMERS, UNKNOWN, stop_words
from pincite.text.question_words import without_asking_words

# Commas between digits: part of one number ("2,000", "1,5"), or between two ("50212,7,21.50").

GROUPED_OR_DECIMAL = r"(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d{3})*,\d+)"
"""What can be one number, if nothing around it says otherwise."""

_ONE_NUMBER = re.compile(rf"[^\w,]*{GROUPED_OR_DECIMAL}[^\w,]*")
_BORDER = re.compile(r",(?=[^\s\d])|(?<=[^\s\d]),(?=\S)")


def parts_at_commas(written: str) -> list[str]:
    """What a run of signs without blanks is made of: `TCK-1044`, `2025-09-19` and `Leeds`.

    A number with a comma of its own stays whole.
    """
    if "," not in written or _ONE_NUMBER.fullmatch(written):
        return [written]
    return [part for part in written.split(",") if part]


def is_of_cells(line: str) -> bool:
    """Whether commas part the cells of a line, as people never write them: with no blank behind."""
    return "," in line and (len(line.split()) == 1 or _BORDER.search(line) is not None)


# The one analyser: the words of a text as every lexical stage sees them.

ANALYSER = 3
"""Raised whenever the terms of some text change, or the words of names: an index of other terms is
made anew."""

# Kana, Han, Hangul, Thai, Lao, Khmer, Myanmar: written without spaces between words.
UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
)
# Indic letters with their vowel signs, which \w leaves out; the danda is no letter.
_INDIC = "\u0900-\u0963\u0966-\u0dff"
_JOINTS = "-./@:_'’+,"

# Words, and identifiers or numbers whose parts are joined: GSE-204.1, 12.5, e-mail, a_b, x@y.z,
# and words broken at the end of a line.
_JOINED = rf"{{letter}}++(?:(?:-\n|[{_JOINTS}]){{letter}}++)*+"
# Also --options, § 4.2, C++ and C#.
_SIGNED = r"(?:(?<!\w)--(?=\w)|(?<!§)§++[^\S\n]?(?=\d))?" + _JOINED + r"(?:\+\+|\#(?!\w))?"
_SIGNS = ("--", "§", "++", "#")
_WIDE_LETTER = rf"(?:[^\W{UNSPACED}]|[{_INDIC}])"
# Three patterns, since the more a pattern knows the slower it is, and most texts are plain.
_TOKEN = re.compile(_JOINED.format(letter=r"\w"))
_SIGNED_TOKEN = re.compile(_SIGNED.format(letter=r"\w"))
_WIDE_TOKEN = re.compile(f"[{UNSPACED}]+|" + _SIGNED.format(letter=_WIDE_LETTER))
_WIDE = re.compile("[\u0900-\u1fff\u3040-\uffff]")
_UNSPACED_RUN = re.compile(f"[{UNSPACED}]")
_PART = re.compile(rf"(?:[^\W_]|[{_INDIC}])+")
_HUMPS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_CAMEL_CASE = re.compile(r"[a-z][A-Z]")
_NUMBERED = re.compile(r"([^\W\d_]{2,})(\d{2,})")

_MARKS = re.compile("[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670]")
# й and ў are letters of their own; other marks only colour a letter.
_COLOURING_MARKS = re.compile(rf"(?!(?<=[иу])\u0306){_MARKS.pattern}")
_UNDIVIDED = str.maketrans({"ł": "l", "ø": "o", "đ": "d", "ı": "i", "æ": "ae", "œ": "oe"})

_POSSESSIVE = re.compile(r"['’]s?$|['’]")
_ELISION = re.compile(
    r"(?:[cdjlmnst]|qu|jusqu|lorsqu|puisqu|all|dall|dell|nell|sull|gl|un|quell|quest)['’](?=.)",
    re.IGNORECASE,
)
_SIGNED_VERSION = re.compile(r"[vV]\d+(?:\.\d+)+")
_ELIDING = frozenset({"ca", "fr", "it"})

# Snowball's stemmers keep state while they work.
_stemming = threading.Lock()


def fold(text: str) -> str:
    """Lower case without accents and compatibility forms: `Température` is `temperature`.

    Marks that only colour a letter (accents, Hebrew points, Arabic vowels) are dropped; those that
    make another letter (kana voicing, Indic vowels, the breve of й) stay.
    """
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    plain = _COLOURING_MARKS.sub("", decomposed).translate(_UNDIVIDED)
    return unicodedata.normalize("NFC", plain)


def terms(text: str, language: str = UNKNOWN) -> list[str]:
    """The index terms of a text, in order.

    Words are folded and stemmed, and stop words dropped: in the Latin script those of `language`
    (ISO 639-1), elsewhere those of the script. Joined identifiers and numbers give the whole and
    its parts (`gse-204.1`, `gse`, `204`, `1`), as do `camelCase` and `AB1234`. Scripts written
    without spaces give overlapping character pairs. A word broken at the end of a line gives its
    joined form, and the form with the hyphen in case that belongs to it.
    """
    return analysed(tokens(text), language)


def analysed(found: Iterable[str], language: str) -> list[str]:
    """The index terms of tokens."""
    return list(chain.from_iterable(map(_analysis(language), found)))


def question_terms(text: str, language: str = UNKNOWN) -> dict[str, str]:
    """The distinct terms of a question, in order, each with the word it comes from.

    Where no blanks part the words, that is the term itself: what stands between blanks is a sentence.
    Words that only ask are left out. If nothing else is asked for, all terms; and if there are none,
    the words themselves.
    """
    return (
        _terms_by_word(without_asking_words(text, language), language)
        or _terms_by_word(text, language)
        or {stem(fold(word), language): word for word in _PART.findall(composed(text))}
    )


def _terms_by_word(text: str, language: str) -> dict[str, str]:
    words: dict[str, str] = {}
    for word in text.split():
        written = word.strip("?!.,;:()\"'")
        mixed = _UNSPACED_RUN.search(word) is not None
        for token in tokens(word):
            for term in analysed([token], language):
                words.setdefault(term, term if is_unspaced(token) else token if mixed else written)
    return {term: words.get(term, term) for term in terms(text, language)}


def tokens(text: str) -> list[str]:
    """Words and identifiers as they stand, and runs of scripts without spaces."""
    pattern = _SIGNED_TOKEN if any(sign in text for sign in _SIGNS) else _TOKEN
    if text.isascii():
        return pattern.findall(text)
    whole = composed(text)
    return (_WIDE_TOKEN if _WIDE.search(whole) else pattern).findall(whole)


def is_unspaced(term: str) -> bool:
    """Whether a term is a pair of letters of a script that parts no words."""
    return _UNSPACED_RUN.match(term) is not None


def composed(text: str) -> str:
    """Letters with their marks as one character; loose marks that would split a word are gone."""
    return _MARKS.sub("", unicodedata.normalize("NFKC", without_invisible(text)))


@cache
def _analysis(language: str) -> Callable[[str], tuple[str, ...]]:
    """The terms of one token, remembered."""
    return lru_cache(maxsize=200_000)(lambda token: _terms_of(token, language))


def _terms_of(token: str, language: str) -> tuple[str, ...]:
    if _UNSPACED_RUN.match(token):
        return _pairs(fold(token))
    if LINE_HYPHEN in token:
        return _broken_terms(token, language)
    if token.isalnum():
        return _word_terms(token, language)
    if token[0] in "-§":
        bare = token.lstrip("-§ \t")
        return (fold("".join(token.split())), *_terms_of(bare, language))
    if token[-1] in "+#":
        return (fold(token), *_terms_of(token.rstrip("+#"), language))
    parts = parts_at_commas(token)
    if len(parts) == 1:
        return _joined_terms(token, language)
    return tuple(chain.from_iterable(_terms_of(part, language) for part in parts))


def _word_terms(word: str, language: str) -> tuple[str, ...]:
    lowered = word.lower()
    if lowered in _stop_words(lowered, language):
        return ()
    whole = stem(fold(word), language)
    if word.islower() and not word[-1].isdigit():
        return (whole,)
    if numbered := _NUMBERED.fullmatch(word):
        return (whole, *(stem(fold(part), language) for part in numbered.groups()))
    if _CAMEL_CASE.search(word):
        humps = (hump.lower() for hump in _HUMPS.findall(word))
        return (whole, *(stem(hump, language) for hump in humps))
    return (whole,)


def _joined_terms(token: str, language: str) -> tuple[str, ...]:
    if language in _ELIDING:
        token = _ELISION.sub("", token, count=1)  # l'eau -> eau
    token = _POSSESSIVE.sub("", token)  # Newton's -> newton, don't -> dont
    parts = _PART.findall(token)
    if _SIGNED_VERSION.fullmatch(token):  # v1.2.0 is 1.2.0, and one of v1
        token = token[1:]
        parts.insert(1, parts[0][1:])
    kept = chain.from_iterable(_word_terms(part, language) for part in parts)
    if len(parts) < 2:
        return tuple(kept)
    # "and/or", "well-known": the whole is only worth a term of its own if it could be a name.
    return (fold(token), *kept)


def _broken_terms(token: str, language: str) -> tuple[str, ...]:
    """`inter-/national` gives `internat` and `inter-national`; `gse-/204` is an identifier."""
    joined, hyphened = token.replace(LINE_HYPHEN, ""), token.replace(LINE_HYPHEN, "-")
    if any(part[:1].isdigit() or part[-1:].isdigit() for part in token.split(LINE_HYPHEN)):
        return _terms_of(hyphened, language)
    return (*_terms_of(joined, language), fold(hyphened))


def _pairs(run: str) -> tuple[str, ...]:
    return tuple(first + second for first, second in pairwise(run)) or (run,)


def _stop_words(word: str, language: str) -> frozenset[str]:
    return stop_words().get(_read_as(word, language)[0], frozenset())


def stem(word: str, language: str) -> str:
    """A folded word without its ending; unchanged where the language has no stemmer."""
    _, algorithm = _read_as(word, language)
    if not algorithm:
        return word
    with _stemming:
        return str(_stemmer(algorithm).stemWord(word)) or word


def _read_as(word: str, language: str) -> tuple[str, str]:
    """The language of a word and its stemmer's name ("" where there is none)."""
    if not word.isascii():
        for first, last, of_script, algorithm in SCRIPTS:
            if first <= word[0] <= last:
                return of_script, algorithm
    return language, STEMMERS.get(language, "")


@cache
def _stemmer(algorithm: str) -> Stemmer.Stemmer:
    return Stemmer.Stemmer(algorithm, 0)
