"""Sentences with the same words that say something else in one place."""

from __future__ import annotations

import pytest

from pincite.text.languages import language_of
from pincite.verify.differences import difference


def told(one: str, other: str, *, are_versions: bool = False) -> tuple[str, str] | None:
    return difference(one, other, language_of(one), are_versions=are_versions)


CONTRADICTIONS = [
    ("Gloves {} in the workshop at all times.", "must be worn", "need not be worn"),
    ("Visitors {} in the yard behind the hall.", "may park", "must not park"),
    ("The battery is {} by the warranty.", "covered", "not covered"),
    ("Reports {} to the safety office each week.", "must be sent", "should be sent"),
    ("The main doors {} at nine on all days of the week.", "open", "close"),
    ("The valve closes when the pressure in the boiler {}.", "rises", "falls"),
    ("Empty the tank {} inspection of the boiler.", "before the yearly", "after the yearly"),
    ("Hunde sind in der Ferienwohnung am See {}.", "erlaubt", "nicht erlaubt"),
    ("Hunde sind in der Ferienwohnung am See {}.", "erlaubt", "verboten"),
    ("Les chiens sont {} dans le jardin de la maison.", "autorisés", "interdits"),
]

OTHER_VALUES = [
    ("The contact for the water supply of building C is {}.", "Ms Weber", "Mr Ott"),
    ("The general assembly of the rowing club takes place on {}.", "Monday", "Friday"),
    ("Send the signed form of the water office to {}.", "Berlin", "Munich"),
]


@pytest.mark.parametrize(("sentence", "here", "there"), CONTRADICTIONS + OTHER_VALUES)
def test_a_contradiction_or_another_name_in_one_place_is_a_difference(
    sentence: str, here: str, there: str
) -> None:
    one, other = sentence.format(here), sentence.format(there)
    assert told(one, other) == (f"“{here}”", f"“{there}”")
    assert told(other, one) == (f"“{there}”", f"“{here}”")


@pytest.mark.parametrize(
    ("sentence", "here", "there"),
    [
        ("The swimming pool of the hotel opens again on {}.", "3 May", "10 May"),
        ("The kitchen of the hotel serves warm breakfast until {}.", "10:00", "9:30"),
        ("The kitchen of the hotel serves warm breakfast until {}.", "10 am", "9 am"),
    ],
)
def test_another_day_or_hour_is_a_difference(sentence: str, here: str, there: str) -> None:
    assert told(sentence.format(here), sentence.format(there)) == (here, there)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The pump doesn't stop when the filter is blocked.",
         "The pump does not stop when the filter is blocked."),
        ("Visitors have to wear a badge in the building.",
         "Visitors must wear a badge in the building."),
        ("Berlin lies in the north of the country by a river.",
         "Munich lies in the north of the country by a river."),
        ("The red valve of the second boiler is open.", "The blue valve of the second boiler is open."),
        ("The pump in the cellar of the hotel is very big.",
         "The pump in the cellar of the hotel is very large."),
        ("The song was written by John Smith.", "The song was written by Paul Jones."),
        ("The pump is not allowed to run dry, and the tank is full.",
         "The pump may run for an hour, and the tank is full."),
        ("Room 12 of the hotel has a view of the lake.",
         "Room 14 of the hotel has a view of the lake."),
        ("The pool of the old hotel was opened on 3 May 2019.",
         "The pool of the old hotel was opened on 3 May 2021."),
        ("Not smoking.", "Smoking."),
    ],
)  # fmt: skip
def test_the_same_meaning_another_subject_or_another_year_is_none(one: str, other: str) -> None:
    assert told(one, other) is None
    assert told(other, one) is None


def test_of_versions_of_a_document_few_words_in_common_are_enough() -> None:
    one, other = "The contact is Ms Weber.", "The contact is Mr Ott."
    assert told(one, other) is None
    assert told(one, other, are_versions=True) == ("“Ms Weber”", "“Mr Ott”")
    assert told("The cover is red.", "The cover is blue.", are_versions=True) == (
        "“red”",
        "“blue”",
    )
