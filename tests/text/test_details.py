from __future__ import annotations

import time

import pytest

from pincite.text.details import details, details_asked, identifiers, names


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The pump GX-200 bears 12.5 bar.", {"gx-200", "12.5"}),
        ("The library in Graz opens at 9:00, on Mondays.", {"graz", "9:00", "mondays"}),
        ("Notice is four weeks (see § 4.2).", {"four", "4.2"}),
        ("der Vertrag endet am 31. März 2026", {"vertrag", "31", "märz", "2026"}),
        ("TCK-1044,2025-09-19,harbor,2", {"tck-1044", "2025-09-19", "2"}),
        ("about 2,000 units, 1,5 bar", {"2,000", "1,5"}),
        ("It closes.", set()),
    ],
)
def test_details_are_numbers_codes_and_names(text: str, expected: set[str]) -> None:
    assert details(text) == expected


def test_codes_and_long_numbers_tell_one_thing_of_a_series() -> None:
    found = identifiers("TCK-1044, 50212, 2024, 12.5, 42, Graz")
    assert found == {"tck-1044": "tck-", "50212": "5 digits"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Who makes Part 84?", {"part 84": "part"}),
        ("See article 5 and Chapter 12.", {"article 5": "article", "chapter 12": "chapter"}),
        ("in 84 days, July 84, 84 pumps", {}),
    ],
)
def test_a_word_and_a_number_tell_one_thing_of_a_series(
    text: str, expected: dict[str, str]
) -> None:
    assert identifiers(text) == expected


def test_a_capital_at_the_beginning_is_no_name() -> None:
    assert names("Pumps of Acme run.") == {"Acme"}
    assert names("pumps of Acme run.") == {"Acme"}


def test_a_question_may_name_things_in_small_letters() -> None:
    assert {"graz", "gx-300"} <= details_asked("is the gx-300, in graz?")


def test_a_long_run_without_a_digit_is_read_at_once() -> None:
    begun = time.process_time()
    assert details("_" * 100_000) == set()
    assert time.process_time() - begun < 1
