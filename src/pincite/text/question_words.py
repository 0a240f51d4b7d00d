"""Words that ask but say nothing about the topic, by language (ISO 639-1).

They are left out of questions only, and listed in `text/data/asking_words.toml`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from functools import cache, lru_cache

from pincite.settings.toml_files import shipped
from pincite.text.languages import stop_words

_INVERTED = re.compile(r"(?<!rendez)-(?:t-)?(?:ils?|elles?|on|je|tu|nous|vous|ce)\b", re.IGNORECASE)
"""The pronoun that French appends to a question's verb: "faut-il", "y a-t-il"."""
_MODAL_MAY = re.compile(
    r"(?<!\bin )(?<!\bon )(?<!\bof )(?<!\bby )(?<!\band )(?<!\bor )(?<!\bto )(?<!since )(?<!until )"
    r"(?<!from )(?<!this )(?<!last )(?<!next )(?<!\d )(?<!\d\. )(?<!\d(?:st|nd|rd|th) )"
    r"(?<![\w-])may(?![\w-])(?!\s*\d)"
)
"""The English verb; the month has a capital, or a number or one of these words before it."""
_GRAMMAR = re.compile("[\u3041-\u309f何誰谁吗嗎呢哪么麼]")
"""Hiragana, and the characters that mark questions in Chinese and Japanese: who, what, which."""
_WORD = re.compile(r"(?<![\w'’./@:+-])[^\W\d_]+(?![\w'’-])(?![./@:+]\w)")
"""A word that is not part of a compound such as "n.a" or "and/or"."""
_FEWEST_HITS = 2
_OF_CYRILLIC = "ru"
"""Always checked: its script alone identifies these words."""

_TYPED_WITHOUT_ACCENTS = frozenset({"ca", "es", "fr", "it", "pl", "pt", "ro"})
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})


def without_asking_words(question: str, language: str) -> str:
    """A question without the asking words of the given language and of the one it appears to be in."""
    spoken = {language, spoken_language(question, language), _OF_CYRILLIC}
    text = _INVERTED.sub("", question) if "fr" in spoken else question
    if "en" in spoken and "may" in text:
        text = _MODAL_MAY.sub("", text)
    quiet = [_quiet(one) for one in sorted(spoken)]
    return _WORD.sub(
        lambda found: "" if any(found[0].lower() in words for words in quiet) else found[0], text
    )


def without_asking_phrases(question: str, language: str) -> str:
    """The question without "how many" and similar phrases."""
    phrase = _listed(spoken_language(question, language)).get("phrases")
    return re.sub(rf"\b{phrase}\b", "", question, flags=re.IGNORECASE) if phrase else question


def is_asking_verb(word: str, question: str, language: str) -> bool:
    """Whether a word is a verb of asking, which the answering text may well lack."""
    spoken = (language, spoken_language(question, language), _OF_CYRILLIC)
    return any(word.lower() in _verbs(one) for one in spoken)


def is_grammar(term: str) -> bool:
    """Whether a character pair has a grammatical or question character of Chinese or Japanese.

    A question has many such pairs, and the answering text has others.
    """
    return _GRAMMAR.search(term) is not None


@lru_cache(maxsize=1024)
def spoken_language(question: str, language: str) -> str:
    """The language that a question's words show, or the given one if they do not contradict it.

    A library of tables does not show its language, and questions may be in another one.
    """
    words = {found.lower() for found in _WORD.findall(question)}
    hits = {one: words & _heard(one) for one in stop_words()}
    best = max(hits, key=lambda one: (len(hits[one]), one == language))
    if len(hits[best]) < _FEWEST_HITS or hits.get(language, set()) - hits[best]:
        return language
    return best


def _listed(language: str) -> Mapping[str, str]:
    """The entry of `text/data/asking_words.toml` for a language."""
    return _lists().get(language, {})


@cache
def _lists() -> Mapping[str, Mapping[str, str]]:
    return shipped("text/data", "asking_words")


@cache
def _heard(language: str) -> frozenset[str]:
    asking = _spellings(_listed(language).get("words", ""), language)
    return stop_words()[language] | asking | _verbs(language)


@cache
def _verbs(language: str) -> frozenset[str]:
    return _spellings(_listed(language).get("verbs", ""), language)


@cache
def _quiet(language: str) -> frozenset[str]:
    quiet = (*stop_words().get(language, ()), _listed(language).get("words", ""))
    return _spellings(" ".join(quiet), language)


def _spellings(words: str, language: str) -> frozenset[str]:
    """The words as written, and as people type them without accents."""
    written = frozenset(words.split())
    if language == "de":
        return written | {word.translate(_UMLAUTS) for word in written}
    if language not in _TYPED_WITHOUT_ACCENTS:
        return written
    apart = (unicodedata.normalize("NFD", word) for word in written)
    return written | {
        "".join(sign for sign in word if not unicodedata.combining(sign)) for word in apart
    }
