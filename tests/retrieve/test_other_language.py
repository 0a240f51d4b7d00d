from __future__ import annotations

import json
from collections.abc import Collection
from pathlib import Path

import pytest

from pincite.retrieve.understanding import OtherLanguage

ENGLISH = {"en": 1000, "ca": 3}


class Weights:
    """A library in which the terms in `held` stand somewhere, and others nowhere."""

    def __init__(self, held: Collection[str] = ()) -> None:
        self._held = held

    def language(self, question: str) -> str:
        return "en"

    def weight(self, term: str) -> float:
        return 0.5 if term in self._held else 1.0


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("Wie lange dauert die Elternzeit?", "German"),
        ("Wer genehmigt meine Reisekosten?", "German"),
        ("Combien de semaines dure le congé parental ?", "French"),
        ("¿Cuántas semanas dura la licencia parental?", "Spanish"),
        ("Сколько длится отпуск по уходу за ребёнком?", "Russian"),
        ("Как правильно пользоваться Tock?", "Russian"),
        ("育儿假有多长时间？", "Chinese"),
        ("育児休暇はどのくらいですか？", "Japanese"),
    ],
)
def test_a_question_in_another_language_than_the_documents_is_told(
    question: str, language: str
) -> None:
    assert OtherLanguage(ENGLISH, Weights(held=["tock"]))(question) == language


@pytest.mark.parametrize(
    "question",
    [
        "How long is parental leave?",
        "parental leave",
        "hat size",
        "Was Die Hard released in 1988?",
        "Who wrote Les Misérables?",
        "De Luxe",
        "P-101",
        "?",
    ],
)
def test_a_question_of_the_documents_language_and_one_that_tells_none_are_not(
    question: str,
) -> None:
    assert OtherLanguage(ENGLISH, Weights())(question) == ""


def test_a_language_of_some_of_the_documents_is_not_another() -> None:
    both = OtherLanguage({"en": 60, "de": 40}, Weights())
    assert both("Wie lange dauert die Elternzeit?") == ""
    assert both("Combien de semaines dure le congé parental ?") == "French"


def test_a_script_that_the_library_holds_is_not_another() -> None:
    question = "育儿假有多长时间？"
    assert OtherLanguage(ENGLISH, Weights(held=("育儿", "儿假", "时间")))(question) == ""


def test_no_real_english_question_is_taken_for_another_language(shared: Path) -> None:
    other = OtherLanguage(ENGLISH, Weights())
    lines = (shared / "data" / "squad2-open" / "queries.jsonl").read_text("utf-8").splitlines()
    asked = [json.loads(line)["text"] for line in lines]
    assert len(asked) > 1000
    assert [question for question in asked if other(question)] == []
