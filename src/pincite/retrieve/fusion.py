"""Puts the scores of two searches on one scale."""

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
    if not lexical or not dense:
        return min_max(lexical or dense)
    by_words, by_meaning = min_max(lexical), min_max(dense)
    return {
        key: alpha * by_words.get(key, 0.0) + (1 - alpha) * by_meaning.get(key, 0.0)
        for key in by_words.keys() | by_meaning.keys()
    }
