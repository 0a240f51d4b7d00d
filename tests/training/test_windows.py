"""What the reader is taught from: windows of passages, with exact places."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer

from pincite.models.encoders.built_in import find_tokenizer
from training.examples import Example
from training.windows import (
    LONGEST_WINDOW,
    NO_SENTENCE,
    QUESTION_TOKENS,
    SEP,
    Window,
    load_tokenizer,
    training_windows,
    whole_windows,
)

SENTENCES = [
    f"In {year} the café of {town} sold {year * 7} cups of tea to its guests."
    for year, town in enumerate(["Bristol", "Łódź", "Zürich", "São Paulo", "Cork"] * 12, start=1900)
]
PASSAGE = " ".join(SENTENCES)


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return load_tokenizer(find_tokenizer())


def asked(answer: str, passage: str = PASSAGE) -> Example:
    start = passage.index(answer)
    span = (start, start + len(answer))
    return Example(id="x", question="How many cups?", passage=passage, answers=(span,), focus=span)


def words_at(window: Window, first: int, last: int) -> str:
    start = window.characters[first - window.first][0]
    end = window.characters[last - window.first][1]
    return window.example.passage[start:end]


@given(number=st.integers(0, len(SENTENCES) - 1), seed=st.integers(0, 10_000))
def test_the_answer_is_in_the_window_wherever_it_stands(number: int, seed: int) -> None:
    answer = f"{(1900 + number) * 7} cups of tea"
    (window,) = training_windows(load_tokenizer(find_tokenizer()), [asked(answer)], Random(seed))
    assert [words_at(window, *places) for places in window.short_answers] == [answer]


def test_windows_of_one_example_differ_in_length_and_place(tokenizer: Tokenizer) -> None:
    windows = training_windows(tokenizer, [asked("Zürich")] * 20, Random(3))
    assert len({len(window.ids) for window in windows}) > 5
    assert len({window.characters[0] for window in windows}) > 5


def test_the_same_seed_gives_the_same_windows(tokenizer: Tokenizer) -> None:
    one, other = (training_windows(tokenizer, [asked("Cork")], Random(5)) for _ in range(2))
    assert one == other


def test_each_passage_token_is_where_its_characters_are(tokenizer: Tokenizer) -> None:
    (window,) = training_windows(tokenizer, [asked("Łódź")], Random(1))
    tokens = window.ids[window.first : window.first + len(window.characters)]
    for token, (start, end) in zip(tokens, window.characters, strict=True):
        alone = tokenizer.encode(PASSAGE[start:end], add_special_tokens=False)
        assert tokenizer.decode([token]).removeprefix("##") in tokenizer.decode(alone.ids)
    assert window.ids[window.first - 1] == window.ids[-1] == SEP


def test_the_sentence_with_the_answer_is_the_one_that_answers(tokenizer: Tokenizer) -> None:
    example = asked(f"{1905 * 7} cups")
    (window,) = whole_windows(tokenizer, [example], most=LONGEST_WINDOW)
    assert [number for number, answers in enumerate(window.answering) if answers] == [5]
    place = window.short_answers[0][0] - window.first
    assert window.sentences[place] == 5
    assert NO_SENTENCE not in window.sentences


def test_a_long_answer_marks_its_sentences_and_no_short_span(tokenizer: Tokenizer) -> None:
    (window,) = training_windows(tokenizer, [asked(" ".join(SENTENCES[:4]))], Random(2))
    assert window.short_answers == []
    assert sum(window.answering) == 4


def test_an_answer_outside_the_window_is_no_span_of_it(tokenizer: Tokenizer) -> None:
    (window,) = whole_windows(tokenizer, [asked(f"{1959 * 7}")], most=60)
    assert window.short_answers == []


def test_a_window_keeps_what_was_asked_before_an_edit(tokenizer: Tokenizer) -> None:
    start = PASSAGE.index("1930")
    edited = Example(
        id="edited/x", question="?", passage=PASSAGE, answers=(), focus=(start, start + 4)
    )
    for window in training_windows(tokenizer, [edited] * 20, Random(4)):
        assert (start, start + 4) in window.characters
        assert not any(window.answering)


def test_an_empty_passage_and_a_long_question_make_a_window(tokenizer: Tokenizer) -> None:
    example = Example(id="x", question="why " * 500, passage="", answers=())
    (window,) = training_windows(tokenizer, [example], Random(0))
    assert len(window.ids) == QUESTION_TOKENS + 3
    assert window.characters == []


def test_the_heading_stands_between_question_and_passage(tokenizer: Tokenizer) -> None:
    plain = asked("Zürich")
    headed = replace(plain, heading="Tea in Europe")
    without, shown = whole_windows(tokenizer, [plain, headed], most=60)
    words = tokenizer.encode("Tea in Europe", add_special_tokens=False).ids
    assert shown.ids == [*without.ids[: without.first], *words, SEP, *without.ids[without.first :]]
    assert shown.sentences == without.sentences


def test_some_training_windows_show_the_heading_and_some_do_not(tokenizer: Tokenizer) -> None:
    headed = replace(asked("Zürich"), heading="Tea in Europe")
    firsts = {w.first for w in training_windows(tokenizer, [headed] * 20, Random(3))}
    assert len(firsts) == 2
