"""Ranking measures, confidence intervals and abstention measures from per-question records."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

RANKING = ("nDCG@10", "R@5", "R@20", "MRR@10")
_RESAMPLES = 2000
_SEED = 20_240_501
_IR_NAMES = {"MRR@10": "RR@10"}
# Kana, Han and Thai have no spaces between words: each letter counts as a word.
_UNSPACED = "\u0e00-\u0eff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
_WORD = re.compile(rf"[{_UNSPACED}]|[^\W{_UNSPACED}]+")
_ARTICLE = re.compile(r"\b(?:a|an|the)\b")


def ranking_values(
    relevant: Mapping[str, Mapping[str, int]], ranked: Mapping[str, Sequence[str]]
) -> dict[str, dict[str, float]]:
    """The measures of each question, by ir-measures: question -> measure -> value in 0..1.

    All are 0 for a question without results.
    """
    import ir_measures

    measures = {ir_measures.parse_measure(_IR_NAMES.get(name, name)): name for name in RANKING}
    run = {
        question: {document: 1.0 / rank for rank, document in enumerate(documents, start=1)}
        for question, documents in ranked.items()
        if documents
    }
    values = {question: dict.fromkeys(RANKING, 0.0) for question in ranked}
    judged = {question: dict(relevant[question]) for question in run}
    if run:
        for found in ir_measures.iter_calc(list(measures), judged, run):
            values[found.query_id][measures[found.measure]] = float(found.value)
    return values


def interval(values: Sequence[float]) -> tuple[float, float]:
    """95 % interval of the mean, by percentile bootstrap over questions (Efron 1979)."""
    if not values:
        return 0.0, 0.0
    sample = np.asarray(values, dtype=float)
    chance = np.random.default_rng(_SEED)
    means = sample[chance.integers(0, len(sample), (_RESAMPLES, len(sample)))].mean(axis=1)
    low, high = np.percentile(means, [2.5, 97.5])
    return float(low), float(high)


def auroc(positive: Sequence[float], negative: Sequence[float]) -> float | None:
    """Probability that a positive has a higher score than a negative; ties count half (Mann and Whitney
    1947). None without positives or negatives."""
    if not positive or not negative:
        return None
    low = np.sort(np.asarray(negative, dtype=float))
    below = np.searchsorted(low, positive, side="left")
    not_above = np.searchsorted(low, positive, side="right")
    return float((below + not_above).mean() / 2 / len(low))


def risk_coverage(confidence: Sequence[float], right: Sequence[bool]) -> list[tuple[float, float]]:
    """(share answered, share wrong among them) for every threshold, from strict to lax."""
    if not confidence:
        return []
    sure: NDArray[Any] = np.asarray(confidence, dtype=float)
    order = np.argsort(-sure, kind="stable")
    wrong = np.cumsum(~np.asarray(right, dtype=bool)[order])
    answered = np.arange(1, len(order) + 1)
    # Questions with equal confidence are answered together or not at all.
    last = np.append(sure[order][1:] != sure[order][:-1], True)
    return [
        (float(a / len(order)), float(w / a))
        for a, w in zip(answered[last], wrong[last], strict=True)
    ]


def token_f1(found: str, gold: str) -> float:
    """Harmonic mean of word precision and recall, as in SQuAD (Rajpurkar et al. 2016)."""
    mine, theirs = Counter(_WORD.findall(found.lower())), Counter(_WORD.findall(gold.lower()))
    shared = sum((mine & theirs).values())
    return 2 * shared / (sum(mine.values()) + sum(theirs.values())) if shared else 0.0


def exact_match(found: Sequence[str], gold: Sequence[str]) -> bool:
    """Whether a text equals a gold answer, ignoring case, punctuation, articles and spaces (SQuAD)."""
    return not {_bare(text) for text in found}.isdisjoint({_bare(text) for text in gold} - {""})


def _bare(text: str) -> str:
    """SQuAD's normalization, extended from ASCII to punctuation and symbols of any script."""
    kept = "".join(c for c in text.lower() if unicodedata.category(c)[0] not in "PS")
    return " ".join(_ARTICLE.sub(" ", kept).split())


def redundancy(texts: Sequence[str]) -> float:
    """Mean of each text's greatest word overlap (Jaccard) with another, in 0..1; 0 for fewer than 2."""
    words = [set(_WORD.findall(text.lower())) for text in texts]
    if len(words) < 2:
        return 0.0
    closest = [
        max(_jaccard(mine, other) for place, other in enumerate(words) if place != number)
        for number, mine in enumerate(words)
    ]
    return sum(closest) / len(closest)


def _jaccard(first: set[str], second: set[str]) -> float:
    return len(first & second) / len(first | second) if first or second else 0.0
