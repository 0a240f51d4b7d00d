"""Drafts of each mode: what is shown, what is left out, and what is shown instead."""

from __future__ import annotations

from pathlib import Path

import pytest

from pincite.records.document import Span
from pincite.records.flow import (
    Answer,
    Claim,
    Draft,
    Evidence,
    Hit,
    Mode,
    Passage,
    Question,
    Status,
    Verdict,
)
from pincite.records.reasons import Reason, ReasonKind
from pincite.testing.fakes import EvenWeights, MemorySources
from pincite.testing.samples import text_document
from pincite.verify.abstention.decision import Judge, Thresholds
from pincite.verify.abstention.reasons import Provenance
from pincite.verify.statements.claims import ClaimChecker
from pincite.verify.verifier import Needed, SourceVerifier
from verify.test_verifier import draft_of

OPENS = "The relief valve opens at 6.5 bar."
CLOSES = "The relief valve closes within 3 seconds."
GREEN = "The relief valve is green."
TEXT = f"{OPENS} {CLOSES} {GREEN}"
DOCUMENT = text_document(TEXT, title="manual.txt")
QUESTION = Question(text="When does the relief valve open and close?")
WRONG = Claim(text="The relief valve opens at 9 bar.", evidence_ids=("e0",))


def evidence() -> tuple[Evidence, ...]:
    found = []
    for number, quote in enumerate((OPENS, CLOSES, GREEN)):
        start = TEXT.index(quote)
        span = Span(document_id=DOCUMENT.id, start=start, end=start + len(quote))
        passage = Passage(id="p", span=span, section=("Valve",), page=None, sentences=(span,))
        found.append(Evidence(id=f"e{number}", span=span, quote=quote, passage=passage, score=0.9))
    return tuple(found)


def draft(*claims: Claim, mode: Mode = Mode.GENERATED, fallback: Draft | None = None) -> Draft:
    return Draft(claims=claims, evidence=evidence(), mode=mode, fallback=fallback)


def quotes_instead() -> Draft:
    return draft_of(*evidence()[:1])


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "manual.txt"
    path.write_text(TEXT)
    return path


def verifier(
    path: Path, *, needed: Needed | None = None, confidence: float = 0.0
) -> SourceVerifier:
    sources = MemorySources([DOCUMENT], {DOCUMENT.id: str(path)})
    return SourceVerifier(
        sources,
        ClaimChecker(EvenWeights()),
        Provenance(corpus_version="c", settings_digest="s"),
        needed or Needed(),
        Judge(sources, EvenWeights(), Thresholds(confidence=confidence)),
    )


def hits() -> list[Hit]:
    return [Hit(passage=item.passage, score=0.9, scores={"dense": 0.8}) for item in evidence()]


def verify(path: Path, draft: Draft, *, needed: Needed | None = None) -> Answer:
    return verifier(path, needed=needed).verify(QUESTION, draft, hits())


def test_statements_of_a_model_carry_the_numbers_of_their_quotes(path: Path) -> None:
    answer = verify(
        path,
        draft(
            Claim(text="The relief valve closes within 3 seconds.", evidence_ids=("e1",)),
            Claim(
                text="The relief valve opens at 6.5 bar, and the relief valve closes in 3 seconds.",
                evidence_ids=("e0", "e1"),
            ),
        ),
    )
    assert answer.mode is Mode.GENERATED
    assert [claim.citations for claim in answer.claims] == [(1,), (2, 1)]
    assert [citation.quote for citation in answer.citations] == [CLOSES, OPENS]
    assert answer.text.splitlines() == [claim.text for claim in answer.claims]
    assert [claim.verdict for claim in answer.claims] == [Verdict.SUPPORTED] * 2


