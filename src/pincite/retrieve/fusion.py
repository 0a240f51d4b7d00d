"""Puts the scores of two searches on one scale.

Every method gives scores in 0..1, since later stages mix them with scores that are absolute.
"""

from __future__ import annotations

from collections.abc import Sequence

from pincite.stages import Scored


def min_max(found: Sequence[Scored]) -> dict[int, float]:
    """Scores scaled so that the best of the list has 1 and the worst 0; equal scores all have 1."""
    if not found:
        return {}
    low = min(item.score for item in found)
    high = max(item.score for item in found)
    width = high - low
    return {item.key: (item.score - low) / width if width else 1.0 for item in found}


def weighted_min_max(
    lexical: Sequence[Scored], dense: Sequence[Scored], *, alpha: float
) -> dict[int, float]:
    """`alpha` x lexical + (1 - `alpha`) x dense, both min-max scaled; a missing score counts 0.

    Where one search found nothing at all, the other decides alone.
    """
    return _weighted(min_max(lexical), min_max(dense), alpha)


def reciprocal_rank(
    lexical: Sequence[Scored], dense: Sequence[Scored], *, alpha: float, k: int
) -> dict[int, float]:
    """Reciprocal rank fusion: the sum of 1 / (`k` + rank) over both lists (Cormack et al. 2009).

    Divided by what the first of both lists would have, so that this has 1. `alpha` weighs the
    lexical list; the published method is 0.5. Equal scores share the better rank. Where one search
    found nothing at all, the other decides alone.
    """
    return _weighted(_reciprocal_ranks(lexical, k), _reciprocal_ranks(dense, k), alpha)


def _reciprocal_ranks(found: Sequence[Scored], k: int) -> dict[int, float]:
    """(`k` + 1) / (`k` + rank): 1 for the first."""
    ranks: dict[float, int] = {}
    for place, score in enumerate(sorted((item.score for item in found), reverse=True), start=1):
        ranks.setdefault(score, place)
    return {item.key: (k + 1) / (k + ranks[item.score]) for item in found}


def _weighted(
    by_words: dict[int, float], by_meaning: dict[int, float], alpha: float
) -> dict[int, float]:
    if not by_words or not by_meaning:
        return by_words or by_meaning
    return {
        key: alpha * by_words.get(key, 0.0) + (1 - alpha) * by_meaning.get(key, 0.0)
        for key in by_words.keys() | by_meaning.keys()
    }
