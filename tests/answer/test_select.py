from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.answer.selection import MmrSelector
from pincite.ingest.plain.delimited import DelimitedReader
from pincite.models.vectors import normalised
from pincite.records.document import Document, Span
from pincite.records.flow import Hit, Passage, Question
from pincite.testing.fakes import MemorySources
from pincite.testing.samples import text_document
from pincite.text.terms import terms

WORDS = "ash birch cedar dogwood elm fir gorse holly ivy juniper kelp larch".split()
SENTENCES = [f"A {word} tells of {WORDS[n % 4]}." for n, word in enumerate(WORDS)]
DOCUMENT = text_document(" ".join(SENTENCES))
SOURCES = MemorySources([DOCUMENT])
QUESTION = Question(text="what")
STARTS = [DOCUMENT.text.index(sentence) for sentence in SENTENCES]
SPANS = [
    Span(document_id=DOCUMENT.id, start=start, end=start + len(sentence))
    for start, sentence in zip(STARTS, SENTENCES, strict=True)
]
# A handful of directions, so that equal, near and far sentences all come up.
DIRECTIONS = normalised(np.random.default_rng(3).standard_normal((5, 6))).astype(np.float32)


def hit(first: int, scores: tuple[float, ...], vectors: Any = None) -> Hit:
    sentences = tuple(SPANS[first : first + len(scores)])
    span = Span(document_id=DOCUMENT.id, start=sentences[0].start, end=sentences[-1].end)
    passage = Passage(
        id=f"p{first}-{len(scores)}", span=span, section=(), page=None, sentences=sentences
    )
    return Hit(
        passage=passage, score=0.5, scores={}, sentence_scores=scores, sentence_vectors=vectors
    )


def one_passage(
    quotes: Sequence[str], scores: tuple[float, ...], vectors: Any
) -> tuple[Document, Hit]:
    """A document of these sentences, and the hit that is all of it."""
    document = text_document(" ".join(quotes))
    starts = [document.text.index(quote) for quote in quotes]
    spans = tuple(
        Span(document_id=document.id, start=start, end=start + len(quote))
        for start, quote in zip(starts, quotes, strict=True)
    )
    whole = Span(document_id=document.id, start=0, end=len(document.text))
    passage = Passage(id="p", span=whole, section=(), page=None, sentences=spans)
    return document, Hit(
        passage=passage, score=0.5, scores={}, sentence_scores=scores, sentence_vectors=vectors
    )


@st.composite
def hit_lists(draw: st.DrawFn, *, with_vectors: bool) -> list[Hit]:
    found = []
    for first in draw(st.lists(st.integers(0, 9), max_size=4, unique=True)):
        scores = draw(st.lists(st.floats(0, 1), min_size=1, max_size=3).map(tuple))
        # One direction for each place in the text: a sentence in two passages is the same.
        rows = [(first + row) % len(DIRECTIONS) for row in range(len(scores))]
        found.append(hit(first, scores, DIRECTIONS[rows] if with_vectors else None))
    return found


HITS = hit_lists(with_vectors=True) | hit_lists(with_vectors=False)


def selector(**changes: float) -> MmrSelector:
    options: dict[str, Any] = {
        "max_sentences": 6,
        "mmr_lambda": 0.7,
        "max_similarity": 0.82,
        "margin": 0.3,
        "lead_margin": 0.3,
    }
    return MmrSelector(SOURCES, **(options | changes))


@given(HITS, st.integers(1, 5))
def test_there_are_never_more_sentences_than_allowed(hits: list[Hit], most: int) -> None:
    assert len(selector(max_sentences=most).select(QUESTION, hits).evidence) <= most


@given(HITS, st.floats(0, 1))
def test_of_two_sentences_nearer_than_allowed_the_second_has_other_words(
    hits: list[Hit], nearest: float
) -> None:
    vectors = {
        span: row
        for one in hits
        if one.sentence_vectors is not None
        for span, row in zip(one.passage.sentences, one.sentence_vectors, strict=True)
    }
    chosen = (
        selector(max_similarity=nearest, margin=1, lead_margin=1).select(QUESTION, hits).evidence
    )
    for one, other in combinations(chosen, 2):
        if vectors:
            similarity = float(vectors[one.span] @ vectors[other.span])
        else:
            words, others = set(terms(one.quote)), set(terms(other.quote))
            similarity = len(words & others) / len(words | others)
        shared = set(terms(one.quote)) & set(terms(other.quote))
        assert similarity <= nearest or len(shared) < 0.5 * len(set(terms(other.quote)))


