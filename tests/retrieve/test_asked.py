"""Which questions are about the whole collection, and what they want counted."""

from __future__ import annotations

import json
from importlib.resources import files

import pytest

from pincite import UsageError
from pincite.records.counts import SurveyRequest
from pincite.retrieve.count_questions import count_request, survey_request

SURE = {
    "How many documents mention torque?": "torque",
    "Which files refer to the relief valve?": "relief valve",
    "What pages mention X-12": "X-12",
    "In how many reports is corrosion mentioned?": "corrosion",
    "list all emails that mention Fred Smith": "Fred Smith",
    "Find documents with the phrase soil pH.": "soil pH",
    "Count all documents mentioning boilers": "boilers",
    "Wie viele Dokumente erwähnen das Drehmoment?": "Drehmoment",
    "In wie vielen Berichten kommt Korrosion vor?": "Korrosion",
    "Liste alle Dateien auf, die den Kessel erwähnen": "Kessel",
    "Combien de documents mentionnent le brûleur ?": "brûleur",
    "Dans combien de fichiers l'eau est-elle mentionnée ?": "eau",
    "¿Cuántos documentos mencionan los tomates?": "tomates",
    "¿En qué archivos se menciona la caldera?": "caldera",
    "cuantos documentos mencionan la fianza": "fianza",
    "¿En cuántos documentos aparece la palabra fianza?": "fianza",
    "In wie vielen Dokumenten steht das Wort Kaution?": "Kaution",
    "Dans combien de documents figure le mot caution ?": "caution",
    "Dans combien de documents trouve-t-on le mot « caution » ?": "caution",
}
PLACES = {
    "How often is the emergency stop mentioned?": "emergency stop",
    "how many times does corrosion occur in the documents?": "corrosion",
    "Count the mentions of GSE-204": "GSE-204",
    "How many mentions of hoses are there?": "hoses",
    "Where is the assembly point mentioned?": "assembly point",
    "Wie oft wird der Kessel erwähnt?": "Kessel",
    "Combien de fois la pompe est-elle citée ?": "pompe",
    "¿Cuántas veces se menciona la caldera?": "caldera",
}
ORDINARY = [
    "How many bolts does the flange have?",
    "How many pages does the report have?",
    "How many API calls can I make in a minute with one token?",
    "Which documents are required for a visa?",
    "How many documents do I need for a visa?",
    "How many documents are needed?",
    "How often should the filter be changed?",
    "How often does corrosion occur in pipes?",
    "Which policies cover dental treatment?",
    "Which document describes the boiler?",
    "How many patients mention pain?",
    "How many chapters are there in the book?",
    "What is said about torque in the documents?",
    "What does the report mention about risk?",
    "In welchen Dokumenten steht, wie hoch die Kaution ist?",
    "Wie viele Dokumente brauche ich für ein Visum?",
    "Сколько документов нужно для визы?",
    "",
]


@pytest.mark.parametrize(("question", "subject"), SURE.items())
def test_a_question_for_documents_is_seen(question: str, subject: str) -> None:
    request = survey_request(question)
    assert request is not None
    assert (request.subject, request.wanted, request.is_certain) == (subject, "documents", True)


@pytest.mark.parametrize(("question", "subject"), PLACES.items())
def test_a_question_for_places_is_seen(question: str, subject: str) -> None:
    request = survey_request(question)
    assert request is not None
    assert (request.subject, request.wanted, request.is_certain) == (subject, "mentions", True)


@pytest.mark.parametrize("question", ORDINARY)
def test_a_question_that_one_sentence_answers_is_ordinary(question: str) -> None:
    assert survey_request(question) is None


def test_no_question_about_the_samples_is_taken_for_a_count() -> None:
    lines = (
        (files("pincite.interfaces.samples") / "questions.jsonl")
        .read_text(encoding="utf-8")
        .splitlines()
    )
    assert [survey_request(json.loads(line)["question"]) for line in lines] == [None] * len(lines)


@pytest.mark.parametrize(
    "question", ["Which documents contain safety rules?", "List all files about hydraulic hoses."]
)
def test_what_may_be_said_in_other_words_is_not_certain(question: str) -> None:
    request = survey_request(question)
    assert request is not None
    assert not request.is_certain
    assert "in other words" in " ".join(request.limits)


@pytest.mark.parametrize(
    "question",
    [
        "How many policies were changed?",
        "List all suppliers",
        "Wie viele Verträge laufen bald aus?",
        "In wie vielen Dokumenten geht es um die Kaution?",
        "In quanti documenti compare la parola cauzione?",
        "Сколько документов упоминают отпуск?",
        "How many agreements run for 5 years?",
        "Which contracts run for 5 years?",
        "What is the total number of invoices over 500 EUR?",
        "Welche Verträge laufen fünf Jahre?",
        "Quels contrats durent cinq ans ?",
        "¿Cuántos contratos duran cinco años?",
    ],
)
def test_what_words_cannot_tell_has_no_subject(question: str) -> None:
    assert survey_request(question) == SurveyRequest(subject="", is_certain=False)


def test_kinds_of_documents_are_not_told_apart() -> None:
    request = survey_request("Which policies mention parking?")
    assert request is not None
    assert "which are policies" in " ".join(request.limits)


@pytest.mark.parametrize("quoted", ['"relief valves"', "'relief valves'", "“relief valves”"])
def test_quoted_words_are_meant_exactly(quoted: str) -> None:
    request = survey_request(f"Which documents contain the phrase {quoted}?")
    assert request is not None
    assert (request.subject, request.is_exact, request.is_certain) == ("relief valves", True, True)


def test_words_alone_are_counted_as_they_are() -> None:
    assert count_request("the relief valve") == SurveyRequest(subject="relief valve")
    assert count_request('"relief valve"').is_exact


@pytest.mark.parametrize("words", ["", "?", '""', "  the  "])
def test_without_words_there_is_nothing_to_count(words: str) -> None:
    if words.strip() == "the":
        assert count_request(words).subject == "the"
        return
    with pytest.raises(UsageError, match="no words"):
        count_request(words)


@pytest.mark.parametrize(
    ("question", "subject", "is_condition"),
    [
        ("How many documents mention rent or keys?", "rent or keys", True),
        ("How many documents mention rent but not Anna Keller?", "rent but not Anna Keller", True),
        ("Which documents mention neither rent nor keys?", "neither rent nor keys", True),
        ("How many documents mention the rent more than once?", "rent more than once", True),
        ("Welche Dokumente erwähnen Miete oder Schlüssel?", "Miete oder Schlüssel", True),
        ("How many documents mention both rent and keys?", "rent and keys", False),
        ("Which documents mention terms and conditions?", "terms and conditions", False),
    ],
)
def test_joined_things_are_not_denied_as_if_they_were_a_phrase(
    question: str, subject: str, is_condition: bool
) -> None:
    request = survey_request(question)
    assert request is not None
    assert (request.subject, request.is_condition) == (subject, is_condition)
    assert not request.is_certain


def test_words_with_a_condition_are_counted_as_they_stand_and_that_is_told() -> None:
    request = count_request("rent or keys")
    assert request.is_condition
    assert "counted literally" in " ".join(request.limits)
    assert not count_request('"rent or keys"').is_condition
