from __future__ import annotations

from itertools import combinations
from operator import attrgetter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.retrieve.hybrid import min_max, reciprocal_rank, weighted_min_max
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


DISTINCT = st.lists(st.integers(1, 30), unique=True, max_size=12).map(
    lambda keys: [Scored(key=key, score=-float(place)) for place, key in enumerate(keys)]
)
K = st.integers(1, 200)


def as_published(lists: list[list[Scored]], k: int) -> dict[int, float]:
    """RRFscore(d) = sum over rankings of 1 / (k + r(d)), word for word (SIGIR 2009, page 758)."""
    total: dict[int, float] = {}
    for ranking in lists:
        best_first = sorted(ranking, key=attrgetter("score"), reverse=True)
        for rank, item in enumerate(best_first, start=1):
            total[item.key] = total.get(item.key, 0.0) + 1 / (k + rank)
    return total


@given(DISTINCT.filter(bool), DISTINCT.filter(bool), K)
def test_reciprocal_ranks_are_the_published_ones_divided_by_their_maximum(
    lexical: list[Scored], dense: list[Scored], k: int
) -> None:
    expected = {
        key: score / (2 / (k + 1)) for key, score in as_published([lexical, dense], k).items()
    }
    assert reciprocal_rank(lexical, dense, alpha=0.5, k=k) == pytest.approx(expected)


def test_reciprocal_ranks_by_hand() -> None:
    lexical = [Scored(key=1, score=9.0), Scored(key=2, score=3.0)]
    dense = [Scored(key=2, score=0.8), Scored(key=3, score=0.4)]
    assert reciprocal_rank(lexical, dense, alpha=0.5, k=60) == pytest.approx(
        {1: 0.5, 2: 0.5 + 0.5 * 61 / 62, 3: 0.5 * 61 / 62}
    )
    assert reciprocal_rank(lexical, dense, alpha=0.25, k=1) == pytest.approx(
        {1: 0.25, 2: 0.75 + 0.25 * 2 / 3, 3: 0.75 * 2 / 3}
    )


@given(LISTS, LISTS, ALPHA, K)
def test_reciprocal_ranks_are_in_range_for_every_key_of_either_list(
    lexical: list[Scored], dense: list[Scored], alpha: float, k: int
) -> None:
    fused = reciprocal_rank(lexical, dense, alpha=alpha, k=k)
    assert set(fused) == {item.key for item in (*lexical, *dense)}
    assert all(0 <= score <= 1 for score in fused.values())


@given(LISTS.filter(bool), K)
def test_reciprocal_ranks_look_at_the_order_alone(found: list[Scored], k: int) -> None:
    order = {score: place for place, score in enumerate(sorted({i.score for i in found}))}
    moved = [Scored(key=item.key, score=float(order[item.score])) for item in found]
    assert reciprocal_rank(found, [], alpha=0.3, k=k) == reciprocal_rank(moved, [], alpha=0.3, k=k)


@given(LISTS.filter(bool), ALPHA, K)
def test_the_first_of_both_lists_has_one_and_equal_scores_share_a_rank(
    found: list[Scored], alpha: float, k: int
) -> None:
    fused = reciprocal_rank(found, found, alpha=alpha, k=k)
    assert max(fused.values()) == pytest.approx(1)
    for one, other in combinations(found, 2):
        if one.score == other.score:
            assert fused[one.key] == fused[other.key]
