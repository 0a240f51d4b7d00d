from __future__ import annotations

import random

import pytest
from rapidfuzz.distance import OSA

from pincite.text.terms import tokens
from pincite.text.vocabulary import Vocabulary, WordCounts

TEXTS = (
    "Personal Protective Equipment (PPE) keeps you safe. The torque is high.",
    "The torque of the bolt. Equipment is tested.",
    "Der Nobelpreis, die Preise und der Nobel. Entscheidung und Problem: Entscheidungsproblem.",
)


def counted(*texts: str, start: Vocabulary | None = None) -> Vocabulary:
    counts = WordCounts(start)
    for text in texts:
        counts.add(text, tokens(text))
    return counts.vocabulary()


def test_words_are_counted_by_passage_and_abbreviations_remembered() -> None:
    vocabulary = counted(*TEXTS)
    assert vocabulary.words["torque"] == 2
    assert vocabulary.long_form("ppe") == "personal protective equipment"
    assert vocabulary.long_form("torque") == ""
    assert vocabulary.short_forms("which personal protective equipment is") == [
        ("ppe", "personal protective equipment")
    ]
    assert not vocabulary.short_forms("protective equipment")


def test_counting_goes_on_where_it_ended() -> None:
    at_once, later = counted(*TEXTS), counted(TEXTS[2], start=counted(*TEXTS[:2]))
    assert later.words == at_once.words
    assert later.explained == at_once.explained


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("torqe", "torque"),
        ("torqque", "torque"),
        ("otrque", "torque"),
        ("torwue", "torque"),
        ("equipmnet", "equipment"),
        ("eqipmnet", "equipment"),
        ("bolt", ""),
        ("xxxxxxxx", ""),
        ("quipment", ""),
    ],
)
def test_the_nearest_word_is_at_most_two_errors_away(wrong: str, right: str) -> None:
    assert counted(*TEXTS).nearest(wrong) == right


def test_the_nearest_word_is_that_of_a_search_through_all_words() -> None:
    generator = random.Random(3)
    words = {"".join(generator.choices("abcd", k=generator.randint(4, 10))): 1 for _ in range(500)}
    vocabulary = Vocabulary(words=words, explained={})
    for _ in range(100):
        asked = "".join(generator.choices("abcd", k=generator.randint(5, 9)))
        most = 2 if len(asked) >= 8 else 1
        near = [
            (OSA.distance(asked, word), word)
            for word in words
            if word[0] == asked[0] or word[:2] == asked[1::-1]
        ]
        assert (
            vocabulary.nearest(asked)
            == min((pair for pair in near if pair[0] <= most), default=(0, ""))[1]
        )


def test_compounds_lead_to_their_parts_and_back() -> None:
    vocabulary = counted(*TEXTS)
    assert vocabulary.parts("nobelpreis", "de") == ()
    vocabulary = counted(*TEXTS, "Der Preis.")
    assert vocabulary.parts("nobelpreis", "de") == ("nobel", "preis")
    assert vocabulary.parts("entscheidungsproblem", "de") == ("entscheidung", "problem")
    assert vocabulary.parts("nobelpreis", "en") == ()
    assert vocabulary.compounds("preis", "de", limit=5) == ["nobelpreis"]
    assert vocabulary.compounds("preis", "en", limit=5) == []
