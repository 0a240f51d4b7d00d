"""Which telling words of a question stand in none of the documents?

An answer to such a question may be about something else, and must say so. Of other words that stand
nowhere ("the limit for hotels") the documents often speak in words of their own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from pincite.records import Question
from pincite.text.asking_words import spoken_language
from pincite.text.scripts import is_latin
from pincite.text.terms import fold
from pincite.verify.names import missing_names
from pincite.verify.signals import Asked

_ENGLISH = "en"
_SHORTEST = 5
"""Letters of a rare word."""
_CODE = re.compile(r"(?=.{4})[^\W\d_]+[-_./]?\d[\w./-]*")
"""Letters and digits; "15th" and "Q3" are none."""
_ROMAN = re.compile(r"[IVXLC]+")
_POSSESSIVE = re.compile(r"['’]s?$")


def words_nowhere(
    question: Question, asked: Asked, cited: Sequence[str], is_rare: Callable[[str], bool]
) -> Iterator[str]:
    """Names, codes and, in English, rare words; those of which no part is known, as they are written.

    A name may be the short form of what stands in the `cited` passages. A word that may be misspelt
    is told where it is looked up otherwise.
    """
    if not asked.unknown:
        return
    understood = question.understood
    otherwise = {*understood.corrections, *understood.expansions} if understood else set()
    is_english = spoken_language(question.plain, asked.language) == _ENGLISH
    lost = {*missing_names(question.plain, cited, [], "", asked.language)}
    for word in dict.fromkeys(asked.words[term] for term in sorted(asked.unknown)):
        written = _POSSESSIVE.sub("", word)
        is_code = _CODE.fullmatch(written) is not None
        parts = {term for term, one in asked.words.items() if one == word}
        if is_code:  # Its letters may well stand elsewhere: the E of E-0418.
            parts = {term for term in parts if any(map(str.isdigit, term))}
        if written in otherwise or not parts <= asked.unknown or not is_latin(written):
            continue
        is_name = written in lost and not _ROMAN.fullmatch(written)
        if is_name or is_code or (is_english and _is_rare(written, is_rare)):
            yield written


def _is_rare(word: str, is_rare: Callable[[str], bool]) -> bool:
    is_plain = word.isalpha() and word.islower() and len(word) >= _SHORTEST
    return is_plain and is_rare(fold(word))
