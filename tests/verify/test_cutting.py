"""Where a quote may be cut for a statement, and where a cut changes what it says."""

from __future__ import annotations

import pytest

from pincite.verify.statements.deletion import changed_words, joined_clauses
from pincite.verify.statements.wording import words_of

CITY = "Lisbon, which lies on the Tagus, is the capital of Portugal, and it was rebuilt after 1755."
PARTS = "The kit holds bolts, nuts, washers, and a key."


def changed(
    said: str, quote: str, *headings: str, is_from_start: bool = False, language: str = "en"
) -> list[str]:
    given = {word.key for text in headings for word in words_of(text, language)}
    found = changed_words(
        words_of(said, language),
        words_of(quote, language),
        language,
        given=given,
        is_from_start=is_from_start,
    )
    return [word.text for word in found]


@pytest.mark.parametrize(
    ("said", "quote"),
    [
        ("Lisbon is the capital of Portugal.", CITY),
        ("Lisbon, which lies on the Tagus, is capital of Portugal", CITY),
        ("It was rebuilt.", CITY),
        ("The kit holds bolts and a key.", PARTS),
        ("The kit holds bolts, washers and a key.", PARTS),
        ("She said she would come.", "She said that she would come, and she did."),
        ("The valve opens in ten seconds.", "The valve opens within ten seconds."),
        ("The EU passed the law.", "The European Union passed the law."),
        ("Six cylinder engines sold well.", "The six-cylinder engines sold well."),
        ("She was born in Turin.", "Levi, who was born in Turin, moved to Milan."),
        ("According to the document, the gate is locked.", "The gate is locked."),
        ("The pump is of bronze.", "The pump: bronze."),
        (
            "The governor of the isles is elected.",
            "The governor of the isles (French: le gouverneur des isles) is elected.",
        ),
    ],
)
def test_what_is_cut_between_clauses_or_loses_nothing_is_unchanged(said: str, quote: str) -> None:
    assert changed(said, quote) == []


@pytest.mark.parametrize(
    ("said", "quote", "words"),
    [
        ("Dodd took Ann.", "Dodd took this photograph of Ann.", ["this", "photograph", "of"]),
        ("Lee has filed.", "The legal wife of Lee has filed.", ["of"]),
        ("He is guilty.", "She denies that he is guilty.", ["that"]),
        ("He was filmed out of town.", "He was filmed moving out of town.", ["moving"]),
        ("The only clue.", "The only clue that gave a hint was lost.", ["that"]),
        ("Parking is allowed.", "Parking is allowed on Sundays.", ["on"]),
        ("It was the largest city.", "It was the largest city in Ohio.", ["in"]),
        ("It holds both a gun.", "It holds both a gun and a knife.", ["and"]),
        ("The man was killed.", "The man killed dogs.", ["was", "dogs"]),
        ("The firm was bought from Bell.", "The firm was bought by Bell.", ["from", "by"]),
        ("Ann is the mayor.", "Ann was the mayor.", ["is", "was"]),
        ("The gate is green.", "The gate is locked.", ["green", "locked"]),
        (
            "The UN passed the law.",
            "The European Union passed the law.",
            ["UN", "European", "Union"],
        ),
        ("It costs 5 per day.", "It costs 6 per day.", ["6"]),
        ("The EU law.", "The European Union opposed law.", ["EU", "European", "Union", "opposed"]),
    ],
)
def test_what_is_left_out_or_put_in_elsewhere_is_named(
    said: str, quote: str, words: list[str]
) -> None:
    assert changed(said, quote) == words


@pytest.mark.parametrize(
    ("said", "quote", "word"),
    [
        ("The plant will close.", "The plant will close, a rumour that it denies.", "rumour"),
        ("The plant will close.", "The plant, analysts fear, will close.", "fear"),
        ("The plant will close.", "The plant will close (subject to approval).", "subject"),
        ("The valve is safe.", "According to its maker, the valve is safe.", "According"),
        ("The valve is safe.", "The valve is safe, in theory.", "in"),
        ("Tom was seen in Ulm.", "Tom was seen in Ulm on Monday, Mr. Lee said.", "said"),
        ("It was sold.", "It was sold in 1990 in the novel.", "in"),
    ],
)
def test_what_takes_back_the_rest_of_its_sentence_is_not_left_out(
    said: str, quote: str, word: str
) -> None:
    assert changed(said, quote) == [word]


@pytest.mark.parametrize(
    ("said", "quote", "language"),
    [
        ("Das Werk schließt.", "Das Werk schließt, heißt es.", "de"),
        ("L'usine fermera.", "L'usine fermera, selon la rumeur.", "fr"),
        ("La planta cerrará.", "Según el diario, la planta cerrará.", "es"),
        ("La fabbrica chiude.", "La fabbrica chiude, dicono.", "it"),
        ("Das Werk schließt.", "Das Werk schließt, angeblich.", "xx"),
    ],
)
def test_what_takes_back_is_known_in_five_languages_and_in_others_by_these(
    said: str, quote: str, language: str
) -> None:
    assert changed(said, quote, language=language)


@pytest.mark.parametrize(
    "quote",
    [
        "The plant will close. Prosecutors said that it was sold.",
        "The plant will close, and the mayor said that he will leave.",
        "It was denied for years, but the plant will close.",
        "It was denied for years. The plant will close.",
        "The plant, which Ann built, will close, in May.",
    ],
)
def test_what_speaks_for_itself_may_be_left_out_whatever_it_says(quote: str) -> None:
    assert changed("The plant will close.", quote) == []


def test_a_word_of_the_heading_may_stand_for_a_pronoun_or_beside_an_article() -> None:
    born = "He was born in Ulm in 1879."
    assert changed("Einstein was born in Ulm.", born, "Albert Einstein") == []
    assert changed("Einstein was born in Ulm.", born)
    assert changed("The Tundra edition has seats.", "The edition has seats.", "Tundra") == []
    assert changed("The wife Einstein was born.", "The wife was born.", "Ulm") == ["Einstein"]


def test_what_begins_in_the_middle_needs_its_subject() -> None:
    quote = "The pump was repaired, then failed."
    assert changed("Then failed.", quote) == []
    assert changed("Then failed.", quote, is_from_start=True) == ["repaired"]


def test_nothing_shared_is_all_changed() -> None:
    assert changed("Cats sleep.", "The valve opens.") == ["Cats", "sleep"]
    assert changed("Cats sleep.", "") == ["Cats", "sleep"]


def test_a_statement_comes_apart_where_a_word_joins_its_clauses() -> None:
    def parts(text: str) -> list[str]:
        found = joined_clauses(words_of(text, "en"), "en")
        return [" ".join(word.text for word in part) for part in found]

    joined = "The valve opens early, and the drain closes late."
    assert parts(joined) == ["The valve opens early", "and the drain closes late"]
    assert parts("Bolts, nuts, and keys.") == ["Bolts nuts and keys"]
    assert parts("The valve opens, the drain closes.") == ["The valve opens the drain closes"]


def test_small_words_are_those_of_the_language() -> None:
    assert changed("The fish in the lake.", "The fish die in the lake.") == ["die"]
    german = "Die Pumpe läuft, und Deckel ist zu."
    assert changed("Der Deckel ist zu.", german, language="de") == []
    assert changed("The lake.", "Die lake.", language="xx") == ["The", "Die"]
