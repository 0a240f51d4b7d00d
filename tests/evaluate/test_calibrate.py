from __future__ import annotations

import numpy as np
import pytest

from pincite.errors import DatasetError
from pincite.evaluate.calibrate import (
    Graded,
    bounded,
    calibrate,
    calibration_error,
    isotonic,
    logistic,
)


def drawn(count: int, seed: int) -> list[Graded]:
    """Answers whose chance to be right is the square of their confidence."""
    chance = np.random.default_rng(seed)
    sure = chance.random(count)
    return [
        Graded(confidence=round(float(one), 4), right=bool(chance.random() < one**0.5))
        for one in sure
    ]


def fitted(graded: list[Graded], risk: float = 0.2, sureness: float = 0.9):  # type: ignore[no-untyped-def]
    return calibrate(graded, made_for="m", corpus_version="c", risk=risk, sureness=sureness)


def test_the_curve_says_how_often_answers_of_a_confidence_are_right() -> None:
    made = fitted(drawn(3000, seed=1))
    for confidence in (0.1, 0.4, 0.7, 0.95):
        assert made.right(confidence) == pytest.approx(confidence**0.5, abs=0.07)
    assert made.error < 0.05


def test_a_curve_never_turns_the_order_of_answers_round() -> None:
    sure = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.5])
    right = np.array([1.0, 1, 0, 0, 1, 0])
    for fit in (isotonic, logistic):
        points = fit(sure, right)
        assert list(points) == sorted(points)
        assert [level for _, level in points] == sorted(level for _, level in points)


def test_the_promise_holds_as_often_as_it_says() -> None:
    """Over many draws, the true share of wrong answers above the threshold exceeds the risk rarely."""
    broken = promised = 0
    unseen = drawn(20_000, seed=999)
    for seed in range(60):
        bound = fitted(drawn(300, seed=seed)).bound
        if bound is None:
            continue
        promised += 1
        above = [one.right for one in unseen if one.confidence >= bound.threshold]
        broken += 1 - sum(above) / len(above) > bound.risk
    assert promised >= 50
    assert broken / 60 <= 0.2  # 0.1 on average; 0.2 would be three standard errors


def test_without_a_threshold_that_keeps_the_promise_there_is_none() -> None:
    sure = np.linspace(0, 1, 200)
    assert bounded(sure, np.arange(200) % 2, risk=0.1, sureness=0.9) is None


def test_where_nearly_all_are_right_every_answer_is_shown() -> None:
    right = np.ones(200)
    right[0] = 0
    found = bounded(np.linspace(0, 1, 200), right, risk=0.1, sureness=0.9)
    assert found is not None
    assert (found.threshold, found.answered, found.wrong) == (0.0, 200, 1)


def test_few_questions_are_refused_with_what_to_do() -> None:
    with pytest.raises(DatasetError, match=r"99 labelled .*at least 100 .*pincite eval label"):
        fitted(drawn(99, seed=1))


@pytest.mark.parametrize("right", [True, False])
def test_answers_of_one_kind_promise_no_certainty(right: bool) -> None:
    made = fitted([Graded(confidence=number / 200, right=right) for number in range(150)])
    assert 0.9 < (made.right(0.5) if right else 1 - made.right(0.5)) < 1
    assert (made.bound is not None) is right


def test_the_calibration_error_is_the_mean_distance_in_ten_bins() -> None:
    sure = np.array([0.95, 0.95, 0.05, 0.05])
    assert calibration_error(sure, np.array([1.0, 0, 0, 0])) == pytest.approx(
        (abs(0.95 * 2 - 1) + 0.05 * 2) / 4
    )
