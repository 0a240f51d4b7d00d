"""Puts reranked hits in their new order; shared by all rerankers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pincite.records import Hit


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """How deep a reranker looks and how much it decides.

    The first `candidates` hits are scored; their final score is `weight` x the reranker's + the
    rest x the one they came with; those that the reranker scores below `threshold` are dropped.
    """

    candidates: int
    weight: float
    threshold: float


def reorder(scored: Sequence[Hit], rest: Sequence[Hit], *, stage: str, cut: Cut) -> tuple[Hit, ...]:
    """`scored` in the order of their final scores, then `rest` as it was.

    Both scores count as they are, in 0..1: scaling a stage to its best and worst candidate would
    turn a small difference into a large one.
    """
    kept = [
        replace(hit, score=final_score(hit, stage=stage, cut=cut))
        for hit in scored
        if hit.scores[stage] >= cut.threshold
    ]
    kept.sort(key=lambda hit: (-hit.score, hit.passage.id))
    # What nobody looked at closely stays behind what was, with a score that says so.
    ceiling = min((hit.score for hit in kept), default=1.0)
    unseen = [replace(hit, score=min(ceiling, (1 - cut.weight) * hit.score)) for hit in rest]
    return (*kept, *unseen)


def final_score(hit: Hit, *, stage: str, cut: Cut) -> float:
    """The reranker's score and the one that the hit came with, mixed."""
    return cut.weight * hit.scores[stage] + (1 - cut.weight) * hit.score
