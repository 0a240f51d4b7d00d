from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.text.question_forms import parsed


@pytest.mark.parametrize(
    ("text", "plain", "phrases", "excluded"),
    [
        ('the "relief valve" opens', "the relief valve opens", ("relief valve",), ()),
        ("the „Ventil auf“ here", "the Ventil auf here", ("Ventil auf",), ()),
        ("valve -test", "valve", (), ("test",)),
        ('valve -"leak test" pump', "valve pump", (), ("leak test",)),
        ('"a b" -C "d e"', "a b d e", ("a b", "d e"), ("C",)),
        ("valve -GSE-204?", "valve", (), ("GSE-204",)),
    ],
)
def test_phrases_and_exclusions_are_taken_apart(
    text: str, plain: str, phrases: tuple[str, ...], excluded: tuple[str, ...]
) -> None:
    found = parsed(text)
    assert (found.plain, found.phrases, found.excluded) == (plain, phrases, excluded)


@pytest.mark.parametrize(
    "text",
    [
        'a 6" pipe and a 4" valve',
        "a - b, pre-war and post-war",
        "Personen und -gruppen",
        "below -5 degrees",
        "what does --dry-run do",
        "tool logs -f, and -q?",
        'an open " mark',
        '"" and "?"',
        "don't and 'single'",
    ],
)
def test_lengths_numbers_dashes_and_options_are_no_syntax(text: str) -> None:
    assert parsed(text).plain == text
    assert not parsed(text).phrases
    assert not parsed(text).excluded


def test_an_option_that_is_known_is_not_excluded() -> None:
    found = parsed('sudo "user mod" -aG docker -test', lambda word: word == "aG")
    assert (found.plain, found.excluded) == ("sudo user mod -aG docker", ("test",))
    assert found.unquoted == "sudo -aG docker"


@given(st.text(alphabet='ab -"”„\n', max_size=30))
def test_any_text_can_be_taken_apart(text: str) -> None:
    found = parsed(text)
    assert all(words.strip() for words in (*found.phrases, *found.excluded))


@pytest.mark.parametrize(
    ("question", "excluded"),
    [
        ("What does -T0 do?", ()),
        ("Is -march=native safe?", ()),
        ("What does the pump do -test?", ("test",)),
        ("pump -test pressure", ("test",)),
    ],
)
def test_an_option_within_a_question_leaves_nothing_out(
    question: str, excluded: tuple[str, ...]
) -> None:
    assert parsed(question).excluded == excluded
