from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import fields
from pathlib import Path

import pytest

from pincite.assemble.retrieving import lexical_search
from pincite.records.filters import Filters, Scope
from pincite.records.flow import Question, Understood
from pincite.retrieve.exact import ExactWords
from pincite.retrieve.named_files import NamedFiles
from pincite.retrieve.understanding import QuestionReader, Steps
from pincite.store.catalog.catalog import Catalog
from pincite.store.index.engines import IndexTermWeights
from pincite.store.index.indexes import Indexes
from pincite.testing.fakes import FakeEncoder
from pincite.testing.samples import ingested
from pincite.text.question_parts import all_ask, question_parts

ENCODER = FakeEncoder()
TEXTS = (
    "Wear Personal Protective Equipment (PPE) at all times.",
    "The PPE is kept in the store beside the pump.",
    "The torque of the bolts is 12 Nm. The torque wrench is in the store.",
    "The relief valve opens at 6.5 bar. Tesla built the motor.",
    "The relief is that the valve has part number GSE-204.1 and a motor.",
    "Der Nobelpreis ist ein Preis. Nobel war in der Stadt und hat die Pumpe nicht.",
)
NAMES = [field.name for field in fields(Steps)]
EVERY_STEP = Steps(**dict.fromkeys(NAMES, True))
NO_STEP = Steps(**dict.fromkeys(NAMES, False))

Understand = Callable[..., Understood]
ReadBy = Callable[[Question, Steps], Question]


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[Catalog]:
    opened = Catalog(tmp_path / "catalog")
    for number, text in enumerate(TEXTS):
        opened.put("a", ingested(f"{number}.txt", text, encoder=ENCODER), recipe="r")
    yield opened
    opened.close()


@pytest.fixture
def read_by(catalog: Catalog, indexes: Indexes) -> ReadBy:
    weights = IndexTermWeights(indexes.lexical, indexes.manifest.languages)
    lexical = lexical_search(catalog, indexes)

    def read(question: Question, steps: Steps) -> Question:
        reader = QuestionReader(
            lexical=lexical,
            weights=weights,
            languages=weights.languages,
            vocabulary=indexes.vocabulary,
            exact=ExactWords(lexical, catalog.passages, catalog.text_of, weights.languages),
            is_word=lambda word: word == "tesly",
            named=NamedFiles(catalog.names, lambda _: False),
            steps=steps,
        )
        return reader.understand(question)

    return read


@pytest.fixture
def understand(read_by: ReadBy) -> Understand:
    def read(text: str, steps: Steps = EVERY_STEP) -> Understood:
        understood = read_by(Question(text=text), steps).understood
        assert understood is not None
        return understood

    return read


def texts_of(catalog: Catalog, keys: tuple[int, ...] | None) -> list[str]:
    passages = catalog.passages(list(keys or ()))
    return sorted(catalog.text_of(passage.span) for passage in passages.values())


def test_a_plain_question_is_taken_as_it_is(understand: Understand) -> None:
    found = understand("Which torque?", NO_STEP)
    assert found.plain == found.asked == "Which torque?"
    assert found.terms["torqu"] == 1.0
    assert found.within is None
    assert found.notices == ()


def test_a_phrase_narrows_the_search_to_passages_that_hold_it(
    understand: Understand, catalog: Catalog
) -> None:
    found = understand('Where is the "relief valve" open?')
    assert texts_of(catalog, found.within) == [TEXTS[3]]
    assert found.asked == "Where is the relief valve open?"
    assert found.notices == ()


def test_phrases_may_also_be_kept_among_other_passages(
    understand: Understand, catalog: Catalog
) -> None:
    found = understand('Where is the "relief valve" open?', NO_STEP)
    assert found.within is None
    assert TEXTS[3] in texts_of(catalog, found.keep)


def test_a_phrase_that_stands_nowhere_is_told_and_its_words_are_searched_for(
    understand: Understand,
) -> None:
    found = understand('the "valve relief"')
    assert found.within is None
    assert found.notices == (
        "no passage contains the exact words 'valve relief': searched for the words separately",
    )


def test_of_phrases_that_never_meet_any_will_do(understand: Understand, catalog: Catalog) -> None:
    found = understand('"relief valve" and "torque wrench"')
    assert texts_of(catalog, found.within) == sorted([TEXTS[2], TEXTS[3]])
    assert "any of them" in found.notices[0]


def test_an_identifier_must_be_kept(understand: Understand, catalog: Catalog) -> None:
    assert TEXTS[4] in texts_of(catalog, understand("Where is GSE-204.1?").keep)
    assert understand("Where is the pump?").keep == ()


def test_a_misspelt_word_is_corrected_and_told(understand: Understand) -> None:
    found = understand("Which torqe?")
    assert found.plain == "Which torqe?"
    assert found.asked == "Which torque?"
    assert found.corrections == {"torqe": "torque"}
    assert found.notices == ("searched for 'torque' instead of 'torqe'",)
    assert understand("Which torqe?", NO_STEP).asked == "Which torqe?"


def test_in_other_languages_the_nearest_word_is_looked_up_beside_the_unknown_one(
    understand: Understand,
) -> None:
    found = understand("Wer hat den Nobelprais?")
    assert found.asked == "Wer hat den Nobelprais?"
    assert found.corrections == {}
    assert found.terms["nobelprais"] > found.terms["nobelpreis"] > 0
    assert found.notices == ("searched for 'nobelpreis' as well as 'Nobelprais'",)


@pytest.mark.parametrize(
    "text",
    [
        "the torques",  # known in another form
        "the tesly here",  # a word of the language
        "the TORQE here",  # an abbreviation, perhaps
        '"torqe" here',  # exact words
        "welchem",  # a stop word
        "submarine",  # like nothing
    ],
)
def test_other_words_are_left_alone(understand: Understand, text: str) -> None:
    assert understand(text).corrections == {}


