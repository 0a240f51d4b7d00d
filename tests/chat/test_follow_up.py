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
        ("Who owns the relief valve?", "and the safety valve?", "Who owns the safety valve?"),
        ("How many live in the country?", "I meant Israel", "How many live in Israel?"),
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
            "What was the revenue of Road freight in 2022?",
            "and operating profit?",
            "operating profit",
        ),
        ("What was the revenue of Road freight in 2022?", "and the costs?", "costs"),
    ],
)
def test_another_figure_keeps_whose_it_is(before: str, asked: str, meant: str) -> None:
    assert read(asked, before).text == f"What was the {meant} of Road freight in 2022?"


@pytest.mark.parametrize(
    ("before", "asked", "meant"),
    [
        ("What was Nord's profit in 2023?", "and revenue?", "What was Nord's revenue in 2023?"),
        (
            "What was Nord's profit in 2023?",
            "and gross profit?",
            "What was Nord's gross profit in 2023?",
        ),
        ("What was Nord's profit in 2023?", "and Acme?", "What was Acme's profit in 2023?"),
        ("What was Nord's EBITDA in FY2024?", "and PAT?", "What was Nord's PAT in FY2024?"),
        ("What was Nord's EBITDA in FY2024?", "and Acme?", "What was Acme's EBITDA in FY2024?"),
        ("operating profit in 2023", "and revenue?", "revenue in 2023"),
        ("Who is the director of Nord?", "and the chairman?", "Who is the chairman of Nord?"),
        ("What is the price of steel?", "and copper?", "What about copper? (price of steel)"),
        (
            "How many people work in Berlin?",
            "and machines?",
            "What about machines? (people work, Berlin)",
        ),
    ],
)
def test_a_figure_takes_the_place_of_a_figure_and_an_owner_that_of_an_owner(
    before: str, asked: str, meant: str
) -> None:
    assert read(asked, before).text == meant


@pytest.mark.parametrize(
    ("before", "asked", "meant"),
    [
        (
            "When does the contract with Nord Energy end?",
            "and Dunmore Transport?",
            "When does the contract with Dunmore Transport end?",
        ),
        ("Does the contract cover Acme?", "and Beta?", "Does the contract cover Beta?"),
        ("Who runs the company in Berlin?", "and Siemens?", "Who runs Siemens in Berlin?"),
        (
            "How many Jewish people live in the country?",
            "Israel?",
            "How many Jewish people live in Israel?",
        ),
    ],
)
def test_a_name_takes_the_place_of_a_name_before_that_of_a_kind(
    before: str, asked: str, meant: str
) -> None:
    assert read(asked, before).text == meant


