from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.text.dates import moments

Fields = tuple[int | None, int | None, int | None]


def found(text: str) -> list[Fields]:
    return [(m.year, m.month, m.day) for m in moments(text)]


@pytest.mark.parametrize(
    "text",
    [
        "30 September 2019",
        "September 30, 2019",
        "Sept. 30, 2019",
        "2019-09-30",
        "30.09.2019",
        "9/30/2019",
        "30/9/2019",
        "30th of September 2019",
        "30. September 2019",
        "30 septembre 2019",
        "30 de septiembre de 2019",
    ],
)
def test_the_usual_spellings_of_a_date_are_one(text: str) -> None:
    assert found(f"It was on {text}.") == [(2019, 9, 30)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("in March 2020", [(2020, 3, None)]),
        ("in May", [(None, 5, None)]),
        ("it may rain; we march on", []),
        ("December 31,", [(None, 12, 31)]),
        ("FY19", [(2019, None, None)]),
        ("2019-20", [(2019, None, None), (2020, None, None)]),
        ("since 2019", []),
        ("version 1.2.3 or 4/5", []),
    ],
)
def test_partial_dates_leave_open_what_is_not_said(text: str, expected: list[Fields]) -> None:
    assert found(text) == expected


def test_quarters_and_halves() -> None:
    told = [
        (m.year, m.quarter, m.half) for m in moments("Q3 2019, third quarter of fiscal 2020, H1")
    ]
    assert told == [(2019, 3, None), (2020, 3, None), (None, None, 1)]


def test_a_date_of_which_the_order_is_not_clear_has_both_readings() -> None:
    (date,) = moments("03/04/2024")
    assert {(m.month, m.day) for m in date.readings()} == {(3, 4), (4, 3)}
    (clear,) = moments("03/14/2024")
    assert len(clear.readings()) == 1


@given(st.text(alphabet=st.sampled_from("0123456789./- ,QHFYJanMaySeptember'")))
def test_any_text_can_be_read(text: str) -> None:
    for moment in moments(text):
        assert 0 <= moment.start < moment.end <= len(text)
