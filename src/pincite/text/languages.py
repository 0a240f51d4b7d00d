"""Detects the language and script of a text, and lists stop words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping
from functools import cache
from itertools import chain

from pincite.settings.toml_files import shipped

# Stop words by language (ISO 639-1).


@cache
def stop_words() -> Mapping[str, frozenset[str]]:
    """Stop words by language, in lower case with accents (`text/data/stop_words.toml`)."""
    listed = shipped("text/data", "stop_words")
    return {language: frozenset(words.split()) for language, words in listed.items()}


# Language detection.

UNKNOWN = "en"
"""The language assumed if a text's language is unclear."""

STEMMERS = {
    "ca": "catalan",
    "cs": "czech",
    "da": "danish",
    "de": "german",
    "en": "english",
    "es": "spanish",
    "fi": "finnish",
    "fr": "french",
    "hu": "hungarian",
    "id": "indonesian",
    "it": "italian",
    "nl": "dutch",
    "no": "norwegian",
    "pl": "polish",
    "pt": "portuguese",
    "ro": "romanian",
    "sv": "swedish",
    "tr": "turkish",
}
"""Snowball's algorithm for each language of the Latin script."""

SCRIPTS = (
    ("\u0370", "\u03ff", "el", "greek"),
    ("\u0400", "\u052f", "ru", "russian"),
    ("\u0530", "\u058f", "hy", "armenian"),
    ("\u0600", "\u06ff", "ar", "arabic"),
    ("\u0900", "\u097f", "hi", "hindi"),
    ("\u0b80", "\u0bff", "ta", "tamil"),
)
"""First and last letter of a script, the language assumed for its words, and the stemmer."""

_OTHER_NAMES = {
    "he": "Hebrew",
    "ja": "Japanese",
    "ko": "Korean",
    "th": "Thai",
    "vi": "Vietnamese",
    "zh": "Chinese",
}

# The first lines of a page are enough to detect its language.
_READ_CHARS = 600
_FEWEST_HITS = 3
_LEAST_SHARE = 0.1
# Single letters are used as names in any language.
_WORD = re.compile(r"[^\W\d_]{2,}")


def language_of(
    text: str, *, among: Collection[str] | None = None, otherwise: str = UNKNOWN
) -> str:
    """The language (ISO 639-1) of a text in Latin letters, or `otherwise` if it is unclear.

    With `among`, one of those; a single word that only one of them has is then enough, since questions
    are short. For words in other scripts see `SCRIPTS`.
    """
    if among is not None and len(among) == 1:
        return next(iter(among))
    words = _WORD.findall(text[:_READ_CHARS].lower())
    speakers = _speakers()
    known = [speakers[word] for word in words if word in speakers]
    votes = Counter(chain.from_iterable(known))
    if among is not None:
        votes = Counter({language: votes[language] for language in among if votes[language]})
    needed = 1 if among is not None else max(_FEWEST_HITS, _LEAST_SHARE * len(words))
    best = max(votes.values(), default=0)
    leading = [language for language, count in votes.items() if count == best]
    if best < needed or otherwise in leading:
        return otherwise
    return min(leading) if among is None or len(leading) == 1 else otherwise


def language_name(code: str) -> str:
    """A language's English name; the code itself if it is not listed."""
    scripts = {name: stemmer for _, _, name, stemmer in SCRIPTS}
    named = STEMMERS.get(code) or scripts.get(code)
    return named.capitalize() if named else _OTHER_NAMES.get(code, code)


@cache
def _speakers() -> Mapping[str, tuple[str, ...]]:
    """The languages that have each word as a stop word."""
    found: dict[str, tuple[str, ...]] = {}
    for language in (*STEMMERS, "vi"):
        for word in stop_words()[language]:
            found[word] = (*found.get(word, ()), language)
    return found


def is_latin(text: str) -> bool:
    """Whether at least half of the letters are Latin; true for a text without letters."""
    letters = [sign for sign in text if sign.isalpha()]
    latin = sum(sign <= "\u024f" or "\u1e00" <= sign <= "\u1eff" for sign in letters)
    return 2 * latin >= len(letters)
