from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.retrieve.fusion import min_max, weighted_min_max
from pincite.stages import Scored

SCORES = st.floats(-1e6, 1e6, allow_subnormal=False)
LISTS = st.dictionaries(st.integers(1, 30), SCORES, max_size=12).map(
    lambda found: [Scored(key=key, score=score) for key, score in found.items()]
)
ALPHA = st.floats(0, 1)


@given(LISTS)
def test_the_best_has_one_the_worst_zero_and_the_order_stays(found: list[Scored]) -> None:
    scaled = min_max(found)
    assert set(scaled) == {item.key for item in found}
    assert all(0 <= score <= 1 for score in scaled.values())
    if found:
        assert max(scaled.values()) == 1
    if len({item.score for item in found}) > 1:
        assert min(scaled.values()) == 0
    for one, other in combinations(found, 2):
        if one.score < other.score:
            assert scaled[one.key] <= scaled[other.key]
        if one.score == other.score:
            assert scaled[one.key] == scaled[other.key]


def test_equal_scores_all_have_one() -> None:
    assert min_max([Scored(key=1, score=0.3), Scored(key=2, score=0.3)]) == {1: 1.0, 2: 1.0}


@given(LISTS, LISTS, ALPHA)
def test_fused_scores_are_in_range_for_every_key_of_either_list(
    lexical: list[Scored], dense: list[Scored], alpha: float
) -> None:
    fused = weighted_min_max(lexical, dense, alpha=alpha)
    assert set(fused) == {item.key for item in (*lexical, *dense)}
    assert all(0 <= score <= 1 for score in fused.values())


@given(LISTS, ALPHA)
def test_where_one_search_found_nothing_the_other_decides(
    found: list[Scored], alpha: float
) -> None:
    alone = min_max(found)
    assert weighted_min_max(found, [], alpha=alpha) == alone
    assert weighted_min_max([], found, alpha=alpha) == alone


@given(LISTS.filter(bool), LISTS.filter(bool))
def test_alpha_at_its_ends_is_one_search_alone(lexical: list[Scored], dense: list[Scored]) -> None:
    for alpha, decides in ((1.0, lexical), (0.0, dense)):
        fused = weighted_min_max(lexical, dense, alpha=alpha)
        alone = min_max(decides)
        assert all(fused[key] == alone.get(key, 0.0) for key in fused)


@given(LISTS.filter(bool), LISTS.filter(bool), ALPHA)
def test_swapping_the_searches_and_their_weights_changes_nothing(
    lexical: list[Scored], dense: list[Scored], alpha: float
) -> None:
    one = weighted_min_max(lexical, dense, alpha=alpha)
    other = weighted_min_max(dense, lexical, alpha=1 - alpha)
    assert one == pytest.approx(other, abs=1e-9)


def test_a_passage_only_one_search_found_counts_zero_in_the_other() -> None:
    lexical = [Scored(key=1, score=9.0), Scored(key=2, score=3.0)]
    dense = [Scored(key=2, score=0.8), Scored(key=3, score=0.4)]
    assert weighted_min_max(lexical, dense, alpha=0.4) == {1: 0.4, 2: 0.6, 3: 0.0}