@pytest.mark.parametrize(
    ("before", "asked", "meant"),
    [
        ("what does quay rollback do", "and quay logs?", "what does quay logs do"),
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


def test_what_stands_beside_a_question_is_kept_and_exchanged() -> None:
    asked = ["What is its notice period?", "Who owns it?", "and Ellis Foods?", "and in 2024?"]
    earlier = [Exchange(question="When does the contract with Nord Energy end in 2023?")]
    for one in asked:
        earlier.append(Exchange(question=follow_up(one, earlier).text))
    beside = "notice period, contract, Nord Energy end, 2023"
    assert [one.question for one in earlier[2:]] == [
        f"Who owns it? ({beside})",
        f"Who owns it? ({beside.replace('Nord Energy', 'Ellis Foods')})",
        f"Who owns it? ({beside.replace('Nord Energy', 'Ellis Foods').replace('2023', '2024')})",
    ]


def test_a_word_that_only_begins_as_courtesy_does_is_kept() -> None:
    assert read("No-show fees?", "What is a late fee?").text.startswith("No-show fees?")
    found = read("what about no-show fees?", "Which rule holds for late fees?")
    assert found.text == "Which rule holds for no-show fees?"


def test_where_two_places_would_do_none_is_chosen() -> None:
    found = read("and Chile?", "Does Peru sell more than Ecuador?")
    assert found.text == "What about Chile? (Peru sell, Ecuador)"


@pytest.mark.parametrize(
    ("before", "asked", "meant"),
    [
        (
            "Who was Andre Gunder Frank?",
            "Was he a communist?",
            "Was Andre Gunder Frank a communist?",
        ),
        ("What is the Haber process?", "Who invented it?", "Who invented the Haber process?"),
        ("When was Acme founded?", "What is its revenue?", "What is Acme's revenue?"),
        ("When was Acme founded?", "Who leads the company?", "Who leads Acme?"),
        ("Where is Bergen?", "How do I get there?", "How do I get to Bergen?"),
        ("Where is Bergen?", "What is the weather there?", "What is the weather in Bergen?"),
        ("What about the pump? (cost)", "How do I clean it?", "How do I clean the pump?"),
    ],
)
def test_a_pronoun_stands_for_the_one_subject(before: str, asked: str, meant: str) -> None:
    assert read(asked, before) == Reading(text=meant, rule=Rule.POINTER)


def test_a_pronoun_of_which_the_subject_is_not_sure_gets_the_topic_beside_it() -> None:
    found = read("Are they expensive?", "How do I find a lawyer for my estate plan?")
    assert found.text == "Are they expensive? (lawyer, estate plan)"


def test_a_person_may_be_the_one_the_answer_names() -> None:
    found = read("Was he a doctor?", "Who wrote the guide?", quotes=("It is by Anna Berg, 1921.",))
    assert found.text == "Was Anna Berg a doctor?"


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


def test_a_place_counts_in_a_choice_first_and_then_among_the_quotes() -> None:
    choice = "Should I use pumps, valves or hoses?"
    assert read("Where is the second one used?", choice).text.endswith("(valves)")
    assert read("what about the latter?", "Compare P-101 and P-102").text == "Compare P-102"
    quotes = ("The pump P-7 needs oil.", "The pump P-8 needs oil.")
    found = read("And where is the second one?", "Which pumps need oil?", quotes=quotes)
    assert found == Reading(text="And where is the second one? (P-8)", rule=Rule.PLACE)


def heard(*asked: str, quotes: tuple[str, ...] = ()) -> str:
    """What the last question of a conversation is read as, each one before it read in its place."""
    earlier: list[Exchange] = []
    for question in asked:
        text = follow_up(question, earlier).text
        earlier.append(Exchange(question=text, asked=question, quotes=quotes))
    return earlier[-1].question


HEAVIER = "Which is heavier, the L40 or the L60?"


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        (
            (HEAVIER, "what does the service contract for the second one cost?"),
            "what does the service contract for the L60 cost?",
        ),
        (
            (HEAVIER, "what does the contract for the second one cost?", "and for the first one?"),
            "what does the contract for the L40 cost?",
        ),
        (
            (HEAVIER, "who sold the latter one?", "and the other one?"),
            "who sold the L40?",
        ),
        (("Is Anna or Tom older?", "When did the second one start?"), "When did Tom start?"),
        (
            ("Should I use the pump or the valve?", "Where is the second one used?", "the first?"),
            "Where is the pump used?",
        ),
    ],
)
def test_one_of_a_choice_takes_the_place_of_its_number(asked: tuple[str, ...], meant: str) -> None:
    assert heard(*asked) == meant


def test_a_part_of_a_choice_that_may_be_cut_wrongly_stays_beside_the_question() -> None:
    asked = "Who sold the second one?"
    assert heard("Is the pump or the valve older?", asked) == f"{asked} (valve older)"


def test_a_choice_that_the_talk_has_left_is_not_meant_any_more() -> None:
    found = heard(HEAVIER, "Where is Bergen?", "Who sold the second one?")
    assert "L60" not in found


@pytest.mark.parametrize(
    "asked", ["And how much is the other one?", "and the other one?", "The other?"]
)
def test_the_other_one_is_not_the_one_that_was_spoken_of(asked: str) -> None:
    quotes = ("The GX-200 costs 5 euros.", "The GX-200 costs 4 euros in May.")
    assert read(asked, "What does the GX-200 cost?", quotes=quotes) == Reading(text=asked)
    assert read(asked, HEAVIER) == Reading(text=asked)


def test_of_two_the_other_is_the_one_that_the_answer_does_not_name() -> None:
    found = read("How much is the other one?", HEAVIER, quotes=("The L60 weighs 20 kg.",))
    assert found.text == "How much is the L40?"


def test_a_name_that_was_only_added_is_nobody_that_he_means() -> None:
    found = heard("where was Eva Haas born?", "and the service team?", "where was he born?")
    assert found == "where was he born? (service team)"


