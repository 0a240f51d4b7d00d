from __future__ import annotations

import pytest

from pincite.verify.abstention.opposition import is_negated_alike, is_negated_otherwise, opposites


@pytest.mark.parametrize(
    ("question", "quote", "found"),
    [
        ("What is the maximum pressure?", "The minimum pressure is 5 bar.", {"maximum": "minimum"}),
        ("Who lost the battle?", "The French won the battle.", {"lost": "won"}),
        ("Which layer is unstable?", "Only the lower layer is stable.", {"unstable": "stable"}),
        ("What lies north of it?", "The lake lies south of it.", {"north": "south"}),
        ("When does it open?", "It opens at 6.5 bar.", {}),
        ("Which keeps daily backups?", "Use --keep-daily or --keep-weekly.", {}),
        ("What is the highest and the lowest value?", "The lowest value is 3.", {}),
        ("Is it hot or cold?", "It is cold.", {}),
    ],
)
def test_a_word_of_opposite_meaning_in_the_place_of_a_word_asked_for_is_found(
    question: str, quote: str, found: dict[str, str]
) -> None:
    assert opposites(question, quote, "en", above="") == found


@pytest.mark.parametrize(
    ("question", "quote", "is_otherwise"),
    [
        ("Which plants must not be watered?", "Tomatoes are watered every day.", True),
        ("Which plants must not be watered?", "Cacti are never watered in winter.", False),
        ("Which plants are watered?", "Cacti must not be watered.", False),
        ("Who didn't sign the treaty?", "France signed the treaty in 1763.", True),
        ("Who didn't sign the treaty?", "The lake is deep.", False),
        ("What happens if he does not pay?", "If the tenant fails to pay, it ends.", False),
        ("What happens if he never pays?", "Who refuses to pay the rent has to leave.", False),
        ("What happens if he fails to pay?", "He shall pay the rent each month.", True),
        ("Who refused to act at first?", "He refused to take any steps. He acted late.", False),
        ("Which pump failed in May?", "The pump of hall 2 broke in May.", False),
        ("What does invoice no. 7 cover?", "Invoice no. 7 covers the deposit.", False),
        ("What does invoice no 7 cover?", "Invoice 7 covers the deposit.", False),
        ("Which invoice no. is dated 5 May?", "Invoice INV-2051 is dated 5 May.", False),
        ("When did Amendment No. 1 take effect?", "Amendment 1 takes effect at once.", False),
        ("What has no 5-year warranty?", "The pump has a 5-year warranty.", True),
        ("Which firm has no 2024 accounts?", "Orrin published its 2024 accounts.", True),
        ("What is not a problem?", "That a problem is not in P does not solve the problem.", False),
    ],
)
def test_what_a_question_negates_must_be_negated_in_the_quote(
    question: str, quote: str, is_otherwise: bool
) -> None:
    assert is_negated_otherwise(question, quote, "en") is is_otherwise


def test_nothing_is_found_in_languages_whose_words_are_not_known() -> None:
    assert opposites("maximum", "minimum", "de", above="") == {}
    assert not is_negated_otherwise("not watered", "watered", "de")


def test_a_word_that_stands_above_the_quote_is_not_lacking() -> None:
    question, quote = "Who spoke at the meeting in March?", "Anna spoke of a visit in April."
    assert opposites(question, quote, "en", above="Notes") == {"march": "april"}
    assert opposites(question, quote, "en", above="Minutes of 5 March 2024") == {}


def test_a_quote_negates_what_the_question_negates() -> None:
    question = "When is the payment not reduced?"
    assert is_negated_alike(question, "The payment is not reduced by repairs.", "en")
    assert not is_negated_alike(question, "The payment is reduced.", "en")
    assert not is_negated_alike(question, "Nobody was hurt.", "en")
