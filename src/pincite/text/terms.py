"""The analyser that turns a text into terms, shared by all lexical stages.

Search, term coverage, highlighting and abstention use the same terms, so that a word that finds a
passage also supports an answer.
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
from pincite.text.keys import key_terms, keys
from pincite.text.languages import SCRIPTS, STEMMERS, UNKNOWN, stop_words
from pincite.text.marks import scripts_apart
from pincite.text.question_words import without_asking_words

# Commas between digits, within a number ("2,000", "1,5") or between numbers ("50212,7,21.50").

GROUPED_OR_DECIMAL = r"(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d{3})*,\d+)"
"""Text that can be one number, unless its surroundings say otherwise."""

_ONE_NUMBER = re.compile(rf"[^\w,]*{GROUPED_OR_DECIMAL}[^\w,]*")
_BORDER = re.compile(r",(?=[^\s\d])|(?<=[^\s\d]),(?=\S)")


def parts_at_commas(written: str) -> list[str]:
    """The parts of a run without spaces, split at commas: `TCK-1044`, `2025-09-19` and `Leeds`.

    Numbers that contain a comma are not split.
    """
    if "," not in written or _ONE_NUMBER.fullmatch(written):
        return [written]
    return [part for part in written.split(",") if part]


def is_of_cells(line: str) -> bool:
    """Whether commas separate cells in a line: without a space after them, unlike in prose."""
    return "," in line and (len(line.split()) == 1 or _BORDER.search(line) is not None)


ANALYSER = 4
"""Version of the analyser, incremented when the terms of any text or the words of names change: indexes
of other versions are rebuilt."""

# Kana, Han, Hangul, Thai, Lao, Khmer, Myanmar: written without spaces between words.
UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
)
# Indic letters with their vowel signs, which \w does not match; the danda is not a letter.
_INDIC = "\u0900-\u0963\u0966-\u0dff"
_JOINTS = "-./@:_'’+,"

# Words, and identifiers or numbers with joined parts: GSE-204.1, 12.5, e-mail, a_b, x@y.z, and
# words hyphenated at the end of a line.
_JOINED = rf"{{letter}}++(?:(?:-\n|[{_JOINTS}]){{letter}}++)*+"
# Also --options, § 4.2, C++ and C#.
_SIGNED = r"(?:(?<!\w)--(?=\w)|(?<!§)§++[^\S\n]?(?=\d))?" + _JOINED + r"(?:\+\+|\#(?!\w))?"
_SIGNS = ("--", "§", "++", "#")
_WIDE_LETTER = rf"(?:[^\W{UNSPACED}]|[{_INDIC}])"
# Three patterns, since more complex ones are slower and most texts are simple.
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
# й and ў are separate letters; other marks only modify a letter.
_MODIFYING_MARKS = re.compile(rf"(?!(?<=[иу])\u0306){_MARKS.pattern}")
_UNDIVIDED = str.maketrans({"ł": "l", "ø": "o", "đ": "d", "ı": "i", "æ": "ae", "œ": "oe"})

_POSSESSIVE = re.compile(r"['’]s?$|['’]")
_ELISION = re.compile(
    r"(?:[cdjlmnst]|qu|jusqu|lorsqu|puisqu|all|dall|dell|nell|sull|gl|un|quell|quest)['’](?=.)",
    re.IGNORECASE,
)
_SIGNED_VERSION = re.compile(r"[vV]\d+(?:\.\d+)+")
_ELIDING = frozenset({"ca", "fr", "it"})

# Snowball's stemmers are not thread-safe.
_stemming = threading.Lock()


def fold(text: str) -> str:
    """Lower case without accents and compatibility forms: `Température` is `temperature`.

    Marks that only modify a letter (accents, Hebrew points, Arabic vowels) are dropped; those that
    form another letter (kana voicing, Indic vowels, the breve of й) are kept.
    """
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", scripts_apart(text).casefold())
    plain = _MODIFYING_MARKS.sub("", decomposed).translate(_UNDIVIDED)
    return unicodedata.normalize("NFC", plain)


def terms(text: str, language: str = UNKNOWN) -> list[str]:
    """The index terms of a text, in order.

    Words are folded and stemmed, and stop words are dropped: in Latin script those of `language`
    (ISO 639-1), otherwise those of the script. Joined identifiers and numbers give the whole and
    its parts (`gse-204.1`, `gse`, `204`, `1`), as do `camelCase` and `AB1234`. Scripts without spaces
    give overlapping character pairs. A word hyphenated at the end of a line gives its joined form and
    its hyphenated form. The keys of dates and grouped numbers come last (`text/keys.py`).
    """
    return [*analysed(tokens(text), language), *key_terms(text)]


def analysed(found: Iterable[str], language: str) -> list[str]:
    """The index terms of tokens, in order."""
    return list(chain.from_iterable(map(_analysis(language), found)))


def question_terms(text: str, language: str = UNKNOWN) -> dict[str, str]:
    """The distinct terms of a question, in order, each with its source word.

    In scripts without spaces the source word is the term itself. Question words are left out, unless
    there are no other terms; without any terms, the words themselves are returned.
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
    for key in keys(text):
        words.setdefault(key.term, text[key.start : key.end])
    return {term: words.get(term, term) for term in terms(text, language)}


def tokens(text: str) -> list[str]:
    """Words and identifiers as written, and runs of scripts without spaces."""
    pattern = _SIGNED_TOKEN if any(sign in text for sign in _SIGNS) else _TOKEN
    if text.isascii():
        return pattern.findall(text)
    whole = composed(text)
    return (_WIDE_TOKEN if _WIDE.search(whole) else pattern).findall(whole)


def is_unspaced(term: str) -> bool:
    """Whether a term is a pair of letters of a script without spaces."""
    return _UNSPACED_RUN.match(term) is not None


def composed(text: str) -> str:
    """The text with letters and marks composed; loose marks, which would split words, are removed."""
    visible = scripts_apart(without_invisible(text))
    return _MARKS.sub("", unicodedata.normalize("NFKC", visible))


@cache
def _analysis(language: str) -> Callable[[str], tuple[str, ...]]:
    """A cached function for the terms of one token."""
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
    if _SIGNED_VERSION.fullmatch(token):  # v1.2.0 also gives 1.2.0 and v1
        token = token[1:]
        parts.insert(1, parts[0][1:])
    kept = chain.from_iterable(_word_terms(part, language) for part in parts)
    if len(parts) < 2:
        return tuple(kept)
    # "and/or", "well-known": the whole is only a separate term if it could be a name.
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
    """The stem of a folded word; the word itself if the language has no stemmer."""
    _, algorithm = _read_as(word, language)
    if not algorithm:
        return word
    with _stemming:
        return str(_stemmer(algorithm).stemWord(word)) or word


def _read_as(word: str, language: str) -> tuple[str, str]:
    """The language of a word and the name of its stemmer, or an empty name."""
    if not word.isascii():
        for first, last, of_script, algorithm in SCRIPTS:
            if first <= word[0] <= last:
                return of_script, algorithm
    return language, STEMMERS.get(language, "")


@cache
def _stemmer(algorithm: str) -> Stemmer.Stemmer:
    return Stemmer.Stemmer(algorithm, 0)