@pytest.mark.parametrize(
    ("before", "asked", "meant"),
    [
        ("What must Sofia Lind do by April?", "and Tom?", "What must Tom do by April?"),
        ("What must Sofia Lind do on Monday?", "and Tom?", "What must Tom do on Monday?"),
        ("What must Sofia Lind do in Berlin?", "and Tom?", "What about Tom? (Berlin)"),
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


def test_a_place_that_there_is_not_changes_nothing() -> None:
    asked = "Where is the third one?"
    assert read(asked, "Which pumps need oil?", quotes=("P-7 does.",)).rule is not Rule.PLACE


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
    assert found.text == "Who leads Acme Sons?"


def test_courtesy_between_two_questions_is_passed_over() -> None:
    found = read("Who leads it?", "When was Acme founded?", "Thanks, that is fine!")
    assert found.text == "Who leads Acme?"


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
    found = follow_up(asked, [Exchange(question=one, asked=one, quotes=told) for one in before])
    assert bool(found.text.strip()) == bool(asked.strip())
    if found.rule is Rule.NONE:
        assert found.text == asked
    said = keys(" ".join([asked, *before, *quotes]))
    assert keys(found.text) <= said | keys(_MAY_BE_ADDED)


def test_the_examples_in_the_documents_are_read_so() -> None:
    page = (Path(__file__).parents[2] / "docs" / "chat.md").read_text(encoding="utf-8")
    table = page.partition("| asked | after | read as |\n|---|---|---|\n")[2].partition("\n\n")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]
    assert len(rows) == 13
    assert [[asked, before, read(asked, before).text] for asked, before, _ in rows] == rows


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("and sick leave?", "What about sick leave?"),
        ("what about sick leave?", "What about sick leave?"),
        ("sick leave?", "sick leave?"),
    ],
)
def test_a_topic_of_the_same_kind_takes_the_place_of_the_last_one(asked: str, meant: str) -> None:
    before = "Does part-time work change parental leave when I adopt a child?"
    assert read(asked, before).text == meant


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


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        (
            ("how long is parental leave?", "and sick leave?", "who approves it?"),
            "who approves sick leave?",
        ),
        (
            ("How do I request annual leave?", "and sick leave?", "who approves it?"),
            "who approves sick leave?",
        ),
        (
            (
                "Does part-time work change parental leave when I adopt a child?",
                "and sick leave?",
                "do I have to report it?",
            ),
            "do I have to report sick leave?",
        ),
        (
            (
                "How much annual leave do I earn when I have been here for 5 years?",
                "and how much sick leave?",
                "when does it expire?",
            ),
            "when does sick leave expire?",
        ),
        (
            ("how many sick days do I get per year?", "and how many holidays?", "are they paid?"),
            "are holidays paid?",
        ),
        (
            ("How long does a background check take?", "and a drug test?", "who pays for it?"),
            "who pays for a drug test?",
        ),
    ],
)
def test_a_pronoun_means_the_thing_that_took_the_place_of_another(
    asked: tuple[str, ...], meant: str
) -> None:
    assert heard(*asked) == meant


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        (
            ("What does the pump cost?", "and in 2021?", "who pays for it?"),
            "who pays for it? (pump cost, 2021)",
        ),
        (
            ("What was Nord's profit in 2023?", "and revenue?", "why did it fall?"),
            "why did it fall? (Nord's revenue, 2023)",
        ),
        (
            ("Can I work overtime?", "and on weekends?", "is it paid?"),
            "is it paid? (work overtime, weekends)",
        ),
    ],
)
def test_a_time_a_circumstance_or_a_figure_of_a_name_is_not_all_that_it_means(
    asked: tuple[str, ...], meant: str
) -> None:
    assert heard(*asked) == meant


@pytest.mark.parametrize(
    ("before", "asked", "meant"),
    [
        (
            "How much annual leave do I earn when I have been here for 5 years?",
            "and how much sick leave?",
            "How much sick leave do I earn when I have been here for 5 years?",
        ),
        (
            "How much oil does the pump need?",
            "and how many filters?",
            "How many filters does the pump need?",
        ),
        ("How many people live in Oslo?", "and how many cars?", "and how many cars?"),
        ("How many pumps are there?", "and how many do I need?", "and how many do I need?"),
    ],
)
def test_another_amount_takes_the_place_of_the_one_that_the_question_begins_with(
    before: str, asked: str, meant: str
) -> None:
    assert read(asked, before).text == meant


@pytest.mark.parametrize(
    ("before", "asked", "meant"),
    [
        ("How do I request annual leave?", "and sick leave?", "How do I request sick leave?"),
        ("Who approves annual leave?", "and sick leave?", "Who approves sick leave?"),
        (
            "How many hours can I earn?",
            "what about credit hours?",
            "How many credit hours can I earn?",
        ),
    ],
)
def test_a_verb_or_an_amount_before_the_thing_stays(before: str, asked: str, meant: str) -> None:
    assert read(asked, before).text == meant


def test_how_long_is_no_topic() -> None:
    found = read("who approves it?", "How long is parental leave?")
    assert found.text == "who approves it? (parental leave)"
