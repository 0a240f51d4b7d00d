"""Which abbreviations does a text explain? After Schwartz and Hearst (PSB 2003).

"Personal Protective Equipment (PPE)": the letters are those that the words before the bracket begin
with, or else each letter, from the last to the first, stands in them, the first one at the start of
a word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from pincite.text.stop_words import stop_words

_SHORT_FORM = re.compile(r"\((?P<short>[^\W_][\w&./-]{1,9})\)")
_BEFORE_CHARS = 160
_FEWEST_CAPITALS = 2


def abbreviations(text: str) -> Iterator[tuple[str, str]]:
    """Pairs of short form and long form, as they stand."""
    if "(" not in text:
        return
    for found in _SHORT_FORM.finditer(text):
        short = found["short"]
        if sum(letter.isupper() for letter in short) < _FEWEST_CAPITALS:
            continue
        before = text[max(0, found.start() - _BEFORE_CHARS) : found.start()]
        long = _long_form(short, before)
        if long:
            yield short, long


def _long_form(short: str, before: str) -> str:
    """The shortest end of `before` that explains `short`; "" when none does."""
    most_words = min(len(short) + 5, len(short) * 2)
    # A long form stands in one sentence and one line.
    words = re.split(r"[.;:!?]\s|\n\s*\n", before)[-1].split()[-most_words:]
    candidate = " ".join(words)
    letters = [letter for letter in short.lower() if letter.isalnum()]
    long = _by_initials(letters, words) or _by_letters(letters, candidate)
    is_longer = len(long) > len(short) and len(long.split()) > 1
    return long if is_longer and short.lower() not in long.lower().split() else ""


def _by_initials(letters: Sequence[str], words: Sequence[str]) -> str:
    for start in reversed(range(len(words))):
        pieces = [piece for piece in re.split(r"[\s/-]+", " ".join(words[start:]).lower()) if piece]
        telling = [piece for piece in pieces if piece not in stop_words()["en"]]
        if letters in ([piece[0] for piece in pieces], [piece[0] for piece in telling]):
            return " ".join(words[start:])
    return ""


def _by_letters(letters: Sequence[str], candidate: str) -> str:
    place = len(candidate)
    lowered = candidate.lower()
    for number, letter in reversed(list(enumerate(letters))):
        place = lowered.rfind(letter, 0, place)
        while number == 0 and place > 0 and lowered[place - 1].isalnum():
            place = lowered.rfind(letter, 0, place)
        if place < 0:
            return ""
    return candidate[place:]
