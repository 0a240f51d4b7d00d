"""Do these quotes carry this statement?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pincite.records import Citation, Mode, Question, Verdict
from pincite.stages import TermWeights
from pincite.verify.figures import check_figures, without_marks
from pincite.verify.meaning import headings_of, meaning_fault
from pincite.verify.support import measure_support

_WORDS_NAMED = 5

CARRIED = frozenset({Verdict.SUPPORTED, Verdict.DERIVED})
"""What may be shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What was found about a statement; `detail` names the words or numbers at fault."""

    verdict: Verdict
    detail: str = ""

    @property
    def holds(self) -> bool:
        """Whether the statement may be shown."""
        return self.verdict in CARRIED

    def __str__(self) -> str:
        return f"{self.verdict} ({self.detail})" if self.detail else str(self.verdict)


class ClaimChecker:
    """Compares a statement with the quotes it cites."""

    def __init__(self, weights: TermWeights) -> None:
        self._weights = weights

    def check(
        self,
        question: Question,
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
        return self._check_written(question, without_marks(claim), cited)

    def _check_written(self, question: Question, claim: str, cited: Sequence[Citation]) -> Finding:
        figures = check_figures(claim, cited)
        if figures.faults:
            verdict = figures.faults[0].verdict
            wrong = [fault.written for fault in figures.faults if fault.verdict is verdict]
            return Finding(verdict=verdict, detail=", ".join(wrong))
        fault = meaning_fault(claim, cited, question.plain)
        if fault:
            return Finding(verdict=fault.verdict, detail=fault.written)
        support = measure_support(
            claim,
            [citation.quote for citation in cited],
            headings_of(cited),
            question.plain,
            self._weights,
        )
        if not support.is_clear:
            words = ", ".join(support.missing[:_WORDS_NAMED])
            return Finding(verdict=Verdict.NOT_CLEARLY_CARRIED, detail=words)
        if figures.derived:
            return Finding(verdict=Verdict.DERIVED, detail=", ".join(figures.derived))
        return Finding(verdict=Verdict.SUPPORTED)
