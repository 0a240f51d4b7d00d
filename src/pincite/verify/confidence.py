"""How sure may we be that the quotes answer the question?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from pincite.records import Evidence, Hit, Question
from pincite.stages import TermWeights
from pincite.text.terms import question_terms, terms


@dataclass(frozen=True, slots=True, kw_only=True)
class Signals:
    """What speaks for an answer; each value is in 0..1, or None when no stage measured it.

    `cosine`: question against the best cited passage. `sentence`: score of the best cited sentence.
    `coverage`: share of the question's words, weighted by how telling they are, that stand in the
    quotes or in the headings above them.
    """

    cosine: float | None
    sentence: float
    coverage: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Logistic:
    """A logistic model over the signals."""

    intercept: float
    cosine: float
    sentence: float
    coverage: float


# Fitted by `python benchmarks/fit_confidence.py` over five open sets; positive: the first citation
# holds the gold answer, negative: the question was asked of another collection. One model for
# libraries with vectors, one for lexical search alone.
WITH_VECTORS = Logistic(intercept=-8.40, cosine=3.90, sentence=10.21, coverage=1.91)
LEXICAL_ONLY = Logistic(intercept=-3.55, cosine=0.0, sentence=5.66, coverage=1.21)


def measure(
    question: Question, evidence: Sequence[Evidence], hits: Sequence[Hit], weights: TermWeights
) -> Signals:
    """The signals for an answer that would cite this evidence."""
    cited = {item.passage.id for item in evidence}
    cosines = [
        hit.scores["dense"] for hit in hits if hit.passage.id in cited and "dense" in hit.scores
    ]
    return Signals(
        cosine=max(cosines) if cosines else None,
        sentence=max((item.score for item in evidence), default=0.0),
        coverage=coverage(question, evidence, weights),
    )


def coverage(question: Question, evidence: Sequence[Evidence], weights: TermWeights) -> float:
    """Weighted share of the question's terms that the evidence holds."""
    language = weights.language(question.plain)
    asked = {term: weights.weight(term) for term in question_terms(question.plain, language)}
    held = evidence_terms(evidence, language)
    total = sum(asked.values())
    return sum(weight for term, weight in asked.items() if term in held) / total if total else 0.0


def evidence_terms(evidence: Sequence[Evidence], language: str) -> set[str]:
    """Terms of the quotes and of the headings and file names above them."""
    texts = (f"{item.passage.context}\n{item.quote}" for item in evidence)
    return {term for text in texts for term in terms(text, language)}


def confidence(signals: Signals) -> float:
    """A value in 0..1. Not calibrated on the user's own documents: it orders answers."""
    model = LEXICAL_ONLY if signals.cosine is None else WITH_VECTORS
    score = (
        model.intercept
        + model.cosine * (signals.cosine or 0.0)
        + model.sentence * signals.sentence
        + model.coverage * signals.coverage
    )
    return 1 / (1 + math.exp(-score))