@given(HITS)
def test_each_quote_is_its_span_and_each_span_comes_once(hits: list[Hit]) -> None:
    chosen = selector(max_similarity=1.0, max_sentences=50).select(QUESTION, hits).evidence
    assert all(item.quote == SOURCES.text_of(item.span) for item in chosen)
    assert len({item.span for item in chosen}) == len(chosen)
    assert [item.id for item in chosen] == [f"e{n}" for n in range(1, len(chosen) + 1)]
    assert all(item.span in item.passage.sentences for item in chosen)


@given(HITS)
def test_the_best_sentence_of_all_comes_first_with_its_score(hits: list[Hit]) -> None:
    chosen = selector().select(QUESTION, hits).evidence
    scores = [score for one in hits for score in one.sentence_scores]
    assert bool(chosen) == bool(scores)
    if chosen:
        assert chosen[0].score == max(scores)


@given(HITS, st.floats(0, 0.5))
def test_nothing_further_below_the_best_than_the_margin_is_chosen(
    hits: list[Hit], margin: float
) -> None:
    chosen = selector(margin=margin, lead_margin=0).select(QUESTION, hits).evidence
    assert all(item.score >= chosen[0].score - margin for item in chosen)


@given(HITS)
def test_with_nothing_but_relevance_the_order_is_that_of_the_scores(hits: list[Hit]) -> None:
    chosen = selector(mmr_lambda=1.0, max_similarity=1.0).select(QUESTION, hits).evidence
    scores = [item.score for item in chosen]
    assert scores == sorted(scores, reverse=True)


@given(HITS)
def test_the_same_hits_give_the_same_evidence(hits: list[Hit]) -> None:
    assert selector().select(QUESTION, hits).evidence == selector().select(QUESTION, hits).evidence


def chosen_rows(made: MmrSelector, *hits: Hit) -> list[int]:
    return [SPANS.index(item.span) for item in made.select(QUESTION, hits).evidence]


def test_a_sentence_before_the_best_must_be_nearly_as_good() -> None:
    passage = hit(0, (0.85, 0.9, 0.85), DIRECTIONS[:3])
    strict = selector(margin=0.08, lead_margin=0.02, max_similarity=1.0)
    assert sorted(chosen_rows(strict, passage)) == [1, 2]
    loose = selector(margin=0.08, lead_margin=0.08, max_similarity=1.0)
    assert sorted(chosen_rows(loose, passage)) == [0, 1, 2]


def test_the_lead_margin_counts_in_the_passage_of_the_best_sentence_only() -> None:
    best, other = hit(4, (0.9,), DIRECTIONS[:1]), hit(0, (0.85,), DIRECTIONS[1:2])
    made = selector(margin=0.08, lead_margin=0.0, max_similarity=1.0)
    assert chosen_rows(made, best, other) == [4, 0]


def test_something_new_is_preferred_to_a_slightly_better_repetition() -> None:
    near = normalised(DIRECTIONS[0] + 0.5 * DIRECTIONS[1])
    passage = hit(0, (0.9, 0.85, 0.84), np.stack([DIRECTIONS[0], near, DIRECTIONS[2]]))
    made = selector(max_sentences=2, max_similarity=1.0)
    assert chosen_rows(made, passage) == [0, 2]


def test_without_hits_there_is_no_evidence() -> None:
    assert selector().select(QUESTION, []).evidence == ()


def test_a_hit_nobody_scored_gives_no_evidence() -> None:
    scored = hit(0, (0.9,))
    unscored = Hit(passage=scored.passage, score=0.9, scores={})
    assert selector().select(QUESTION, [unscored]).evidence == ()


@given(HITS, st.integers(1, 3), st.floats(0, 1), st.floats(0, 0.5))
def test_every_scored_passage_is_chosen_from_or_left_out_for_a_reason(
    hits: list[Hit], most: int, nearest: float, margin: float
) -> None:
    made = selector(max_sentences=most, max_similarity=nearest, margin=margin, lead_margin=margin)
    found = made.select(QUESTION, hits)
    told = {item.passage.id for item in (*found.evidence, *found.dropped)}
    assert told == {one.passage.id for one in hits if one.sentence_scores}
    assert all(item.reason and item.span is not None for item in found.dropped)
    chosen = {(item.passage.id, item.span) for item in found.evidence}
    assert not chosen & {(item.passage.id, item.span) for item in found.dropped}


