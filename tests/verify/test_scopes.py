"""What a statement in other words must not change, however sure a model is of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from pincite.records.flow import Verdict
from pincite.verify.statements.scopes import changes_scope
from tests.verify.test_own_judgement import DIFFERING, Telling, check


def sure(statement: str) -> float:
    """Says yes to all but the controls that are wrong."""
    return 0.4 if statement in DIFFERING else 0.99


FREELY = [
    (
        "For sorting, a smaller pump such as the PX-3 is typically ideal due to its speed.",
        "For sorting, a smaller pump like the PX-3 is typically ideal due to its speed.",
    ),
    (
        "The filter of the pump must be cleansed every week by the operator.",
        "The filter of the pump must be cleaned every week by the operator.",
    ),
    ("Meyer sold the tank to Weber.", "The tank in the hall was sold by Meyer to Weber."),
    ("The filter might be cleansed weekly.", "The filter is cleaned every week."),
]


@pytest.mark.parametrize(("statement", "quote"), FREELY)
def test_other_words_for_the_same_are_marked_as_such(
    tmp_path: Path, statement: str, quote: str
) -> None:
    assert check(Telling(sure), tmp_path, statement, quote).verdict is Verdict.WORDED_FREELY


CHANGED = [
    ("The filter must be cleansed weekly.", "The filter may be cleaned weekly."),
    ("The filter is cleansed weekly.", "The filter may be cleaned weekly."),
    ("All pumps in hall B are inspected monthly.", "Some pumps in hall B are checked monthly."),
    (
        "The filter is cleansed weekly by the operator.",
        "The filter is only cleaned weekly by the operator if it is wet.",
    ),
    ("The tank contains 40 litres of warm water.", "The tank holds 50 litres of warm water."),
    ("The tank does not contain warm water in winter.", "The tank holds warm water in winter."),
    ("The tank was made by Meyer in Lyon.", "The tank was built by Weber in Lyon."),
    (
        "The plant in Lyon is going to close in winter.",
        "The plant in Lyon will close in winter, a rumour that the company denies.",
    ),
    (
        "The plant in Lyon is going to close in winter.",
        "According to its rivals, the plant in Lyon will close in winter.",
    ),
    (
        "The tank in the room was sold to Weber by Meyer.",
        "The tank in the hall was sold by Weber to Meyer.",
    ),
]


@pytest.mark.parametrize(("statement", "quote"), CHANGED)
def test_what_goes_further_or_exchanges_parts_is_left_out(
    tmp_path: Path, statement: str, quote: str
) -> None:
    assert not check(Telling(sure), tmp_path, statement, quote).holds


def test_in_a_language_without_such_words_nothing_can_be_told() -> None:
    assert changes_scope("A bomba enche o tanque.", ["O tanque é enchido pela bomba."], "pt")
