"""Raised, lowered and struck-out text in plain characters."""

from __future__ import annotations

from decimal import Decimal

import pytest

from pincite.text.marks import (
    Run,
    is_struck_out,
    lowered,
    raised,
    struck_ranges,
    without_struck,
    written,
)
from pincite.text.numbers import numbers
from pincite.text.terms import terms


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("6", "⁶"),
        ("-3", "⁻³"),
        ("1,2", "¹,²"),
        ("0.5", "^0.5"),
        ("n+1", "ⁿ⁺¹"),
        ("th", "th"),
        ("TM", "TM"),
        ("[1]", "[1]"),
        ("*", "*"),
        (" 2 ", " ² "),
        ("a raised line of its own", "a raised line of its own"),
    ],
)
def test_raised_text_keeps_its_mark(text: str, shown: str) -> None:
    assert raised(text) == shown


@pytest.mark.parametrize(("text", "shown"), [("2", "₂"), ("max", "_max"), ("x", "ₓ"), ("", "")])
def test_lowered_text_keeps_its_mark(text: str, shown: str) -> None:
    assert lowered(text) == shown


def test_neighbouring_runs_in_one_style_are_written_together() -> None:
    runs = [Run("10"), Run("1", 1), Run("2", 1), Run(" for "), Run("4", is_struck=True)]
    assert written([*runs, Run("0", is_struck=True), Run(" 55")]) == "10¹² for ~~40~~ 55"


def test_a_letter_on_its_own_needs_no_mark() -> None:
    assert written([Run("a", 1), Run(" Without tax; 31"), Run("a", 1)]) == "a Without tax; 31ᵃ"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("10⁶ cells", "1000000"),
        ("10^6 cells", "1000000"),
        ("10<sup>6</sup> cells", "1000000"),
        ("10⁻³ mol", "0.001"),
        ("4 × 10⁵ litres", "400000"),
        ("214¹ members", "214"),
        ("214¹,² members", "214"),
        ("31ᵃ", "31"),
        ("9,860² euros", "9860"),
        ("38 m²", "38"),
    ],
)
def test_a_raised_number_is_an_exponent_or_a_note_never_a_digit(text: str, value: str) -> None:
    assert [number.value for number in numbers(text)] == [Decimal(value)]


def test_the_search_finds_a_number_in_front_of_a_note() -> None:
    assert "214" in terms("The club had 214¹ members.", "en")
    assert "2141" not in terms("The club had 214¹ members.", "en")
    assert "h2so4" in terms("H₂SO₄", "en")


def test_struck_out_text_is_found_and_left_out() -> None:
    text = "A ticket costs ~~40~~ 55 euros."
    assert [text[a:b] for a, b in struck_ranges(text)] == ["~~40~~"]
    assert without_struck(text) == "A ticket costs        55 euros."
    assert not is_struck_out(text)
    assert is_struck_out("~~Dogs are allowed.~~")


@pytest.mark.parametrize("text", ["Heading\n~~~~~~~~", "a ~~ b", "~~a\n\nb~~", "~~~\ncode\n~~~"])
def test_other_tildes_strike_nothing_out(text: str) -> None:
    assert not list(struck_ranges(text))
