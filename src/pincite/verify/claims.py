"""Do these quotes carry this statement?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pincite.records import Citation, Mode, Question, Verdict
from pincite.text.numbers import unsupported_numbers


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What was found about a statement; `detail` names the words or numbers at fault."""

    verdict: Verdict
    detail: str = ""

    @property
    def holds(self) -> bool:
        """Whether the statement may be shown."""
        return self.verdict is Verdict.SUPPORTED

    def __str__(self) -> str:
        return f"{self.verdict} ({self.detail})" if self.detail else str(self.verdict)


class ClaimChecker:
    """Compares a statement with the quotes it cites."""

    def check(
        self,
        question: Question,  # noqa: ARG002
        claim: str,
        cited: Sequence[Citation],
        mode: Mode,
    ) -> Finding:
        """Whether the statement may be shown.

        A statement that is one of its quotes, word for word, always may. In the modes in which
        nobody writes, no other one may.
        """
        if not claim.strip():
            return Finding(verdict=Verdict.EMPTY)
        if not cited:
            return Finding(verdict=Verdict.NOT_CITED)
        if any(citation.quote == claim for citation in cited):
            return Finding(verdict=Verdict.SUPPORTED)
        if mode is not Mode.GENERATED:
            return Finding(verdict=Verdict.NOT_WORD_FOR_WORD)
        quotes = tuple(citation.quote for citation in cited)
        if wrong := unsupported_numbers(claim, quotes):
            detail = ", ".join(f"{number.digits} {number.unit}".rstrip() for number in wrong)
            return Finding(verdict=Verdict.NUMBER_NOT_IN_QUOTE, detail=detail)
        return Finding(verdict=Verdict.SUPPORTED)
