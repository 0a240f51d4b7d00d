from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.text.numbers import decimal_mark, figures, numbers


def found(text: str) -> list[tuple[str, str]]:
    return [(number.digits, number.unit) for number in numbers(text)]


def values(text: str) -> list[float]:
    return [float(number.value) for number in numbers(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("opens at 6.5 bar", [("6.5", "bar")]),
        ("95 % of it, 12% less", [("95", "%"), ("12", "%")]),
        ("below 20 °C or 68°F", [("20", "°C"), ("68", "°F")]),
        ("6.0–7.0 bar", [("6.0", "bar"), ("7.0", "bar")]),
        ("between 6 and 7 bar", [("6", "bar"), ("7", "bar")]),
        ("₹ 9,375 crore", [("9,375", "₹")]),
        ("Rs. 9,375 crores", [("9,375", "₹")]),
        ("25 N·m", [("25", "Nm")]),
        ("5 kg per hectare and 5 kg/ha", [("5", "kg/ha"), ("5", "kg/ha")]),
        ("50 square metres, 50 m²", [("50", "m2"), ("50", "m2")]),
        ("1\u202f234,5 kg", [("1234,5", "kg")]),
        ("in 2024.", [("2024", "")]),
        ("2019 €m", [("2019", "")]),
        ("a 5-year plan", [("5", "year")]),
        ("445.0p a share", [("445.0", "pence")]),
        ("bolt M12, class x7, v2, 3D, GSE-204", []),
        ("version 4.2.1 at 14:30, 3:1", []),
        ("no number here", []),
    ],
)
def test_numbers_are_found_with_their_units(text: str, expected: list[tuple[str, str]]) -> None:
    assert found(text) == expected


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Rs. 9,375 crores", 9.375e10),
        ("9.375e10 INR", 9.375e10),
        ("9.375 × 10^10", 9.375e10),
        ("1.5·10⁶", 1.5e6),
        ("12,34,567", 1234567),
        ("$5m", 5e6),
        ("5 m", 5),
        ("£5.2bn", 5.2e9),
        ("100k", 1e5),
        ("five percent", 5),
        ("twenty-five thousand", 25000),
        ("two hundred and five", 205),
        ("3 1/2 inches", 3.5),
        ("½ cup", 0.5),
        ("a quarter of it", 0.25),
        ("three quarters of it", 0.75),
        ("the 21st", 21),
        ("−5 °C", -5),
        (".5 mm", 0.5),
    ],
)
def test_a_number_has_the_value_that_is_meant(text: str, value: float) -> None:
    assert values(text) == [value]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("5 to 10 million", [5e6, 1e7]),
        ("one to two million", [1e6, 2e6]),
        ("5% to $34 million", [5, 3.4e7]),
        ("6 bar and 7 million", [6, 7e6]),
        ("2017,2018 and 2019", [2017, 2018, 2019]),
    ],
)
def test_a_scale_word_is_shared_within_a_range_only(text: str, expected: list[float]) -> None:
    assert values(text) == expected


@pytest.mark.parametrize(
    ("text", "mark", "value"),
    [
        ("1,500", ".", 1500),
        ("1,500", ",", 1.5),
        ("1.500", ".", 1.5),
        ("1.500", ",", 1500),
        ("1,5", ".", 1.5),
        ("1.5", ",", 1.5),
        ("1.234,5", ".", 1234.5),
        ("0,500", ".", 0.5),
    ],
)
def test_the_decimal_mark_decides_where_both_could_be_meant(
    text: str, mark: str, value: float
) -> None:
    assert [float(n.value) for n in numbers(text, "," if mark == "," else ".")] == [value]


def test_other_numbers_show_the_decimal_mark() -> None:
    assert decimal_mark(["1.234,5 kg and 1.500 kg"]) == ","
    assert decimal_mark(["1,234.5 and 1,500"]) == "."
    assert decimal_mark(["2,5 mm"]) == ","
    assert decimal_mark(["1,500"]) is None


def test_brackets_and_tolerances_are_told() -> None:
    (loss,) = numbers("$(5.2) million")
    assert (loss.is_bracketed, loss.unit, loss.value) == (True, "$", Decimal("5.2e6"))
    (play,) = numbers("± 0.5 mm")
    assert play.is_tolerance
    assert [
        n.is_bracketed for n in numbers("(5.2%), (1,234), 4,207 m (13,802 ft), 21 °C (70 °F)")
    ] == [
        *(True, True),
        *(False, False),
        *(False, False),
    ]


def test_a_year_is_a_year_only_without_anything_beside_it() -> None:
    assert [n.looks_like_year for n in numbers("2019, 2,019, 2019 kg, 1066")] == [
        True,
        False,
        False,
        False,
    ]


def test_dates_are_no_numbers_and_their_years_count() -> None:
    read = figures("From 30 September 2019 to Q3 2021 it was 5, in 2023 it was 6.")
    assert [number.digits for number in read.numbers] == ["5", "2023", "6"]
    assert read.years == {2019, 2021, 2023}


@given(st.text(alphabet=st.characters(codec="utf-8") | st.sampled_from("0123456789.,-%° $(/")))
def test_any_text_can_be_read_and_numbers_stand_where_they_say(text: str) -> None:
    for number in numbers(text):
        assert 0 <= number.start < number.end <= len(text)
        assert any(character.isnumeric() for character in text[number.start : number.end]) or (
            number.is_worded
        )
        assert number.step > 0
