"""Writes raised, lowered and struck-out text in plain characters, and finds it again.

`10⁶` without its mark is another number, a note's sign behind a number reads as one more digit, and
struck-out text no longer holds. Readers therefore keep these marks in the text of a document.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

FREELY = "≈"
"""Behind a statement of a model that is worded freely."""

_RAISED = dict(
    zip(
        "0123456789+-−=()abcdefghijklmnoprstuvwxyz",
        "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ",
        strict=True,
    )
) | {" ": " ", ",": ",", ";": ";", "*": "*"}
_LOWERED = dict(
    zip("0123456789+-−=()aehijklmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ", strict=True)
)
_SCRIPT_BEHIND_DIGIT = re.compile(
    r"(?<=[0-9])(?=[⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]|[ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ]|[₊₋]?[₀-₉])"
)
_LONGEST_SCRIPT_CHARS = 12
"""A longer raised run is a line of its own, such as the head of a letter."""
_NUMBER_LIKE = re.compile(r"(?=.*[\d])[\w.,+\-−*/()]+")

STRIKE = "~~"
"""Before and behind struck-out text, as in Markdown."""
_STRUCK = re.compile(
    rf"(?<!~){STRIKE}(?=[^\s~])(?:(?!\n\s*\n|~).){{1,2000}}(?<=\S){STRIKE}(?!~)", re.DOTALL
)


@dataclass(frozen=True, slots=True)
class Run:
    """Text in one style; `script` is 1 for raised text, -1 for lowered text, otherwise 0."""

    text: str
    script: int = 0
    is_struck: bool = False


def written(runs: Iterable[Run]) -> str:
    """The text of runs in order; neighbours in the same style are written together."""
    pieces = []
    before = ""
    for is_struck, group in groupby(runs, key=lambda run: run.is_struck):
        text = ""
        for script, alike in groupby(group, key=lambda run: run.script):
            part = "".join(run.text for run in alike)
            # A letter on its own, such as the sign before a note, needs no mark.
            if part.isalpha() and not before[-1:].isalnum():
                script = 0
            text += _WRITTEN[script](part)
            before = text or before
        pieces.append(struck(text) if is_struck else text)
    return "".join(pieces)


def raised(text: str) -> str:
    """A raised run: `6` is `⁶`, `0.5` is `^0.5`; words (`th`, `TM`) and brackets stay as they are."""
    return _script(text, _RAISED, "^")


def lowered(text: str) -> str:
    """A lowered run: `2` is `₂`, `max` is `_max`."""
    return _script(text, _LOWERED, "_")


_WRITTEN: dict[int, Callable[[str], str]] = {0: str, 1: raised, -1: lowered}


def _script(text: str, signs: dict[str, str], mark: str) -> str:
    inner = text.strip()
    if not inner or len(inner) > _LONGEST_SCRIPT_CHARS:
        return text
    begin = text.index(inner)
    if all(sign in signs for sign in inner) and (len(inner) == 1 or not inner.isalpha()):
        shown = "".join(signs[sign] for sign in inner)
    elif _NUMBER_LIKE.fullmatch(inner):
        shown = mark + (inner if inner.isalnum() or len(inner) < 4 else f"({inner})")
    elif mark == "_" and inner.isalnum():
        shown = mark + inner
    else:
        return text
    return text[:begin] + shown + text[begin + len(inner) :]


def struck(text: str) -> str:
    """Struck-out text between its marks; white space around it stays outside."""
    inner = text.strip()
    if not inner:
        return text
    begin = text.index(inner)
    return f"{text[:begin]}{STRIKE}{inner}{STRIKE}{text[begin + len(inner) :]}"


def struck_ranges(text: str) -> Iterator[tuple[int, int]]:
    """The ranges of struck-out text, marks included."""
    if STRIKE in text:
        yield from (match.span() for match in _STRUCK.finditer(text))


def without_struck(text: str) -> str:
    """The text that still holds; struck-out text is blanked, so that places stay the same."""
    for start, end in struck_ranges(text):
        text = text[:start] + " " * (end - start) + text[end:]
    return text


STRUCK_PARTS = "the words between ~~ are struck out in the source"
"""What is said of a quote with such words."""


def is_struck_out(text: str) -> bool:
    """Whether nothing of a text still holds, or of words only a number, as before a row."""
    if STRIKE not in text:
        return False
    left = without_struck(text)
    of_words = any(map(str.isalpha, text))
    return not any(map(str.isalpha if of_words else str.isalnum, left))


def scripts_apart(text: str) -> str:
    """The text with `^` before a raised or lowered number behind a digit: 214¹ is not 2141."""
    return text if text.isascii() else _SCRIPT_BEHIND_DIGIT.sub("^", text)
