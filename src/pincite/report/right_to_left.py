"""Visual order and letter forms of Hebrew and Arabic, for programs that draw only from the left.

Implements the part of the Unicode bidirectional algorithm (UAX 9) needed for prose: letters, numbers,
neutrals by their neighbours, mirrored brackets, and left-to-right isolates. Explicit embeddings and
nested isolates are not supported. Arabic letters get the forms of Unicode's compatibility block,
according to the character database.
"""

from __future__ import annotations

import unicodedata
from functools import cache
from itertools import groupby

LEFT_TO_RIGHT_ISOLATE, END_OF_ISOLATE = "\u2066", "\u2069"
_LAM = "\u0644"
_MIRRORED = str.maketrans("()[]{}<>«»‹›", ")(][}{><»«›‹")
_FIRST_FORM, _LAST_FORM = 0xFB50, 0xFEFC
_FORMS = ("<isolated>", "<final>", "<initial>", "<medial>")


def has_right_to_left(text: str) -> bool:
    """Whether the text contains a right-to-left letter."""
    return any(unicodedata.bidirectional(char) in ("R", "AL") for char in text)


def reads_right_to_left(text: str) -> bool:
    """Whether the first letter, and so the whole paragraph, is right-to-left."""
    for char in text:
        kind = unicodedata.bidirectional(char)
        if kind in ("L", "R", "AL"):
            return kind != "L"
    return False


def visual(line: str, *, from_the_right: bool) -> str:
    """The characters of one line in visual order, from the left."""
    base = "R" if from_the_right else "L"
    kinds = _without_neutrals(_kinds(line, base), base)
    levels = [_level(kind, base) for kind in kinds]
    places = [
        place
        for place, char in enumerate(line)
        if char not in (LEFT_TO_RIGHT_ISOLATE, END_OF_ISOLATE)
    ]
    for level in range(max(levels, default=0), 0, -1):
        groups = groupby(places, key=lambda place: levels[place] >= level)
        turned = [(is_high, list(group)) for is_high, group in groups]
        places = [p for is_high, group in turned for p in (group[::-1] if is_high else group)]
    return "".join(
        line[place].translate(_MIRRORED) if levels[place] == 1 else line[place] for place in places
    )


def _kinds(line: str, base: str) -> list[str]:
    """L, R or N (number) for each character; empty for a neutral."""
    kinds: list[str] = []
    strong, is_isolated = base, False
    for char in line:
        kind = unicodedata.bidirectional(char)
        if char in (LEFT_TO_RIGHT_ISOLATE, END_OF_ISOLATE) or is_isolated:
            is_isolated = char != END_OF_ISOLATE
            kinds.append("L")
            continue
        if kind in ("L", "R", "AL"):
            strong = "L" if kind == "L" else "R"
            kinds.append(strong)
        elif kind in ("EN", "AN"):
            kinds.append("L" if kind == "EN" and strong == "L" else "N")
        else:
            kinds.append(kinds[-1] if kind == "NSM" and kinds else "")
    _join_numbers(line, kinds)
    return kinds


def _join_numbers(line: str, kinds: list[str]) -> None:
    """Separators between two digits, and signs next to a digit, belong to the number."""
    for place, char in enumerate(line):
        around = [kinds[near] for near in (place - 1, place + 1) if 0 <= near < len(kinds)]
        kind = unicodedata.bidirectional(char)
        is_between = kind in ("CS", "ES") and around == ["N", "N"]
        if not kinds[place] and (is_between or (kind == "ET" and "N" in around)):
            kinds[place] = "N"


def _without_neutrals(kinds: list[str], base: str) -> list[str]:
    """Neutrals take the direction common to both sides, or that of the paragraph."""
    resolved = list(kinds)
    place = 0
    while place < len(kinds):
        if kinds[place]:
            place += 1
            continue
        end = next((p for p in range(place, len(kinds)) if kinds[p]), len(kinds))
        before = kinds[place - 1] if place else base
        after = kinds[end] if end < len(kinds) else base
        sides = {"R" if side == "N" else side for side in (before, after)}
        resolved[place:end] = [sides.pop() if len(sides) == 1 else base] * (end - place)
        place = end
    return resolved


def _level(kind: str, base: str) -> int:
    if kind == "R":
        return 1
    return 2 if kind == "N" or base == "R" else 0


def joined(text: str) -> str:
    """The text with Arabic letters in their contextual forms."""
    letters, ligatures = _forms()
    made: list[str] = []
    place = 0
    while place < len(text):
        pair = text[place : place + 2]
        unit, forms = (pair, ligatures[pair]) if pair in ligatures else ("", {})
        if not forms:
            unit, forms = text[place], letters.get(text[place], {})
        before = _joins_on(_neighbour(text, place - 1, -1))
        after = _takes_on(_neighbour(text, place + len(unit), 1)) and "<initial>" in forms
        wanted = _FORMS[(1 if before else 0) + (2 if after else 0)]
        made.append(forms.get(wanted, unit))
        place += len(unit)
    return "".join(made)


def _neighbour(text: str, place: int, step: int) -> str:
    """The next character that is not a vowel sign; empty at the end."""
    while 0 <= place < len(text) and unicodedata.bidirectional(text[place]) == "NSM":
        place += step
    return text[place] if 0 <= place < len(text) else ""


def _joins_on(char: str) -> bool:
    """Whether a letter joins to the next one."""
    return char == "\u0640" or "<initial>" in _forms()[0].get(char, {})


def _takes_on(char: str) -> bool:
    """Whether a letter joins to the previous one."""
    return char == "\u0640" or "<final>" in _forms()[0].get(char, {})


@cache
def _forms() -> tuple[dict[str, dict[str, str]], dict[str, dict[str, str]]]:
    """Forms of letters, and of lam-alef ligatures, by kind."""
    letters: dict[str, dict[str, str]] = {}
    ligatures: dict[str, dict[str, str]] = {}
    for code in range(_FIRST_FORM, _LAST_FORM + 1):
        kind, *parts = unicodedata.decomposition(chr(code)).split() or [""]
        whole = "".join(chr(int(part, 16)) for part in parts)
        if kind in _FORMS and len(whole) == 1:
            letters.setdefault(whole, {})[kind] = chr(code)
        elif kind in _FORMS and len(whole) == 2 and whole[0] == _LAM and whole[1] in "اآأإ":
            ligatures.setdefault(whole, {})[kind] = chr(code)
    return letters, ligatures
