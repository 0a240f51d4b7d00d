"""What a statement says otherwise than its quotes: names, negation, modality, directions, words."""

from __future__ import annotations

import pytest

from pincite.records.flow import Citation, Mode, Question, Verdict
from pincite.testing.fakes import EvenWeights
from pincite.verify.statements.claims import ClaimChecker, Finding
from pincite.verify.statements.meaning import meaning_fault

OPENS = "The relief valve opens when the pressure rises above 6.5 bar."
GLOVES = "Operators must not remove the guard before the motor stops."
SOIL = "Potatoes grow best in soil with a pH of 6.0 to 6.8."
AGENCY = "The World Health Organization approved the vaccine in Geneva."
ADVICE = "The filter should be replaced every month."
HEDGE = "The coating may crack in frost."
EXCEPT = "Visitors are admitted to the garden unless the gate is locked."
SIDES = "Turn the left tap clockwise; the right tap turns the other way."
BOUGHT = "Alpha Corporation acquired Beta Limited in spring."
NOTHING = "The warranty does not cover damage by water."
GERMAN = "Die Schutzhaube darf während des Betriebs nicht geöffnet werden."
WENT = "Oslo Airport was formerly owned by the state."


def citation(quote: str, *, section: str = "", source: str = "manual.txt") -> Citation:
    return Citation(
        document="d", source=source, sha256="", page=None, section=section, start=0,
        end=len(quote), start_byte=None, end_byte=None, quote=quote,
    )  # fmt: skip


def check(claim: str, *quotes: str, question: str = "What is said?", section: str = "") -> Finding:
    cited = [citation(quote, section=section) for quote in quotes]
    return ClaimChecker(EvenWeights()).check(Question(text=question), claim, cited, Mode.GENERATED)


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("The relief valve opens when pressure rises above 6.5 bar.", OPENS),
        ("Operators must not remove the guard before the motor stops", GLOVES),
        ("Operators mustn't remove the guard before the motor stops.", GLOVES),
        ("Potatoes grow best in soil with pH of 6.0 to 6.8.", SOIL),
        ("The WHO approved the vaccine in Geneva.", AGENCY),
        ("The filter should be replaced every month!", ADVICE),
        ("Coating may crack in frost.", HEDGE),
        ("Turn the left tap clockwise.", SIDES),
        ("Alpha Corporation acquired Beta Limited in spring", BOUGHT),
        ("The warranty doesn't cover damage by water.", NOTHING),
        ("Die Schutzhaube darf während des Betriebs nicht geöffnet werden", GERMAN),
        ("Oslo Airport was formerly owned by the state", WENT),
        ("Invoice 7 covers the deposit.", "Invoice no. 7 covers the deposit."),
    ],
)
def test_what_says_the_same_holds(claim: str, quote: str) -> None:
    assert str(check(claim, quote)) == "supported"


