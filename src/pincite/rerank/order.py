"""Puts reranked hits in their new order; shared by all rerankers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pincite.records import Hit


def reorder(
    scored: Sequence[Hit],
    rest: Sequence[Hit],
    *,
    stage: str,
    weight: float,
    threshold: float,
) -> tuple[Hit, ...]:
    """`scored` by `weight` x its score of `stage` + (1 - `weight`) x fused, then `rest` by fused.

    Scored hits below `threshold` at this stage are dropped. Both scores count as they are, in 0..1:
    scaling a stage to its best and worst candidate would turn a small difference into a large one.
    """
    kept = [
        replace(hit, score=weight * hit.scores[stage] + (1 - weight) * hit.scores["fused"])
        for hit in scored
        if hit.scores[stage] >= threshold
    ]
    kept.sort(key=lambda hit: (-hit.score, hit.passage.id))
    # What nobody looked at closely stays behind what was, with a score that says so.
    ceiling = min((hit.score for hit in kept), default=1.0)
    unseen = [replace(hit, score=min(ceiling, (1 - weight) * hit.score)) for hit in rest]
    return (*kept, *unseen)
