"""Answers of quotes show units of the document, the best first, and as few as carry the answer."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pincite.answer.extractive import ExtractiveAnswerer
from pincite.ingest.readers import FileReader
from pincite.records.document import Document, Span
from pincite.records.flow import AnsweredPart, Claim, Draft, Evidence, Passage, Question, Selection
from pincite.testing.fakes import MemorySources
from pincite.testing.samples import text_document
from pincite.text.sentences import sentence_spans

QUESTION = Question(text="what")
TEXT = "\n\n".join(
    " ".join(
        f"Sentence {row}.{place} of the manual says something of its own." for place in range(9)
    )
    for row in range(4)
)
DOCUMENT = text_document(TEXT)
SENTENCES = [Span(document_id=DOCUMENT.id, start=a, end=b) for a, b in sentence_spans(TEXT)]


def evidence(document: Document, quote: str, score: float, name: str) -> Evidence:
    start = document.text.index(quote)
    return at(document, start, start + len(quote), score, name)


def at(document: Document, start: int, end: int, score: float, name: str) -> Evidence:
    span = Span(document_id=document.id, start=start, end=end)
    passage = Passage(id="p", span=span, section=(), page=None, sentences=(span,))
    quote = document.text[start:end]
    return Evidence(id=name, span=span, quote=quote, passage=passage, score=score)


def drafted(document: Document, *chosen: Evidence, parts: tuple[AnsweredPart, ...] = ()) -> Draft:
    answerer = ExtractiveAnswerer(MemorySources([document]))
    return answerer.draft(QUESTION, Selection(evidence=chosen, parts=parts))


def told(claim: Claim) -> str:
    assert claim.telling is not None
    return claim.text[slice(*claim.telling)]


CHOSEN = st.lists(
    st.tuples(st.integers(0, len(SENTENCES) - 1), st.floats(0, 1)),
    max_size=8,
    unique_by=lambda c: c[0],
)


@given(CHOSEN)
@example([(23, 0.18), (20, 0.62), (25, 1.0), (4, 1.0), (12, 0.0), (19, 0.66)])
def test_every_chosen_sentence_is_in_one_unit_and_units_are_word_for_word(
    chosen: list[tuple[int, float]],
) -> None:
    items = [
        at(DOCUMENT, SENTENCES[row].start, SENTENCES[row].end, score, f"e{number}")
        for number, (row, score) in enumerate(chosen)
    ]
    draft = drafted(DOCUMENT, *items)
    for item in draft.evidence:
        assert DOCUMENT.text[item.span.start : item.span.end] == item.quote
        assert item.telling is not None
        assert item.span.contains(item.telling)
    spans = sorted((item.span.start, item.span.end) for item in draft.evidence)
    assert all(here[1] <= there[0] for here, there in pairwise(spans))
    for item in items:
        assert any(unit.span.contains(item.span) for unit in draft.evidence)


@given(CHOSEN)
def test_nothing_that_scores_less_stands_before_what_scores_more(
    chosen: list[tuple[int, float]],
) -> None:
    items = [
        at(DOCUMENT, SENTENCES[row].start, SENTENCES[row].end, score, f"e{number}")
        for number, (row, score) in enumerate(chosen)
    ]
    draft = drafted(DOCUMENT, *items)
    by_id = {item.id: item.score for item in draft.evidence}
    scores = [by_id[claim.evidence_ids[0]] for claim in draft.claims]
    assert scores == sorted(scores, reverse=True)
    further = [claim.is_further for claim in draft.claims]
    assert further == sorted(further)
    assert not further[:1] or not further[0]


def test_no_evidence_gives_an_empty_draft() -> None:
    draft = drafted(DOCUMENT)
    assert (draft.claims, draft.evidence) == ((), ())


def test_the_sentence_that_answers_is_marked_in_its_paragraph() -> None:
    document = text_document("It has a red lid. The torque is 45 Nm. It was built in 1987.")
    (claim,) = drafted(document, evidence(document, "The torque is 45 Nm.", 0.9, "e1")).claims
    assert claim.text == document.text
    assert told(claim) == "The torque is 45 Nm."


def test_of_several_questions_the_best_of_each_is_shown_and_the_rest_on_request() -> None:
    first, second, third = (SENTENCES[9 * row] for row in range(3))
    items = [
        at(DOCUMENT, span.start, span.end, score, name)
        for span, score, name in ((first, 0.9, "e1"), (second, 0.89, "e2"), (third, 0.4, "e3"))
    ]
    parts = (
        AnsweredPart(text="a?", evidence_ids=("e1", "e2")),
        AnsweredPart(text="b?", evidence_ids=("e3",)),
        AnsweredPart(text="c?", evidence_ids=()),
    )
    draft = drafted(DOCUMENT, *items, parts=parts)
    assert draft.parts == ("a?", "b?", "c?")
    shown = [(claim.evidence_ids, claim.parts) for claim in draft.claims if not claim.is_further]
    assert shown == [(("e1",), (0,)), (("e3",), (1,))]


def test_a_row_is_shown_alone_and_a_row_of_heads_with_its_table(tmp_path: Path) -> None:
    path = tmp_path / "table.md"
    path.write_text("# T\n\n| part | torque |\n|---|---|\n| M8 | 25 Nm |\n| M10 | 45 Nm |\n")
    document = FileReader().read(path)
    row = next(
        block for block in document.blocks if "M10" in document.text[block.start : block.end]
    )
    (claim,) = drafted(document, at(document, row.start, row.end, 0.9, "e1")).claims
    assert "M8" not in claim.text
    head = next(
        block for block in document.blocks if "torque" in document.text[block.start : block.end]
    )
    (claim,) = drafted(document, at(document, head.start, head.end, 0.9, "e1")).claims
    assert "M8" in claim.text
    assert "M10" in claim.text


SHORT_SECTION = """# Workshop

## Planning

{long}

Invite the people who run the service.

Put the risks in order.

{long}
"""


@pytest.mark.parametrize(("score", "quotes"), [(0.88, 1), (0.7, 2)])
def test_two_places_of_one_section_are_one_quote_with_what_stands_between(
    tmp_path: Path, score: float, quotes: int
) -> None:
    path = tmp_path / "workshop.md"
    long = "The room has a table and a window. " * 40
    body = "Ask for the plan of the service.\n\nName what may fail."
    text = SHORT_SECTION.format(long=long).replace("Put the", f"{body}\n\nPut the")
    path.write_text(text)
    document = FileReader().read(path)
    draft = drafted(
        document,
        evidence(document, "Ask for the plan of the service.", 0.9, "e1"),
        evidence(document, "Put the risks in order.", score, "e2"),
    )
    assert len(draft.claims) == quotes
    assert ("Name what may fail." in draft.claims[0].text) is (quotes == 1)