@pytest.mark.parametrize("mode", [Mode.EXTRACTIVE, Mode.QUOTED])
def test_where_nobody_writes_a_statement_must_be_its_quote(path: Path, mode: Mode) -> None:
    said = Claim(text=OPENS, evidence_ids=("e0",))
    near = Claim(text="The relief valve opens at 6.5 bar", evidence_ids=("e0",))
    answer = verify(path, draft(said, near, mode=mode))
    assert answer.text == OPENS
    assert answer.mode is mode
    assert [claim.verdict for claim in answer.left_out] == [Verdict.NOT_WORD_FOR_WORD]


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        (Claim(text="The valve is old.", evidence_ids=()), Verdict.NOT_CITED),
        (Claim(text=" ", evidence_ids=("e0",)), Verdict.EMPTY),
        (Claim(text=OPENS, evidence_ids=("e0", "e7")), Verdict.QUOTE_NOT_IN_SOURCE),
        (WRONG, Verdict.NUMBER_NOT_IN_QUOTE),
    ],
)
def test_a_statement_that_does_not_hold_is_left_out_with_its_verdict(
    path: Path, claim: Claim, verdict: Verdict
) -> None:
    good = Claim(text=CLOSES, evidence_ids=("e1",))
    answer = verify(path, draft(good, claim))
    assert answer.text == CLOSES
    assert [(c.text, c.verdict) for c in answer.left_out] == [(claim.text, verdict)]
    assert any(reason.startswith("1 of 2 statements was left out:") for reason in answer.reasons)
    assert [citation.quote for citation in answer.citations] == [CLOSES]


def test_when_too_little_holds_the_quotes_are_shown_and_that_is_told(path: Path) -> None:
    good = Claim(text=CLOSES, evidence_ids=("e1",))
    answer = verify(path, draft(good, WRONG, WRONG, fallback=quotes_instead()))
    assert (answer.mode, answer.text) == (Mode.EXTRACTIVE, OPENS)
    told = "the documents do not support what the model wrote; the quotes themselves are shown"
    assert told in answer.reasons
    assert "2 of 3 statements were left out: number not in a cited quote" in answer.reasons[0]
    assert {claim.text for claim in answer.left_out} == {CLOSES, WRONG.text}


def test_as_much_as_is_needed_is_enough(path: Path) -> None:
    good = Claim(text=CLOSES, evidence_ids=("e1",))
    said = draft(good, WRONG, fallback=quotes_instead())
    assert verify(path, said).mode is Mode.GENERATED
    for needed in (Needed(share=0.6), Needed(statements=2)):
        assert verify(path, said, needed=needed).text == OPENS


def test_a_model_that_writes_nothing_gives_way_to_the_quotes(path: Path) -> None:
    answer = verify(path, draft(fallback=quotes_instead()))
    assert (answer.mode, answer.text) == (Mode.EXTRACTIVE, OPENS)
    assert answer.reasons == ("the model wrote no statement; the quotes themselves are shown",)


def test_without_anything_to_fall_back_on_nothing_is_an_abstention(path: Path) -> None:
    answer = verify(path, draft(WRONG))
    assert answer.status is Status.ABSTAINED
    assert (answer.text, answer.claims, answer.citations) == ("", (), ())
    assert "no statement could be verified against its source" in answer.reasons


def test_what_the_answerer_has_to_say_is_told(path: Path) -> None:
    said = Draft(
        claims=(),
        evidence=(),
        mode=Mode.GENERATED,
        notices=("the model could not be reached",),
        fallback=quotes_instead(),
    )
    assert verify(path, said).reasons[0] == "the model could not be reached"


def test_a_preview_shows_what_holds_so_far_with_its_quotes(path: Path) -> None:
    opens = Claim(text="The relief valve opens at 6.5 bar.", evidence_ids=("e0",))
    preview = verifier(path).preview(QUESTION, draft(opens, WRONG), hits())
    assert [claim.text for claim in preview.claims] == [opens.text]
    assert [citation.quote for citation in preview.citations] == [OPENS]


def test_a_preview_shows_nothing_of_what_would_be_refused(path: Path) -> None:
    sure = verifier(path, confidence=0.999999)
    opens = Claim(text="The relief valve opens at 6.5 bar.", evidence_ids=("e0",))
    assert not sure.preview(QUESTION, draft(opens), hits()).claims
    assert not verifier(path).preview(QUESTION, draft(WRONG), hits()).claims


def test_where_nothing_is_shown_nothing_says_that_quotes_are(path: Path) -> None:
    down = Reason.of(ReasonKind.QUOTES_ALONE, cause="the model 'm' cannot be reached")
    fallback = Draft(claims=(), evidence=(), notices=(down,))
    answer = verify(path, draft(fallback=fallback))
    assert answer.status is Status.ABSTAINED
    told = ("the model wrote no statement", "the model 'm' cannot be reached")
    assert set(told) <= set(answer.reasons)
    assert not any("are shown" in reason for reason in answer.reasons)
