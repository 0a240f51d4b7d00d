"""Decides whether quotes support a statement."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from pincite.errors import ModelError
from pincite.records.flow import Citation, Mode, Question, Verdict
from pincite.stages import TermWeights
from pincite.verify.numbers.figures import check_figures, without_marks
from pincite.verify.statements.entailment import EntailmentModel
from pincite.verify.statements.meaning import headings_of, meaning_fault
from pincite.verify.statements.support import measure_support, stated_by
from pincite.verify.statements.wording import words_of

# Whether the numbers of a statement come from a quote with its words, or about something else.

_LEAST_WITH_NUMBER = 0.6
"""Weighted share of the words around a number that must be in the quote that contains it. Not all
need be, since a sentence often uses a pronoun for what the previous one names."""
_FEWEST_WORDS = 2


def number_apart(claim: str, cited: Sequence[Citation], weights: TermWeights) -> str:
    """The first part of a statement whose numbers and words are in no one quote; empty for none."""
    if not any(map(str.isdigit, claim)) or _is_in_one(claim, cited, weights):
        return ""
    parts = [part for part in _parts(claim, weights) if any(map(str.isdigit, part))]
    return next((part for part in parts if not _is_in_one(part, cited, weights)), "")


def _is_in_one(part: str, cited: Sequence[Citation], weights: TermWeights) -> bool:
    return any(
        _held(part, citation, weights) >= _LEAST_WITH_NUMBER
        and not check_figures(part, [citation]).faults
        for citation in cited
    )


def _held(part: str, citation: Citation, weights: TermWeights) -> float:
    return measure_support(part, stated_by([citation]), "", weights).held


def _parts(claim: str, weights: TermWeights) -> Iterator[str]:
    """The clauses of a statement; very short ones are joined with the next or the previous one."""
    words = words_of(claim, weights.language(claim))
    clauses = [list(group) for _, group in groupby(words, key=lambda word: word.clause)]
    joined = [clauses[0]] if clauses else []
    for clause in clauses[1:]:
        is_short = (
            min(sum(word.is_content for word in one) for one in (joined[-1], clause))
            < _FEWEST_WORDS
        )
        if is_short:
            joined[-1] = [*joined[-1], *clause]
        else:
            joined.append(clause)
    yield from (claim[one[0].start : one[-1].end] for one in joined)


# The verdict on a statement.

_WORDS_NAMED = 5
_CONTRADICTED_FROM = 0.5
_DECIMALS = 4
"""Probabilities are rounded so that they do not suggest more precision than they have."""

CARRIED = frozenset({Verdict.SUPPORTED, Verdict.DERIVED})
"""Verdicts of statements that may be shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """The verdict on a statement; `detail` names the words or numbers at fault.

    `support` is the probability, in 0..1, that its quotes support it; None if no model judged it.
    """

    verdict: Verdict
    detail: str = ""
    support: float | None = None

    @property
    def holds(self) -> bool:
        """Whether the statement may be shown."""
        return self.verdict in CARRIED

    def __str__(self) -> str:
        return f"{self.verdict} ({self.detail})" if self.detail else str(self.verdict)


class ClaimChecker:
    """Compares a statement with the quotes it cites.

    Numbers, names and negations are compared first, and any fault is final. Then the words are
    compared, or, if there is one, an `entailment` model judges instead: its probability must be at
    least `least_entailed`, in 0..1.
    """

    def __init__(
        self,
        weights: TermWeights,
        *,
        entailment: EntailmentModel | None = None,
        least_entailed: float = 0.5,
    ) -> None:
        self.weights = weights
        self._entailment = entailment
        self._least_entailed = least_entailed

    @property
    def judged_by(self) -> str:
        """What compares statements with quotes, after the checks of numbers and of meaning."""
        return self._entailment.name if self._entailment else "words alone"

    def check(
        self,
        question: Question,
        claim: str,
        cited: Sequence[Citation],
        mode: Mode,
    ) -> Finding:
        """Whether the statement may be shown.

        A statement that is one of its quotes, word for word, always may. In modes without a
        language model, no other may.
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
        judged = (
            self._entailed(self._entailment, claim, cited)
            if self._entailment
            else self._worded(question, claim, cited)
        )
        if not judged.holds:
            return judged
        if figures.derived:
            return replace(judged, verdict=Verdict.DERIVED, detail=", ".join(figures.derived))
        apart = number_apart(claim, cited, self.weights)
        return replace(judged, verdict=Verdict.NUMBER_APART, detail=apart) if apart else judged

    def _entailed(self, model: EntailmentModel, claim: str, cited: Sequence[Citation]) -> Finding:
        try:
            found = model.judge(claim, premise_of(cited))
        except ModelError as error:
            return Finding(verdict=Verdict.NOT_CLEARLY_CARRIED, detail=str(error))
        sure = round(found.supported, _DECIMALS)
        if found.contradicted > _CONTRADICTED_FROM:
            return Finding(verdict=Verdict.CONTRADICTED, support=sure)
        if found.supported < self._least_entailed:
            detail = f"{sure:.2f} by {model.name.partition('#')[0]}"
            return Finding(verdict=Verdict.NOT_CLEARLY_CARRIED, detail=detail, support=sure)
        return Finding(verdict=Verdict.SUPPORTED, support=sure)

    def _worded(self, question: Question, claim: str, cited: Sequence[Citation]) -> Finding:
        support = measure_support(claim, stated_by(cited), question.plain, self.weights)
        if support.is_clear:
            return Finding(verdict=Verdict.SUPPORTED)
        words = ", ".join((support.missing or support.changed)[:_WORDS_NAMED])
        return Finding(verdict=Verdict.NOT_CLEARLY_CARRIED, detail=words)


def premise_of(cited: Sequence[Citation]) -> str:
    """The text that a model reads: headings, quotes, and table cells with their headers."""
    cells = [
        f"{', '.join(label.text for label in (*cell.rows, *cell.columns))}: {cell.text}"
        for citation in cited
        for cell in citation.cells
        if cell.rows or cell.columns
    ]
    return "\n".join([*headings_of(cited), *(citation.quote for citation in cited), *cells])
