from __future__ import annotations

import re
from pathlib import Path

import pytest

from pincite import Conversation, Library, UsageError
from pincite.chat.conversation import delete_conversation, kept_conversations, kept_turns
from pincite.chat.follow_up import Reading, Rule
from pincite.chat.model_reading import ModelReader
from pincite.testing.language_models import ScriptedModel

FIRST = "How much water do cucumbers need?"
SECOND = "and for tomatoes?"


def test_a_follow_up_is_answered_as_it_was_read(library: Library) -> None:
    talk = Conversation(library)
    assert "4 litres" in talk.ask(FIRST).answer.citations[0].quote
    turn = talk.ask(SECOND)
    assert (turn.number, turn.question) == (2, SECOND)
    assert turn.read_as == turn.answer.question == "How much water do tomatoes need?"
    assert "Tomatoes need 2 litres of water a day." in turn.answer.citations[0].quote
    assert not turn.notices


def test_a_conversation_is_kept_and_goes_on_in_another_process(place: Path) -> None:
    with Library.open(place) as library:
        number = Conversation(library).ask(FIRST) and kept_conversations(library)[0].id
    with Library.open(place) as library:
        talk = Conversation.continued(library, number)
        assert len(talk) == 1
        assert talk.ask(SECOND).read_as == "How much water do tomatoes need?"
        turns = kept_turns(library, number)
    assert [turn.question for turn in turns] == [FIRST, SECOND]
    assert turns[1].read_as == "How much water do tomatoes need?"
    quote = turns[1].answer["citations"][0]["cited_text"]
    assert "Tomatoes need 2 litres of water a day." in quote
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00", turn.asked) for turn in turns)


def test_conversations_are_listed_newest_first_and_deleted_for_good(library: Library) -> None:
    for question in (FIRST, "How are tomatoes stored?"):
        Conversation(library, collection="default").ask(question)
    newest, oldest = kept_conversations(library)
    assert (oldest.first_question, oldest.turns, oldest.collection) == (FIRST, 1, "default")
    delete_conversation(library, newest.id)
    assert kept_conversations(library) == (oldest,)
    Conversation(library).ask(FIRST)
    assert kept_conversations(library)[0].id > newest.id
    with pytest.raises(UsageError, match=rf"no conversation {newest.id}; there are: \d+, 1$"):
        kept_turns(library, newest.id)
    with pytest.raises(UsageError, match="no conversation 77"):
        delete_conversation(library, 77)


def test_keeping_a_turn_does_not_count_as_a_change_of_the_documents(library: Library) -> None:
    before = library.catalog.generation(), library.catalog.meta("corpus_version")
    Conversation(library).ask(FIRST)
    assert (library.catalog.generation(), library.catalog.meta("corpus_version")) == before


def test_a_conversation_deleted_meanwhile_goes_on_and_says_so(library: Library) -> None:
    talk = Conversation(library)
    talk.ask(FIRST)
    assert talk.id is not None
    delete_conversation(library, talk.id)
    turn = talk.ask(SECOND)
    assert turn.answer.citations
    assert turn.notices == (f"conversation {talk.id} was deleted; this turn is not stored",)


def test_a_question_that_cannot_be_asked_leaves_the_conversation_as_it_was(
    library: Library,
) -> None:
    talk = Conversation(library)
    talk.ask(FIRST)
    with pytest.raises(UsageError, match="empty"):
        talk.ask("  ")
    with pytest.raises(UsageError, match="10,000"):
        talk.ask("water " * 3000)
    assert talk.ask(SECOND).number == 2


def test_nothing_is_kept_on_request(library: Library) -> None:
    assert Conversation(library, keep=False).ask(FIRST).answer.citations
    assert kept_conversations(library) == ()


def read(*replies: str, asked: str = "and for tomatoes, at 15 degrees?") -> tuple[Reading, str]:
    from pincite.chat.follow_up import Exchange

    model = ScriptedModel(list(replies))
    earlier = [Exchange(question=FIRST, quotes=("Cucumbers need 4 litres of water a day.",))]
    reading = ModelReader(model)(asked, earlier)
    shown = model.prompts[0].messages[-1].content if model.prompts else ""
    return reading, shown


def test_a_language_model_reads_with_the_questions_and_quotes_before() -> None:
    reading, shown = read('{"question": "How much water do tomatoes need at 15 degrees?"}')
    assert reading == Reading(
        text="How much water do tomatoes need at 15 degrees?", rule=Rule.MODEL
    )
    assert shown.splitlines() == [
        f"User: {FIRST}",
        "Answer: Cucumbers need 4 litres of water a day.",
        "",
        "Last question: and for tomatoes, at 15 degrees?",
    ]


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        (
            '{"question": "How much water do tomatoes need at 15 degrees in 2024?"}',
            "contain '2024'",
        ),
        (
            '{"question": "How much water do tomatoes in Spain need at 15 degrees?"}',
            "contain 'Spain'",
        ),
        ('{"question": "How much water do tomatoes need?"}', "'15' is missing"),
        ('{"question": "How do cucumbers grow at 15?"}', "another question"),
        ('{"question": ""}', "empty"),
        ("Tomatoes need 2 litres.", "expected a question as JSON"),
        ('{"question": 5}', "expected a question as JSON"),
    ],
)
def test_what_a_model_makes_up_or_leaves_out_is_not_used(reply: str, why: str) -> None:
    reading, _ = read(reply)
    assert reading.rule is Rule.OTHER
    assert reading.text == "How much water do tomatoes, at 15 degrees need?"
    (notice,) = reading.notices
    assert notice.startswith("read by the rules, not by scripted: ")
    assert why in notice


def test_a_shortened_word_at_the_beginning_is_no_name() -> None:
    reading, _ = read('{"question": "They\'re tomatoes: how much water at 15 degrees?"}')
    assert reading.rule is Rule.MODEL


def test_a_model_that_repeats_the_question_leaves_it_as_it_is() -> None:
    reading, _ = read(
        '{"question": "what is  the capital of france"}', asked="What is the capital of France?"
    )
    assert reading == Reading(text="What is the capital of France?")


def test_a_model_that_cannot_be_had_is_told_of_and_the_rules_read(place: Path) -> None:
    chosen = {"chat": {"reader": "model"}, "generation": {"model": "/no/such/model.gguf"}}
    with Library.open(place, overrides=chosen) as library:
        talk = Conversation(library)
        talk.ask(FIRST)
        turn = talk.ask(SECOND)
    assert turn.read_as == "How much water do tomatoes need?"
    assert any("read by the rules" in told and "model.gguf" in told for told in turn.notices)


def test_questions_are_asked_as_they_are_written_where_no_reader_is_wanted(place: Path) -> None:
    with Library.open(place, overrides={"chat": {"reader": "none"}}) as library:
        talk = Conversation(library)
        talk.ask(FIRST)
        assert talk.ask(SECOND).read_as == SECOND
