"""Splits a text into its single questions, and a comparison into its sides."""

from __future__ import annotations

import re
from collections.abc import Sequence

_FEWEST_WORDS = 3
_LONGEST_CHARS = 300
"""Longest text that is checked for a question about two things; longer ones are pasted text."""
_ASKING = (
    r"(?:what|who|whom|whose|which|when|where|why|how|is|are|was|were|do|does|did|can|could|should"
    r"|was|wer|wie|wo|wann|warum|welche[rsnm]?|que|qui|quand|comment|pourquoi|quel(?:le)?s?)"
)
_ASKS = re.compile(rf"\b{_ASKING}\b", re.IGNORECASE)
_OPENS = re.compile(rf"[\s¿]*+(?:\w++\s++)?{_ASKING}\b", re.IGNORECASE)
_BETWEEN = re.compile(
    rf"\? (?=\S)|; |,? as well as (?={_ASKING}\b)|,? (?:and|und|et|y) (?={_ASKING}\b)",
    re.IGNORECASE,
)

_OF = r"(?:of|for|in|at|on|from|to|von|für|bei|de|du|pour|en|para)"
_CODE = r"(?!(?:19|20)\d\d\b)(?:(?!\d)[\w./-])*+\d[\w./-]*+"
_TWO_OF_A_KIND = re.compile(
    rf"^(?P<asked>.+\s(?P<of>{_OF})\s)(?P<first>\S+(?:\s\S+){{0,4}}?),?\s(?:and|und|et|y)\s"
    rf"(?:(?P=of)\s(?P<second>\S+(?:\s\S+){{0,4}})|(?P<code>{_CODE}))$",
    re.IGNORECASE,
)
"""`What is the price of P-1 and of P-2`; between two codes the preposition may be omitted.

Years are excluded: two years of a figure are mostly in one row.
"""


_THING = r"\S+(?:\s\S+){0,7}?"
_BETWEEN_TWO = re.compile(
    r"\b(?:differences?|distinction|distinguish|comparison|unterschiede?|différences?|diferencias?)\s"
    rf"(?:in\s(?P<asked>{_THING})\s)?(?:between|zwischen|entre)\s"
    rf"(?P<first>{_THING}),?\s(?:and|und|et|y)\s(?P<second>.+)$",
    re.IGNORECASE,
)
_COMPARED = re.compile(
    rf"^(?:compare|contrast|vergleiche|compara|comparez?)\s(?:(?P<asked>{_THING}\s(?:of|for|in|by|at|from))\s)?"
    rf"(?P<first>{_THING}),?\s(?:and|with|to|against|vs\.?|versus|und|mit|et|y)\s(?P<second>.+)$",
    re.IGNORECASE,
)
_WHICH_OF_TWO = re.compile(
    rf"^(?:what|which|who|where)\s(?P<asked>.{{3,120}}?)[,:]\s(?P<first>{_THING})\s(?:or|vs\.?|versus)\s"
    r"(?P<second>.+)$",
    re.IGNORECASE,
)
"""Which of two things: "Which has the longer warranty, the pump or the valve"."""
_VERSUS = re.compile(
    r"^(?P<first>[^\s:]+(?:\s[^\s:]+){0,5}?)\s(?:vs\.?|versus)\s(?P<second>[^\s:]+(?:\s[^\s:]+){0,5})$",
    re.IGNORECASE,
)


def question_parts(text: str) -> tuple[str, ...]:
    """The single questions of "What is A and how does B?"; empty when there is only one."""
    # Single spaces: a long run of them would be scanned again from each of its spaces.
    split = [part.strip() for part in _BETWEEN.split(" ".join(text.split()))]
    asked = [part for part in split if len(part.split()) >= _FEWEST_WORDS]
    parts = [single for part in asked for single in _of_each(part)]
    return tuple(parts) if len(parts) > 1 else ()


def compared_sides(text: str) -> tuple[str, ...]:
    """The two sides of "What is the difference between A and B?"; empty for other questions.

    "Compare the limits of A and B" has the sides "the limits of A" and "the limits of B".
    """
    plain = " ".join(text.split()).rstrip(" ?.!")
    if len(plain) > _LONGEST_CHARS:
        return ()
    found = _BETWEEN_TWO.search(plain) or _COMPARED.search(plain) or _WHICH_OF_TWO.search(plain)
    versus = None if found else _VERSUS.search(plain)
    if versus is not None:
        first, second = versus["first"].split(), versus["second"].split()
        # What both have in common is written once: "the limit at AAL2 vs AAL3", "paid vs unpaid leave".
        before, behind = first[: -len(second)], second[len(first) :]
        return " ".join([*first, *behind]), " ".join([*before, *second])
    if found is None:
        return ()
    groups = found.groupdict()
    asked = " ".join((groups.get("asked") or "").split())
    aspect = f"{asked} " if asked else ""
    return tuple(f"{aspect}{found[side].strip(' ,')}" for side in ("first", "second"))


def _of_each(part: str) -> tuple[str, ...]:
    """The question about each of two things, or the question itself when it is about one."""
    found = _TWO_OF_A_KIND.match(part.rstrip(" ?.!")) if len(part) <= _LONGEST_CHARS else None
    if found is None or (found["code"] and not re.fullmatch(_CODE, found["first"])):
        return (part,)
    second = found["second"] or found["code"]
    return f"{found['asked']}{found['first']}", f"{found['asked']}{second}"


def all_ask(parts: Sequence[str]) -> bool:
    """Whether each part is a question: in "Consider the lease; does it end?" only the second is."""
    return all(_ASKS.search(part) for part in parts)


def opens_as_question(part: str) -> bool:
    """Whether it begins with a question word, or one word before it: "Until when is it due?"."""
    return _OPENS.match(part) is not None
