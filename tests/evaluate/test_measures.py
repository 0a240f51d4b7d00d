"""Numbers from records, against independent ways to find them."""

from __future__ import annotations

import math
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.evaluate.measures import (
    auroc,
    exact_match,
    interval,
    ranking_values,
    redundancy,
    risk_coverage,
    token_f1,
)

SCORES = st.lists(st.integers(0, 5).map(float), min_size=1, max_size=20)


def test_ranking_measures_by_hand() -> None:
    found = ranking_values({"q": {"a": 1, "b": 1}, "none": {"a": 1}}, {"q": ["x", "a"], "none": []})
    ideal = 1 + 1 / math.log2(3)
    assert found["q"]["nDCG@10"] == pytest.approx(1 / math.log2(3) / ideal)
    assert (found["q"]["R@5"], found["q"]["MRR@10"]) == (0.5, 0.5)
    assert set(found["none"].values()) == {0.0}


@given(SCORES, SCORES)
def test_auroc_is_the_share_of_pairs_in_the_right_order(
    positive: list[float], negative: list[float]
) -> None:
    pairs = list(product(positive, negative))
    expected = sum((a > b) + (a == b) / 2 for a, b in pairs) / len(pairs)
    assert auroc(positive, negative) == pytest.approx(expected)


def test_auroc_needs_both_kinds() -> None:
    assert auroc([0.5], []) is None


@given(st.lists(st.tuples(st.integers(0, 4).map(float), st.booleans()), min_size=1, max_size=30))
def test_risk_coverage_counts_what_each_threshold_answers(pairs: list[tuple[float, bool]]) -> None:
    curve = risk_coverage([c for c, _ in pairs], [r for _, r in pairs])
    expected = []
    for threshold in sorted({c for c, _ in pairs}, reverse=True):
        answered = [right for c, right in pairs if c >= threshold]
        expected.append((len(answered) / len(pairs), answered.count(False) / len(answered)))
    assert curve == expected


def test_an_interval_holds_the_mean_and_shrinks_with_more_questions() -> None:
    few, many = [0.0, 1.0] * 10, [0.0, 1.0] * 500
    (low, high), (lower, higher) = interval(few), interval(many)
    assert low < 0.5 < high
    assert low < lower < 0.5 < higher < high
    assert interval([1.0, 1.0]) == (1.0, 1.0)
    assert interval(few) == (low, high)


def test_token_f1_of_words() -> None:
    assert token_f1("The pump is red", "red pump") == pytest.approx(2 * 2 / 6)
    assert token_f1("green", "red") == 0.0
    assert token_f1("東京は首都です", "東京") == pytest.approx(2 * 2 / 9)


def test_redundancy_of_equal_and_of_different_texts() -> None:
    assert redundancy(["one two", "One, two!"]) == 1.0
    assert redundancy(["one two", "three"]) == 0.0
    assert redundancy(["alone"]) == 0.0


@pytest.mark.parametrize(
    ("found", "gold", "same"),
    [
        (["The 6.5 bar."], ["6.5 bar"], True),
        (["Not this", "an  Eiffel tower!"], ["Paris", "the Eiffel Tower"], True),
        (["It opens at 6.5 bar."], ["6.5 bar"], False),
        (["« Théâtre »"], ["théâtre"], True),
        (["theatre"], ["atre"], False),
        (["the"], [""], False),
        ([""], ["a"], False),
        (["x"], [], False),
    ],
)
def test_exact_match_after_the_normalisation_of_squad(
    found: list[str], gold: list[str], *, same: bool
) -> None:
    assert exact_match(found, gold) == same
