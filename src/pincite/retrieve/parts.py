"""Which questions stand in one?"""

from __future__ import annotations

import re
from collections.abc import Sequence

_FEWEST_WORDS = 3
_LONGEST_CHARS = 300
"""Of a question that may be about two things: a longer one is none that was typed in one breath."""
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
"""`What is the price of P-1 and of P-2`; between two codes the preposition need not stand twice.

Two years of a figure mostly stand in one row.
"""


def question_parts(text: str) -> tuple[str, ...]:
    """The single questions of "What is A and how does B?"; empty when there is only one."""
    # With single blanks, since a long run of them would be looked through again for each.
    split = [part.strip() for part in _BETWEEN.split(" ".join(text.split()))]
    asked = [part for part in split if len(part.split()) >= _FEWEST_WORDS]
    parts = [single for part in asked for single in _of_each(part)]
    return tuple(parts) if len(parts) > 1 else ()


def _of_each(part: str) -> tuple[str, ...]:
    """The question about each of two things; itself where it is about one."""
    found = _TWO_OF_A_KIND.match(part.rstrip(" ?.!")) if len(part) <= _LONGEST_CHARS else None
    if found is None or (found["code"] and not re.fullmatch(_CODE, found["first"])):
        return (part,)
    second = found["second"] or found["code"]
    return f"{found['asked']}{found['first']}", f"{found['asked']}{second}"


def all_ask(parts: Sequence[str]) -> bool:
    """Whether each part asks: "Consider the lease; does it end?" has one question and its setting."""
    return all(_ASKS.search(part) for part in parts)


def opens_as_question(part: str) -> bool:
    """Whether it begins with what asks, or one word before: "Until when is it due?"."""
    return _OPENS.match(part) is not None
