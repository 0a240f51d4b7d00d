from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.answer.packing import PackingSelector
from pincite.records.document import Span
from pincite.records.flow import Evidence, Hit, Passage, Question, Selection
from pincite.testing.fakes import MemorySources
from pincite.testing.samples import text_document

WORDS = "alpha beta gamma delta epsilon zeta eta theta".split()
SENTENCES = [f"Sentence {n} {' '.join(WORDS[: n % 6])}." for n in range(24)]
DOCUMENT = text_document(" ".join(SENTENCES))
SOURCES = MemorySources([DOCUMENT])
STARTS = [DOCUMENT.text.index(f"Sentence {n} ") for n in range(24)]
SPANS = [
    Span(document_id=DOCUMENT.id, start=start, end=start + len(sentence))
    for start, sentence in zip(STARTS, SENTENCES, strict=True)
]
QUESTION = Question(text="what")
CHOSEN = Selection(evidence=())


class Chooses:
    def select(self, question: Question, hits: Sequence[Hit]) -> Selection:
        return CHOSEN


def words(text: str) -> int:
    return len(text.split())


def hit(first: int, last: int, scores: Sequence[float] = ()) -> Hit:
    spans = tuple(SPANS[first:last])
    whole = Span(document_id=DOCUMENT.id, start=spans[0].start, end=spans[-1].end)
    passage = Passage(id=f"p{first}", span=whole, section=(), page=None, sentences=spans)
    return Hit(passage=passage, score=1.0, scores={}, sentence_scores=tuple(scores))


def pack(hits: Sequence[Hit], tokens: int, most: int = 100) -> tuple[Evidence, ...]:
    def room(question: Question, context: Sequence[Evidence]) -> int:
        del question
        return tokens - sum(words(item.quote) for item in context)

    packing = PackingSelector(Chooses(), SOURCES, room=room, count_tokens=words, max_passages=most)
    return packing.select(QUESTION, hits).context


PASSAGES = st.lists(st.tuples(st.integers(0, 23), st.integers(1, 6)), min_size=1, max_size=8).map(
    lambda found: [hit(first, min(24, first + size)) for first, size in found]
)


@given(PASSAGES, st.integers(0, 60))
def test_whole_sentences_fill_the_window_and_never_more(hits: list[Hit], tokens: int) -> None:
    packed = pack(hits, tokens)
    assert sum(words(item.quote) for item in packed) <= tokens
    assert all(item.quote == SOURCES.text_of(item.span) for item in packed)
    assert {item.quote for item in packed} <= set(SENTENCES)
    assert len({item.span for item in packed}) == len(packed)
    assert len({item.id for item in packed}) == len(packed)


@given(PASSAGES)
def test_with_room_enough_every_sentence_is_read_once(hits: list[Hit]) -> None:
    expected = {span for found in hits for span in found.passage.sentences}
    assert {item.span for item in pack(hits, 10_000)} == expected


def test_the_best_passages_come_first_and_their_sentences_as_they_stand() -> None:
    packed = pack([hit(12, 15), hit(0, 3)], 1000)
    assert [item.span for item in packed] == [*SPANS[12:15], *SPANS[0:3]]


def test_a_passage_that_does_not_fit_gives_its_best_sentences_in_their_order() -> None:
    packed = pack([hit(0, 4, scores=[0.1, 0.9, 0.2, 0.8])], words(SENTENCES[1] + SENTENCES[3]) + 1)
    assert [item.span for item in packed] == [SPANS[1], SPANS[3]]


def test_what_comes_after_a_passage_that_does_not_fit_is_tried_too() -> None:
    packed = pack([hit(5, 6), hit(0, 1)], words(SENTENCES[0]))
    assert [item.span for item in packed] == [SPANS[0]]


@pytest.mark.parametrize("most", [1, 2])
def test_no_more_passages_are_read_than_asked_for(most: int) -> None:
    packed = pack([hit(0, 2), hit(6, 8), hit(12, 14)], 1000, most=most)
    assert len({item.passage.id for item in packed}) == most
