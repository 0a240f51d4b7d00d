"""Finds names, acronyms and identifiers of a statement that its quotes do not contain."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from pincite.text.terms import fold, stem
from pincite.text.vocabulary import abbreviations
from pincite.verify.statements.wording import Word, words_of

_CAPITALISES_NOUNS = frozenset({"de"})
_SHORTEST = 2
_LONGEST_ACRONYM = 12
"""In letters; the cells of a table may be a run of hundreds of names."""
_PARTS = re.compile(r"[^\W_]+")
_ROMAN = re.compile(r"[IVXLC]+")
_JOINS = frozenset("of the and for in on de la von der und et du des & to a".split())


def missing_names(
    claim: str, quotes: Sequence[str], headings: Sequence[str], question: str, language: str
) -> list[str]:
    """Names of the claim that are neither in its quotes nor in the headings above them.

    A name that is only in the question is accepted if the quotes name no one else, since a question
    may ask about the wrong one.
    """
    held = _held([*quotes, *headings], language)
    missing = [name for name in names(claim, language) if not _is_held(name, held)]
    if not missing:
        return []
    asked = _held([question], language)
    if all(_is_held(name, asked) for name in missing):
        said = _held([claim], language)
        others = [name for quote in quotes for name in names(quote, language)]
        if all(_is_held(name, said) for name in others):
            return []
    return [name.text for name in missing]


def names(text: str, language: str) -> list[Word]:
    """Words written as names; the capital of a sentence's first word does not count."""
    words = words_of(text, language)
    return [
        word
        for place, word in enumerate(words)
        if _is_name(word, words[place + 1 : place + 2], language)
    ]


def is_acronym(word: Word, words: Sequence[Word]) -> bool:
    """Whether a word consists of the initials of these: "WHO" of "World Health Organization"."""
    bare = word.folded.replace(".", "")
    long = [other for other in words if other.folded not in _JOINS]
    is_upper = word.text.replace(".", "").isupper() and len(bare) >= _SHORTEST
    are_names = all(other.text[:1].isupper() for other in long)
    return is_upper and are_names and bare == "".join(other.folded[0] for other in long)


def _is_name(word: Word, following: Sequence[Word], language: str) -> bool:
    written = word.text
    letters = [sign for sign in written if sign.isalpha()]
    if len(written) < _SHORTEST or not letters or not any(sign.isupper() for sign in letters):
        return False
    if any(sign.isupper() for sign in written[1:]) or any(sign.isdigit() for sign in written):
        return not _ROMAN.fullmatch(written) or not word.opens
    if language in _CAPITALISES_NOUNS or not word.is_content:
        return False
    if not word.opens:
        return True
    return bool(
        following
        and following[0].clause == word.clause
        and following[0].text[:1].isupper()
        and following[0].is_content
    )


class _Held:
    """Words, stems and acronyms of some texts."""

    def __init__(self, words: set[str], stems: set[str], acronyms: set[str]) -> None:
        self.words = words
        self.stems = stems
        self.acronyms = acronyms


def _held(texts: Sequence[str], language: str) -> _Held:
    words: set[str] = set()
    acronyms: set[str] = set()
    for text in texts:
        read = words_of(text, language)
        for word in read:
            words.add(word.folded)
            words.update(_PARTS.findall(word.folded))
        acronyms.update(_acronyms(read))
        for short, long in abbreviations(text):
            words.update((fold(short), *(fold(part) for part in long.split())))
    return _Held(words, {stem(word, language) for word in words}, acronyms)


def _acronyms(words: Sequence[Word]) -> Iterator[str]:
    """Initials of runs of capitalised words: World Health Organization gives who, wh and ho."""
    run: list[str] = []
    for word in (*words, None):
        if word is not None and word.text[:1].isupper():
            run.append(word.folded[:1])
        elif word is None or word.folded not in _JOINS:
            for start in range(len(run)):
                most = min(len(run), start + _LONGEST_ACRONYM)
                for end in range(start + _SHORTEST, most + 1):
                    yield "".join(run[start:end])
            run = []


def _is_held(name: Word, held: _Held) -> bool:
    bare = name.folded.replace(".", "")
    if name.folded in held.words or name.key in held.stems or bare in held.words:
        return True
    if name.text.replace(".", "").isupper() and bare in held.acronyms:
        return True
    parts = _PARTS.findall(name.folded)
    return len(parts) > 1 and all(part in held.words for part in parts)
