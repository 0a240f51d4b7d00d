from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pincite.answer.extractive import ExtractiveAnswerer
from pincite.document import Span
from pincite.records import Evidence, Passage, Question, Selection

QUESTION = Question(text="what")


def evidence(number: int, passage: str, start: int, score: float) -> Evidence:
    span = Span(document_id="d", start=start, end=start + 5)
    held_in = Passage(id=passage, span=span, section=(), page=None, sentences=(span,))
    return Evidence(
        id=f"e{number}", span=span, quote=f"quote {number}", passage=held_in, score=score
    )


def selection(chosen: list[Evidence]) -> Selection:
    return Selection(evidence=tuple(chosen))


EVIDENCE = st.lists(
    st.tuples(st.sampled_from("pqr"), st.integers(0, 99), st.floats(0, 1)), max_size=8
).map(lambda rows: [evidence(number, *row) for number, row in enumerate(rows)])


@given(EVIDENCE)
def test_each_piece_of_evidence_is_one_claim_word_for_word(given_evidence: list[Evidence]) -> None:
    draft = ExtractiveAnswerer().draft(QUESTION, selection(given_evidence))
    by_id = {item.id: item for item in given_evidence}
    assert sorted(item.id for item in draft.evidence) == sorted(by_id)
    assert [claim.evidence_ids for claim in draft.claims] == [(e.id,) for e in draft.evidence]
    assert all(claim.text == by_id[claim.evidence_ids[0]].quote for claim in draft.claims)
    assert all(claim.verdict is None for claim in draft.claims)


@given(EVIDENCE)
def test_passages_come_by_their_best_sentence_and_sentences_as_they_stand(
    given_evidence: list[Evidence],
) -> None:
    order = ExtractiveAnswerer().draft(QUESTION, selection(given_evidence)).evidence
    passages = list(dict.fromkeys(item.passage.id for item in order))
    best = [max(e.score for e in order if e.passage.id == name) for name in passages]
    assert best == sorted(best, reverse=True)
    for name in passages:
        rows = [row for row, item in enumerate(order) if item.passage.id == name]
        assert rows == list(range(rows[0], rows[-1] + 1))
        starts = [order[row].span.start for row in rows]
        assert starts == sorted(starts)


def test_no_evidence_gives_an_empty_draft() -> None:
    draft = ExtractiveAnswerer().draft(QUESTION, selection([]))
    assert (draft.claims, draft.evidence) == ((), ())


def test_of_a_table_the_best_row_comes_first_and_its_heads_last() -> None:
    spans = [Span(document_id="d", start=10 * n, end=10 * n + 5) for n in range(5)]
    whole = Span(document_id="d", start=0, end=45)
    table = Passage(
        id="p",
        span=whole,
        section=(),
        page=None,
        sentences=tuple(spans),
        headers=((), (), (1,), (1,), (1,)),
    )
    scores = [0.5, 0.7, 0.6, 0.8, 0.9]
    chosen = [
        Evidence(id=f"e{n}", span=spans[n], quote=f"quote {n}", passage=table, score=score)
        for n, score in enumerate(scores)
    ]
    order = ExtractiveAnswerer().draft(QUESTION, selection(chosen)).evidence
    assert [item.id for item in order] == ["e0", "e4", "e2", "e3", "e1"]
    alone = ExtractiveAnswerer().draft(QUESTION, selection(chosen[:2])).evidence
    assert [item.id for item in alone] == ["e0", "e1"]
