"""Who holds the office that is asked for, and is another office of the same body quoted instead?"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache
from typing import NamedTuple

from pincite.text.terms import fold
from pincite.toml_files import shipped

_ASKS_WHO = re.compile(r"\bwho(?:m|se)?\b|\bwhat(?: is|'s|’s| was) the name of\b", re.IGNORECASE)


class OtherOffice(NamedTuple):
    """The office asked for and the one that is quoted, as they are written in small letters.

    `words` are all that tell of the holder of the first.
    """

    asked: str
    quoted: str
    words: tuple[str, ...]


class _Office(NamedTuple):
    names: tuple[str, ...]
    words: tuple[str, ...]


def other_office(question: str, quote: str) -> OtherOffice | None:
    """The office whose holder a question asks for, where the quote names others of its body alone."""
    if not _ASKS_WHO.search(question):
        return None
    for body in _bodies():
        asked, quoted = (_named(text, body) for text in (question, quote))
        if len(asked) == 1 and quoted and not asked.keys() & quoted.keys():
            [(office, written)] = asked.items()
            return OtherOffice(written, next(iter(quoted.values())), (*office.names, *office.words))
    return None


def are_named(words: Iterable[str], text: str) -> bool:
    """Whether one of the words stands in the text."""
    return _any_of(tuple(words)).search(fold(text)) is not None


def _named(text: str, body: Sequence[_Office]) -> dict[_Office, str]:
    """The offices of a body that a text names, each as written there."""
    offices = {name: office for office in body for name in office.names}
    return {offices[found[0]]: found[0] for found in _any_of(tuple(offices)).finditer(fold(text))}


@cache
def _any_of(words: tuple[str, ...]) -> re.Pattern[str]:
    """Longer ones first: a vice president is no president."""
    longest_first = sorted(words, key=len, reverse=True)
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, longest_first))})\b")


@cache
def _bodies() -> tuple[tuple[_Office, ...], ...]:
    return tuple(tuple(map(_office, lines)) for lines in shipped("verify", "offices").values())


def _office(line: str) -> _Office:
    names, _, words = line.partition(":")
    return _Office(
        *(tuple(filter(None, map(str.strip, part.split("|")))) for part in (names, words))
    )
