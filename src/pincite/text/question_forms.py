"""What a question says about itself: its syntax, its frame, and whether it asks for a figure."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from pincite.text.terms import terms

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


# Which words of a question only frame it: "Tell me about", "What do the documents say about"?


def without_frame(text: str, language: str) -> str:
    """What is asked for, without the words that only ask; the text itself if nothing else is left.

    What a frame opens is no question any more: `What about bearings?` asks for `bearings`.
    """
    whole = " ".join(text.split())
    asked = whole
    while (shorter := _unframed(asked)) != asked:
        asked = shorter
    return asked if asked != whole and terms(asked, language) else text


def _unframed(text: str) -> str:
    opens, closes, everything = _patterns()

    def place(found: re.Match[str]) -> str:
        where = next((name for name in found.groupdict().values() if name), "")
        return "" if not where or everything.fullmatch(where) else f"{where}: "

    opened = opens.sub(place, text, count=1)
    if opened != text:
        opened = opened.rstrip("?？ ")
    return closes.sub(r"\g<end>", opened, count=1)


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """What stands before what is asked for, what behind it, and the words for all documents."""
    source = files("pincite").joinpath("text", "data", "framing.toml")
    languages = tomllib.loads(re.sub(r"(?<=\|)\n\s+", "", source.read_text("utf-8"))).values()
    opens = [pattern for lists in languages for pattern in lists.get("opens", ())]
    closes = [pattern for lists in languages for pattern in lists.get("closes", ())]
    everything = [lists["everything"] for lists in languages if "everything" in lists]
    # A group may have one name only once in a pattern.
    named = (
        pattern.replace("?P<where>", f"?P<where{number}>") for number, pattern in enumerate(opens)
    )
    return (
        re.compile(rf"^[¿¡\s]*(?:{'|'.join(named)})(?=\S)", re.IGNORECASE),
        re.compile(rf"(?:{'|'.join(closes)})(?P<end>[\s?.!？。]*)$", re.IGNORECASE),
        re.compile("|".join(everything), re.IGNORECASE),
    )
