from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.chat.follow_up import Exchange, Reading, Rule, follow_up
from pincite.chat.subjects import keys


def read(question: str, *before: str, quotes: tuple[str, ...] = ()) -> Reading:
    earlier = [Exchange(question=one) for one in before[:-1]]
    return follow_up(question, [*earlier, Exchange(question=before[-1], quotes=quotes)])


@pytest.mark.parametrize(
    ("before", "asked", "meant"),
    [
        ("How much water do cucumbers need?", "and for tomatoes?", "tomatoes"),
        ("How much water do cucumbers need?", "And tomatoes?", "tomatoes"),
        ("How much water do cucumbers need?", "ok, what about tomatoes?", "tomatoes"),
    ],
)
def test_another_subject_takes_the_place_of_the_one_before(
    before: str, asked: str, meant: str
) -> None:
    assert read(asked, before).text == f"How much water do {meant} need?"


@pytest.mark.parametrize(
    ("before", "asked", "meant"),
    [
        ("What was the revenue in 2020?", "and in 2021?", "What was the revenue in 2021?"),
        ("What was paid for fiscal 2024?", "What about 2023?", "What was paid for fiscal 2023?"),
        ("What was sold in Peru in 2020?", "and in Chile?", "What was sold in Chile in 2020?"),
        ("What was sold in Peru?", "and in 2021?", "What was sold in Peru in 2021?"),
        ("What does the valve cost?", "how about the pump?", "What does the pump cost?"),
        ("What is the limit of P-101?", "P-102?", "What is the limit of P-102?"),
        ("Which pH is best for tomatoes?", "and peppers?", "Which pH is best for peppers?"),
        ("Which torque for a size -8 end?", "for size -6?", "Which torque for a size -6 end?"),
        ("Is 6 bar allowed?", "and 10 bar?", "Is 10 bar allowed?"),
        ("How many calls may I make?", "per day?", "How many calls may I make per day?"),
    ],
)
def test_words_of_the_same_kind_are_exchanged(before: str, asked: str, meant: str) -> None:
    assert read(asked, before) == Reading(
        text=meant, rule=Rule.FRAGMENT if asked == "P-102?" else Rule.OTHER
    )


@pytest.mark.parametrize(
    ("before", "asked", "meant"),
    [
        (
            "When does the contract with Nord Energy end?",
            "and Dunmore Transport?",
            "When does the contract with Dunmore Transport end?",
        ),
        ("Does the contract cover Acme?", "and Beta?", "Does the contract cover Beta?"),
        (
            "How many Jewish people live in the country?",
            "and Israel?",
            "What about Israel? (Jewish people live, country)",
        ),
    ],
)
def test_a_name_takes_the_place_of_a_name_where_no_kind_is_meant(
    before: str, asked: str, meant: str
) -> None:
    assert read(asked, before).text == meant


@pytest.mark.parametrize(
    ("before", "asked", "meant"),
    [
        ("Where is Acme based?", "and Acme Ltd?", "Where is Acme Ltd based?"),
        ("what is the default of --grace", "and --timeout?", "what is the default of --timeout"),
        ("What sets --grace in Quay?", "--timeout?", "What sets --timeout in Quay?"),
        (
            "What is due on INV-2044 from Acme?",
            "and INV-2051?",
            "What is due on INV-2051 from Acme?",
        ),
        ("who is assigned to TCK-1046", "and 1047?", "who is assigned to TCK-1047"),
        ("what is error 409", "and 423?", "what is error 423"),
        ("what changed in version 3.0.1", "and in 3.1.0?", "what changed in version 3.1.0"),
    ],
)
def test_a_command_an_option_or_a_code_takes_the_place_of_another(
    before: str, asked: str, meant: str
) -> None:
    assert read(asked, before).text == meant


def test_a_word_that_only_begins_as_courtesy_does_is_kept() -> None:
    assert read("No-show fees?", "What is a late fee?").text.startswith("No-show fees?")
    found = read("what about no-show fees?", "Which rule holds for late fees?")
    assert found.text == "Which rule holds for no-show fees?"


def test_where_two_places_would_do_none_is_chosen() -> None:
    found = read("and Chile?", "Does Peru sell more than Ecuador?")
    assert found.text == "What about Chile? (Peru sell, Ecuador)"


def test_a_pronoun_of_which_the_subject_is_not_sure_gets_the_topic_beside_it() -> None:
    found = read("Are they expensive?", "How do I find a lawyer for my estate plan?")
    assert found.text == "Are they expensive? (lawyer, estate plan)"


@pytest.mark.parametrize(
    ("before", "asked", "meant"),
    [
        ("Is the valve set to 6.5 bar?", "why?", "Why is the valve set to 6.5 bar?"),
        ("Is the valve set to 6.5 bar?", "Since when?", "Since when is the valve set to 6.5 bar?"),
        ("Who set the valve?", "and when?", "When? (Who set the valve)"),
    ],
)
def test_a_question_word_alone_asks_about_the_last_question(
    before: str, asked: str, meant: str
) -> None:
    assert read(asked, before) == Reading(text=meant, rule=Rule.BARE)


def heard(*asked: str, quotes: tuple[str, ...] = ()) -> str:
    """What the last question of a conversation is read as, each one before it read in its place."""
    earlier: list[Exchange] = []
    for question in asked:
        text = follow_up(question, earlier).text
        earlier.append(Exchange(question=text, quotes=quotes))
    return earlier[-1].question


HEAVIER = "Which is heavier, the L40 or the L60?"


