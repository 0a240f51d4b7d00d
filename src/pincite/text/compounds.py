"""Which words is a long word put together from? In languages that write them as one."""

from __future__ import annotations

from collections.abc import Container

COMPOUNDING = frozenset({"de", "nl", "sv", "da", "no"})

SHORTEST_PART = 4
_LINKS = {
    "de": ("", "s", "es", "n", "en", "er", "e"),
    "nl": ("", "s", "en", "e"),
    "sv": ("", "s"),
    "da": ("", "s", "e"),
    "no": ("", "s", "e"),
}


def parts(word: str, language: str, known: Container[str]) -> tuple[str, ...]:
    """The two words of a compound, both `known`; empty when there is no such division.

    `nobelpreis` is `nobel` and `preis`, `entscheidungsproblem` has an `s` between. Among several
    divisions, that with the longest shorter part.
    """
    best: tuple[str, ...] = ()
    for end in range(SHORTEST_PART, len(word) - SHORTEST_PART + 1):
        first, second = word[:end], word[end:]
        if second not in known:
            continue
        for link in _LINKS.get(language, ()):
            stem = first.removesuffix(link)
            if not first.endswith(link) or len(stem) < SHORTEST_PART or stem not in known:
                continue
            if min(len(stem), len(second)) > min(map(len, best), default=0):
                best = (stem, second)
    return best
