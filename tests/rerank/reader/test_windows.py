"""What of a passage the reader sees, and in which form."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tokenizers import Tokenizer

from pincite.models.encoders.built_in import find_tokenizer
from pincite.models.inference.tokenizer import open_tokenizer
from pincite.rerank.reader.reader import PASSAGE_TOKENS, QUESTION_TOKENS, SEP, windows
from pincite.stages import ToRead
from training.examples import Example
from training.windows import load_tokenizer, whole_windows

TEXT = "The mill was built in 1794. It burnt down in 1840. A museum stands there."
SENTENCES = ((0, 27), (28, 50), (51, 73))
MILL = ToRead(heading="Old mill", text=TEXT, sentences=SENTENCES, focus=SENTENCES[1])
ASKED = "When did it burn?"


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return open_tokenizer(find_tokenizer())


@pytest.mark.parametrize("heading", ["Old mill", ""])
def test_a_pair_is_packed_as_the_reader_was_taught(tokenizer: Tokenizer, heading: str) -> None:
    (window,) = windows(tokenizer, ASKED, [replace(MILL, heading=heading)])
    example = Example(id="x", question=ASKED, passage=TEXT, answers=(), heading=heading)
    (taught,) = whole_windows(load_tokenizer(find_tokenizer()), [example], most=PASSAGE_TOKENS)
    assert window.ids[0].tolist() == taught.ids
    assert window.first == taught.first
    assert window.ids[1].tolist() == [0] * taught.first + [1] * (len(taught.ids) - taught.first)
    assert [tuple(place) for place in window.offsets.tolist()] == taught.characters


def test_each_token_belongs_to_the_sentence_it_begins_in(tokenizer: Tokenizer) -> None:
    (window,) = windows(tokenizer, ASKED, [MILL])
    held = [window.offsets[window.tokens_of(sentence)] for sentence in SENTENCES]
    assert [(part[0, 0], part[-1, 1]) for part in held] == list(SENTENCES)


@pytest.mark.parametrize("place", [0, 7, 39])
def test_of_a_long_passage_what_is_quoted_is_read(tokenizer: Tokenizer, place: int) -> None:
    shift = place * (len(TEXT) + 1)
    focus = (shift + 28, shift + 50)
    long = ToRead(heading="", text=" ".join([TEXT] * 40), sentences=(focus,), focus=focus)
    (window,) = windows(tokenizer, ASKED, [long])
    assert len(window.offsets) == PASSAGE_TOKENS
    held = window.offsets[window.tokens_of(focus)]
    assert (held[0, 0], held[-1, 1]) == focus


def test_a_quote_longer_than_the_window_is_read_from_its_beginning(tokenizer: Tokenizer) -> None:
    text = " ".join([TEXT] * 40)
    focus = (74, len(text))
    (window,) = windows(
        tokenizer, ASKED, [ToRead(heading="", text=text, sentences=(), focus=focus)]
    )
    assert window.offsets[0, 0] == 74


def test_a_long_question_leaves_room_for_the_passage(tokenizer: Tokenizer) -> None:
    (window,) = windows(tokenizer, "when " * 3000, [MILL])
    assert window.ids[0].tolist()[QUESTION_TOKENS + 1] == SEP
    assert len(window.offsets) > 10
