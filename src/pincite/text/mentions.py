"""Finds mentions of words in a text; counting and checking share this definition.

A word is a run of letters and digits; a number keeps its decimals (`12.5` does not mention `5`). In a
line of comma-separated cells, the single cells are searched as well.
Two words match when they begin alike and have the same stem in the text's language, so endings, case
and accents make no difference; for quoted words, endings do.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache, lru_cache

from pincite.records.counts import Closeness
from pincite.text.as_read import INVISIBLE, LINE_HYPHEN, looks_wrong, repaired
from pincite.text.terms import (
    GROUPED_OR_DECIMAL,
    UNSPACED,
    composed,
    fold,
    is_of_cells,
    stem,
    terms,
)

_INDIC = "\u0900-\u0963\u0966-\u0dff"
# A number keeps its comma unless a code, a number or a date is next to it: "T-9001,2025-01-02".
_NUMBER = (
    rf"(?<!,)(?<![^\W_]-){GROUPED_OR_DECIMAL}(?![^\W_]|,\S|\.\d|-\d+-\d)|\d+(?:\.\d+)+(?![^\W_])"
)
_WORD = re.compile(rf"[{UNSPACED}]|{_NUMBER}|(?:[^\W_{UNSPACED}]|[{_INDIC}])+")
_COMMA_IN_DIGITS = re.compile(r"(?<=\d),(?=\d)")
_UNSPACED = re.compile(f"[{UNSPACED}]")
_LONGEST = 80
_WRITTEN = re.compile(rf"\S{{1,{_LONGEST}}}(?:(?<=-)\n\S{{1,{_LONGEST}}})?")
_ANYTHING = re.compile(r"\S+")

_ALIKE = 3
"""How many first letters all forms of a word share; fewer if its stem is shorter."""

_COMBINING = re.compile("[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670\u1100-\u11ff\uff61-\uff9f]")

_REMEMBERED = 200_000


class Mentions:
    """Finds one subject in texts of one language."""

    def __init__(self, subject: str, closeness: Closeness, language: str) -> None:
        """Raises ValueError for a subject without words."""
        self._is_apart = closeness is Closeness.IN_ONE_SENTENCE
        self._key = _folded if closeness is Closeness.EXACT else _key_in(language)
        words = words_of(subject)
        if self._is_apart:
            words = [word for word in words if terms(word, language)] or words
        if not words:
            raise ValueError(f"{subject!r} has no words")
        self._sought = [self._key(word) for word in words]
        self._words_apart = " ... ".join(map(_folded, words))
        anchor = max(words, key=len)
        self._anchor = self._key(anchor)
        self._beginning = _beginning(_folded(anchor), language)
        # For each word seen so far, whether it may be the anchor.
        self._may_be = lru_cache(maxsize=_REMEMBERED)(self._is_anchor)

    def found(self, sentence: str) -> list[str]:
        """The mentions in a sentence, as written; at most one if the words may be apart."""
        if is_of_cells(sentence):
            cells = self._mentions_in(_COMMA_IN_DIGITS.sub(" ", sentence))
            return max(self._mentions_in(sentence), cells, key=len)
        return self._mentions_in(sentence)

    def _mentions_in(self, sentence: str) -> list[str]:
        if LINE_HYPHEN not in sentence:
            return self._mentions(words_of(sentence))
        # A hyphen at the end of a line may belong to the word or not.
        joined = self._mentions(words_of(sentence.replace(LINE_HYPHEN, "")))
        apart = self._mentions(words_of(sentence)) if len(self._sought) > 1 else []
        return max(joined, apart, key=len)

    def places(self, text: str) -> Iterator[int]:
        """Positions of possible mentions: every mention contains one of them.

        Checks only words that begin like the longest word of the subject.
        """
        if looks_wrong(text):
            # Its letters may differ from those that a reader sees.
            yield from (found.start() for found in _ANYTHING.finditer(text))
            return
        for start in self._words_to_look_at(text):
            written = _WRITTEN.match(text, start)
            if written and self._may_be(written[0]):
                yield start

    def _words_to_look_at(self, text: str) -> Iterator[int]:
        foreign = _beyond_ascii(text)
        if any(map(_is_many_letters, foreign)):
            yield from (found.start() for found in _ANYTHING.finditer(text))
        elif forms := _forms(self._beginning, foreign):
            yield from (found.start() for found in _written_with(forms).finditer(text))
        else:
            yield from _occurrences(text.encode("ascii", "replace").lower(), self._beginning)

    def _mentions(self, words: Sequence[str]) -> list[str]:
        keys = [self._key(word) for word in words]
        if self._is_apart:
            return [self._words_apart] if set(self._sought) <= set(keys) else []
        size, place, found = len(self._sought), 0, []
        while place + size <= len(keys):
            if keys[place] == self._sought[0] and keys[place : place + size] == self._sought:
                found.append(" ".join(words[place : place + size]))
                place += size
            else:
                place += 1
        return found

    def _is_anchor(self, written: str) -> bool:
        if len(written) >= _LONGEST:
            return True
        readings = (
            written,
            written.replace(LINE_HYPHEN, ""),
            _COMMA_IN_DIGITS.sub(" ", written),
        )
        return any(self._key(word) == self._anchor for text in readings for word in words_of(text))


def words_of(text: str) -> list[str]:
    """The words of a text in order, without markup and invisible characters."""
    return _WORD.findall(text if text.isascii() else composed(repaired(text)))


_folded = lru_cache(maxsize=_REMEMBERED)(fold)


@cache
def _key_in(language: str) -> Callable[[str], str]:
    """A function that maps equivalent words of a language to the same key."""

    def key(word: str) -> str:
        folded = _folded(word)
        return f"{_beginning(folded, language)} {stem(folded, language)}"

    return lru_cache(maxsize=_REMEMBERED)(key)


def _beginning(folded: str, language: str) -> str:
    """The first letters that all forms of a word share: dry and dries share two."""
    return folded[: min(_ALIKE, max(1, len(stem(folded, language)) - 1))]


def _occurrences(text: bytes, beginning: str) -> Iterator[int]:
    """Where words with this beginning are in a lower-case text."""
    if not beginning.isascii():
        return
    place = text.find(beginning.encode())
    while place >= 0:
        if not text[max(0, place - 1) : place].isalnum():
            yield place
        place = text.find(beginning.encode(), place + 1)


def _beyond_ascii(text: str) -> frozenset[str]:
    """The distinct characters of a text that are not in ASCII."""
    if text.isascii():
        return frozenset()
    encoded = text.encode("utf-8", "surrogatepass").translate(None, delete=bytes(range(128)))
    return frozenset(encoded.decode("utf-8", "surrogatepass"))


@lru_cache(maxsize=_REMEMBERED)
def _read_as(character: str) -> str:
    """The folded form of a character within a text: a for 𝖠."""
    return fold(composed(character))


def _is_many_letters(character: str) -> bool:
    """Whether a character is part of a letter (a combining accent) or means several (½)."""
    folded = _read_as(character)
    is_mixed = not folded.isalnum() and any(map(str.isalnum, folded))
    return is_mixed or _COMBINING.match(character) is not None


def _forms(beginning: str, characters: frozenset[str]) -> tuple[str, ...]:
    """For each letter of a beginning, the characters that may represent it; () when none does.

    Invisible characters may occur anywhere, and ﬃ may represent any letter.
    """
    anywhere = sorted(c for c in characters if c in INVISIBLE or len(_read_as(c)) > 1)
    forms = [sorted(c for c in characters if _read_as(c) == letter) for letter in beginning]
    if not anywhere and not any(forms):
        return ()
    return tuple(
        "".join([letter, letter.upper(), *anywhere, *found])
        for letter, found in zip(beginning, forms, strict=True)
    )


@cache
def _written_with(forms: tuple[str, ...]) -> re.Pattern[str]:
    """Words with these first letters; after a character that may mean several, any word."""
    pattern = ""
    for letters in reversed(forms):
        several = "".join(c for c in letters if c in INVISIBLE or len(_read_as(c)) > 1)
        may_end = f"(?<=[{several}])|" if several else ""
        rest = f"(?:{may_end}{pattern})" if pattern else ""
        pattern = f"[{re.escape(letters)}]{rest}"
    # The first set of characters comes first, since a search for that is fastest.
    first, rest = pattern.split("]", maxsplit=1)
    not_inside = "" if _UNSPACED.match(forms[0]) else "(?<![A-Za-z0-9].)"
    return re.compile(f"{first}]{not_inside}{rest}", re.DOTALL)


# Are these words adjacent in this text?

_APOSTROPHES = str.maketrans("", "", "'’")
_SIGNS = r"(?:\+\+|\#(?!\w))"
_EXACT_WORD = re.compile(
    rf"[{UNSPACED}]|(?:[^\W_{UNSPACED}]|[\u0900-\u0963\u0966-\u0dff])+{_SIGNS}?"
)
# Anchored at word starts, so that a long run of letters is scanned once.
_SIGNED = re.compile(rf"(?<!\w)\w+{_SIGNS}")


def holds(text: str, phrase: str) -> bool:
    """Whether `text` has the words of `phrase` in this order with nothing but punctuation between.

    Case, accents and line breaks make no difference; endings do, and `C++` is not `C`. A phrase
    without words never matches.
    """
    return WrittenWords(text).hold(phrase)


class WrittenWords:
    """The words of a text as written, for matching many phrases the way `holds` does."""

    def __init__(self, text: str) -> None:
        # A hyphen at the end of a line may belong to the word or not.
        readings = {text.replace(LINE_HYPHEN, ""), text.replace(LINE_HYPHEN, "-")}
        self._readings = [_words(reading) for reading in readings]

    def hold(self, phrase: str) -> bool:
        """Whether the words of the phrase are adjacent in the text."""
        wanted = _words_of_phrase(phrase)
        return bool(wanted.strip()) and any(wanted in reading for reading in self._readings)


def is_signed(word: str) -> bool:
    """Whether a word is a name such as `C++` or `C#`."""
    return bool(_SIGNED.search(word))


def without_signed(text: str) -> str:
    """The text without such names."""
    return _SIGNED.sub(" ", text)


@lru_cache(maxsize=4096)
def _words_of_phrase(phrase: str) -> str:
    return _words(phrase)


def _words(text: str) -> str:
    found = _EXACT_WORD.findall(fold(composed(text)).translate(_APOSTROPHES))
    return f" {' '.join(found)} "
