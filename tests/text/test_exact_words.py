from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.text.mentions import holds, without_signed


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("The Relief\nValve opens.", "relief valve"),
        ("the relief-valve", "relief valve"),
        ("Le café crème", "cafe creme"),
        ("an inter-\nnational treaty", "international treaty"),
        ("part GSE-\n204 here", "GSE-204"),
        ("Newton’s law", "newton's law"),
        ("C++ and C#", "c++"),
        ("冷却水を入れる", "却水"),
        ("किताब में", "किताब"),
    ],
)
def test_words_that_stand_side_by_side_are_held(text: str, phrase: str) -> None:
    assert holds(text, phrase)


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("relief of the valve", "relief valve"),
        ("valve relief", "relief valve"),
        ("relief valves", "relief valve"),
        ("irrelief valve", "relief valve"),
        ("anything", "?!"),
        ("", "a"),
        ("written in C++", "C"),
        ("written in C++", "C#"),
        ("written in C", "C++"),
    ],
)
def test_words_apart_in_another_order_or_form_are_not(text: str, phrase: str) -> None:
    assert not holds(text, phrase)


@given(
    st.lists(st.text(alphabet="abc水é", min_size=1, max_size=4), min_size=1, max_size=8), st.data()
)
def test_every_stretch_of_words_is_held(words: list[str], data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(words) - 1))
    end = data.draw(st.integers(start + 1, len(words)))
    assert holds(" ".join(words), " ".join(words[start:end]))


def test_a_long_run_of_letters_is_looked_through_once() -> None:
    begun = time.process_time()
    assert without_signed("a" * 50_000) == "a" * 50_000
    assert time.process_time() - begun < 1
