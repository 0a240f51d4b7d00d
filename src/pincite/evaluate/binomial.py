"""Exact bounds on a share, from how often it came up (Clopper and Pearson 1934)."""

from __future__ import annotations

import math

_HALVINGS = 60
"""Of the interval 0..1: more than a double can tell apart."""


def tail_up_to(successes: int, trials: int, share: float) -> float:
    """Probability of at most `successes` in `trials`, each with probability `share`."""
    if share <= 0 or successes >= trials:
        return 1.0
    if share >= 1:
        return 0.0
    logs = [
        math.lgamma(trials + 1)
        - math.lgamma(count + 1)
        - math.lgamma(trials - count + 1)
        + count * math.log(share)
        + (trials - count) * math.log1p(-share)
        for count in range(successes + 1)
    ]
    highest = max(logs)
    return min(1.0, math.exp(highest) * math.fsum(math.exp(log - highest) for log in logs))


def upper_bound(successes: int, trials: int, sureness: float) -> float:
    """The greatest share that is not ruled out with this sureness, in 0..1; 1 without trials.

    One-sided: the quantile `sureness` of the beta distribution with `successes` + 1 and `trials` -
    `successes`, found by halving, since it is where `tail_up_to` falls to 1 - `sureness`.
    """
    if successes >= trials:
        return 1.0
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if tail_up_to(successes, trials, middle) > 1 - sureness:
            low = middle
        else:
            high = middle
    return high