@pytest.mark.parametrize(
    ("claim", "quote", "verdict"),
    [
        ("The relief valve opens below 6.5 bar.", OPENS, Verdict.NOT_CLEARLY_CARRIED),
        (
            "The relief valve closes when the pressure rises above 6.5 bar.",
            OPENS,
            Verdict.NOT_CLEARLY_CARRIED,
        ),
        (
            "Operators must remove the guard before the motor stops.",
            GLOVES,
            Verdict.NEGATION_DIFFERS,
        ),
        (
            "Operators must not remove the guard after the motor stops.",
            GLOVES,
            Verdict.NOT_CLEARLY_CARRIED,
        ),
        ("Operators may remove the guard.", GLOVES, Verdict.NEGATION_DIFFERS),
        ("The relief valve never opens.", OPENS, Verdict.NEGATION_DIFFERS),
        ("The warranty covers damage by water.", NOTHING, Verdict.NEGATION_DIFFERS),
        ("Die Schutzhaube darf geöffnet werden.", GERMAN, Verdict.NEGATION_DIFFERS),
        ("The filter must be replaced every month.", ADVICE, Verdict.NOT_CLEARLY_CARRIED),
        ("The filter is replaced every month.", ADVICE, Verdict.NOT_CLEARLY_CARRIED),
        ("The coating cracks in frost.", HEDGE, Verdict.NOT_CLEARLY_CARRIED),
        ("Oslo Airport was owned by the state.", WENT, Verdict.NOT_CLEARLY_CARRIED),
        ("Visitors are admitted to the garden.", EXCEPT, Verdict.NOT_CLEARLY_CARRIED),
        ("Only operators must not remove the guard.", GLOVES, Verdict.NOT_CLEARLY_CARRIED),
        ("Turn the right tap clockwise.", SIDES, Verdict.NOT_CLEARLY_CARRIED),
        ("The FDA approved the vaccine.", AGENCY, Verdict.NAME_NOT_IN_QUOTE),
        ("The vaccine was approved in Basel.", AGENCY, Verdict.NAME_NOT_IN_QUOTE),
        ("The model GSE-204 opens above 6.5 bar.", OPENS, Verdict.NAME_NOT_IN_QUOTE),
        ("Beta acquired Alpha.", BOUGHT, Verdict.NOT_CLEARLY_CARRIED),
        ("The relief valve was painted green.", OPENS, Verdict.NOT_CLEARLY_CARRIED),
        ("The vaccine was welcomed in Geneva.", AGENCY, Verdict.NOT_CLEARLY_CARRIED),
        ("When does the relief valve open?", OPENS, Verdict.NOT_A_STATEMENT),
        ("Yes.", OPENS, Verdict.NOT_A_STATEMENT),
    ],
)
def test_what_says_something_else_is_left_out_with_its_reason(
    claim: str, quote: str, verdict: Verdict
) -> None:
    assert check(claim, quote).verdict is verdict


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        ("The answer is: 6.2", Verdict.NUMBER_NOT_IN_QUOTE),
        ("The answer is: 6.2.", Verdict.NUMBER_NOT_IN_QUOTE),
        ("6.2", Verdict.NUMBER_NOT_IN_QUOTE),
        ("Potatoes grow best at a pH of 6.5.", Verdict.NUMBER_NOT_IN_QUOTE),
        ("Potatoes grow best at a pH of 6.0.", Verdict.END_OF_RANGE),
        ("The answer is: 6.8", Verdict.NOT_A_STATEMENT),
        ("6.0 to 6.8", Verdict.NOT_A_STATEMENT),
        ("The answer is: 6.0 to 6.8", Verdict.NOT_A_STATEMENT),
    ],
)
def test_bare_numbers_do_not_pass(claim: str, verdict: Verdict) -> None:
    assert check(claim, SOIL).verdict is verdict


def test_a_name_may_stand_in_the_heading_above_the_quote() -> None:
    born = "He was born in Ulm in 1879."
    said = "Einstein was born in Ulm."
    assert not check(said, born).holds
    assert check(said, born, section="Albert Einstein").holds


def test_a_word_of_the_heading_does_not_replace_what_the_quote_names() -> None:
    said = "The ideas of Islamism became radical during his imprisonment."
    quote = "While Qutb's ideas became radical during his imprisonment, others remained moderate."
    found = check(said, quote, section="Islamism")
    assert found.verdict is Verdict.NOT_CLEARLY_CARRIED
    unnamed = "While the ideas became radical during his imprisonment, others remained moderate."
    assert check(said, unnamed, section="Islamism").holds


def test_names_behind_what_is_shared_leave_the_heading_its_place() -> None:
    quote = "The edition includes a navigation system by Lexus, and leather seats."
    said = "The Tundra edition includes a navigation system by Lexus."
    assert check(said, quote, section="Toyota Tundra").holds


