"""Which questions stand in one?"""

from __future__ import annotations

import re
from collections.abc import Sequence

_FEWEST_WORDS = 3
_ASKING = (
    r"(?:what|who|whom|whose|which|when|where|why|how|is|are|was|were|do|does|did|can|could|should"
    r"|was|wer|wie|wo|wann|warum|welche[rsnm]?|que|qui|quand|comment|pourquoi|quel(?:le)?s?)"
)
_ASKS = re.compile(rf"\b{_ASKING}\b", re.IGNORECASE)
_BETWEEN = re.compile(
    rf"\?\s+(?=\S)|;\s+|,?\s+as well as\s+(?={_ASKING}\b)|,?\s+(?:and|und|et|y)\s+(?={_ASKING}\b)",
    re.IGNORECASE,
)


def question_parts(text: str) -> tuple[str, ...]:
    """The single questions of "What is A and how does B?"; empty when there is only one."""
    # With single blanks, since a long run of them would be looked through again for each.
    parts = [part.strip() for part in _BETWEEN.split(" ".join(text.split()))]
    parts = [part for part in parts if len(part.split()) >= _FEWEST_WORDS]
    return tuple(parts) if len(parts) > 1 else ()


def all_ask(parts: Sequence[str]) -> bool:
    """Whether each part asks: "Consider the lease; does it end?" has one question and its setting."""
    return all(_ASKS.search(part) for part in parts)
