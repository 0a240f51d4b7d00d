"""In which language and script is a text written, and which of its words say nothing?"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping
from functools import cache
from itertools import chain

from pincite.settings.toml_files import shipped

# Words that say nothing about a text but its language, by language (ISO 639-1).


@cache
def stop_words() -> Mapping[str, frozenset[str]]:
    """In lower case, with their accents (`text/data/stop_words.toml`)."""
    listed = shipped("text/data", "stop_words")
    return {language: frozenset(words.split()) for language, words in listed.items()}


# In which language is this text written?

UNKNOWN = "en"
"""What a text is read as that does not say its language."""

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
"""First and last letter of a script, the language that its words are read as, and the stemmer."""

_OTHER_NAMES = {
    "he": "Hebrew",
    "ja": "Japanese",
    "ko": "Korean",
    "th": "Thai",
    "vi": "Vietnamese",
    "zh": "Chinese",
}

# Of the first words of a text: a page tells its language in its first lines.
_READ_CHARS = 600
_FEWEST_HITS = 3
_LEAST_SHARE = 0.1
# Single letters are names of things in any language.
_WORD = re.compile(r"[^\W\d_]{2,}")


def language_of(
    text: str, *, among: Collection[str] | None = None, otherwise: str = UNKNOWN
) -> str:
    """The language (ISO 639-1) of a text in Latin letters, or `otherwise` if it does not say.

    With `among`, one of those, and a single word that only one of them has is enough: a question
    is short. Words of other scripts tell their language themselves (see `SCRIPTS`).
    """
    if among is not None and len(among) == 1:
        return next(iter(among))
    words = _WORD.findall(text[:_READ_CHARS].lower())
    speakers = _speakers()
    said = [speakers[word] for word in words if word in speakers]
    votes = Counter(chain.from_iterable(said))
    if among is not None:
        votes = Counter({language: votes[language] for language in among if votes[language]})
    needed = 1 if among is not None else max(_FEWEST_HITS, _LEAST_SHARE * len(words))
    best = max(votes.values(), default=0)
    leading = [language for language, count in votes.items() if count == best]
    if best < needed or otherwise in leading:
        return otherwise
    return min(leading) if among is None or len(leading) == 1 else otherwise


def language_name(code: str) -> str:
    """Its English name; the code itself for one that is not listed."""
    scripts = {name: stemmer for _, _, name, stemmer in SCRIPTS}
    named = STEMMERS.get(code) or scripts.get(code)
    return named.capitalize() if named else _OTHER_NAMES.get(code, code)


@cache
def _speakers() -> Mapping[str, tuple[str, ...]]:
    """Which languages have a word as one that says nothing else."""
    found: dict[str, tuple[str, ...]] = {}
    for language in (*STEMMERS, "vi"):
        for word in stop_words()[language]:
            found[word] = (*found.get(word, ()), language)
    return found


# Which script is a text written in?


def is_latin(text: str) -> bool:
    """Whether at least half of the letters are Latin ones; so for a text without letters, too."""
    letters = [sign for sign in text if sign.isalpha()]
    latin = sum(sign <= "\u024f" or "\u1e00" <= sign <= "\u1eff" for sign in letters)
    return 2 * latin >= len(letters)
