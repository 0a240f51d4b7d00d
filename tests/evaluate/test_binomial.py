from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta, binom

from pincite.evaluate.calibrate import tail_up_to, upper_bound


@given(st.integers(0, 400), st.integers(1, 400), st.floats(0.5, 0.999))
def test_the_upper_bound_is_the_quantile_of_the_beta_distribution(
    successes: int, trials: int, sureness: float
) -> None:
    successes = min(successes, trials)
    expected = 1.0 if successes == trials else beta.ppf(sureness, successes + 1, trials - successes)
    assert upper_bound(successes, trials, sureness) == pytest.approx(expected, abs=1e-9)


@given(st.integers(0, 300), st.integers(1, 300), st.floats(0.0, 1.0))
def test_the_tail_is_that_of_the_binomial_distribution(
    successes: int, trials: int, share: float
) -> None:
    expected = binom.cdf(successes, trials, share)
    assert tail_up_to(successes, trials, share) == pytest.approx(expected, abs=1e-9)


def test_without_trials_nothing_is_ruled_out() -> None:
    assert upper_bound(0, 0, 0.9) == 1.0


def test_without_a_single_error_the_bound_is_the_rule_of_logarithms() -> None:
    assert upper_bound(0, 30, 0.9) == pytest.approx(1 - math.exp(math.log(0.1) / 30))
