"""What a question says about its own words: "stand like this", and -leave out."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

_OPEN = '"“„«'
_CLOSE = '"”“»'
# An opening mark follows no letter or digit, so that 6" is a length.
_QUOTED = re.compile(
    rf"(?P<minus>(?<!\S)-)?(?<![\w{_OPEN}])[{_OPEN}](?P<words>[^{_OPEN}{_CLOSE}]+)[{_CLOSE}](?!\w)"
)
# "-5" is a number, "--flag" an option, "a - b" a dash, and "Schulen und -gruppen" leaves out a part.
_MINUS = re.compile(
    r"(?P<before>(?:^|\s)(?:und|oder|bzw\.|sowie|och|eller|og|en|of|and|or)\s+)?"
    r"(?<!\S)-(?P<word>[^\W\d_]\S*)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionSyntax:
    """A question taken apart: `plain` is what it asks, without the signs and what they exclude.

    `beside` is what stands beside the phrases.
    """

    plain: str
    phrases: tuple[str, ...] = ()
    beside: str = ""
    excluded: tuple[str, ...] = ()


def parsed(text: str, is_option: Callable[[str], bool] = lambda _: False) -> QuestionSyntax:
    """`"relief valve" pressure -test` asks for pressure where `relief valve` stands, no `test`.

    A single small letter behind a minus is an option of a command, as is what `is_option` knows (`aG`).
    """
    phrases: list[str] = []
    excluded: list[str] = []

    def quoted(found: re.Match[str]) -> str:
        words = found["words"].strip()
        if not re.search(r"\w", words):
            return found[0]
        (excluded if found["minus"] else phrases).append(words)
        return " " if found["minus"] else words

    def minus(found: re.Match[str]) -> str:
        word = found["word"].rstrip("?!.,;:")
        if found["before"] or (len(word) == 1 and word.islower()) or is_option(word):
            return found[0]
        excluded.append(word)
        return " "

    plain = _MINUS.sub(minus, _QUOTED.sub(quoted, text))
    left_out = tuple(excluded)
    beside = _MINUS.sub(minus, _QUOTED.sub(" ", text))
    if not phrases and not left_out:
        return QuestionSyntax(plain=text)
    return QuestionSyntax(
        plain=" ".join(plain.split()),
        phrases=tuple(phrases),
        beside=" ".join(beside.split()),
        excluded=left_out,
    )
