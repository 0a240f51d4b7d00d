"""What is too long to be quoted is cut where a reader would pause."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.ingest.chunk.passages import cut_code, cut_long


def pieces(text: str, limit: int) -> list[str]:
    return [text[start:end] for start, end in cut_long(text, 0, len(text), limit)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("one two\nthree four", ["one two", "three four"]),
        ("one two\tthree four", ["one two", "three four"]),
        ("one two; three, four", ["one two;", "three, four"]),
        ("one two, three four", ["one two,", "three four"]),
        ("onetwo threefourfi", ["onetwo", "threefourfi"]),
        ("onetwothreefourfivesix", ["onetwothreef", "ourfivesix"]),
    ],
)
def test_the_best_pause_is_taken(text: str, expected: list[str]) -> None:
    assert pieces(text, 12) == expected


def test_a_mark_stays_with_its_letter() -> None:
    assert pieces("abcde\u0301fgh", 5) == ["abcd", "e\u0301fgh"]


@given(st.text(alphabet="ab ,;\n\t\u0301", max_size=300), st.integers(min_value=2, max_value=40))
def test_pieces_fit_and_hold_all_but_blanks(text: str, limit: int) -> None:
    found = pieces(text, limit)
    assert all(len(piece) <= limit for piece in found)
    assert "".join("".join(found).split()) == "".join(text.split())


def code_pieces(text: str, limit: int) -> list[str]:
    return [text[start:end] for start, end in cut_code(text, 0, len(text), limit)]


def test_code_is_cut_at_empty_lines_only_where_it_is_too_long() -> None:
    text = "  a = 1. B = 2\n\n\n  c()\n    d()\n"
    assert code_pieces(text, 100) == ["  a = 1. B = 2\n\n\n  c()\n    d()"]
    assert code_pieces(text, 20) == ["  a = 1. B = 2", "  c()\n    d()"]
    assert code_pieces(text, 9) == ["a = 1.", "B = 2", "  c()", "    d()"]


@given(st.text(alphabet="ab .\n\t", max_size=300), st.integers(min_value=2, max_value=40))
def test_pieces_of_code_fit_and_hold_all_but_blanks(text: str, limit: int) -> None:
    found = code_pieces(text, limit)
    assert all(0 < len(piece) <= limit for piece in found)
    assert "".join("".join(found).split()) == "".join(text.split())
