"""What a statement in other words must not change, whatever a model says of it.

How far it goes ("may", "all", "only if"), who does what to whom ("sold by", "sold to"), and what takes
the rest of a sentence back ("a rumour that the company denies").
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache

from pincite.settings.toml_files import shipped
from pincite.verify.statements.deletion import withdrawing_words
from pincite.verify.statements.wording import Word, words_of


def changes_scope(claim: str, quotes: Sequence[str], language: str) -> bool:
    """Whether a statement goes further than its quotes, the first of which carries most of it.

    True in a language without a list of such words.
    """
    words = scope_words(language)
    if not words.scopes:
        return True
    said, *stated = (words_of(text, language) for text in (claim, *quotes))
    return (
        _goes_further(said, stated, words)
        or _parts_differ(said, stated, words.leading)
        or bool(withdrawing_words(said, stated[0], language))
    )


def _goes_further(
    said: Sequence[Word], stated: Sequence[Sequence[Word]], words: ScopeWords
) -> bool:
    """Whether it adds an "all" or a "must", or drops the "may" or "if" of the first quote."""
    own, *there = ({word.folded for word in text} for text in (said, *stated))
    added = own.difference(*there) & frozenset().union(*words.scopes)
    return bool(added - words.softening or (there[0] & words.limiting) - own)


def _parts_differ(
    said: Sequence[Word], stated: Sequence[Sequence[Word]], leading: Collection[str]
) -> bool:
    """Whether a word is led to by another word than in every quote: "sold by Weber" for "to Weber"."""
    there: dict[str, set[str]] = {}
    for quote in stated:
        for key, by in led(quote, leading).items():
            there.setdefault(key, set()).update(by - {""})
    own = led(said, leading)
    return any(by - {""} and there.get(key) and not by & there[key] for key, by in own.items())


def led(words: Sequence[Word], leading: Collection[str]) -> dict[str, set[str]]:
    """The words that lead to each content word and say its part; empty for none."""
    found: dict[str, set[str]] = {}
    before = ""
    for word in words:
        if word.folded in leading:
            before = word.folded
        elif word.is_content:
            found.setdefault(word.key, set()).add(before)
            before = ""
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopeWords:
    """Folded words of one language, none of which a statement may have more of than its quotes.

    `leading` words say the part of what follows them ("sold by", "sold to"). Without a `limiting` word
    a sentence claims more, with a `softening` one not.
    """

    scopes: tuple[frozenset[str], ...] = ()
    leading: frozenset[str] = frozenset()
    limiting: frozenset[str] = frozenset()
    softening: frozenset[str] = frozenset()


@cache
def scope_words(language: str) -> ScopeWords:
    """The words of a language (ISO 639-1); none for languages without a list."""
    listed = shipped("verify/statements", "scopes").get(language, {})
    named = {name: frozenset(listed.get(name, "").split()) for name in _NAMED}
    return ScopeWords(
        scopes=tuple(frozenset(line.split()) for line in listed.get("scopes", ())), **named
    )


_NAMED = ("leading", "limiting", "softening")
