from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.answer.model_text import refuses, statements, until_it_repeats

REFUSAL = "The documents do not say."


def told(written: str) -> list[tuple[str, tuple[int, ...]]]:
    return [(statement.text, statement.sources) for statement in statements(written)]


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("The torque is 45 Nm [1].", [("The torque is 45 Nm.", (1,))]),
        (
            "It is 45 Nm. [1] Wear gloves. [2, 3]",
            [("It is 45 Nm.", (1,)), ("Wear gloves.", (2, 3))],
        ),
        ("It is red [Source 2].", [("It is red.", (2,))]),
        ("It is red [1-3].", [("It is red.", (1, 2, 3))]),
        ("It is red[1][4].", [("It is red.", (1, 4))]),
        (
            "- Open the valve [1].\n- Close it [2].",
            [("Open the valve.", (1,)), ("Close it.", (2,))],
        ),
        ("1. Open it.\n2) Close it.", [("Open it.", ()), ("Close it.", ())]),
        ("The steps are:\n* Open it [1].", [("Open it.", (1,))]),
        ("**Answer:** The **torque** is 45 Nm.", [("The torque is 45 Nm.", ())]),
        ("<think>Is it [3]? No.</think>It is 5 [1].", [("It is 5.", (1,))]),
        ("```\nIt is 5 [1].\n```", [("It is 5.", (1,))]),
        ("It is 5 [1]. It is 5 [1]. it is 5 [2].", [("It is 5.", (1,))]),
        ("[1]\n[2]", []),
        ("It costs Rs. 9,375 crores [2].", [("It costs Rs. 9,375 crores.", (2,))]),
        ("Use 3.5 V now. Do not use 5 V.", [("Use 3.5 V now.", ()), ("Do not use 5 V.", ())]),
    ],
)
def test_statements_are_sentences_without_form_and_with_the_sources_they_name(
    written: str, expected: list[tuple[str, tuple[int, ...]]]
) -> None:
    assert told(written) == expected


def test_a_sentence_that_was_cut_off_is_left_out_only_when_the_output_was() -> None:
    written = "The valve opens [1]. It must then be"
    assert [s.text for s in statements(written, cut_off=True)] == ["The valve opens."]
    assert len(statements(written)) == 2
    assert len(statements("The valve opens [1].", cut_off=True)) == 1


@pytest.mark.parametrize(
    "written",
    [
        REFUSAL,
        "the documents do not say",
        "I don't know.",
        "I cannot find the price in the sources.",
        "I'm sorry, I can't answer this question.",
        "The context does not mention the price.",
        "The price is not provided in the sources.",
    ],
)
def test_a_refusal_is_told_from_an_answer(written: str) -> None:
    assert refuses(written, REFUSAL)


@pytest.mark.parametrize(
    "written",
    [
        "The documents must be kept for ten years [1].",
        "The valve does not open below 5 bar [1].",
        "The alarm is not provided with a battery [1].",
        "I could not see the ship in the fog, he wrote [1].",
        "",
    ],
)
def test_an_answer_that_says_not_is_no_refusal(written: str) -> None:
    assert not refuses(written, REFUSAL)


@given(st.text(max_size=200))
def test_any_output_gives_statements_without_marks(written: str) -> None:
    for statement in statements(written):
        assert statement.text.strip() == statement.text != ""
        assert "\n" not in statement.text
        assert "[1]" not in statement.text


def test_a_model_that_repeats_itself_is_not_read_on() -> None:
    pieces = iter(["It is 5 [1].\nIt ", "is 6 [2].\n", "It is 5 [1].\n", "and", " on"])
    assert until_it_repeats(pieces) == "It is 5 [1].\nIt is 6 [2].\n"
    assert list(pieces) == ["and", " on"]


@given(st.lists(st.sampled_from(["a", "b c", "\n", "d\n", "\n\n"])))
def test_what_does_not_repeat_is_read_to_its_end(pieces: list[str]) -> None:
    lines = [line for line in "".join(pieces).splitlines() if line.strip()]
    read = until_it_repeats(pieces)
    assert "".join(pieces).startswith(read)
    if len(set(lines)) == len(lines):
        assert read == "".join(pieces)
