"""Detects the language and script of a text, and lists stop words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING

from pincite.settings.toml_files import shipped

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

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
    # A word counts once: "min" is a word of five languages, and stands six times in an English recipe.
    known = [speakers[word] for word in dict.fromkeys(words) if word in speakers]
    votes = Counter(chain.from_iterable(known))
    if among is not None:
        votes = Counter({language: votes[language] for language in among if votes[language]})
    needed = 1 if among is not None else max(_FEWEST_HITS, _LEAST_SHARE * len(words))
    best = max(votes.values(), default=0)
    leading = [language for language, count in votes.items() if count == best]
    if best < needed or otherwise in leading:
        return otherwise
    return min(leading) if among is None or len(leading) == 1 else otherwise


_DOUBT = "?"
"""Behind a language that words alone suggest: not enough to say that a question is in another one."""

_SURE = 0.85
_IDENTIFIED_CHARS = 4_000


def sure_language(text: str, *, least: float = _SURE) -> str:
    """The language (ISO 639-1) of a text if an identifier is sure of it, else an empty text.

    `least` is the certainty that is needed, in 0..1.

    Reading its model takes a second, once in a process.
    """
    language, certainty = _identifier().classify(text[:_IDENTIFIED_CHARS])
    return str(language) if certainty >= least else ""


def doubted(language: str) -> str:
    """The name under which passages of an unsure language are counted."""
    return language + _DOUBT


def counted_languages(counts: Mapping[str, int], *, sure: bool = False) -> Counter[str]:
    """Passages by language; with `sure`, only those of documents whose language is."""
    found: Counter[str] = Counter()
    for name, count in counts.items():
        if not (sure and name.endswith(_DOUBT)):
            found[name.removesuffix(_DOUBT)] += count
    return found


@cache
def _identifier() -> LanguageIdentifier:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)


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