def chosen_quotes(question: str, *quotes: str, document: Document | None = None) -> list[str]:
    """Of sentences that are equally good and hardly differ in their vectors."""
    document = document or text_document(" ".join(quotes))
    starts = [document.text.index(quote) for quote in quotes]
    spans = [
        Span(document_id=document.id, start=start, end=start + len(quote))
        for start, quote in zip(starts, quotes, strict=True)
    ]
    whole = Span(document_id=document.id, start=0, end=len(document.text))
    passage = Passage(id="p", span=whole, section=(), page=None, sentences=tuple(spans))
    scores = tuple(0.9 - 0.01 * number for number in range(len(quotes)))
    vectors = np.stack([DIRECTIONS[0]] * len(quotes))
    found = Hit(
        passage=passage, score=0.5, scores={}, sentence_scores=scores, sentence_vectors=vectors
    )
    options = {"max_sentences": 6, "mmr_lambda": 0.7, "max_similarity": 0.82}
    chooser = MmrSelector(MemorySources([document]), **options, margin=0.3, lead_margin=0.3)
    return [item.quote for item in chooser.select(Question(text=question), [found]).evidence]


SMALL, LARGE = "The pump GX-200 bears 12 bar.", "The pump GX-300 bears 18 bar."
OLD, NEW = "The notice period is two weeks.", "The notice period is four weeks."


ASKED, SAID = "How do I reset the pump?", "Hold the dial until it blinks."


@pytest.mark.parametrize(
    ("question", "quotes", "chosen"),
    [
        (ASKED, (ASKED, SAID), [SAID]),
        (ASKED, ("Hi Per,", ASKED, "Who has the key?"), []),
        ("Which questions are open?", (ASKED,), [ASKED]),
        (ASKED, (f"- [{ASKED}](#q0)", SAID), [SAID]),
        (ASKED, ("- [Resetting the pump](#reset)", SAID), [SAID]),
        (
            "What does a ticket cost?",
            ("~~A ticket costs 40.~~", "A ticket costs 55."),
            ["A ticket costs 55."],
        ),
        ("What does a ticket cost?", ("~~A ticket costs 40.~~", SAID), ["~~A ticket costs 40.~~"]),
        (
            "0341556677",
            ("The fax is 0341 556 678.", "Call 0341 / 55 66-77."),
            ["Call 0341 / 55 66-77."],
        ),
        (
            "What was on 14 March 2024?",
            ("On 2024-03-15 A.", "On 14.03.2024 B."),
            ["On 14.03.2024 B."],
        ),
        ("Who makes Part 84?", ("Part 83 is by A.", "Part 84 is by B."), ["Part 84 is by B."]),
    ],
)
def test_what_asks_or_is_struck_out_gives_way_and_what_is_named_comes_first(
    question: str, quotes: tuple[str, ...], chosen: list[str]
) -> None:
    assert chosen_quotes(question, *quotes)[: max(1, len(chosen))] == chosen


@pytest.mark.parametrize(
    ("question", "quotes", "chosen"),
    [
        ("What does the gx-300 bear, and the gx-200?", (SMALL, LARGE), [SMALL, LARGE]),
        ("What does the GX-200 bear?", (SMALL, LARGE), [SMALL]),
        ("What do pumps bear?", (SMALL, LARGE), [SMALL, LARGE]),
        ("What does the GX-400 bear?", (SMALL, LARGE), [SMALL, LARGE]),
        ("What is the notice period?", (OLD, NEW), [OLD, NEW]),
        ("What is the notice period?", (OLD, OLD.replace("The", "This")), [OLD]),
        # What differs is not a detail of the same statement.
        ("What is there?", (LARGE, "The pump GX-300 bears 18 bar, too."), [LARGE]),
    ],
)
def test_what_differs_in_a_number_or_a_name_is_no_repetition_unless_the_question_chose(
    question: str, quotes: tuple[str, ...], chosen: list[str]
) -> None:
    assert chosen_quotes(question, *quotes) == chosen


