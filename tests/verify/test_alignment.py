"""Words of a statement and their counterparts in the quotes, by the encoder's token states."""

from __future__ import annotations

import pytest

from pincite.models.encoders.windowed import MiniLmEncoder
from pincite.records.flow import Citation, Mode, Question, Verdict
from pincite.testing.fakes import EvenWeights
from pincite.verify.statements import wording
from pincite.verify.statements.claims import ClaimChecker, Finding
from pincite.verify.statements.support import is_fitted_for, support_probability
from pincite.verify.statements.wording import TokenAligner, words_of

QUESTION = Question(text="What is said?")
BOUGHT = "The company will purchase the old factory next year."


@pytest.fixture(scope="module")
def aligner(encoder: MiniLmEncoder) -> TokenAligner:
    return TokenAligner(encoder)


def check(claim: str, quote: str, aligner: TokenAligner | None) -> Finding:
    cited = Citation(
        document="d", source="", sha256="", page=None, section="", start=0, end=len(quote),
        start_byte=None, end_byte=None, quote=quote,
    )  # fmt: skip
    checker = ClaimChecker(EvenWeights(), aligner=aligner)
    return checker.check(QUESTION, claim, [cited], Mode.GENERATED)


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("The company will buy the old factory next year.", BOUGHT),
        ("The movie was shown in every town.", "The film was shown in every town."),
        ("Works started in the spring garden.", "Works began in the spring garden."),
        ("The physician prescribed rest.", "The doctor prescribed rest."),
    ],
)
def test_a_synonym_is_found_by_token_states_and_not_by_words(
    claim: str, quote: str, aligner: TokenAligner
) -> None:
    found = check(claim, quote, aligner)
    assert found.verdict is Verdict.SUPPORTED
    assert found.support is not None
    assert not check(claim, quote, None).holds


@pytest.mark.parametrize(
    ("quote", "one", "other"),
    [
        ("The central bank ended its {} buying programme.", "bond", "loan"),
        ("All {} wash their hands before entering.", "nurses", "doctors"),
        ("The frame is made of {} and painted.", "steel", "iron"),
        ("The valve is placed behind the {}.", "pump", "motor"),
        ("The museum was opened by the {}.", "king", "queen"),
        ("The patient was given {} twice a day.", "ibuprofen", "paracetamol"),
        ("The river flows into the {}.", "sea", "lake"),
        ("The team won the {} trophy.", "silver", "gold"),
        ("The man was arrested for {}.", "murder", "theft"),
    ],
)
def test_another_word_of_the_same_kind_is_no_synonym(
    quote: str, one: str, other: str, aligner: TokenAligner
) -> None:
    for here, there in ((one, other), (other, one)):
        found = check(quote.format(here), quote.format(there), aligner)
        assert found.verdict is Verdict.NOT_CLEARLY_CARRIED
        assert found.detail == here


def test_a_quote_that_says_the_same_is_aligned_in_full(aligner: TokenAligner) -> None:
    words = words_of(BOUGHT, "en")
    found = aligner.align(BOUGHT, words, [BOUGHT, "The cat sleeps."])
    assert found == pytest.approx([1.0] * len(words), abs=0.002)
    other = aligner.align(BOUGHT, words, ["The cat sleeps."])
    assert (other < found - 0.3).any()


def test_a_word_is_like_its_synonym_and_not_like_another_word(aligner: TokenAligner) -> None:
    said = "The company will buy the old factory next year."
    here = {word.text: word for word in words_of(said, "en")}
    there = {word.text: word for word in words_of(BOUGHT, "en")}
    assert aligner.likeness(said, here["buy"], BOUGHT, there["purchase"]) > 0.9
    assert aligner.likeness(said, here["buy"], BOUGHT, there["factory"]) < 0.5


def test_what_is_found_depends_on_nothing_else_that_was_read(
    encoder: MiniLmEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wording, "_TEXTS_KEPT", 4)
    claim = "The company will buy the old factory."
    alone = check(claim, BOUGHT, TokenAligner(encoder))
    crowded = TokenAligner(encoder)
    crowded.prepare([f"Sentence {number} is about gardens." for number in range(6)])
    crowded.prepare([claim, "Something else.", BOUGHT])
    assert check(claim, BOUGHT, crowded) == alone


@pytest.mark.parametrize("quote", ["", " ", "…", "?!"])
def test_a_quote_without_words_carries_nothing(quote: str, aligner: TokenAligner) -> None:
    found = aligner.align("Potatoes grow.", words_of("Potatoes grow.", "en"), [quote])
    assert found.max() < 0.8
    assert not check("Potatoes grow.", quote or "x", aligner).holds


def test_a_better_alignment_is_more_probable_and_a_fault_less() -> None:
    chances = [support_probability(aligned=share / 10) for share in range(11)]
    assert chances == sorted(chances)
    assert all(0 < chance < 1 for chance in chances)
    assert support_probability(aligned=0.9, faulty=True) < support_probability(aligned=0.9)


def test_cosines_of_another_encoder_are_not_judged_by_this_model() -> None:
    assert is_fitted_for("all-MiniLM-L6-v2/2")
    assert not is_fitted_for("bge-small-en-v1.5#0123")


def test_the_encoder_is_named(aligner: TokenAligner, encoder: MiniLmEncoder) -> None:
    told = ClaimChecker(EvenWeights(), aligner=aligner).judged_by
    assert told == f"words and token states of {encoder.name}"
