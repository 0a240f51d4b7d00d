"""Parses a question's search syntax: quotes and minus."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

_OPEN = '"“„«'
_CLOSE = '"”“»'
# No letter or digit before an opening mark, so that 6" is a length.
_QUOTED = re.compile(
    rf"(?P<minus>(?<!\S)-)?(?<![\w{_OPEN}])[{_OPEN}](?P<words>[^{_OPEN}{_CLOSE}]+)[{_CLOSE}](?!\w)"
)
# Not: "-5" (a number), "--flag" (an option), "a - b" (a dash), "Schulen und -gruppen" (an ellipsis).
_MINUS = re.compile(
    r"(?P<before>(?:^|\s)(?:und|oder|bzw\.|sowie|och|eller|og|en|of|and|or)\s+)?"
    r"(?<!\S)-(?P<word>[^\W\d_]\S*)",
    re.IGNORECASE,
)
_GOES_ON = re.compile(r"\s+\w")


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionSyntax:
    """A parsed question: `plain` is its text without the syntax and the excluded words.

    `unquoted` is the text outside the quoted phrases.
    """

    plain: str
    phrases: tuple[str, ...] = ()
    unquoted: str = ""
    excluded: tuple[str, ...] = ()


def parsed(text: str, is_option: Callable[[str], bool] = lambda _: False) -> QuestionSyntax:
    """Parse `"relief valve" pressure -test`: a phrase, a word to look for, and a word to exclude.

    A single lower-case letter after a minus is a command-line option, as is any word that `is_option`
    accepts (`aG`), and one within a question: "What does -T0 do?" leaves nothing out.
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
        is_within = found.string.rstrip().endswith("?") and _GOES_ON.match(
            found.string[found.end() :]
        )
        is_letter = len(word) == 1 and word.islower()
        if found["before"] or is_letter or is_within or is_option(word):
            return found[0]
        excluded.append(word)
        return " "

    plain = _MINUS.sub(minus, _QUOTED.sub(quoted, text))
    left_out = tuple(excluded)
    unquoted = _MINUS.sub(minus, _QUOTED.sub(" ", text))
    if not phrases and not left_out:
        return QuestionSyntax(plain=text)
    return QuestionSyntax(
        plain=" ".join(plain.split()),
        phrases=tuple(phrases),
        unquoted=" ".join(unquoted.split()),
        excluded=left_out,
    )