@pytest.mark.parametrize(
    "asked", ["And how much is the other one?", "and the other one?", "The other?"]
)
def test_the_other_one_is_not_the_one_that_was_spoken_of(asked: str) -> None:
    quotes = ("The GX-200 costs 5 euros.", "The GX-200 costs 4 euros in May.")
    assert read(asked, "What does the GX-200 cost?", quotes=quotes) == Reading(text=asked)
    assert read(asked, HEAVIER) == Reading(text=asked)


@pytest.mark.parametrize(
    ("before", "asked", "meant"),
    [
        ("What must Sofia Lind do by April?", "and Tom?", "What must Tom do by April?"),
        ("What must Sofia Lind do on Monday?", "and Tom?", "What must Tom do on Monday?"),
        ("What must Sofia Lind do in Berlin?", "and Tom?", "What about Tom? (Sofia Lind, Berlin)"),
    ],
)
def test_a_name_takes_the_place_of_a_name_and_not_of_a_day(
    before: str, asked: str, meant: str
) -> None:
    assert heard(before, asked) == meant


def test_the_first_of_all_is_no_place_in_a_list() -> None:
    quotes = ("P-7 needs oil.", "P-8 needs oil.")
    asked = "Who was the first?"
    assert read(asked, "Which pumps need oil?", quotes=quotes) == Reading(text=asked)


def test_a_few_words_without_a_verb_are_read_with_the_topic() -> None:
    found = read("Different versions?", "Which hose fits the test stand?")
    assert found == Reading(text="Different versions? (hose fits, test stand)", rule=Rule.FRAGMENT)


@pytest.mark.parametrize(
    "asked",
    [
        "What is the capital of France?",
        "Is it necessary to have a will?",
        "How long does it take to build a wall?",
        "How do companies hire their employees?",
        "Which pumps need oil when they run?",
        "Is there a limit?",
        "New Zealand climate.",
        "What are the parts of the ear?",
        "Who is the author of the book that Berg wrote?",
        "Are there other towns that are bankrupt?",
        "In which year was the Berlin Wall built?",
        "What happens if the pump stops while it is hot?",
        "Thanks, that is fine.",
        "What's the minimum age for a moped?",
    ],
)
def test_a_question_that_can_stand_alone_is_left_alone(asked: str) -> None:
    assert read(asked, "When was Acme founded?") == Reading(text=asked)


@pytest.mark.parametrize(
    "pattern", ["it ", "who is it that ", "Acme & ", "(", "what about ", "1 or "]
)
def test_a_pasted_text_is_read_as_it_is_and_at_once(pattern: str) -> None:
    pasted = pattern * (9_000 // len(pattern))
    begun = time.process_time()
    assert read(pasted, "Who runs Acme & Sons?").text == pasted
    assert read("who is it?", pasted).text == "who is it?"
    longest = pattern * (1_000 // len(pattern))
    read(longest, longest, quotes=(pasted,))
    assert time.process_time() - begun < 1


def test_signs_between_the_words_of_a_name_do_no_harm() -> None:
    found = read("Who leads it?", 'When was  "Acme &  Sons" founded?')
    assert found.text == "Who leads it? (Acme, Sons founded)"


def test_courtesy_between_two_questions_is_passed_over() -> None:
    found = read("Who leads it?", "When was Acme founded?", "Thanks, that is fine!")
    assert found.text == "Who leads it? (Acme founded)"


def test_what_a_question_was_read_as_is_what_the_next_one_leans_on() -> None:
    second = read("And tomatoes?", "How much water do cucumbers need?")
    third = read("and peppers?", second.text)
    assert third.text == "How much water do peppers need?"


def test_the_first_question_stays_as_it_is() -> None:
    assert follow_up("and for tomatoes?", []) == Reading(text="and for tomatoes?")


_PIECES = """it the second one why and what about for he his 2021 in Acme P-1 Berg does who pumps need
    valve or vs company there ? . , ( ) " ' - & é 水 more from was Sons""".split()
_TEXTS = st.lists(st.sampled_from([*_PIECES, "\n"]), max_size=9).map(" ".join)
_MAY_BE_ADDED = {"what", "about", "in", "to"}


@given(_TEXTS, st.lists(_TEXTS, max_size=3), st.lists(_TEXTS, max_size=2))
def test_nothing_is_read_into_a_question_that_nobody_said(
    asked: str, before: list[str], quotes: list[str]
) -> None:
    told = tuple(quotes)
    found = follow_up(asked, [Exchange(question=one, quotes=told) for one in before])
    assert bool(found.text.strip()) == bool(asked.strip())
    if found.rule is Rule.NONE:
        assert found.text == asked
    said = keys(" ".join([asked, *before, *quotes]))
    assert keys(found.text) <= said | keys(_MAY_BE_ADDED)


def test_the_examples_in_the_documents_are_read_so() -> None:
    page = (Path(__file__).parents[2] / "docs" / "chat.md").read_text(encoding="utf-8")
    table = page.partition("| asked | after | read as |\n|---|---|---|\n")[2].partition("\n\n")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]
    assert len(rows) == 11
    assert [[asked, before, read(asked, before).text] for asked, before, _ in rows] == rows


def test_topics_do_not_pile_up() -> None:
    asked = [
        "Do you pay for courses?",
        "who approves them?",
        "are trips covered?",
        "and is it paid?",
    ]
    found = heard(*asked)
    assert "courses" not in found
    assert "trips" in found


def test_how_long_is_no_topic() -> None:
    found = read("who approves it?", "How long is parental leave?")
    assert found.text == "who approves it? (parental leave)"
