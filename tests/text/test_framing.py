from __future__ import annotations

import time

import pytest

from pincite.text.question_forms import without_frame


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Tell me about bearings", "bearings"),
        ("What about bearings?", "bearings"),
        ("Give me information on bearings", "bearings"),
        ("What do the documents say about bearings?", "bearings"),
        ("Could you please tell me when leave expires?", "when leave expires"),
        ("Is the suction line mentioned?", "the suction line"),
        ("What is the limit, according to the documents?", "What is the limit?"),
        ("What does SOP stand for?", "What does SOP?"),
        ("What does the travel policy say about hotels?", "the travel policy: hotels"),
    ],
)
def test_words_that_only_ask_are_left_out(text: str, expected: str) -> None:
    assert without_frame(text, "en") == expected


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("de", "Was sagen die Dokumente über Lager?", "Lager"),
        ("de", "Kannst du mir bitte sagen, wann er endet?", "wann er endet"),
        ("fr", "Que disent les documents sur les roulements ?", "les roulements"),
        ("es", "¿Qué dicen los documentos sobre hoteles?", "hoteles"),
        ("it", "Cosa dicono i documenti sugli hotel?", "hotel"),
        ("nl", "Wat zeggen de documenten over lagers?", "lagers"),
        ("ru", "Расскажите мне о насосах", "насосах"),
        ("ja", "軸受について教えてください", "軸受"),
    ],
)
def test_they_are_known_in_other_languages(language: str, text: str, expected: str) -> None:
    assert without_frame(text, language) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Well pump pressure",
        "How many documents are in the file?",
        "What is written on the label?",
        "Tell me about it",
        "When was the fee mentioned in the letter paid?",
    ],
)
def test_words_that_are_meant_stay(text: str) -> None:
    assert without_frame(text, "en") == text


def test_long_questions_take_no_time() -> None:
    began = time.process_time()
    for opening in ("what does ", "is ", "tell me ", "fasse "):
        without_frame(opening + "a " * 50_000, "en")
    assert time.process_time() - began < 5
