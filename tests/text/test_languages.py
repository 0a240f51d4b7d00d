from __future__ import annotations

import pytest

from pincite.text.languages import language_of, sure_language

SENTENCES = {
    "en": "The valve opens when the pressure in the tank is too high for the pump.",
    "de": "Das Ventil öffnet sich, wenn der Druck in dem Behälter zu hoch für die Pumpe ist.",
    "fr": "La soupape s'ouvre quand la pression dans le réservoir est trop élevée pour la pompe.",
    "es": "La válvula se abre cuando la presión en el depósito es demasiado alta para la bomba.",
    "it": "La valvola si apre quando la pressione nel serbatoio è troppo alta per la pompa.",
    "pt": "A válvula abre quando a pressão no tanque é muito alta para a bomba, e não antes.",
    "nl": "De klep gaat open wanneer de druk in het vat te hoog is voor de pomp.",
    "sv": "Ventilen öppnas när trycket i tanken är för högt för att pumpen ska klara det.",
    "pl": "Zawór otwiera się, gdy ciśnienie w zbiorniku jest za wysokie dla tej pompy.",
    "tr": "Tankın içindeki basınç pompa için çok yüksek olduğu zaman bu vana ile açılır ve durur.",
    "ro": "Supapa se deschide când presiunea din rezervor este prea mare pentru pompă.",
    "vi": "Van mở ra khi áp suất trong bình là quá cao đối với máy bơm và không thể giảm.",
}


@pytest.mark.parametrize("language", SENTENCES)
def test_a_sentence_tells_its_language(language: str) -> None:
    assert language_of(SENTENCES[language]) == language


@pytest.mark.parametrize("text", ["", "GSE-204.1 / 12.5 bar", "Mercedes Benz", "冷却水", "a i o"])
def test_a_text_that_tells_nothing_is_what_its_surroundings_are(text: str) -> None:
    assert language_of(text) == "en"
    assert language_of(text, otherwise="de") == "de"


def test_a_short_question_is_one_of_the_languages_of_the_library() -> None:
    assert language_of("Wie hoch ist der Druck?", among=["en", "de"]) == "de"
    assert language_of("Druck Ventil", among=["en", "de"], otherwise="de") == "de"
    assert language_of("Wie hoch ist der Druck?", among=["en"]) == "en"


def test_a_word_that_stands_often_is_no_language() -> None:
    recipe = "Lentil soup. Soak 30 min. Fry 4 min. Simmer 25 min. Rest 5 min. Serves six people."
    assert language_of(recipe, otherwise="") in ("", "en")


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Der Vertrag endet am 31. Dezember und verlängert sich um ein Jahr.", "de"),
        ("The contract ends on 31 December and is extended by one year.", "en"),
        ("RM-101,Hilde F. Larsson,16\nRM-102,Ora K. Wimson,29", ""),
        ("Invoice RE-17, 30 min", ""),
        ("", ""),
    ],
)
def test_little_text_claims_no_language(text: str, language: str) -> None:
    assert sure_language(text) == language
