"""Statements that say a quote in other words, and those that only look like it."""

from __future__ import annotations

import pytest

from pincite.assemble.encoders import open_encoder
from pincite.records.flow import Citation, Mode, Question, Verdict
from pincite.settings.groups import EmbeddingSettings
from pincite.stages import shows_tokens
from pincite.testing.fakes import EvenWeights
from pincite.verify.statements.alignment import Alignment
from pincite.verify.statements.claims import ClaimChecker, Finding

IDEAL = "For sorting, a smaller pump like the PX-3 is typically ideal due to its speed."


@pytest.fixture(scope="module")
def checker(tmp_path_factory: pytest.TempPathFactory) -> ClaimChecker:
    encoder = open_encoder(EmbeddingSettings(), tmp_path_factory.mktemp("encoder"))
    assert shows_tokens(encoder)
    return ClaimChecker(EvenWeights(), alignment=Alignment(encoder))


def check(checker: ClaimChecker, statement: str, quote: str) -> Finding:
    cited = Citation(
        document="d", source="notes.txt", sha256="", page=None, section="", start=0, end=len(quote),
        start_byte=None, end_byte=None, quote=quote,
    )  # fmt: skip
    return checker.check(Question(text=""), statement, [cited], Mode.GENERATED)


FREELY = [
    ("For sorting, a smaller pump such as the PX-3 is typically ideal due to its speed.", IDEAL),
    (
        "The filter of the pump must be cleansed every week by the operator.",
        "The filter of the pump must be cleaned every week by the operator.",
    ),
    (
        "The guidance says the operator must close the valve of the tank.",
        "The guideline says that the operator must close the valve of the tank.",
    ),
]


@pytest.mark.parametrize(("statement", "quote"), FREELY)
def test_other_words_for_the_same_are_marked_as_such(
    checker: ClaimChecker, statement: str, quote: str
) -> None:
    assert check(checker, statement, quote).verdict is Verdict.WORDED_FREELY


LOOKS_LIKE_IT = [
    ("The filter may be cleaned weekly.", "The filter must be cleaned weekly."),
    ("All pumps in hall B are checked monthly.", "Some pumps in hall B are checked monthly."),
    (
        "The operator opens the tank before closing the valve.",
        "The operator closes the valve before opening the tank.",
    ),
    (
        "The red valve is closed by the smaller pump of the tank.",
        "The smaller pump of the tank is closed by the red valve.",
    ),
    (
        "The filter is cleaned weekly by the operator.",
        "The filter is only cleaned weekly by the operator if it is wet.",
    ),
    ("The tank holds 40 litres of warm water.", "The tank holds 50 litres of warm water."),
    ("The tank does not hold warm water in winter.", "The tank holds warm water in winter."),
    ("The tank was built by Meyer in Lyon.", "The tank was built by Weber in Lyon."),
    (
        "The plant in Lyon will close in winter.",
        "The plant in Lyon will close in winter, a rumour that the company denies.",
    ),
    (
        "The plant in Lyon will close in winter.",
        "According to its rivals, the plant in Lyon will close in winter.",
    ),
    (
        "The photographer took Ann Miller in Lyon.",
        "The photographer took this photograph of Ann Miller in Lyon.",
    ),
    (
        "Lee has filed the papers in the court of Lyon.",
        "The legal wife of Lee has filed the papers in the court of Lyon.",
    ),
    (
        "The tank in the hall was sold to Weber by Meyer.",
        "The tank in the hall was sold by Weber to Meyer.",
    ),
    ("The pump is quiet.", "The pump is silent."),
]


@pytest.mark.parametrize(("statement", "quote"), LOOKS_LIKE_IT)
def test_what_only_looks_alike_is_left_out(
    checker: ClaimChecker, statement: str, quote: str
) -> None:
    assert not check(checker, statement, quote).holds


def test_a_quote_cut_short_is_carried_and_not_worded_freely(checker: ClaimChecker) -> None:
    quote = "The filter must be cleaned every week by the operator, and dried."
    statement = "The filter must be cleaned every week by the operator."
    assert check(checker, statement, quote).verdict is Verdict.SUPPORTED


def test_a_possessive_written_apart_is_the_same_word(checker: ClaimChecker) -> None:
    quote = "They embark on Arthur 's boat Pridwen in the last chapter ."
    assert check(checker, "They embark on Arthur's boat Pridwen in the last chapter.", quote).holds


def test_without_an_alignment_only_the_words_of_quotes_are_shown() -> None:
    statement, quote = FREELY[0]
    assert not check(ClaimChecker(EvenWeights()), statement, quote).holds
