from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.errors import LibraryError
from pincite.verify.abstention.calibration import (
    CALIBRATION_FILE,
    Bound,
    Calibration,
    load_calibration,
    save_calibration,
)

BOUND = Bound(risk=0.1, sureness=0.9, threshold=0.4, answered=180, wrong=9)
MADE = Calibration(
    made_for="digest",
    corpus_version="c",
    questions=240,
    method="isotonic",
    curve=((0.2, 0.1), (0.4, 0.1), (0.6, 0.7), (0.9, 0.95)),
    error=0.03,
    bound=BOUND,
)

shares = st.floats(min_value=0, max_value=1)


def test_what_was_saved_is_loaded_again(tmp_path: Path) -> None:
    assert load_calibration(tmp_path) is None
    save_calibration(tmp_path, MADE)
    assert load_calibration(tmp_path) == MADE
    save_calibration(tmp_path, replace(MADE, bound=None))
    assert load_calibration(tmp_path) == replace(MADE, bound=None)
    assert [path.name for path in tmp_path.iterdir()] == [CALIBRATION_FILE]


def altered(**values: object) -> str:
    return json.dumps({"format": 1, **asdict(MADE), **values})


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        "{}",
        "5",
        "null",
        "[" * 100_000,
        '{"format":' * 100_000,
        '{"format": 9}',
        json.dumps({"format": 1, "bound": None, "curve": []}),
        altered(curve=[[0.1, 0.2], [float("nan"), 0.3]]),
        altered(curve=[[0.1, 1e308], [0.2, 1e309]]),
        altered(curve=[[0.1, 10**400]]),
        altered(curve=[[0.1, True, 0.3]]),
        altered(curve=[[0.1, 7.0]]),
        altered(curve={"0.1": 1}),
        altered(questions="many"),
        altered(questions=-1),
        altered(questions=10**30),
        altered(error=float("inf")),
        altered(error="small"),
        altered(method=["isotonic"]),
        altered(made_for=None),
        altered(bound=5),
        altered(bound={"risk": 0.05}),
        altered(bound={**asdict(MADE)["bound"], "threshold": float("nan")}),
        altered(bound={**asdict(MADE)["bound"], "wrong": 0.5}),
        altered(more=1),
    ],
)
def test_a_damaged_file_is_told_with_what_to_do(tmp_path: Path, content: str) -> None:
    (tmp_path / CALIBRATION_FILE).write_text(content, encoding="utf-8")
    with pytest.raises(LibraryError, match=r"is not a calibration.*pincite calibrate"):
        load_calibration(tmp_path)


@pytest.mark.parametrize(
    ("confidence", "right"),
    [(0.0, 0.1), (0.2, 0.1), (0.3, 0.1), (0.5, 0.4), (0.9, 0.95), (1, 0.95)],
)
def test_between_two_points_the_curve_is_straight_and_level_beyond(
    confidence: float, right: float
) -> None:
    assert MADE.right(confidence) == pytest.approx(right)


@given(st.lists(st.tuples(shares, shares), min_size=1, max_size=8), shares, shares)
def test_a_curve_that_ascends_keeps_the_order_of_answers(
    points: list[tuple[float, float]], one: float, other: float
) -> None:
    lefts, rights = sorted(x for x, _ in points), sorted(y for _, y in points)
    made = replace(MADE, curve=tuple(zip(lefts, rights, strict=True)))
    low, high = sorted((one, other))
    assert 0 <= made.right(low) <= made.right(high) + 1e-12 <= 1 + 1e-12


def test_every_answer_can_say_what_the_confidence_is_worth() -> None:
    promise = "at most 10% wrong among answered (90% sure), from 240 questions"
    assert MADE.message("c") == promise
    assert MADE.message("d") == f"{promise}; documents changed since"
    assert replace(MADE, bound=None).message("c") == (
        "calibrated from 240 questions, without a bound on wrong answers"
    )
