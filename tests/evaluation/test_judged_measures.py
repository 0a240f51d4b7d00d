"""Are shares, intervals and tables what they say?"""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.measures import Share, measured
from evaluation.report import changed, compared, tables
from evaluation.scoring import Score

RIGHT = Score(
    id="handbook-o-001",
    collection="handbook",
    kind="fact",
    expect="answer",
    is_answered=True,
    is_right=True,
    misses=(),
    places=2,
    places_shown=1,
    shows_everything=True,
    is_first_right=True,
    quotes=3,
    quotes_beside=1,
    lines=8,
    confidence=0.9,
)
WRONG = replace(
    RIGHT, id="handbook-o-002", is_right=False, misses=("x",), places_shown=0, confidence=0.4
)
REFUSED = replace(WRONG, id="handbook-o-003", is_answered=False, quotes=0, quotes_beside=0, lines=2)


def test_wilsons_interval_is_the_published_one() -> None:
    # 8 of 10: 0.490 to 0.943 (Wilson 1927, as tabled by Brown, Cai and DasGupta 2001).
    assert Share(hits=8, of=10).interval() == pytest.approx((0.490, 0.943), abs=0.001)
    assert Share(hits=0, of=0).interval() is None


@given(st.integers(1, 500).flatmap(lambda of: st.tuples(st.integers(0, of), st.just(of))))
def test_an_interval_holds_its_share_and_stays_in_bounds(pair: tuple[int, int]) -> None:
    share = Share(hits=pair[0], of=pair[1])
    interval = share.interval()
    assert interval is not None
    assert share.value is not None
    assert 0 <= interval[0] <= share.value + 1e-9
    assert share.value - 1e-9 <= interval[1] <= 1


def test_measures_count_quotes_of_answers_only() -> None:
    found = measured([RIGHT, WRONG, REFUSED])
    assert (found.right.hits, found.right.of) == (1, 3)
    assert (found.gold_shown.hits, found.gold_shown.of) == (1, 6)
    assert (found.beside.hits, found.beside.of) == (2, 6)
    assert (found.refused_wrongly.hits, found.refused_wrongly.of) == (1, 3)
    assert (found.quotes, found.lines) == (3, 8)
    assert found.auroc == 1


def test_refusals_that_are_wanted_are_counted_apart() -> None:
    wanted = replace(REFUSED, expect="refuse", kind="absent", is_right=True)
    answered = replace(WRONG, expect="deny", kind="premise")
    found = measured([wanted, answered])
    assert (found.refused_rightly.hits, found.refused_rightly.of) == (1, 2)
    assert found.refused_wrongly.of == 0


def test_nothing_measured_is_told_as_nothing() -> None:
    found = measured([])
    assert found.right.value is None
    assert found.quotes is None


def test_tables_name_every_kind_and_collection() -> None:
    told = tables([RIGHT, replace(WRONG, kind="list", collection="debian")])
    for name in ("fact", "list", "handbook", "debian", "**all**"):
        assert f"| {name} |" in told


def test_a_comparison_names_what_was_gained_and_lost() -> None:
    before = [RIGHT, WRONG]
    after = [replace(WRONG, id=RIGHT.id), replace(RIGHT, id=WRONG.id)]
    assert changed(before, after) == ([WRONG.id], [RIGHT.id])
    assert "| fact | 2 | 50 % | 50 % | 1 | 1 |" in compared(before, after)
