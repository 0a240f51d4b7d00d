from __future__ import annotations

import pytest

from pincite.text.value_ranges import quantities, unit_of, value_ranges


@pytest.mark.parametrize(
    ("label", "question", "is_held"),
    [
        ("2 to 4 years", "a child of 3 years", True),
        ("6 to 24 months", "a child of 3 years", False),
        ("6 to 24 months", "a child of 18 months", True),
        ("6 to 24 months", "a 1 year old child", True),
        ("1 month - 3 years", "a 2-year-old", True),
        ("Adults and children over 16\nyears", "a 16 year old", False),
        ("Adults and children over 16\nyears", "someone aged 17", True),
        ("under 2 years", "a 2 year old", False),
        ("up to 2 years", "a 2 year old", True),
        ("65+ years", "a person of 70 years", True),
        ("12 years and older", "14 years", True),
        ("40 kg to 49 kg (12 to 14 years)", "a weight of 45 kg", True),
        ("40 kg to 49 kg (12 to 14 years)", "a weight of 39 kg", False),
        ("6 bis 12 Jahre", "ein Kind von 8 Jahren", True),
        ("ab 12 Jahren", "ein Kind von 8 Jahren", False),
        ("plus de 12 ans", "un enfant de 14 ans", True),
        ("between 2 and 4 years", "3 years", True),
        ("500 to 999 g", "0.6 kg", True),
    ],
)
def test_a_range_holds_a_value_of_the_same_measure(
    label: str, question: str, is_held: bool
) -> None:
    (asked,) = quantities(question)
    ranges = [one for one in value_ranges(label) if one.measure == asked.measure]
    assert ranges
    assert any(one.holds(asked) for one in ranges) is is_held


@pytest.mark.parametrize("text", ["10 mg", "2 and 4 years", "in 2023", "1 to 2", "4 to 2 years"])
def test_what_is_no_range_of_a_measure_is_none(text: str) -> None:
    assert value_ranges(text) == []


@pytest.mark.parametrize("text", ["children under 3 years", "2 to 4 years", "in 2023", "page 3"])
def test_what_a_question_bounds_or_counts_without_a_unit_is_no_quantity(text: str) -> None:
    assert quantities(text) == []


def test_the_head_of_a_column_gives_the_unit() -> None:
    assert unit_of("Age (years)") == "year"
    assert unit_of("Body weight in kg") == "kg"
    assert unit_of("Age") == ""
    (found,) = value_ranges("0-3", unit="year")
    assert found.measure == "year"
