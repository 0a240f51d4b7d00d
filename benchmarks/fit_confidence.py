"""Fits the confidence model of `pincite.verify.confidence` on the open sets.

    python benchmarks/fit_confidence.py

Positive: an answerable question for which some cited sentence holds the gold answer. Negative: one
for which none does, and questions of other sets, which this library cannot answer. Each set weighs
the same. With vectors, positives weigh 0.7 and negatives 0.3, since people mostly ask what their
documents answer; lexical search alone tells the two apart less well, so there both weigh 0.5.
Prints the coefficients and, for each set left out of the fit in turn, the area under the ROC curve
and the share of both kinds that would be answered at 0.35.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from open_sets import answerable, collection, load

from pincite.evaluate.datasets import Dataset, GoldQuestion
from pincite.index.weights import IndexTermWeights
from pincite.library import Library
from pincite.records import Question
from pincite.verify.confidence import measure

SETS = {
    "squad2-open": None,
    "clapnq-open": None,
    "nq-open": None,
    "xquad-open": "en",
    "hotpotqa-sample": None,
}
QUESTIONS = 90
THRESHOLD = 0.35

Rows = NDArray[np.float64]


def signals(opened: Library, text: str) -> tuple[list[float], list[tuple[str, int, int]]]:
    """Signals (1, cosine, sentence, coverage) of one question, and the spans it would cite."""
    question, stages = Question(text=text), opened.stages()
    hits = stages.reranker.rerank(question, stages.retriever.retrieve(question).hits).hits
    evidence = stages.selector.select(question, hits).evidence
    indexes, _ = opened.index_state()
    assert indexes is not None
    found = measure(
        question, evidence, hits, IndexTermWeights(indexes.lexical, indexes.manifest.languages)
    )
    spans = [(e.span.document_id, e.span.start, e.span.end) for e in evidence]
    return [1.0, found.cosine or 0.0, found.sentence, found.coverage], spans


def own_questions(data: Dataset) -> tuple[GoldQuestion, ...]:
    """The questions of a set that are used."""
    return answerable(data, QUESTIONS, language=SETS[data.name])


def collect(data: Dataset, foreign: list[str], **overrides: dict[str, str]) -> tuple[Rows, Rows]:
    """Signals and labels (1: answered rightly) of own and foreign questions."""
    rows, labels = [], []
    with collection(data, overrides) as made:
        for question in own_questions(data):
            row, spans = signals(made.library, question.text)
            rows.append(row)
            labels.append(
                any(
                    gold.document in made.names(document)
                    and start <= gold.start
                    and gold.end <= end
                    for document, start, end in spans
                    for gold in question.spans
                )
            )
        for text in foreign:
            rows.append(signals(made.library, text)[0])
            labels.append(False)
    return np.array(rows), np.array(labels, dtype=float)


def fit(parts: list[tuple[Rows, Rows]], *, prior: float, ridge: float = 1e-4) -> Rows:
    """Logistic regression by Newton's method; in every part, positives weigh `prior` together."""
    x = np.concatenate([rows for rows, _ in parts])
    y = np.concatenate([labels for _, labels in parts])
    weight = np.concatenate(
        [
            np.where(
                labels == 1, prior / max(labels.sum(), 1), (1 - prior) / max((1 - labels).sum(), 1)
            )
            for _, labels in parts
        ]
    ) / len(parts)
    coefficients = np.zeros(x.shape[1])
    for _ in range(50):
        predicted = 1 / (1 + np.exp(-x @ coefficients))
        gradient = x.T @ (weight * (predicted - y)) + ridge * coefficients
        hessian = (x.T * (weight * predicted * (1 - predicted))) @ x + ridge * np.eye(x.shape[1])
        coefficients -= np.linalg.solve(hessian, gradient)
    return coefficients


def area_under_curve(scores: Rows, labels: Rows) -> float:
    """Probability that a positive scores above a negative."""
    positive, negative = scores[labels == 1], scores[labels == 0]
    above = (positive[:, None] > negative[None, :]).mean()
    return float(above + (positive[:, None] == negative[None, :]).mean() / 2)


def report(title: str, prior: float, **overrides: dict[str, str]) -> None:
    """Fit and print one model."""
    loaded = {name: load(name) for name in SETS}
    parts = {}
    for name, data in loaded.items():
        others = [other for other in loaded if other != name]
        foreign = [
            question.text
            for other in others
            for question in own_questions(loaded[other])[: QUESTIONS // len(others)]
        ]
        parts[name] = collect(data, foreign, **overrides)
    whole = np.round(fit(list(parts.values()), prior=prior), 2)
    print(f"\n{title}: intercept, cosine, sentence, coverage = {whole}")
    for name, (rows, labels) in parts.items():
        left = fit([part for other, part in parts.items() if other != name], prior=prior)
        scores = 1 / (1 + np.exp(-rows @ left))
        own = np.arange(len(rows)) < len(own_questions(loaded[name]))
        print(
            f"  {name:<18} AUROC {area_under_curve(scores, labels):.3f}"
            f"   own questions answered {np.mean(scores[own] >= THRESHOLD):.2f}"
            f"   right ones {np.mean(scores[labels == 1] >= THRESHOLD):.2f}"
            f"   foreign {np.mean(scores[~own] >= THRESHOLD):.2f}"
        )


if __name__ == "__main__":
    report("with vectors", 0.7)
    report("lexical only", 0.5, embedding={"model": "none"}, rerank={"method": "term_coverage"})
