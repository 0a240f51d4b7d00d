from __future__ import annotations

import pytest

from pincite.answer.part_selectors import DefinedTermsSelector
from pincite.answer.selection import MmrSelector
from pincite.records.document import Span
from pincite.records.flow import Hit, Passage, Question
from pincite.testing.fakes import MemorySources
from pincite.testing.samples import text_document

SENTENCES = [
    "Either party may tell the other party that the parties to the agreement agree.",
    'This agreement is made between Harrow Limited (the "Customer") and Pelling GmbH (the "Supplier").',
    '"Services" means what Schedule 1 lists.',
    "The Supplier performs the Services.",
    'He called it "quick", and between us (as "he" said) it was "slow".',
]
USES, PARTIES, MEANING, PERFORMS, CALLED = SENTENCES
DOCUMENT = text_document(" ".join(SENTENCES))
SPANS = tuple(
    Span(document_id=DOCUMENT.id, start=start, end=start + len(sentence))
    for sentence in SENTENCES
    for start in [DOCUMENT.text.index(sentence)]
)
WHOLE = Span(document_id=DOCUMENT.id, start=0, end=len(DOCUMENT.text))
PASSAGE = Passage(id="p", span=WHOLE, section=(), page=None, sentences=SPANS)


def first(question: str) -> tuple[str, float]:
    sources = MemorySources([DOCUMENT])
    best = MmrSelector(
        sources,
        max_sentences=1,
        mmr_lambda=1.0,
        max_similarity=1.0,
        margin=0.1,
        lead_margin=0.1,
    )
    hit = Hit(passage=PASSAGE, score=0.7, scores={}, sentence_scores=(0.7, 0.4, 0.5, 0.6, 0.3))
    (item,) = DefinedTermsSelector(best, sources).select(Question(text=question), [hit]).evidence
    return item.quote, item.score


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Who are the parties to the agreement?", PARTIES),
        ("Wer sind die Vertragsparteien?", PARTIES),
        ("¿Quiénes son las partes?", PARTIES),
        ("Who is the Supplier?", PARTIES),
        ("Who is the Customer under the agreement?", PARTIES),
        ('What does "Services" mean?', MEANING),
        ("What are the Services?", MEANING),
        ("What is the definition of Services?", MEANING),
        ("Who pays the Supplier?", USES),
        ("What is the fee?", USES),
        ("Do the parties agree?", USES),
        ("What must the Supplier do?", USES),
    ],
)
def test_what_defines_comes_before_what_uses(question: str, expected: str) -> None:
    quote, score = first(question)
    assert quote == expected
    assert score == pytest.approx(0.7 if expected == USES else 0.8)


@pytest.mark.parametrize(
    "question",
    ["Who are the parties to the Zenith lease?", "Who is the Supplier under the Zenith lease?"],
)
def test_of_a_document_that_may_be_another_it_is_not_certain(question: str) -> None:
    quote, score = first(question)
    assert quote == PARTIES
    assert score == pytest.approx(0.701)