def test_abbreviations_are_looked_up_both_ways(understand: Understand) -> None:
    assert understand("personal protective equipment").terms["ppe"] == 0.5
    short = understand("Where is the PPE?").terms
    assert short["ppe"] > short["protect"] > 0
    assert "protect" not in understand("Where is the PPE?", NO_STEP).terms


def test_compounds_are_found_by_their_parts_and_parts_by_their_compounds(
    understand: Understand,
) -> None:
    assert understand("Wie hoch ist der Preis?").terms["nobelpreis"] == 0.2
    assert understand("Wer hat den Nobelpreis?").terms["preis"] == 0.5


def test_a_name_is_looked_up_in_every_language_of_the_library(understand: Understand) -> None:
    found = understand("Was ist mit Equipments?", NO_STEP)
    assert found.language == "de"
    assert found.terms == {"equipment": 1.0, "equip": 1.0}


def test_names_and_numbers_count_more(understand: Understand) -> None:
    found = understand("Which motor of Tesla has 12 valves?").terms
    assert found["tesla"] == found["12"] > found["motor"]


@pytest.mark.parametrize("text", ["???", "…", "🎉"])
def test_a_question_without_words_is_told(understand: Understand, text: str) -> None:
    assert understand(text).notices == ("the question has no words to search for",)


def test_a_question_of_stop_words_alone_is_told(understand: Understand) -> None:
    (told,) = understand("Who are the?").notices
    assert "not looked up (Who, are, the): add what to search for" in told
    assert understand("Who are the pumps?").notices == ()


def test_a_question_that_only_excludes_is_told(understand: Understand) -> None:
    assert "what to leave out" in understand("-pump").notices[0]


def test_what_was_understood_can_be_traced(understand: Understand) -> None:
    trace = understand('PPE torqe "relief valve" -motor').trace()
    assert trace["phrases"] == ["relief valve"]
    assert trace["excluded"] == ["motor"]
    assert trace["corrections"] == {"torqe": "torque"}
    assert "PPE" in trace["expansions"]
    assert "parts" not in trace


def test_reading_a_question_takes_no_time(understand: Understand) -> None:
    text = "Which torqe do the bolts of the GSE-204.1 need, and where is the PPE?"
    understand(text)
    started = time.process_time()
    for _ in range(20):
        understand(text)
    assert (time.process_time() - started) / 20 < 0.02


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("What is a valve and how does it open?", ("What is a valve", "how does it open?")),
        ("Who built it? Where is it now?", ("Who built it", "Where is it now?")),
        ("the torque of M8; the torque of M10", ("the torque of M8", "the torque of M10")),
        ("What is A here as well as how is B?", ("What is A here", "how is B?")),
        ("What is the pump and valve pressure?", ()),
        (
            "What is the price of P-1 and of P-2?",
            ("What is the price of P-1", "What is the price of P-2"),
        ),
        ("What is due for P-1 and P-2?", ("What is due for P-1", "What is due for P-2")),
        (
            "Was kostet Porto von Rom und von Bern?",
            ("Was kostet Porto von Rom", "Was kostet Porto von Bern"),
        ),
        ("Who leads the office of Research and Development?", ()),
        ("What was built between 2019 and 2020?", ()),
        ("What was the profit in 2018 and 2019?", ()),
        ("Why?", ()),
    ],
)
def test_several_questions_in_one_are_told_apart(text: str, parts: tuple[str, ...]) -> None:
    assert question_parts(text) == parts


def test_a_long_run_of_blanks_between_two_questions_takes_no_time() -> None:
    begun = time.process_time()
    text = "What is the torque?" + " " * 10_000 + "\nWho built  the motor? " + " " * 10_000 + "."
    assert question_parts(text) == ("What is the torque", "Who built the motor")
    assert time.process_time() - begun < 1


def test_quotes_narrow_search_words_but_not_a_sentence(
    understand: Understand, catalog: Catalog
) -> None:
    for asked in ('"relief valve"', '"relief valve" open pressure', 'open "relief valve" -pump'):
        assert texts_of(catalog, understand(asked, NO_STEP).within) == [TEXTS[3]], asked
    for asked in ('Where is the "relief valve"?', '"relief valve" of the pump'):
        assert understand(asked, NO_STEP).within is None, asked


def test_a_setting_beside_a_question_asks_nothing() -> None:
    assert all_ask(question_parts("When is rent due and how much is it?"))
    assert not all_ask(question_parts("Consider the lease between Ann and Bob; does it end?"))


def test_a_question_is_asked_of_the_file_that_it_names(read_by: ReadBy, catalog: Catalog) -> None:
    read = read_by(Question(text="In 2.txt, where is the wrench?"), EVERY_STEP)
    keys = catalog.keys_in(Scope.of(None, read.filters))
    assert keys is not None
    assert texts_of(catalog, tuple(keys.tolist())) == [TEXTS[2]]
    assert read.asked == "where is the wrench?"
    assert read.notices == ("searched only 2.txt, as named in the question",)


def test_filters_say_where_to_look_whatever_file_is_named(read_by: ReadBy) -> None:
    filters = Filters(documents=("1.txt",))
    read = read_by(Question(text="In 2.txt, where is the wrench?", filters=filters), EVERY_STEP)
    assert (read.filters, read.notices) == (filters, ())


def test_a_named_file_that_is_not_there_is_told(read_by: ReadBy) -> None:
    read = read_by(Question(text="In 99.txt, where is the wrench?"), EVERY_STEP)
    assert not read.filters
    assert read.notices == ("no file is named 99.txt: all files were searched",)
