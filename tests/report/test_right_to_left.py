"""The expected lines were written down from the order in which readers see them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.report.right_to_left import (
    END_OF_ISOLATE,
    LEFT_TO_RIGHT_ISOLATE,
    has_right_to_left,
    joined,
    reads_right_to_left,
    visual,
)

HEBREW = st.text(alphabet="אבגדהו", min_size=1)


@pytest.mark.parametrize(
    ("line", "seen"),
    [
        ("אבג", "גבא"),
        ("אב 45 גד", "דג 45 בא"),
        ("אב 12.5.2024 גד", "דג 12.5.2024 בא"),
        ("אב HTS-280 גד", "דג HTS-280 בא"),
        ("אב (גד)", "(דג) בא"),
        ("אב 5% גד", "דג 5% בא"),
        ("אב.", ".בא"),
    ],
)
def test_a_hebrew_line_is_drawn_as_it_is_read(line: str, seen: str) -> None:
    assert visual(line, from_the_right=True) == seen


def test_hebrew_words_in_an_english_line_keep_their_place() -> None:
    assert visual("see אב גד on page 5", from_the_right=False) == "see דג בא on page 5"


def test_what_is_isolated_stays_as_it_is() -> None:
    line = f"אב {LEFT_TO_RIGHT_ISOLATE}[3, p. 12]{END_OF_ISOLATE}"
    assert visual(line, from_the_right=True) == "[3, p. 12] בא"


@given(st.text(alphabet="abc 12(.)", max_size=30))
def test_a_line_without_such_letters_is_left_alone(line: str) -> None:
    assert visual(line, from_the_right=False) == line


@given(st.lists(st.one_of(HEBREW, st.sampled_from(["12", "abc", ".", ",", "%"])), max_size=8))
def test_no_character_is_lost(words: list[str]) -> None:
    line = " ".join(words)
    assert sorted(visual(line, from_the_right=True)) == sorted(line)


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("بيت", "\ufe91\ufef4\ufe96"),
        ("دار", "\ufea9\ufe8d\ufead"),
        ("سلام", "\ufeb3\ufefc\ufee1"),
        ("abc", "abc"),
    ],
)
def test_arabic_letters_take_the_form_that_their_neighbours_ask_for(
    written: str, shown: str
) -> None:
    assert joined(written) == shown


def test_a_paragraph_goes_the_way_of_its_first_letter() -> None:
    assert reads_right_to_left("12 “אב cd”")
    assert not reads_right_to_left("12 ab גד")
    assert has_right_to_left("12 ab גד")
    assert not reads_right_to_left("12")
