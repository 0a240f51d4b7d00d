"""The one analyser: the words of a text as every lexical stage sees them.

Search, term coverage, highlighting and abstention use these terms, so that a word which finds a
passage is also a word that supports an answer.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

import snowballstemmer

from pincite.text.search_text import LINE_HYPHEN, without_invisible

# Kana, Han, Hangul, Thai, Lao, Khmer, Myanmar: written without spaces between words.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
)
# Indic letters with their vowel signs, which \w leaves out; the danda is no letter.
_INDIC = "\u0900-\u0963\u0966-\u0dff"
_LETTER = rf"(?:[^\W{_UNSPACED}]|[{_INDIC}])"
_JOINT = re.compile("[-./@:_'’+,]")
_COLOURING_MARKS = re.compile("[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670]")
_TOKEN = re.compile(
    rf"[{_UNSPACED}]+"
    # Words, and identifiers or numbers whose parts are joined: GSE-204.1, 12.5, e-mail, a_b, x@y.z
    # and words broken at the end of a line.
    rf"|{_LETTER}+(?:(?:-\n|[-./@:_'’+,]){_LETTER}+)*"
)
_PART = re.compile(rf"(?:[^\W_]|[{_INDIC}])+")

_STOP_WORDS = frozenset(
    """a an and are as at be been but by can could did do does for from had has have how i if in
    into is it its me my of on or our shall should so such that the their them then there these
    they this those to was we were what when where which who whom whose why will with would you
    your""".split()
)

_stemmer = snowballstemmer.stemmer("english")


@lru_cache(maxsize=200_000)
def _stem(word: str) -> str:
    return str(_stemmer.stemWord(word))


def fold(text: str) -> str:
    """Lower case without accents and compatibility forms: `Température` is `temperature`.

    Marks that only colour a letter (accents, Hebrew points, Arabic vowels) are dropped; those that
    make another letter (kana voicing, Indic vowels) stay.
    """
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return unicodedata.normalize("NFC", _COLOURING_MARKS.sub("", decomposed))


def terms(text: str) -> list[str]:
    """The index terms of a text, in order.

    Latin-script words are folded and stemmed (English Snowball), stop words are dropped. Joined
    identifiers and numbers give the whole and its parts (`gse-204.1`, `gse`, `204`, `1`). Scripts
    written without spaces give overlapping character pairs. A word broken at the end of a line
    gives its joined form, and the form with the hyphen in case that belongs to it.
    """
    seen = fold(without_invisible(text))
    return [term for token in _TOKEN.findall(seen) for term in _terms_of(token)]


def question_terms(text: str) -> dict[str, str]:
    """The distinct terms of a question, in order, each with the word it comes from.

    If the question is all stop words, those words themselves.
    """
    words: dict[str, str] = {}
    for word in text.split():
        for term in terms(word):
            words.setdefault(term, word.strip("?!.,;:()\"'"))
    found = {term: words.get(term, term) for term in terms(text)}
    return found or {_stem(fold(word)): word for word in _PART.findall(text)}


@lru_cache(maxsize=200_000)
def _terms_of(token: str) -> tuple[str, ...]:
    if re.match(rf"[{_UNSPACED}]", token):
        return tuple(_pairs(token))
    if LINE_HYPHEN in token:
        return _broken_terms(token)
    if not _JOINT.search(token):
        return () if token in _STOP_WORDS else (_stem(token),)
    token = re.sub(r"['’]s?$|['’]", "", token)  # Newton's -> newton, don't -> dont
    parts = _PART.findall(token)
    if len(parts) < 2:
        return tuple(_stem(p) for p in parts if p not in _STOP_WORDS)
    kept = [_stem(p) for p in parts if p not in _STOP_WORDS]
    # "and/or", "well-known": the whole is only worth a term of its own if it could be a name.
    return (token, *kept)


def _broken_terms(token: str) -> tuple[str, ...]:
    """`inter-/national` gives `internat` and `inter-national`; `gse-/204` is an identifier."""
    joined, hyphened = token.replace(LINE_HYPHEN, ""), token.replace(LINE_HYPHEN, "-")
    if any(part[:1].isdigit() or part[-1:].isdigit() for part in token.split(LINE_HYPHEN)):
        return _terms_of(hyphened)
    return (*_terms_of(joined), hyphened)


def _pairs(run: str) -> Iterator[str]:
    if len(run) == 1:
        yield run
    for first, second in pairwise(run):
        yield first + second
