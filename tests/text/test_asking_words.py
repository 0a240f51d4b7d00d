from __future__ import annotations

import pytest

from pincite.text.question_words import is_asking_verb, spoken_language, without_asking_phrases
from pincite.text.terms import question_terms, terms


@pytest.mark.parametrize(
    ("language", "question", "asked"),
    [
        ("de", "Wann muss ich meine Miete ueberweisen?", "Miete ueberweisen"),
        ("de", "Brauche ich fuer eine Katze eine Erlaubnis?", "Katze Erlaubnis"),
        ("fr", "Quelle pression faut-il à la chaudière ?", "pression chaudière"),
        ("fr", "Quand les encombrants sont-ils ramassés ?", "encombrants ramassés"),
        ("fr", "Où est le rendez-vous ?", "rendez-vous"),
        ("es", "Que dias puedo usar la piscina?", "dias usar piscina"),
        ("en", "What is A/S, i.e. in and/or of it?", "What is A/S, i.e. in and/or of it?"),
        ("en", "How long may passwords be?", "long passwords"),
        ("en", "when did it open in may", "open may"),
        ("en", "Which rent is due on 3 may?", "rent due 3 may"),
        ("en", "What happened in April and may 2024?", "happened April may 2024"),
        ("en", "Is May a month?", "May month"),
        ("ru", "Можно ли заменять шнур?", "заменять шнур"),
    ],
)
def test_words_that_only_ask_are_left_out_however_they_are_typed(
    language: str, question: str, asked: str
) -> None:
    assert list(question_terms(question, language)) == terms(asked, language)


def test_a_text_keeps_the_words_that_a_question_loses() -> None:
    assert "muss" in terms("Die Mieterin muss zahlen.", "de")


def test_an_accent_may_make_another_word() -> None:
    assert list(question_terms("¿Cuánto té hay?", "es")) == ["te"]


def test_words_that_only_ask_are_kept_where_nothing_else_is_asked() -> None:
    assert list(question_terms("Wann muss ich?", "de")) == ["wann", "muss"]


@pytest.mark.parametrize(
    ("language", "question", "spoken"),
    [
        ("en", "Wie hoch ist die Miete von Zimmer 102?", "de"),
        ("en", "Was kostet FR-200?", "de"),
        ("en", "¿Cuánto cuesta el queso?", "es"),
        ("de", "What is the price of it?", "en"),
        ("en", "Who is Van de Graaff?", "en"),
        ("en", "Where was Santa Maria de la Cruz built?", "en"),
        ("de", "FR-200", "de"),
    ],
)
def test_a_question_tells_its_language_where_it_rules_out_the_librarys(
    language: str, question: str, spoken: str
) -> None:
    assert spoken_language(question, language) == spoken


def test_words_of_the_questions_own_language_are_not_looked_up() -> None:
    found = question_terms("Wie hoch ist die Miete von Zimmer 102?", "en")
    assert not {"wie", "ist", "die", "von"} & {*found}


def test_how_much_is_asked_and_what_it_costs_need_not_be_said() -> None:
    assert without_asking_phrases("Wie hoch ist die Miete?", "de") == " ist die Miete?"
    assert without_asking_phrases("How many bolts?", "en") == " bolts?"
    assert is_asking_verb("kostet", "Was kostet FR-200?", "en")
    assert not is_asking_verb("Kosten", "Wer trägt die Kosten?", "de")
