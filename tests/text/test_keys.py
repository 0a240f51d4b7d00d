"""One form for dates, grouped numbers, versions and addresses."""

from __future__ import annotations

import pytest

from pincite.text.keys import key_terms, named_by
from pincite.text.terms import question_terms, terms


@pytest.mark.parametrize(
    "written",
    [
        "14.03.2024",
        "14 March 2024",
        "2024-03-14",
        "March 14, 2024",
        "14th of March 2024",
        "14/03/2024",
    ],
)
def test_a_date_has_one_form_however_it_is_written(written: str) -> None:
    assert key_terms(f"On {written} the crane was inspected.")[:2] == ["2024-03-14", "2024-03"]


def test_a_day_belongs_to_its_month() -> None:
    asked = question_terms("What happened in July 2024?", "en")
    assert "2024-07" in asked
    assert asked["2024-07"] == "July 2024"
    assert "2024-07" in terms("On 2024-07-21 the hook was painted.", "en")


def test_an_ambiguous_date_has_both_readings() -> None:
    assert {"2024-03-04", "2024-04-03"} <= set(key_terms("03/04/2024"))


@pytest.mark.parametrize(
    ("written", "key"),
    [
        ("call 0341 / 55 66-77", "0341556677"),
        ("The fax is (0341) 556 678.", "0341556678"),
        ("The IBAN is DE02 1203 0000 0000 2020 51.", "de02120300000000202051"),
        ("ISBN 978-3-16-148410-0", "9783161484100"),
        ("build v1.18.0+build.77", "1.18.0"),
        ("listens on tcp://10.20.0.17:5515", "10.20.0.17"),
        ("the net 10.20.0.18/24", "10.20.0.18"),
    ],
)
def test_a_number_in_groups_and_an_address_with_more_have_their_plain_form(
    written: str, key: str
) -> None:
    assert key in terms(written, "en")


@pytest.mark.parametrize(
    "written", ["pages 123-456", "rows 12 13 14", "5 to 6", "4 x 5", "no number"]
)
def test_other_numbers_have_no_key(written: str) -> None:
    assert key_terms(written) == []


def test_what_names_one_thing_is_told_from_other_numbers() -> None:
    assert named_by("0341556677") == {"0341556677"}
    assert named_by("What has the IP 10.20.0.17?") == {"10.20.0.17"}
    assert named_by("How many of the 300 pumps failed in 2024?") == frozenset()