def test_a_question_about_the_wrong_person_does_not_make_the_name_right() -> None:
    said = "The first telephone was patented by Nikola Tesla."
    asked = "When did Nikola Tesla patent the first telephone?"
    quote = "The first telephone was patented by Alexander Bell."
    fault = meaning_fault(said, [citation(quote)], asked)
    assert fault is not None
    assert fault.verdict is Verdict.NAME_NOT_IN_QUOTE
    alone = "The first telephone was patented by an inventor."
    assert meaning_fault(said, [citation(alone)], asked) is None


def test_two_quotes_may_each_carry_a_clause() -> None:
    said = (
        "The relief valve opens when the pressure rises above 6.5 bar, "
        "while the coating may crack in frost."
    )
    assert check(said, OPENS, HEDGE).holds
    assert not check(said.replace("in frost", "in heat"), OPENS, HEDGE).holds


def test_the_words_at_fault_are_named() -> None:
    assert check("The relief valve was painted green.", OPENS).detail == "painted, green"
    assert check("The WHO approved the vaccine in Basel.", AGENCY).detail == "Basel"


def test_a_number_must_stand_where_its_words_do() -> None:
    church = "A French church in Portarlington was built for the Huguenots."
    brewery = "The Old Truman Brewery, then the Black Eagle Brewery, was founded in 1724."
    found = check(church.replace("Huguenots", "Huguenots in 1724"), church, brewery)
    assert found.verdict is Verdict.NUMBER_APART
    assert "1724" in found.detail


def test_two_numbers_may_come_from_two_quotes_when_each_stands_with_its_words() -> None:
    opens = "The relief valve opens at 6.5 bar."
    closes = "The drain valve closes after 30 seconds."
    said = "The relief valve opens at 6.5 bar, and the drain valve closes after 30 seconds."
    assert check(said, opens, closes).holds
    swapped = "The relief valve opens after 30 seconds, and the drain valve closes at 6.5 bar."
    assert not check(swapped, opens, closes).holds


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("The answer is: [citation needed]", "[citation needed]"),
        ("The answer is: Edinburgh Waverley station.", "Edinburgh Waverley station is large."),
        ("The answer to the question was the relief valve.", OPENS),
        (
            "The first British empire based on was the British Empire.",
            "The First British Empire was based on mercantilism.",
        ),
    ],
)
def test_what_tells_nothing_is_not_a_statement(claim: str, quote: str) -> None:
    assert check(claim, quote).verdict is Verdict.NOT_A_STATEMENT


def test_the_subject_does_not_stand_for_what_the_quote_points_at() -> None:
    found = check("The valve uses the valve type.", "The valve uses this type.")
    assert found.verdict is Verdict.NOT_CLEARLY_CARRIED
    assert "valve" in found.detail


def test_a_heading_above_one_quote_lends_nothing_to_another() -> None:
    blamed = citation(
        "He points out that the pilot was responsible for the accident because the engine failed."
    )
    game = citation("It was published by an indie studio.", section="Sky Wars")
    said = (
        "The point in Sky Wars is that the pilot was responsible for the accident "
        "because the engine failed."
    )
    found = ClaimChecker(EvenWeights()).check(
        Question(text="What is the point in Sky Wars?"), said, [blamed, game], Mode.GENERATED
    )
    assert not found.holds


def test_what_a_quote_repeats_may_be_repeated() -> None:
    quote = "The Bank of England lends to the bank of the government of England."
    assert check(quote.removesuffix("."), quote).holds


def test_a_copula_with_something_new_behind_it_tells_something() -> None:
    assert check("The valve is a relief valve.", "The valve is a relief valve, by Otto.").holds


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("Lists are not due no later than Monday.", "Lists are due no later than Monday."),
        ("No one should not be a collaborator.", "No one should be a collaborator."),
        ("Lists are due no later than Monday.", "Lists are not due no later than Monday."),
    ],
)  # fmt: skip
def test_a_denial_beside_another_one_is_seen(claim: str, quote: str) -> None:
    assert check(claim, quote).verdict is Verdict.NEGATION_DIFFERS
    assert check(quote.removesuffix("."), quote).holds