def test_another_value_for_the_same_comes_before_other_words() -> None:
    quotes = [
        "Appliances: sales fell by 6.1%.",
        "Appliances: sales fell by 16.1%.",
        "Nobody knows why that was.",
    ]
    document, found = one_passage(quotes, (0.9, 0.88, 0.87), np.eye(2, dtype=np.float32)[[0, 0, 1]])
    chooser = MmrSelector(
        MemorySources([document]),
        max_sentences=2,
        mmr_lambda=0.7,
        max_similarity=0.82,
        margin=0.3,
        lead_margin=0.3,
    )
    chosen = chooser.select(Question(text="How did sales of appliances change?"), [found]).evidence
    assert [item.quote for item in chosen] == quotes[:2]


CONTRACTS = """Counterparty,Contract,End,Owner
Alder Packaging,C-101,2024-12-31,J. Okafor
Brightwell Energy,C-102,2026-06-30,S. Lindqvist
Cato Cleaning,C-103,2023-03-31,J. Okafor
"""


@pytest.mark.parametrize(
    ("question", "chosen"),
    [
        ("Which contracts does Okafor own?", [1, 3]),
        ("Which contracts end?", [1, 2, 3]),
        ("When does the contract with Alder end?", [1]),
        ("Which contracts end in 2024?", [1]),
    ],
)
def test_rows_of_one_table_are_no_repetition_unless_the_question_chose(
    question: str, chosen: list[int]
) -> None:
    rows = CONTRACTS.splitlines()
    read = DelimitedReader().read(Path("contracts.csv"), CONTRACTS.encode())
    assert chosen_quotes(question, *rows[1:], document=read) == [rows[n] for n in chosen]


FULL, CLEAR = "The build cache is full.", "Run the clean command and deploy again."
SERVICE, PERSONAL = "Service tokens do not expire.", "Such tokens expire after 90 days."
ALONE, FAMILY = "The medical deduction is 96.05 a month.", "The family medical deduction is higher."


@pytest.mark.parametrize(
    ("question", "quotes"),
    [
        ("How is it repaired?", (FULL, CLEAR)),
        ("Do they expire?", (SERVICE, PERSONAL)),
        ("What is the family deduction?", (ALONE, FAMILY)),
    ],
)
def test_what_says_something_else_is_no_repetition_however_alike_the_vectors(
    question: str, quotes: tuple[str, ...]
) -> None:
    assert chosen_quotes(question, *quotes) == list(quotes)


@pytest.mark.parametrize(
    ("question", "chosen"),
    [
        ("status of TK-1044", ["TK-1044 | Harbor | open"]),
        ("status of TK-1099", ["TK-1042 | Harbor | lost", "TK-1044 | Harbor | open"]),
        ("which are of Harbor?", ["TK-1042 | Harbor | lost", "TK-1044 | Harbor | open"]),
    ],
)
def test_where_the_thing_asked_for_is_named_others_of_its_series_are_no_evidence(
    question: str, chosen: list[str]
) -> None:
    rows = ("TK-1042 | Harbor | lost", "TK-1044 | Harbor | open")
    assert chosen_quotes(question, *rows) == chosen


def test_a_sentence_before_the_best_one_needs_a_word_of_the_question_not_to_repeat_it() -> None:
    passage = hit(0, (0.9, 0.91), np.stack([DIRECTIONS[0]] * 2))
    made = selector()
    ask = Question(text=f"what does the {WORDS[0]} tell?")
    assert chosen_rows(made, passage) == [1]
    assert [item.span for item in made.select(ask, [passage]).evidence] == [SPANS[1], SPANS[0]]


def test_reasons_have_the_numbers_that_decided() -> None:
    vectors = np.stack([DIRECTIONS[0], DIRECTIONS[0], DIRECTIONS[1], DIRECTIONS[2]])
    made = selector(max_sentences=1, margin=0.3, max_similarity=0.82)
    passage = hit(0, (0.9, 0.85, 0.8, 0.2), vectors)
    other = hit(8, (0.1,), DIRECTIONS[:1])
    reasons = [item.reason for item in made.select(QUESTION, [passage, other]).dropped]
    assert reasons == [
        "score 0.100 is outside the margin: 0.600 needed, best 0.900",
        "better ones were chosen, at most 1",
        "better ones were chosen, at most 1",
    ]
    made = selector(max_sentences=2, margin=0.3, max_similarity=0.82)
    (repeated, *_) = made.select(QUESTION, [passage]).dropped
    assert repeated.reason == "repeats e1: similarity 1.000 > 0.820"
